import { decimalsOf, decimalText, numberText } from "./format.js";
import type { MarketStatus, OwnQuote } from "./frame.js";

type Reason = NonNullable<MarketStatus["lastReason"]>;

/** Terms of the built-in strategies: their meaning, and their unit if they have one. */
const TERMS: Readonly<Record<string, readonly [name: string, unit: "price" | "bps" | "s" | ""]>> = {
  skewTicks: ["shift of the centre for the inventory", "price"],
  sigmaTicks: ["volatility per root second", "price"],
  sigmaBps: ["volatility per root second", "bps"],
  secondsLeft: ["left of the horizon", "s"],
  riskHalfSpreadTicks: ["half spread for the risk of inventory", "price"],
  fillHalfSpreadTicks: ["half spread for the chance of a fill", "price"],
  spacingTicks: ["distance between levels", "price"],
  bidSize: ["size of bids as a share of the configured size", ""],
  askSize: ["size of asks as a share of the configured size", ""],
  aPerSecond: ["fills per second at the mid", ""],
  kPerBps: ["decay of fills per basis point", ""],
  closedFormSkewTicksPerOrder: ["shift per order by the closed form", "price"],
  closedFormHalfSpreadTicks: ["half spread by the closed form", "price"],
  makerFeeBps: ["maker fee", "bps"],
  edgeBps: ["edge", "bps"],
  hedgeTakerFeeBps: ["taker fee of the hedge", "bps"],
  hedgeHalfSpreadBps: ["half spread of the hedge", "bps"],
  hedgeSlippageBps: ["slippage of the hedge", "bps"],
  marginBps: ["distance from the reference price", "bps"],
  cellTicks: ["distance from level to level", "price"],
  cellProfitTicks: ["least profit of a cell after fees", "price"],
  buysLeft: ["purchases left in the grid", ""],
  sellsLeft: ["sales left in the grid", ""],
  predictedTicks: ["predicted move of the mid", "price"],
  targetOrders: ["target position in orders of the configured size", ""],
  fundingRateBps: ["announced funding rate; longs pay if positive", "bps"],
  secondsToFunding: ["to the next funding", "s"],
  ratePersistence: ["share of a rate's distance from its mean that the next keeps", ""],
  longRunRateBps: ["mean of the funding rates", "bps"],
  rateResidualBps: ["error of one predicted rate, standard deviation", "bps"],
  carryBps: ["expected funding of a long position over its holding time", "bps"],
  carryDeviationBps: ["standard deviation of that funding", "bps"],
  priceDeviationBps: ["standard deviation of the price over the holding time", "bps"],
  feesBps: ["fees of getting in and out", "bps"],
  hedgeFundingRateBps: ["announced funding rate of the hedge", "bps"],
  hedgeLongRunRateBps: ["mean of the hedge's funding rates", "bps"],
  spreadBps: ["expected funding of both legs, long here", "bps"],
  basisBps: ["price here above the hedge's", "bps"],
  expectedBps: ["expected of the better side after fees", "bps"],
  worstBps: ["worst case of the better side after fees", "bps"],
  widenFactor: ["distance by volatility and schedule, as a multiple", ""],
  beyondLots: ["position beyond the grid, in steps", ""],
};

/** Strategies whose inventory is a share of its limit; that of the others is in orders. */
const SHARE_OF_LIMIT: ReadonlySet<string> = new Set(["ladder", "pegged", "imbalance", "funding"]);

/** A fractional price of a strategy, with one decimal more than the tick has. */
export function ticksPrice(ticks: number, tickSize: string): string {
  return numberText(ticks * Number(tickSize), decimalsOf(tickSize) + 1);
}

