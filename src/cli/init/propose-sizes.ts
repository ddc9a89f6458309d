import { larger, smaller } from "../../core/bigints.js";
import { ConfigError } from "../../core/errors.js";
import type { CreditUnits, Lots } from "../../core/units.js";
import type { VenueRules } from "../../exchange/records.js";
import type { MarketFacts } from "./market-facts.js";
import type { RiskAppetite } from "./risk-appetites.js";

/** The account for which sizes are proposed. */
export interface SizeBudget {
  readonly balance: CreditUnits;
  readonly marketCount: number;
  readonly appetite: RiskAppetite;
}

/** The proposed sizes of a market, in whole lots. */
export interface SizeProposal {
  readonly orderLots: Lots;
  readonly orderReason: string;
  readonly maxOrderLots: Lots;
  readonly maxOrderReason: string;
  readonly positionLots: Lots;
  readonly positionReason: string;
  /** Value of the position limit at the best ask. */
  readonly positionCredit: CreditUnits;
}

/** Largest share of the displayed depth that an order has: a quarter. */
const DEPTH_PARTS = 4;
/** An order is worth this many percent of the value below which it pays for its gas. */
const WAIVER_PERCENT = 150n;
/** A position limit below this number of orders would leave no room for quotes on both sides. */
const MIN_ORDERS_TO_LIMIT = 2;

/**
 * Proposes the order size and the position limit of a market, on its grid and within its filters.
 * @throws ConfigError if the balance is too small for the smallest orders
 */
export function proposeSizes(
  facts: MarketFacts,
  venue: Pick<VenueRules, "waiveGasFeeMinimumQuote">,
  { balance, marketCount, appetite }: SizeBudget,
): SizeProposal {
  const { instrument, rules, depthLots, marketId } = facts;
  const smallest = smallestOrder(facts, venue);
  const share = (balance * BigInt(appetite.positionsPercent)) / 100n / BigInt(marketCount);
  const affordable = (balance * BigInt(rules.maxLeverage)) / 2n / BigInt(marketCount);
  const allowed = smaller(affordable, (rules.maxExposure ?? 2n * affordable) / 2n);
  const exposure = smaller(share, allowed);
  const byBalance = lotsWorth(facts, exposure);
  const byShare = Math.floor(byBalance / appetite.ordersToLimit);
  const byDepth = Math.floor(depthLots / DEPTH_PARTS);
  const wanted = Math.min(byShare, byDepth, rules.maxLots);
  const orderLots = Math.max(smallest.lots, wanted);
  const leastPosition = MIN_ORDERS_TO_LIMIT * orderLots;
  const positionLots = Math.max(byBalance, leastPosition);
  const positionCredit = instrument.creditCeil(facts.bestAskTicks, positionLots);
  if (positionLots > byBalance && positionCredit > affordable)
    throw new ConfigError(`is too little for the smallest orders of ${marketId}`, {
      field: "--balance",
      value: instrument.creditToDecimal(balance),
      expected: `at least ${instrument.creditToDecimal(
        larger((positionCredit * 2n * BigInt(marketCount)) / BigInt(rules.maxLeverage) + 1n, 1n),
      )}, or fewer or other markets`,
    });
  const orderReason =
    orderLots > wanted
      ? smallest.reason
      : wanted === rules.maxLots
        ? "the exchange's largest order"
        : wanted === byShare
          ? `${appetite.ordersToLimit} such orders fill maxPositionBase`
          : `a quarter of what the best ${LEVELS_TEXT} show on the thinner side`;
  const worth = `init proposed ${instrument.formatAmount(positionLots)}, worth ${instrument.creditToDecimal(positionCredit)}`;
  const maxOrderLots = Math.min(2 * orderLots, rules.maxLots);
  return {
    orderLots,
    orderReason,
    maxOrderLots,
    maxOrderReason:
      maxOrderLots === 2 * orderLots
        ? "twice sizeBase: a strategy may double one side"
        : "the exchange's largest order",
    positionLots,
    positionReason:
      positionLots > byBalance
        ? `${worth}: two of the smallest orders`
        : exposure < share
          ? `${worth}: half of what the exchange allows`
          : `${worth}: ${appetite.positionsPercent} % of the balance${marketCount === 1 ? "" : `, over ${marketCount} markets`}`,
    positionCredit,
  };
}

const LEVELS_TEXT = "ten levels";

/** The smallest order of a market that does not pay for its own gas. */
function smallestOrder(
  facts: MarketFacts,
  { waiveGasFeeMinimumQuote: waiver }: Pick<VenueRules, "waiveGasFeeMinimumQuote">,
): { readonly lots: Lots; readonly reason: string } {
  const { instrument, rules, bestBidTicks } = facts;
  const least = (waiver * WAIVER_PERCENT) / 100n;
  let free = lotsWorth(facts, least);
  if (instrument.creditFloor(bestBidTicks, free) < least) free++;
  return free > rules.minLots
    ? {
        lots: Math.min(free, rules.maxLots),
        reason: "the smallest order that pays nothing for its gas, and half more",
      }
    : { lots: rules.minLots, reason: "the exchange's smallest order" };
}

/** Whole lots that an amount of credit buys at the best ask, within the largest safe number. */
function lotsWorth({ instrument, bestAskTicks }: MarketFacts, credit: CreditUnits): Lots {
  const lots =
    (credit * instrument.creditDenominator) / (BigInt(bestAskTicks) * instrument.creditNumerator);
  return Number(smaller(lots, BigInt(Number.MAX_SAFE_INTEGER) / 4n));
}
