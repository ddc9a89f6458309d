import type { MarketId } from "../../core/units.js";
import { startOfDay } from "../day.js";
import type { DayManifest } from "../day-manifest.js";
import { gapsOf, type Span } from "../spans.js";
import type { Tape } from "./tape.js";
import { TapeBuilder } from "./tape-builder.js";
import type { Steps } from "./tape-grid.js";
import type { SourceDay } from "./tape-source.js";

/** What {@link nothingKnown} takes. */
export const NOTHING_KNOWN = { messages: 1, rows: 2 } as const;

/** What stood so long ago, with nothing told since, says nothing of what stands now. */
const MOST_SILENT_MS = 60_000;

/** Where a day's book has to be given up, milliseconds since 1970. */
export interface DayLosses {
  /** Breaks of its chain, ascending. */
  readonly breaksMs: readonly number[];
  /** Ends of the times within the day of which the store has nothing, where they are long, ascending: a book goes on there by a snapshot alone. */
  readonly resumesMs: readonly number[];
}

/** Where a day's book is lost. @param book undefined where the store has none of that day */
export function lossesOf(book: DayManifest | undefined): DayLosses {
  if (book === undefined) return { breaksMs: [], resumesMs: [] };
  const { covered, lost = [] } = book;
  const resumesMs = holesIn([...covered, ...lost]).flatMap(([from, to]) => (to - from > MOST_SILENT_MS ? [to] : []));
  return { breaksMs: lost.map(([from]) => from), resumesMs };
}

/**
 * Whether a day's book goes on, without a whole one at its beginning, from a book that nobody followed since, or that was lost before: what stood
 * then says nothing of what stands now, and would be taken for liquidity.
 * @param before the book of the last day before it that has one
 */
export function isLost({ input: { book }, tape }: SourceDay, before: DayManifest | undefined): boolean {
  if (before === undefined || book === undefined || tape.footer.beginsWhole) return false;
  const knownToMs = before.covered.at(-1)?.[1] ?? Number.NEGATIVE_INFINITY;
  const fromMs = Math.min(...[...book.covered, ...(book.lost ?? [])].map(([from]) => from));
  return fromMs - knownToMs > MOST_SILENT_MS || (before.lost?.at(-1)?.[1] ?? knownToMs) > knownToMs;
}

/** A day's first message where the book is lost, heard as the day begins. */
export function nothingKnown(marketId: MarketId, { tickSize, stepSize }: Steps, { input }: SourceDay): Tape {
  const us = startOfDay(input.day) * 1000;
  return new TapeBuilder({ marketId, tickSize, stepSize }).lost(us, us).build();
}

/** The time in which the books of some days are lost, each time to the next snapshot. @param days ascending, with a book each @param toMs exclusive */
export function lostSpans(days: readonly SourceDay[], isLostAtStart: (day: SourceDay) => boolean, toMs: number): Span[] {
  const spans: Span[] = [];
  let sinceMs: number | undefined;
  const ended = (ms: number): void => {
    if (sinceMs !== undefined) spans.push([sinceMs, ms]);
    sinceMs = undefined;
  };
  for (const day of days) {
    if (isLostAtStart(day)) sinceMs ??= startOfDay(day.input.day);
    for (const { atUs, isLoss } of day.tape.footer.turns) {
      if (isLoss) sinceMs ??= Math.floor(atUs / 1000);
      else ended(Math.floor(atUs / 1000));
    }
  }
  ended(toMs);
  return spans;
}

function holesIn(spans: readonly Span[]): Span[] {
  const [from, to] = [Math.min(...spans.map(([start]) => start)), Math.max(...spans.map(([, end]) => end))];
  return gapsOf(spans, [from, to]);
}
