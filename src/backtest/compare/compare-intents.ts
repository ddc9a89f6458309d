import { join } from "node:path";
import { decodeLine } from "../../bot/journal/journal.js";
import { readFileLines } from "../../bot/journal/journal-lines.js";
import { hashFile } from "../../history/file-hash.js";
import { HistoryError } from "../../history/history-errors.js";
import type { Intent } from "../../strategies/intent.js";
import { SESSION_FILES, type Session } from "../session/session-file.js";

/** An intent with the instant of its decision, microseconds of the bot's clock. */
export interface TimedIntent {
  readonly atUs: number;
  readonly intent: Intent;
}

/** An intent of a recorded session. */
export interface RecordedIntent extends TimedIntent {
  /** The turn that it came of, counted from 1. */
  readonly turn: number;
}

/** Reads a session's intents, in their order. @throws HistoryError when the file is not as its session says */
export async function readIntents(
  folder: string,
  { intents }: Session,
): Promise<readonly RecordedIntent[]> {
  const path = join(folder, SESSION_FILES.intents);
  const sha256 = await hashFile(path);
  if (sha256 !== intents.sha256)
    throw new HistoryError(path, "is not what was recorded", {
      value: sha256,
      expected: intents.sha256,
    });
  const recorded: RecordedIntent[] = [];
  // Line by line: a day of decisions is longer than a text may be.
  for await (const { text, number } of readFileLines(path))
    recorded.push(decodeLine(text, number) as RecordedIntent);
  return recorded;
}

/** What an intent wants, without the view that it was made from: in words. */
export function intentText({ intent }: TimedIntent): string {
  if (intent.kind === "target")
    return `target ${intent.targetLots} lots, no worse than ${intent.worstTicks} ticks`;
  if (intent.quotes.length === 0) return "no quotes";
  return intent.quotes
    .map(({ side, level, ticks, lots }) => `${side} ${level}: ${lots} @ ${ticks}`)
    .join(", ");
}

/** Two sequences of intents beside each other. */
export interface IntentMatch {
  readonly live: number;
  readonly replay: number;
  /** How many are equal from the beginning on. */
  readonly equalFirst: number;
  /** The first that differ; null where one is the beginning of the other. */
  readonly firstDifference: { readonly live: TimedIntent; readonly replay: TimedIntent } | null;
  /** The share of the live ones that want what the replay wanted too within the window. */
  readonly share: number;
}

/** Compares what was wanted, decision by decision. @param windowUs how far apart the same wish may be. */
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
