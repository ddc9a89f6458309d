import { HistoryError } from "../history-errors.js";
import { findGaps, mergeSpans, type Span } from "../spans.js";
import type { DayManifest } from "./day-manifest.js";
import type { HistoryStore, Series } from "./history-store.js";
import { uncountedText, unknownText } from "./known-days.js";

/** The data that a store has of one series. */
export interface SeriesListing extends Series {
  readonly days: readonly DayManifest[];
  readonly rows: number;
  readonly bytes: number;
  /** The known time. Data between its spans are missing. */
  readonly covered: readonly Span[];
  readonly gaps: readonly Span[];
  /** True if each day is complete. */
  readonly complete: boolean;
  /** Unknown facts about its days, one sentence each. */
  readonly notes: readonly string[];
  /** Files that are broken or foreign, one sentence each. */
  readonly problems: readonly string[];
}

/** The series to list. */
interface ListHistoryOptions {
  readonly market?: string;
  readonly kind?: string;
  /** Checks every file against its checksum. */
  readonly verify: boolean;
}

/** Lists the contents of a store. @throws HistoryError naming files that do not belong in it */
export async function listHistory(
  store: HistoryStore,
  { market, kind, verify }: ListHistoryOptions,
): Promise<readonly SeriesListing[]> {
  const listings: SeriesListing[] = [];
  for (const series of store.series()) {
    if (
      (market !== undefined && series.market !== market) ||
      (kind !== undefined && series.kind !== kind)
    )
      continue;
    const { days, problems } = store.inspect(series);
    const broken = [...problems];
    for (const manifest of verify ? days : []) {
      try {
        await store.verify(manifest);
      } catch (error) {
        if (!(error instanceof HistoryError)) throw error;
        broken.push(error);
      }
    }
    const covered = mergeSpans(days.flatMap((manifest) => manifest.covered));
    listings.push({
      ...series,
      days,
      rows: sum(days.map(({ rows }) => rows)),
      bytes: sum(days.map(({ bytes }) => bytes)),
      covered,
      gaps: findGaps(covered, [covered[0]?.[0] ?? 0, covered.at(-1)?.[1] ?? 0]),
      complete: days.every(({ complete }) => complete),
      notes: [...unknownText(series, days), ...uncountedText(series, days)],
      problems: broken.map(({ message }) => message),
    });
  }
  return listings;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
