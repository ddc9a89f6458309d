import { Decimal } from "decimal.js";
import type { MarketId } from "../../core/units.js";
import { isBelowWaiver } from "../../exchange/signing/gas-fee-waiver.js";
import type { Bot } from "../engine/bot.js";
import { signedRates } from "../execution/signed-rates.js";
import type { MarketTrader } from "../market/market-trader.js";
import type { ExplainedPlan } from "./explain-inventory-plan.js";
import type { ExplainedMarket, ExplainedQuote, ImplausibleValue } from "./explanation.js";

/** Largest ratio, either way, of a plausible spread to the exchange's own spread. */
const MOST_RATIO = 20;
/**
 * Least distance of the best prices that a wide spread is compared with. In a market of small ticks
 * the touch is one tick wide, far less than prices move before an order can follow them, so that it
 * does not measure a maker's spread.
 */
const LEAST_TOUCH_BPS = 1;

/**
 * The values of a bot's file that are far from what its markets make sensible: spreads, sizes and
 * the drawdown. An error in the unit or the decimal point makes them a hundred times too large or
 * too small.
 * @param markets the quotes of each market now: a spread is measured on the resulting quotes,
 * whatever the strategy calls its parameters.
 */
export function implausibleValues(
  { context }: Pick<Bot, "context">,
  markets: Readonly<Record<MarketId, ExplainedMarket>>,
): ImplausibleValue[] {
  const found: ImplausibleValue[] = [];
  let largestFee: { readonly fee: Decimal; readonly marketId: MarketId } | undefined;
  for (const [marketId, market] of Object.entries(markets)) {
    const trader = context.traders.get(marketId);
    if (trader === undefined) continue;
    const params = context.config.markets[marketId]?.params ?? {};
    // A plan of positions is wide by its nature, and is judged by what it needs.
    const spread = market.plan === undefined ? spreadText(market, trader) : undefined;
    if (spread !== undefined)
      found.push({
        field: `markets.${marketId}.params${namedIn(params, "halfSpreadBps")}`,
        text: spread,
      });
    for (const text of market.plan === undefined ? [] : planTexts(market.plan, trader, context))
      found.push({ field: `markets.${marketId}.params`, text });
    const orders = market.quotes.map((quote) => ({ quote, ...costOf(quote, trader, context) }));
    const eaten = orders.find(({ notional, makerFee }) => makerFee.gte(notional));
    if (eaten !== undefined)
      found.push({
        field: `markets.${marketId}.params${namedIn(params, "sizeBase")}`,
        text: sizeText(eaten),
      });
    for (const { largerFee: fee } of orders)
      if (fee.gt(largestFee?.fee ?? 0)) largestFee = { fee, marketId };
  }
  const drawdown = drawdownText(context, largestFee);
  if (drawdown !== undefined) found.push({ field: "risk.maxDrawdownQuote", text: drawdown });
  return found;
}

/** Needs of a plan beyond the limits of the file and the account. */
function planTexts(
  { mostBase, lowest, highest }: ExplainedPlan,
  { maxPositionLots, instrument }: MarketTrader,
  { account, rules }: Bot["context"],
): readonly string[] {
  const texts: string[] = [];
  if (instrument.parseAmount(mostBase) > maxPositionLots)
    texts.push(
      `the plan holds up to ${mostBase}, more than limits.maxPositionBase allows (${instrument.formatAmount(maxPositionLots)}): what is beyond the limit is not quoted`,
    );
  const { equity } = account;
  if (equity === undefined) return texts;
  const netValue = new Decimal(equity.toString()).div(new Decimal(10).pow(rules.creditDecimals));
  for (const { price, capitalQuote } of [lowest, highest])
    if (netValue.lt(capitalQuote))
      texts.push(
        `the plan needs ${capitalQuote} quote at ${price}, more than the account's net value (${money(netValue)} quote)`,
      );
  return texts;
}

function namedIn(params: Readonly<Record<string, unknown>>, name: string): string {
  return name in params ? `.${name}` : "";
}

