import type { Ms } from "../core/units.js";
import type { DayManifest } from "./day-manifest.js";
import { type HistoryKind, intervalMsOf, intervalOf } from "./kinds.js";
import { type Span, withoutSpans } from "./spans.js";

/** Candles that are missing in some covered time. */
export interface CandleHoles {
  /** The time of which candles were lost. */
  readonly holes: readonly Span[];
  /** How many are missing, quiet ones included; undefined where none is. */
  readonly count: DayManifest["missingCandles"];
}

/** A source that leaves out candles without trades leaves out more stretches than these, and than one for a hundred candles. */
const FEW_STRETCHES = 3;
const FEW_SHARE = 0.01;
/** Among those of such a source a stretch so many times as long as the median one is a hole. */
const LONG_TIMES = 20;

/**
 * What candles lack of the time that they cover, by the steps between them. Some sources list no candle where nothing was traded: where many stretches are
 * missing, only those that are far longer than most are holes. The mark has a candle whether or not anything is traded.
 * @param covered ascending, in milliseconds since 1970
 * @param startsMs of the candles within it
 */
export function candleHoles(kind: HistoryKind, covered: readonly Span[], startsMs: Iterable<Ms>): CandleHoles {
  const intervalMs = intervalMsOf(intervalOf(kind));
  if (intervalMs === undefined) return { holes: [], count: undefined };
  const candles = Array.from(startsMs, (ms): Span => [ms, ms + intervalMs]);
  const candlesIn = ([from, to]: Span): number => Math.floor((to - from) / intervalMs);
  const stretches = withoutSpans(covered, candles).filter((span) => candlesIn(span) > 0);
  if (stretches.length === 0) return { holes: [], count: undefined };
  const isFew = stretches.length <= Math.max(FEW_STRETCHES, candles.length * FEW_SHARE);
  const lengths = stretches.map(candlesIn).sort((one, other) => one - other);
  const longest = isFew || kind.startsWith("mark-") ? 0 : LONG_TIMES * (lengths[lengths.length >> 1] as number);
  const missing = lengths.reduce((sum, length) => sum + length, 0);
  const quiet = lengths.reduce((sum, length) => sum + (length <= longest ? length : 0), 0);
  const of = missing + candles.length;
  return {
    holes: stretches.filter((span) => candlesIn(span) > longest),
    count: quiet === 0 ? { missing, of } : { missing, of, quiet },
  };
}
