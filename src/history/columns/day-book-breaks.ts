import { findGaps, type Span } from "../spans.js";
import type { DayManifest } from "../store/day-manifest.js";

/** What stood so long ago, with nothing told since, says nothing of what stands now. */
export const MOST_SILENT_MS = 60_000;

/** Where a day's book has to be given up, milliseconds since 1970. */
export interface DayBookBreaks {
  /** Breaks of its chain, ascending. */
  readonly breaksMs: readonly number[];
  /** Ends of the times within the day of which the store has nothing, where they are long, ascending: a book goes on there by a snapshot alone. */
  readonly resumesMs: readonly number[];
}

/** Where a day's book is lost. @param book undefined where the store has none of that day */
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