function spreadText(
  { bestBid, bestAsk, midQuote, quotes }: ExplainedMarket,
  trader: MarketTrader,
): string | undefined {
  if (bestBid === undefined || bestAsk === undefined || midQuote === undefined) return undefined;
  const quoted = wantedHalfSpreadBps(trader) ?? meanDistanceBps(quotes);
  const touchBps = (new Decimal(bestAsk).minus(bestBid).toNumber() / 2 / Number(midQuote)) * 10_000;
  if (quoted === undefined || !(quoted > 0) || !(touchBps > 0)) return undefined;
  const isWide = quoted > MOST_RATIO * Math.max(touchBps, LEAST_TOUCH_BPS);
  const isNarrow = quoted < touchBps / MOST_RATIO;
  if (!isWide && !isNarrow) return undefined;
  const times = isWide
    ? `${rounded(quoted / touchBps)} times as far`
    : `${rounded(touchBps / quoted)} times as near`;
  const follows = isWide
    ? "orders so far away fill only after a large move of the price"
    : "a fill then earns next to nothing, and less than nothing after fees";
  return `the strategy quotes ${rounded(quoted)} bps from its price, and the exchange's best prices are ${rounded(touchBps)} bps from the mid (${bestBid} and ${bestAsk}). That is ${times}: ${follows} (1 bps is 0.01 %)`;
}

/**
 * The strategy's half spread, before its quotes are kept behind the best prices; undefined if it
 * does not report one.
 */
function wantedHalfSpreadBps({ quotes }: MarketTrader): number | undefined {
  const { halfSpreadTicks = Number.NaN, fairTicks = Number.NaN } = quotes?.reason ?? {};
  const fraction = halfSpreadTicks / fairTicks;
  return fraction > 0 && Number.isFinite(fraction) ? fraction * 10_000 : undefined;
}

/** Mean distance of the innermost quotes; undefined without one. */
function meanDistanceBps(quotes: readonly ExplainedQuote[]): number | undefined {
  const innermost = (["BUY", "SELL"] as const).flatMap((side) => {
    const distances = quotes
      .filter((quote) => quote.side === side)
      .map(({ fromMidBps }) => fromMidBps);
    return distances.length === 0 ? [] : [Math.min(...distances)];
  });
  return innermost.length === 0
    ? undefined
    : innermost.reduce((sum, bps) => sum + bps, 0) / innermost.length;
}

interface OrderCost {
  /** Quote units, like the fees. */
  readonly notional: Decimal;
  /** Fee of a fill as maker, including the gas that a small order pays. */
  readonly makerFee: Decimal;
  /** The larger of the fees as maker and as taker: a position is closed as a taker. */
  readonly largerFee: Decimal;
}

function costOf(
  { price, amountBase }: ExplainedQuote,
  { instrument, rules }: MarketTrader,
  { config, rules: venue }: Bot["context"],
): OrderCost {
  const notional = new Decimal(price).times(amountBase);
  const order = { ticks: instrument.parsePrice(price), lots: instrument.parseAmount(amountBase) };
  const isSmall = isBelowWaiver(venue, instrument, order, config.exchange.waiverUnit);
  const gas = isSmall
    ? new Decimal(instrument.creditToDecimal(venue.orderGasCredit ?? 0n))
    : new Decimal(0);
  const { makerFeeRate, takerFeeRate } = signedRates(config, rules);
  const feeAt = (rate: bigint): Decimal => notional.times(rate.toString()).div("1e18").plus(gas);
  const [makerFee, takerFee] = [feeAt(makerFeeRate), feeAt(takerFeeRate)];
  return { notional, makerFee, largerFee: Decimal.max(makerFee, takerFee) };
}

function sizeText({
  quote,
  notional,
  makerFee,
}: OrderCost & { readonly quote: ExplainedQuote }): string {
  return `an order of ${quote.amountBase} is worth ${money(notional)} quote and its fill costs ${money(makerFee)} in fee and gas: no price makes up for that`;
}

function drawdownText(
  { account, config, rules }: Bot["context"],
  largest: { readonly fee: Decimal; readonly marketId: MarketId } | undefined,
): string | undefined {
  const limit = new Decimal(config.risk.maxDrawdownQuote);
  if (largest !== undefined && limit.lt(largest.fee))
    return `${limit.toFixed()} is less than the fee of one order in ${largest.marketId} (${money(largest.fee)} quote): the first fill halts the bot`;
  const { equity } = account;
  if (equity === undefined) return undefined;
  const netValue = new Decimal(equity.toString()).div(new Decimal(10).pow(rules.creditDecimals));
  if (netValue.lte(0) || limit.lt(netValue)) return undefined;
  return `${limit.toFixed()} is not below the account's net value (${money(netValue)} quote): the account is liquidated before the limit is reached`;
}

function money(amount: Decimal): string {
  return amount.toSignificantDigits(4).toFixed();
}

function rounded(value: number): string {
  return new Decimal(value).toSignificantDigits(3).toFixed();
}
