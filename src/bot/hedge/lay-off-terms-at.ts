import type { LayOffTerms } from "../../liquidator/plan/lay-off-terms.js";
import { ONE, toFixedPoint } from "../../perpetual/fixed-point.js";
import { type HedgedMarket, toMarketLots } from "./hedged-market.js";

const BPS_IN_ONE = 10_000;
const MARGIN_UNIT = 1_000_000;
/** Above any real position. */
const MOST_LOTS = 2 ** 40;

/**
 * The terms of a market's hedge venue at its present touch and margin, or why a position cannot be
 * laid off there.
 * @param takerFeeBps of the account there; undefined if the file does not have it
 */
export function layOffTermsAt(
  hedged: HedgedMarket,
  takerFeeBps: number | undefined,
): LayOffTerms | string {
  const { hedger, venue, config } = hedged;
  const { awayReason, touch, account, contract } = hedger;
  if (awayReason !== undefined) return `${venue}: ${awayReason}`;
  if (touch === undefined) return `${venue} has no touch yet`;
  if (takerFeeBps === undefined) return `hedgeVenues.${venue}.takerFeeBps is not set`;
  if (account === undefined) return `the margin at ${venue} is not known yet`;
  const { bidTicks, askTicks, bidLots, askLots } = touch;
  const fraction = account.initialMarginFraction[contract.symbol] ?? 1;
  const lotMargin =
    contract.instrument.creditFloor(askTicks, 1) * BigInt(Math.ceil(fraction * MARGIN_UNIT));
  const available = account.availableMargin * BigInt(MARGIN_UNIT);
  const mostLots =
    available <= 0n || lotMargin <= 0n ? 0 : Math.min(MOST_LOTS, Number(available / lotMargin));
  return {
    halfSpreadRate: (BigInt(askTicks - bidTicks) * ONE) / BigInt(askTicks + bidTicks),
    slippageRate: toFixedPoint(config.maxSlippageBps / BPS_IN_ONE),
    takerFeeRate: toFixedPoint(takerFeeBps / BPS_IN_ONE),
    touchLots: { buy: toMarketLots(hedged, askLots), sell: toMarketLots(hedged, bidLots) },
    leastLots: toMarketLots(hedged, hedger.smallestLots, "away from zero"),
    mostLots: toMarketLots(hedged, mostLots),
  };
}
