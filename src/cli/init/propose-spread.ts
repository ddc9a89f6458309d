import { Decimal } from "decimal.js";
import { ceilDivide } from "../../core/bigints.js";
import { ConfigError } from "../../core/errors.js";
import type { Ticks } from "../../core/units.js";
import type { MarketFacts } from "./market-facts.js";
import type { RiskAppetite } from "./risk-appetites.js";

/** The proposed half spread of a market, in whole ticks at its present price. */
export interface SpreadProposal {
  readonly halfSpreadTicks: Ticks;
  /** The half spread that pays the maker fee, and a tick. */
  readonly floorTicks: Ticks;
  /** How far a quote may be from its wanted price. */
  readonly toleranceTicks: Ticks;
  readonly reason: string;
  readonly floorReason: string;
  readonly toleranceReason: string;
}

/** A fee rate of 1. */
const RATE_UNIT = 10n ** 18n;
/** Largest half spread of the built-in strategies. */
const MAX_HALF_SPREAD_BPS = 5000;

/**
 * The same half spread with a smaller tolerance. A strategy and the bot each keep a quote within
 * it: together no nearer to the fair price than the maker fee.
 */
export function withinCosts(spread: SpreadProposal): SpreadProposal {
  const feeTicks = spread.floorTicks - 1;
  return {
    ...spread,
    toleranceTicks: Math.floor((spread.halfSpreadTicks - feeTicks) / 2),
    toleranceReason: "half of the edge: quotes stay while they still pay the fee",
  };
}

/**
 * Proposes a half spread. It covers the maker fee and a tick, and is no smaller than the exchange's
 * own. Up to a multiple of that, it grows with the volatility.
 * @throws ConfigError if a tick of the market is too large for any
 */
export function proposeSpread(facts: MarketFacts, appetite: RiskAppetite): SpreadProposal {
  const { bestBidTicks, bestAskTicks, rules, sigmaBps, marketId } = facts;
  const midTwice = bestBidTicks + bestAskTicks;
  const feeTicks =
    rules.makerFeeRate > 0n
      ? Number(ceilDivide(BigInt(midTwice) * rules.makerFeeRate, 2n * RATE_UNIT))
      : 0;
  const floorTicks = feeTicks + 1;
  const touchTwice = bestAskTicks - bestBidTicks;
  const touchTicks = Math.ceil(touchTwice / 2);
  const mostTicks = Math.max(1, Math.floor((touchTwice * appetite.touchMultiple) / 2));
  const moveTicks = Math.ceil(
    (appetite.sigmas * (sigmaBps ?? Number.POSITIVE_INFINITY) * midTwice) / 20_000,
  );
  const halfSpreadTicks = Math.max(floorTicks, touchTicks, Math.min(moveTicks, mostTicks));
  if (halfSpreadTicks * 20_000 > MAX_HALF_SPREAD_BPS * midTwice)
    throw new ConfigError("has a spread that no strategy can quote", {
      field: "--market",
      value: marketId,
      expected: `a market whose half spread is at most ${MAX_HALF_SPREAD_BPS} bps`,
    });
  const toleranceTicks = Math.max(1, Math.floor(halfSpreadTicks / 2));
  const cause =
    halfSpreadTicks === floorTicks
      ? floorText(feeTicks)
      : halfSpreadTicks === touchTicks
        ? "the exchange's own half spread"
        : halfSpreadTicks === moveTicks
          ? `${appetite.sigmas} standard deviations of the mid in a second`
          : `${appetite.touchMultiple} times the exchange's own half spread`;
  return {
    halfSpreadTicks,
    floorTicks,
    toleranceTicks,
    reason: `init proposed ${inTicks(halfSpreadTicks)}: ${cause}${rebateText(facts, halfSpreadTicks)}`,
    floorReason: `init proposed ${inTicks(floorTicks)}: ${floorText(feeTicks)}`,
    toleranceReason: "a quote moves only when it is off by more ticks than this",
  };
}

/**
 * Converts ticks at the present mid to basis points, as a decimal. It is rounded up, by less than a
 * hundredth of a tick, so that it is never fewer ticks.
 */
export function ticksToBps(
  ticks: Ticks,
  { bestBidTicks, bestAskTicks }: Pick<MarketFacts, "bestBidTicks" | "bestAskTicks">,
): string {
  const midTwice = bestBidTicks + bestAskTicks;
  const decimals = Math.max(2, Math.ceil(Math.log10(midTwice / 200)));
  return new Decimal(ticks)
    .times(20_000)
    .div(midTwice)
    .toDecimalPlaces(decimals, Decimal.ROUND_UP)
    .toFixed();
}

function floorText(feeTicks: Ticks): string {
  return feeTicks === 0
    ? "a tick; the maker fee is not above 0"
    : `the maker fee (${inTicks(feeTicks)}), and a tick`;
}

/** Says where a fill earns more by the rebate of makers than by its distance from the mid. */
function rebateText({ rules, ...prices }: MarketFacts, halfSpreadTicks: Ticks): string {
  const rebateBps = new Decimal((-rules.makerFeeRate).toString()).times(10_000).div(`${RATE_UNIT}`);
  return rebateBps.gt(ticksToBps(halfSpreadTicks, prices))
    ? `; so close, a fill earns mostly by the maker rebate of ${rebateBps.toFixed()} bps`
    : "";
}

function inTicks(ticks: Ticks): string {
  return ticks === 1 ? "1 tick" : `${ticks} ticks`;
}
