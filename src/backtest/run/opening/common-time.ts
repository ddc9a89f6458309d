import { ConfigError } from "../../../core/errors.js";
import { instantText } from "../../../history/day.js";
import { clipSpans, findGaps, type Span, totalLengthMs } from "../../../history/spans.js";
import type { PlayedMarket } from "../played-history.js";
import type { RequestedSpan } from "./recorded-days.js";

type CoveredMarket = Pick<PlayedMarket, "marketId" | "missingSpans">;

/**
 * Below this share of the run's time with data of every market, the figures are mostly those of a
 * missing market.
 */
const ENOUGH = 0.5;

/**
 * Refuses markets that were never recorded at the same time: in their run one market would stand
 * still while the other moves.
 * @param where the requested span, for the message: a window's name
 * @throws ConfigError naming both with their spans
 */
export function requireCommonTime(
  markets: readonly CoveredMarket[],
  span: RequestedSpan,
  where = "",
): void {
  const times = markets.map((market) => ({
    marketId: market.marketId,
    spans: coveredSpans(market, msSpan(span)),
  }));
  for (const [at, one] of times.entries()) {
    const other = times
      .slice(at + 1)
      .find(({ spans }) => commonSpans(one.spans, spans).length === 0);
    if (other === undefined) continue;
    const [first, second] = [one, other].map(
      ({ marketId, spans }) => `${marketId} (${reachText(spans)})`,
    );
    throw new ConfigError(`${first} and ${second} were never recorded at the same time${where}`, {
      field: "history.markets",
      expected:
        "markets whose recordings overlap, a span in which they do, or a backtest of each market alone",
    });
  }
}

/**
 * A sentence, with the recorded spans, where most of a run's time lacks data of a market; otherwise
 * none.
 */
export function littleCommonTime(
  markets: readonly CoveredMarket[],
  { fromUs, toUs }: RequestedSpan,
): string[] {
  const span = msSpan({ fromUs, toUs });
  const common = markets.map((market) => coveredSpans(market, span)).reduce(commonSpans, [span]);
  const share = totalLengthMs(common) / (span[1] - span[0]);
  if (share >= ENOUGH) return [];
  const whose = markets.length === 1 ? "its market" : "all of its markets";
  const percent = Number((100 * share).toPrecision(2));
  return [
    `the history has data of ${whose} for only ${percent} % of the run's time, ${reachText(common)}; the report lists the gaps`,
  ];
}

function coveredSpans({ missingSpans }: CoveredMarket, span: Span): Span[] {
  return findGaps(missingSpans, span);
}

function commonSpans(spans: readonly Span[], others: readonly Span[]): Span[] {
  return spans.flatMap((span) => clipSpans(others, span));
}

function msSpan({ fromUs, toUs }: RequestedSpan): Span {
  return [Math.floor(fromUs / 1000), Math.ceil(toUs / 1000)];
}

/** From the beginning of the first span to the end of the last. */
function reachText(spans: readonly Span[]): string {
  const [first, last] = [spans[0], spans.at(-1)];
  return first === undefined || last === undefined
    ? "at no time"
    : `${instantText(first[0])} to ${instantText(last[1])}`;
}
