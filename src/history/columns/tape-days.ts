import { ConfigError } from "../../core/errors.js";
import { DAY_MS, type MarketId, type Ms } from "../../core/units.js";
import { type Day, toDay } from "../day.js";
import { clipSpans, findGaps, type Span } from "../spans.js";
import type { DayManifest } from "../store/day-manifest.js";
import type { HistoryStore } from "../store/history-store.js";
import type { DayInput } from "./day-tape.js";
import { isStamped } from "./local-clock.js";
import { noDataError } from "./no-data-error.js";

/** The kinds of history from which columns of books and trades are built. */
export type TapeSeries = "book" | "trades";

/** The days of a span, and the gaps of the store in it. */
export interface TapeDays {
  readonly inputs: readonly DayInput[];
  /**
   * The parts of the span that no file covers, by kind. A kind of which the store has no data at
   * all is not listed.
   */
  readonly gaps: readonly { readonly kind: TapeSeries; readonly span: Span }[];
}

/**
 * Finds the days of the store that a span touches.
 * @throws ConfigError if none has a book or trades; HistoryError naming a file that is broken
 */
export function tapeDays(
  store: HistoryStore,
  market: MarketId,
  [fromMs, toMs]: Span,
  kinds: readonly TapeSeries[],
): TapeDays {
  const of = (kind: string): Map<Day, DayManifest> =>
    new Map(store.days({ market, kind }).map((manifest) => [manifest.day, manifest]));
  const book = kinds.includes("book") ? of("book") : new Map<Day, DayManifest>();
  const trades = kinds.includes("trades") ? of("trades") : new Map<Day, DayManifest>();
  const stamped = stampedDays(store, market);
  const inputs: DayInput[] = [];
  for (let startMs = Math.floor(fromMs / DAY_MS) * DAY_MS; startMs < toMs; startMs += DAY_MS) {
    const day = toDay(startMs);
    if (!book.has(day) && !trades.has(day)) continue;
    inputs.push({
      market,
      day,
      book: book.get(day),
      trades: trades.get(day),
      stamped: stamped.get(day) ?? [],
    });
  }
  if (inputs.length === 0) throw noDataError(store, market, kinds, [fromMs, toMs]);
  const missing = (kind: TapeSeries, days: ReadonlyMap<Day, DayManifest>): TapeDays["gaps"] => {
    const covered = clipSpans(
      [...days.values()].flatMap((manifest) => manifest.covered),
      [fromMs, toMs],
    );
    return days.size === 0 ? [] : findGaps(covered, [fromMs, toMs]).map((span) => ({ kind, span }));
  };
  return { inputs, gaps: [...missing("book", book), ...missing("trades", trades)] };
}

/**
 * All days of a market with local stamps, grouped by day.
 * @throws HistoryError naming a file that is broken
 */
export function stampedDays(
  store: HistoryStore,
  market: MarketId,
): ReadonlyMap<Day, readonly DayManifest[]> {
  const stamped = new Map<Day, DayManifest[]>();
  for (const series of store.series()) {
    if (series.market !== market || !isStamped(series.kind)) continue;
    for (const manifest of store.days(series))
      stamped.set(manifest.day, [...(stamped.get(manifest.day) ?? []), manifest]);
  }
  return stamped;
}

/** The smallest span of whole milliseconds that contains a span of microseconds. */
export function msSpan(fromUs: number, toUs: number): readonly [Ms, Ms] {
  if (!Number.isSafeInteger(fromUs) || !Number.isSafeInteger(toUs) || fromUs >= toUs) {
    throw new ConfigError("is not a valid span of time", {
      field: "fromUs",
      value: `${fromUs} to ${toUs}`,
      expected: "whole microseconds since 1970, the first below the second",
    });
  }
  return [Math.floor(fromUs / 1000), Math.ceil(toUs / 1000)];
}
