import type { MarketId } from "../../core/units.js";
import { requireDayStart } from "../day.js";
import type { Span } from "../spans.js";
import type { DayManifest } from "../store/day-manifest.js";
import { MOST_SILENT_MS } from "./day-book-breaks.js";
import type { SourceDay } from "./source-day.js";
import type { Tape } from "./tape/tape.js";
import { TapeBuilder } from "./tape/tape-builder.js";
import type { Steps } from "./tape/tape-grid.js";

/** The size of the tape that {@link makeBookLostTape} builds. */
export const BOOK_LOST_SIZE = { messages: 1, rows: 2 } as const;

/**
 * True if a day begins with updates of a book whose state is unknown: the day has no snapshot at
 * its beginning, and the previous book was lost or has ended since. The old levels may be gone, and
 * a replay would take them for liquidity.
 * @param before the book of the last day before it that has one
 */
export function isBookLost(
  { input: { book }, tape }: SourceDay,
  before: DayManifest | undefined,
): boolean {
  if (before === undefined || book === undefined || tape.footer.beginsWhole) return false;
  const knownToMs = before.covered.at(-1)?.[1] ?? Number.NEGATIVE_INFINITY;
  const fromMs = Math.min(...[...book.covered, ...(book.lost ?? [])].map(([from]) => from));
  return fromMs - knownToMs > MOST_SILENT_MS || (before.lost?.at(-1)?.[1] ?? knownToMs) > knownToMs;
}

/** Builds the first message of a day whose book is lost, received when the day begins. */
export function makeBookLostTape(
  marketId: MarketId,
  { tickSize, stepSize }: Steps,
  { input }: SourceDay,
): Tape {
  const us = requireDayStart(input.day) * 1000;
  return new TapeBuilder({ marketId, tickSize, stepSize }).lost(us, us).build();
}

/**
 * The time in which the books of some days are unknown, each span up to the next snapshot.
 * @param days ascending, each with a book
 * @param toMs exclusive
 */
export function lostSpans(
  days: readonly SourceDay[],
  isLostAtStart: (day: SourceDay) => boolean,
  toMs: number,
): Span[] {
  const spans: Span[] = [];
  let sinceMs: number | undefined;
  const ended = (ms: number): void => {
    if (sinceMs !== undefined) spans.push([sinceMs, ms]);
    sinceMs = undefined;
  };
  for (const day of days) {
    if (isLostAtStart(day)) sinceMs ??= requireDayStart(day.input.day);
    for (const { atUs, isLoss } of day.tape.footer.turns) {
      if (isLoss) sinceMs ??= Math.floor(atUs / 1000);
      else ended(Math.floor(atUs / 1000));
    }
  }
  ended(toMs);
  return spans;
}
