import { join } from "node:path";
import { decodeLine } from "../../bot/journal/journal.js";
import { readFileLines } from "../../bot/journal/journal-lines.js";
import { hashFile } from "../../history/file-hash.js";
import { HistoryError } from "../../history/history-errors.js";
import type { Intent } from "../../strategies/intent.js";
import { SESSION_FILES, type Session } from "../session/session-file.js";

/** An intent with the time of its decision, microseconds of the bot's clock. */
export interface TimedIntent {
  readonly atUs: number;
  readonly intent: Intent;
}

/** An intent of a recorded session. */
export interface RecordedIntent extends TimedIntent {
  /** The turn that produced it, counted from 1. */
  readonly turn: number;
}

/**
 * Reads the intents of a session, in their order.
 * @throws HistoryError when the file does not match its session
 */
export async function readIntents(
  folder: string,
  { intents }: Session,
): Promise<readonly RecordedIntent[]> {
  const path = join(folder, SESSION_FILES.intents);
  const sha256 = await hashFile(path);
  if (sha256 !== intents.sha256)
    throw new HistoryError(path, "has changed since it was recorded: its SHA-256 differs", {
      value: sha256,
      expected: intents.sha256,
    });
  const recorded: RecordedIntent[] = [];
  // Line by line: a day of decisions exceeds the longest string.
  for await (const { text, number } of readFileLines(path))
    recorded.push(decodeLine(text, number) as RecordedIntent);
  return recorded;
}

/** The quotes of an intent as text, without the view that it was made from. */
export function intentText({ intent }: TimedIntent): string {
  if (intent.kind === "target")
    return `target ${intent.targetLots} lots, no worse than ${intent.worstTicks} ticks`;
  if (intent.quotes.length === 0) return "no quotes";
  return intent.quotes
    .map(({ side, level, ticks, lots }) => `${side} ${level}: ${lots} @ ${ticks}`)
    .join(", ");
}

/** Two sequences of intents, compared. */
export interface IntentMatch {
  readonly live: number;
  readonly replay: number;
  /** Length of the common prefix. */
  readonly equalFirst: number;
  /** The first that differs; null where one sequence is a prefix of the other. */
  readonly firstDifference: { readonly live: TimedIntent; readonly replay: TimedIntent } | null;
  /** The share of live intents for which the replay has the same quotes within the window. */
  readonly share: number;
}

/**
 * Compares the requested quotes, decision by decision.
 * @param windowUs how far apart two equal intents may be.
 */
export function matchIntents(
  live: readonly TimedIntent[],
  replay: readonly TimedIntent[],
  windowUs: number,
): IntentMatch {
  const [ours, theirs] = [live.map(intentText), replay.map(intentText)];
  let equalFirst = 0;
  while (
    equalFirst < ours.length &&
    equalFirst < theirs.length &&
    ours[equalFirst] === theirs[equalFirst]
  )
    equalFirst++;
  const [a, b] = [live[equalFirst], replay[equalFirst]];
  let from = 0;
  let equal = 0;
  for (const [at, { atUs }] of live.entries()) {
    while (from + 1 < replay.length && (replay[from + 1] as TimedIntent).atUs < atUs - windowUs)
      from++;
    for (
      let each = from;
      each < replay.length && (replay[each] as TimedIntent).atUs <= atUs + windowUs;
      each++
    ) {
      if (theirs[each] !== ours[at]) continue;
      equal += 1;
      break;
    }
  }
  return {
    live: live.length,
    replay: replay.length,
    equalFirst,
    firstDifference: a === undefined || b === undefined ? null : { live: a, replay: b },
    share: live.length === 0 ? 1 : equal / live.length,
  };
}
