import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { createLiveRuntime } from "#core/live-runtime.js";
import { ViewedJournals, type ViewedJournalsOptions } from "#viewer/viewed-journals.js";
import { botConfigOf, MemoryJournal, startVirtualRun } from "../bot/recorded-run.js";

const FIXTURE = new URL("../fixtures/made-by-0.1.0/live/run.journal.gz", import.meta.url);

/** The lines of a journal of version 0.1.0: 980 turns of two markets, with fills and a halt. */
export function olderLines(): readonly string[] {
  return gunzipSync(readFileSync(fileURLToPath(FIXTURE)))
    .toString()
    .trimEnd()
    .split("\n");
}

/** Writes a journal. @returns its path */
export function writeJournal(folder: string, name: string, lines: readonly string[]): string {
  const path = join(folder, name);
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
}

/** Records two seconds of a bot in virtual time, which are the same each time. */
export async function recordVirtualRun(halfSpreadBps: number): Promise<readonly string[]> {
  const journal = new MemoryJournal();
  const config = botConfigOf({
    markets: {
      ethusdc: {
        strategy: "ladder",
        params: { levels: 1, halfSpreadBps, levelSpacingBps: 1, sizeBase: 0.2 },
        limits: { maxPositionBase: "5", maxOrderBase: "1" },
      },
    },
  });
  const run = await startVirtualRun({ journal, config });
  await run.clock.runFor(2_000);
  await run.stop();
  return journal.lines;
}

/** Opens journals and reads them to their end. */
export async function readWhole(
  options: Omit<ViewedJournalsOptions, "clock">,
): Promise<ViewedJournals> {
  const journals = await ViewedJournals.open({ ...options, clock: createLiveRuntime().clock });
  await journals.read();
  return journals;
}
