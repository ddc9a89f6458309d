import type { ReplayResult } from "../journal/journal-replay.js";

/** Warnings for a reader of a replay, one line each: a changed strategy, a difference, its end. */
export function replayNotes({
  changedStrategies,
  tornLine,
  broke,
  divergence,
}: Pick<ReplayResult, "changedStrategies" | "tornLine" | "broke" | "divergence">): string[] {
  const lines = changedStrategies.map(({ marketId, name, recorded, found, ...versions }) => {
    const { recordedVersion, foundVersion } = versions;
    const digests = `sha256 ${recorded ?? "of a built-in"} then, ${found ?? "of a built-in"} now`;
    const packages =
      recordedVersion === foundVersion
        ? ""
        : `version ${recordedVersion ?? "none"} then, ${foundVersion ?? "none"} now; `;
    return `markets.${marketId}.strategy: ${name} is not the strategy that was recorded (${packages}${digests})`;
  });
  if (tornLine !== undefined)
    lines.push(
      `line ${tornLine} was cut short when the process that wrote it ended, and is skipped`,
    );
  if (broke !== undefined) lines.push(`the last turn failed, then and now: ${broke}`);
  if (divergence !== undefined) {
    const { turn, line, why, expected, actual } = divergence;
    lines.push(
      `turn ${turn} (line ${line}) differs: ${why}`,
      `  recorded: ${expected}`,
      `  replayed: ${actual}`,
    );
  }
  return lines;
}
