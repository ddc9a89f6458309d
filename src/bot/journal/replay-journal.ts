import { type JournalLines, readFileLines } from "./journal-lines.js";
import type { ReplayedTurn, ReplayResult } from "./journal-replay.js";
import { openReplay, type ReplayParts } from "./open-replay.js";

/** Callbacks of a replay. */
export interface JournalReplayOptions {
  readonly parts?: ReplayParts | undefined;
  readonly onTurn?: (turn: ReplayedTurn) => void;
}

/**
 * Replays a journal (docs/ideas/design.md#one-event-at-a-time). The bot is created again from the
 * first line, and its strategies are loaded again. Each turn gets its recorded instant and draws,
 * and its actions before signing are compared with the journal byte for byte. It needs no key,
 * sends nothing, and does not wait for time to pass.
 * @throws ConfigError if there is no such file, RunError if it cannot be read; FormatError naming
 * the line if it is not a journal, has another version, or is corrupt before its last line;
 * ConfigError if a strategy can no longer be loaded.
 */
export async function replayJournal(
  path: string,
  options: JournalReplayOptions = {},
): Promise<ReplayResult> {
  return replayLines(readFileLines(path), options);
}

/** Replays journal lines from any source. */
export async function replayLines(
  lines: JournalLines,
  options: JournalReplayOptions = {},
): Promise<ReplayResult> {
  // The recorded run kept statistics: a replay without them proves that they change nothing.
  const replay = await openReplay(lines, { keepsStatistics: false, parts: options.parts });
  for await (const turn of replay.turns) options.onTurn?.(turn);
  return replay.result();
}
