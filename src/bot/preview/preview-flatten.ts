import { Decimal } from "decimal.js";
import type { CreditUnits, Lots, Side, Ticks } from "../../core/units.js";
import { opposingPrice } from "../../executor/crossing.js";
import { ownLotsAt } from "../../market/book/net-book.js";
import { tradeFee } from "../../perpetual/fees.js";
import type { Bot } from "../engine/bot.js";
import { restingIn } from "../execution/executor-touch.js";
import { FLATTEN_WITHIN_MS, flattenBounds, SLICE_EVERY_MS } from "../execution/flatten.js";
import { signedRates } from "../execution/signed-rates.js";
import type { MarketTrader } from "../market/market-trader.js";
import type { FlattenPreview } from "./command-preview.js";

/** Digits of an average price beyond the grid's. */
const AVERAGE_DIGITS = 4;
/** Most orders that a flatten sends: one at a time, until it gives up. */
const MOST_SLICES = FLATTEN_WITHIN_MS / SLICE_EVERY_MS;

/** Bounds of a flatten, as its command has them. */
interface FlattenRequest {
  readonly maxSlippageBps: number;
  readonly sliceLots?: Lots;
}

/** The lots that the book fills, and their value. */
interface Walked {
  readonly touchTicks: Ticks | undefined;
  readonly lots: Lots;
  /** Sum of ticks times lots. */
  readonly tickLots: bigint;
}

/**
 * Walks the present book as a flatten of a market would trade through it. Nobody else is assumed to
 * trade or to add orders meanwhile. Undefined without a position.
 */
export function previewFlatten(
  { context }: Bot,
  trader: MarketTrader,
  request: FlattenRequest,
): FlattenPreview | undefined {
  const { account, config } = context;
  const { instrument, rules } = trader;
  const positionLots = account.positionLots(trader.marketId);
  if (positionLots === 0) return undefined;
  const side: Side = positionLots > 0 ? "SELL" : "BUY";
  const wantedLots = Math.abs(positionLots);
  const bounds = flattenBounds(context, trader, request);
  const nothing = {
    side,
    amountBase: instrument.formatAmount(wantedLots),
    touchPrice: null,
    expectedPrice: null,
    slippageBps: 0,
    slippageQuote: "0",
    takerFeeQuote: "0",
    unfilledBase: instrument.formatAmount(wantedLots),
  };
  if (bounds === "flat") return undefined;
  if (bounds === "no-book")
    return {
      ...nothing,
      worstPrice: null,
      sliceBase: null,
      slices: 0,
      why: "the book has no price to bound an order by",
    };
  const { worstTicks, sliceLots } = bounds;
  const slices = Math.ceil(wantedLots / sliceLots);
  const limits = {
    worstPrice: instrument.formatPrice(worstTicks),
    sliceBase: instrument.formatAmount(sliceLots),
    slices,
  };
  if (wantedLots < rules.minLots)
    return {
      ...nothing,
      ...limits,
      why: `the market takes no order below ${instrument.formatAmount(rules.minLots)}`,
    };
  const inTimeLots = Math.min(wantedLots, sliceLots * MOST_SLICES);
  const walked = walk(context, trader, side, worstTicks, inTimeLots);
  const { touchTicks, lots, tickLots } = walked;
  const touchPrice = touchTicks === undefined ? null : instrument.formatPrice(touchTicks);
  if (touchTicks === undefined || lots === 0)
    return {
      ...nothing,
      ...limits,
      touchPrice,
      why: "the book has no order of others within the worst price",
    };
  const creditFor = (product: bigint): CreditUnits =>
    (product * instrument.creditNumerator) / instrument.creditDenominator;
  const touchTickLots = BigInt(touchTicks) * BigInt(lots);
  const average = new Decimal(tickLots.toString()).div(lots);
  const { takerFeeRate } = signedRates(config, rules);
  const missing = wantedLots - lots;
  return {
    ...nothing,
    ...limits,
    touchPrice,
    expectedPrice: average
      .mul(instrument.tickSize)
      .toDecimalPlaces(instrument.priceDecimals + AVERAGE_DIGITS)
      .toFixed(),
    slippageBps: average.div(touchTicks).minus(1).abs().mul(10_000).toDecimalPlaces(4).toNumber(),
    slippageQuote: instrument.creditToDecimal(
      creditFor(side === "SELL" ? touchTickLots - tickLots : tickLots - touchTickLots),
    ),
    takerFeeQuote: instrument.creditToDecimal(tradeFee(creditFor(tickLots), takerFeeRate)),
    unfilledBase: instrument.formatAmount(missing),
    ...(missing === 0
      ? {}
      : {
          why:
            lots === inTimeLots
              ? `a flatten gives up after ${FLATTEN_WITHIN_MS / 1000} s, ${MOST_SLICES} orders of this size`
              : "the book holds no more within the worst price",
        }),
  };
}

/** Takes the others' orders, best first, until the amount is filled or the price too bad. */
function walk(
  { account }: Bot["context"],
  trader: MarketTrader,
  side: Side,
  worstTicks: Ticks,
  wantedLots: Lots,
): Walked {
  const { book } = trader;
  // Our quotes are cancelled before the first order is sent.
  const own = restingIn(trader, account.orders);
  const opposite = side === "SELL" ? book.bids : book.asks;
  const stop = boundByManualOrders(side, worstTicks, account.orders.foreign(trader.marketId));
  let touchTicks: Ticks | undefined;
  let lots = 0;
  let tickLots = 0n;
  opposite.walk((ticks, shownLots) => {
    const freeLots = shownLots - ownLotsAt(own, opposite.side, ticks);
    if (freeLots <= 0) return true;
    touchTicks ??= ticks;
    if (side === "SELL" ? ticks < stop : ticks > stop) return false;
    const taken = Math.min(freeLots, wantedLots - lots);
    lots += taken;
    tickLots += BigInt(ticks) * BigInt(taken);
    return lots < wantedLots;
  });
  return { touchTicks, lots, tickLots };
}

/** An order of the bot stops one tick before the first manual order that it would trade with. */
function boundByManualOrders(
  side: Side,
  worstTicks: Ticks,
  manual: readonly { readonly side: Side; readonly ticks: Ticks; readonly availableLots: Lots }[],
): Ticks {
  let bestBidTicks: Ticks | undefined;
  let bestAskTicks: Ticks | undefined;
  for (const order of manual) {
    if (order.availableLots <= 0) continue;
    if (order.side === "BUY") bestBidTicks = Math.max(order.ticks, bestBidTicks ?? order.ticks);
    else bestAskTicks = Math.min(order.ticks, bestAskTicks ?? order.ticks);
  }
  const first = opposingPrice(side, { bestBidTicks, bestAskTicks });
  if (first === undefined) return worstTicks;
  return side === "SELL" ? Math.max(worstTicks, first + 1) : Math.min(worstTicks, first - 1);
}
