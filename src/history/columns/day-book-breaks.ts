import { findGaps, type Span } from "../spans.js";
import type { DayManifest } from "../store/day-manifest.js";

/** The longest silence after which the book is still trusted. */
export const MOST_SILENT_MS = 60_000;

/** The instants at which a day's book is lost, milliseconds since 1970. */
export interface DayBookBreaks {
  /** Breaks of the book's chain, ascending. */
  readonly breaksMs: readonly number[];
  /**
   * Ends of the long gaps of the store within the day, ascending. After such a gap the book
   * continues only from a snapshot.
   */
  readonly resumesMs: readonly number[];
}

/** Finds where a day's book is lost. @param book undefined if the store has no book of that day */
export function findBookBreaks(book: DayManifest | undefined): DayBookBreaks {
  if (book === undefined) return { breaksMs: [], resumesMs: [] };
  const { covered, lost = [] } = book;
  const resumesMs = holesIn([...covered, ...lost]).flatMap(([from, to]) =>
    to - from > MOST_SILENT_MS ? [to] : [],
  );
  return { breaksMs: lost.map(([from]) => from), resumesMs };
}

function holesIn(spans: readonly Span[]): Span[] {
  const [from, to] = [
    Math.min(...spans.map(([start]) => start)),
    Math.max(...spans.map(([, end]) => end)),
  ];
  return findGaps(spans, [from, to]);
}
