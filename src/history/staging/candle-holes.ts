import type { Ms } from "../../core/units.js";
import { type HistoryKind, intervalFor, intervalToMs } from "../kinds.js";
import { overlaps, type Span, subtractSpans } from "../spans.js";
import type { DayManifest } from "../store/day-manifest.js";

/** Candles missing in covered time. */
interface CandleHoles {
  /** The spans whose candles were lost. */
  readonly holes: readonly Span[];
  /** The number of missing candles, quiet ones included; undefined if none is missing. */
  readonly count: DayManifest["missingCandles"];
}

/**
 * A source that omits candles without trades has more missing stretches than this, and more than
 * one per hundred candles.
 */
const FEW_STRETCHES = 3;
const FEW_SHARE = 0.01;
/**
 * In such a source, a stretch is a hole if chance alone makes fewer than this number of its length
 * in a day.
 */
const BY_CHANCE = 0.01;

/**
 * Finds missing candles of the covered time by the steps between candles.
 *
 * Some sources have no candle if nothing was traded. If many stretches are missing, only those too
 * long for chance are holes. A mark has a candle with or without trades.
 * @param covered ascending, in milliseconds since 1970
 * @param startsMs of the candles within it
 * @param leftOut spans in which candles are known to be missing
 */
export function candleHoles(
  kind: HistoryKind,
  covered: readonly Span[],
  startsMs: Iterable<Ms>,
  leftOut: readonly Span[] = [],
): CandleHoles {
  const intervalMs = intervalToMs(intervalFor(kind));
  if (intervalMs === undefined) return { holes: [], count: undefined };
  const candles = Array.from(startsMs, (ms): Span => [ms, ms + intervalMs]);
  const candlesIn = ([from, to]: Span): number => Math.floor((to - from) / intervalMs);
  const stretches = subtractSpans(covered, candles).filter((span) => candlesIn(span) > 0);
  if (stretches.length === 0) return { holes: [], count: undefined };
  const total = (spans: readonly Span[]): number =>
    spans.reduce((sum, span) => sum + candlesIn(span), 0);
  const missing = total(stretches);
  const unexplained = stretches.filter((span) => !overlaps(leftOut, span));
  const longest = kind.startsWith("mark-")
    ? 0
    : longestQuiet(unexplained.length, total(unexplained), candles.length);
  const holes = stretches.filter(
    (span) => !unexplained.includes(span) || candlesIn(span) > longest,
  );
  const quiet = missing - total(holes);
  const of = missing + candles.length;
  return {
    holes,
    count: quiet === 0 ? { missing, of } : { missing, of, quiet, quietUpTo: Math.floor(longest) },
  };
}

/**
 * The longest run of candles that may be missing for want of trades.
 *
 * If each candle is missing with probability p, there are `stretches * p ** (n - 1)` runs of at
 * least n. p is the share of missing candles right after one that is there, which a long outage
 * does not raise. It is at most the share of all missing candles, which alternating gaps do not
 * raise.
 */
function longestQuiet(stretches: number, missing: number, there: number): number {
  if (there === 0 || stretches <= Math.max(FEW_STRETCHES, there * FEW_SHARE)) return 0;
  const chance = Math.min(stretches / there, missing / (missing + there));
  return 1 + Math.log(BY_CHANCE / stretches) / Math.log(chance);
}
