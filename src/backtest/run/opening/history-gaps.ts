import type { MarketId } from "../../../core/units.js";
import { instantText, parseInstant } from "../../../history/day.js";
import { type HistoryKind, intervalFor, intervalToMs } from "../../../history/kinds.js";
import { findGaps, type Span, totalLengthMs } from "../../../history/spans.js";
import { EVER } from "../../config/backtest-schema.js";
import type { PlayedMarket } from "../played-history.js";
import { missingCandles } from "./missing-candles.js";
import type { RequestedSpan } from "./recorded-days.js";

/** Longest transit time of the newest data. */
export const TAIL_US = 1_000_000;

/** Streams of one recording do not begin and end at the same instant; the tail comes after both. */
const RAGGED_MS = 1_000 + TAIL_US / 1000;

/** Marks that pause for longer are missing. */
const MARKS_PAUSE_MS = 60_000;

const EVER_MS: Span = [
  parseInstant(EVER.from, "history.from"),
  parseInstant(EVER.to, "history.to"),
];

/** A gap in a market's books or trades. */
export interface TapeGap {
  readonly marketId: MarketId;
  readonly kind: string;
  readonly gap: Span;
}

/** Marks or funding of a market, and the spans of them that the store covers. */
export interface SeriesCoverage {
  readonly marketId: MarketId;
  readonly kind: HistoryKind;
  readonly covered: readonly Span[];
  readonly fundingIntervalMs: number;
}

/** Gaps of a market's books or trades are listed singly up to this number. */
const NAMED_ALONE = 100;

/**
 * Gaps of books or trades within the replayed span, as text.
 * @param replayedMs from its first instant to the last
 */
export function tapeGapTexts(gaps: readonly TapeGap[], replayedMs: Span): string[] {
  const bySeries = new Map<string, Span[]>();
  for (const { marketId, kind, gap } of gaps) {
    const [fromMs, toMs] = requestedSpan(gap, replayedMs);
    const isWhole = fromMs === gap[0] && toMs === gap[1];
    if (toMs - fromMs <= (isWhole ? 0 : RAGGED_MS)) continue;
    const name = `${marketId} ${kind}`;
    bySeries.set(name, [...(bySeries.get(name) ?? []), [fromMs, toMs]]);
  }
  return [...bySeries].flatMap(([name, spans]) => {
    if (spans.length <= NAMED_ALONE) return spans.map((span) => `${name}: ${spanText(span)}`);
    const longest = spans.reduce((most, span) =>
      span[1] - span[0] > most[1] - most[0] ? span : most,
    );
    return [
      `${name}: ${totalLengthMs(spans) / 1000} s in ${spans.length} stretches, the longest ${spanText(longest)}`,
    ];
  });
}

/** The same for candles. `fromUs` and `toUs` are those of the configuration. */
export function candleGapTexts(
  markets: readonly Pick<PlayedMarket, "marketId" | "klines" | "missingSpans">[],
  interval: string | undefined,
  { fromUs, toUs }: RequestedSpan,
  replayedMs: Span,
): string[] {
  const [fromMs, toMs] = requestedSpan([fromUs / 1000, toUs / 1000], replayedMs);
  return markets.flatMap(({ marketId, klines, missingSpans }) => {
    const texts =
      klines === undefined ? [] : missingCandles(klines, fromMs * 1000, toMs * 1000, missingSpans);
    return texts.map((text) => `${marketId} klines-${interval}: ${text}`);
  });
}

/**
 * The same for marks and funding. Where marks end, a position keeps its last mark; where funding
 * ends, none is paid. The run must report both.
 */
export function seriesGapTexts(
  series: readonly SeriesCoverage[],
  [startMs, endMs]: Span,
): string[] {
  return series.flatMap(({ marketId, kind, covered, fundingIntervalMs }) => {
    const leastMs =
      kind === "funding" ? fundingIntervalMs : (intervalToMs(intervalFor(kind)) ?? MARKS_PAUSE_MS);
    return findGaps(covered, [Math.floor(startMs), Math.ceil(endMs)])
      .filter(([fromMs, toMs]) => toMs - fromMs > leastMs)
      .map((gap) => `${marketId} ${kind}: ${spanText(gap)}`);
  });
}

/**
 * The requested part of a gap. Where the configuration names no beginning or end, nothing before or
 * after the replayed span is requested.
 */
function requestedSpan([fromMs, toMs]: Span, [startMs, endMs]: Span): Span {
  return [
    fromMs === EVER_MS[0] ? Math.floor(startMs) : fromMs,
    toMs === EVER_MS[1] ? Math.ceil(endMs) : toMs,
  ];
}

function spanText([fromMs, toMs]: Span): string {
  return `${instantText(fromMs)} to ${instantText(toMs)}`;
}