/** Why a market's quotes are where they are, in sentences. */
export function reasonSentences(
  { lastReason, strategy, isFlattening, positionBase, baseAsset }: MarketStatus,
  tickSize: string,
): readonly string[] {
  if (lastReason === undefined)
    return [
      strategy === "no strategy"
        ? "This market has no strategy, so the bot quotes nothing by itself."
        : `${strategy} has not said how it would quote.`,
    ];
  if (isFlattening) {
    return [
      `A flatten trades the position ${decimalText(positionBase)} ${baseAsset ?? ""} to zero.`,
    ];
  }
  const { fairTicks, reservationTicks, halfSpreadTicks } = lastReason;
  // JSON has null for a fair price that there is not.
  if (!Number.isFinite(fairTicks))
    return [`${strategy} has no fair price at present.`, ...clampSentences(lastReason)];
  const shift = reservationTicks - fairTicks;
  const bps = (ticks: number): string => numberText((10_000 * Math.abs(ticks)) / fairTicks, 2);
  const centre =
    ticksPrice(Math.abs(shift), tickSize) === ticksPrice(0, tickSize)
      ? "It centres its quotes there."
      : `It centres its quotes at ${ticksPrice(reservationTicks, tickSize)}, ${ticksPrice(Math.abs(shift), tickSize)} (${bps(shift)} bps) ${shift < 0 ? "lower, so that it rather sells" : "higher, so that it rather buys"}.`;
  return [
    `${strategy} takes ${ticksPrice(fairTicks, tickSize)} for the fair value.`,
    centre,
    `The innermost quotes are ${ticksPrice(halfSpreadTicks, tickSize)} (${bps(halfSpreadTicks)} bps) from the centre before limits.`,
    ...clampSentences(lastReason),
  ];
}

function clampSentences({ clamps }: Reason): readonly string[] {
  return clamps.length === 0 ? [] : [`Limits changed it: ${clamps.join("; ")}.`];
}

/** The terms of a reason with names that a reader knows. */
export function reasonTerms(
  { terms }: Reason,
  strategy: string,
  tickSize: string,
): readonly { readonly name: string; readonly text: string }[] {
  return Object.entries(terms).map(([term, value]) => {
    if (term === "inventory")
      return SHARE_OF_LIMIT.has(strategy)
        ? { name: "position as a share of its limit", text: `${numberText(100 * value, 1)} %` }
        : { name: "position in orders of the configured size", text: numberText(value, 3) };
    if (term === "fairIsReference")
      return { name: "fair price", text: value === 1 ? "the reference price" : "the mid" };
    if (term === "signalEstimated")
      return { name: "predicted move", text: value === 1 ? "fitted" : "none yet: too few moves" };
    if (term === "rateEstimated")
      return { name: "model of the rate", text: value === 1 ? "fitted" : "from the file" };
    if (term.endsWith("Estimated")) {
      const name =
        term === "sigmaEstimated" ? "volatility comes from" : "fill intensity comes from";
      return { name, text: value === 1 ? "the market" : "the file" };
    }
    const [name, unit] = TERMS[term] ?? [wordsOf(term), ""];
    if (unit === "price") return { name, text: ticksPrice(value, tickSize) };
    return { name, text: `${numberText(value, 3)}${unit === "" ? "" : ` ${unit}`}` };
  });
}

/** Why one of our orders is at its price, in a phrase. */
export function quoteReason(
  { side, price }: OwnQuote,
  { lastReason, isFlattening }: MarketStatus,
  tickSize: string,
): string {
  if (isFlattening) return "works the flatten";
  if (lastReason === undefined) return "no reason was sent";
  if (!Number.isFinite(lastReason.reservationTicks)) return "no longer wanted";
  const centre = lastReason.reservationTicks * Number(tickSize);
  const away = side === "BUY" ? centre - Number(price) : Number(price) - centre;
  const where = (side === "BUY") === away >= 0 ? "below" : "above";
  const half = lastReason.halfSpreadTicks * Number(tickSize);
  const decimals = decimalsOf(tickSize) + 1;
  const beyond = away - half;
  const spare =
    Math.abs(beyond) < 1.5 * Number(tickSize)
      ? "the half spread"
      : `half spread ${numberText(half, decimals)} ${beyond > 0 ? "and" : "less"} ${numberText(Math.abs(beyond), decimals)}`;
  return `${numberText(Math.abs(away), decimals)} ${where} the centre: ${spare}`;
}

function wordsOf(term: string): string {
  return term.replaceAll(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
}
