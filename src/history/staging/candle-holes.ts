import type { Ms } from "../../core/units.js";
import { type HistoryKind, intervalFor, intervalToMs } from "../kinds.js";
import { overlaps, type Span, subtractSpans } from "../spans.js";
import type { DayManifest } from "../store/day-manifest.js";

/** Candles that are missing in some covered time. */
interface CandleHoles {
  /** The time of which candles were lost. */
  readonly holes: readonly Span[];
  /** How many are missing, quiet ones included; undefined where none is. */
  readonly count: DayManifest["missingCandles"];
}

/** A source that leaves out candles without trades leaves out more stretches than these, and than one for a hundred candles. */
const FEW_STRETCHES = 3;
const FEW_SHARE = 0.01;
/** Of such a source, a stretch is a hole where chance alone makes fewer of its length in a day than this. */
const BY_CHANCE = 0.01;

/**
 * What candles lack of the time that they cover, by the steps between them. Some sources list no candle where nothing was traded: where many stretches are
 * missing, only those that are too long for chance are holes. The mark has a candle whether or not anything is traded.
 * @param covered ascending, in milliseconds since 1970
 * @param startsMs of the candles within it
 * @param leftOut where candles are known to be missing
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
 * How many candles in a row may be missing without a trade. Where each is left out with the chance p, stretches of at least n of them are `stretches * p ** (n - 1)`.
 * The chance is that of a candle after one that is there, which a long outage does not raise, but no more than the share of all that are missing, which
 * candles that are missing every other time do not raise.
 */
function longestQuiet(stretches: number, missing: number, there: number): number {
  if (there === 0 || stretches <= Math.max(FEW_STRETCHES, there * FEW_SHARE)) return 0;
  const chance = Math.min(stretches / there, missing / (missing + there));
  return 1 + Math.log(BY_CHANCE / stretches) / Math.log(chance);
}
