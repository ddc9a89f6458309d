import { Instrument } from "../../core/instrument.js";
import type { Side } from "../../core/units.js";
import type { MarketRules, VenueOrder, VenuePosition, VenueRules } from "../../exchange/records.js";
import type { AccountExposure, ExposureOrder, MarketExposure } from "../../risk/exposure.js";
import { toMarginRatePpm, worstFeePpm } from "../../risk/exposure.js";
import type { MarketLimits } from "../../risk/limits.js";
import type { BotConfig } from "../config/config.js";
import type { BotContext } from "../engine/context.js";
import type { MarketTrader } from "../market/market-trader.js";
import { maxTakeoverLots } from "../unwind/takeover-reservations.js";
import { signedRates } from "./signed-rates.js";

/**
 * The account's worst case for the risk limits: every trader's position, marks, own and manual
 * orders. Positions in other markets of the account count too, since they share the margin.
 */
export function computeAccountExposure(
  context: BotContext,
  limits: ReadonlyMap<string, MarketLimits>,
): AccountExposure {
  const markets = new Map<string, MarketExposure>();
  for (const trader of context.traderList)
    markets.set(
      trader.marketId,
      marketExposure(context, trader, limits.get(trader.marketId) ?? {}),
    );
  for (const position of context.account.venuePositions.values()) {
    if (position.lots === 0 || markets.has(position.marketId)) continue;
    const other = strangeExposure(context, position);
    if (other !== undefined) markets.set(position.marketId, other);
  }
  return { markets, netValue: context.account.equity ?? 0n };
}

/**
 * A position in a market that the bot does not follow. Its mark follows from the exchange's own
 * unrealised profit.
 */
function strangeExposure(
  { rules, account, config }: BotContext,
  position: VenuePosition,
): MarketExposure | undefined {
  const market = rules.markets[position.marketId];
  if (market === undefined) return undefined;
  const instrument = instrumentOf(rules, market);
  const rates = ratesOf(market, config);
  const entryTicks = Number(position.entryPrice) / instrument.tickQuote;
  const profitQuote = Number(position.unrealizedPnl) / 10 ** rules.creditDecimals;
  const markTicks =
    entryTicks + profitQuote / (position.lots * instrument.lotBase) / instrument.tickQuote;
  return {
    marketId: position.marketId,
    instrument,
    positionLots: position.lots,
    markTicks: markTicks > 0 ? markTicks : entryTicks,
    orders: [],
    foreignOrders: account.orders.foreign(position.marketId).map(asExposed),
    maintenancePpm: rates.maintenancePpm,
    initialPpm: rates.initialPpm,
    feePpm: rates.feePpm,
    availableCredit: undefined,
    limits: {},
  };
}

/** One per market and grid: each order that is sent reads it. */
const INSTRUMENTS = new WeakMap<MarketRules, Instrument>();

function instrumentOf(
  { creditDecimals, paperDecimals }: VenueRules,
  market: MarketRules,
): Instrument {
  let instrument = INSTRUMENTS.get(market);
  if (instrument === undefined) {
    const { marketId, tickSize, stepSize } = market;
    instrument = new Instrument({ marketId, tickSize, stepSize, creditDecimals, paperDecimals });
    INSTRUMENTS.set(market, instrument);
  }
  return instrument;
}

function asExposed(order: VenueOrder): ExposureOrder {
  const { hash, side, ticks, availableLots, status } = order;
  return { hash, side, ticks, mayFillLots: availableLots, phase: status };
}

function marketExposure(
  context: BotContext,
  trader: MarketTrader,
  limits: MarketLimits,
): MarketExposure {
  const { account } = context;
  const { marketId, instrument, rules } = trader;
  const rates = ratesOf(rules, context.config);
  const markTicks = trader.state.markTicks;
  const foreign = account.orders.foreign(marketId);
  const foreignOrders = foreign.length === 0 ? NO_ORDERS : foreign.map(asExposed);
  let orders: readonly ExposureOrder[] = account.orders.mayStillFill(marketId);
  // Lots that orders have matched before their trade was reported count as position in the worst
  // case.
  for (const side of SIDES) {
    const lots = account.orders.unmatchedLots(marketId, side);
    if (lots > 0) orders = [...orders, unmatchedExposure(side, lots, markTicks)];
  }
  return {
    marketId,
    instrument,
    positionLots: account.positionLots(marketId),
    unsettledLots: account.unsettledLots(marketId),
    hedge: context.hedges.exposureOf(marketId),
    markTicks,
    orders,
    foreignOrders,
    pendingTakeovers: takeoversUnderWay(context, trader),
    maintenancePpm: rates.maintenancePpm,
    initialPpm: rates.initialPpm,
    feePpm: rates.feePpm,
    availableCredit: account.balances?.balances.availableCredit[marketId],
    limits,
  };
}

const NO_ORDERS: readonly ExposureOrder[] = [];
const SIDES: readonly Side[] = ["BUY", "SELL"];

type Rates = Pick<MarketExposure, "maintenancePpm" | "initialPpm" | "feePpm">;

/** Rules are replaced as a whole when they are read again; each order reads their rates. */
const RATES = new WeakMap<MarketRules, Rates & Pick<BotConfig, "exchange">>();

function ratesOf(rules: MarketRules, { exchange }: Pick<BotConfig, "exchange">): Rates {
  let rates = RATES.get(rules);
  if (rates === undefined || rates.exchange !== exchange) {
    const signed = signedRates({ exchange }, rules);
    rates = {
      maintenancePpm: toMarginRatePpm(rules.liquidationLeverage),
      initialPpm: toMarginRatePpm(rules.maxLeverage),
      // A manual order of the account is signed with the exchange's own rates.
      feePpm: Math.max(
        worstFeePpm(rules.makerFeeRate, rules.takerFeeRate),
        worstFeePpm(signed.makerFeeRate, signed.takerFeeRate),
      ),
      exchange,
    };
    RATES.set(rules, rates);
  }
  return rates;
}

function unmatchedExposure(side: Side, lots: number, markTicks: number): ExposureOrder {
  return alreadyTraded(`unseen ${side}`, side, lots, markTicks);
}

/** Takeovers of a market that may come: without orders, and at the mark. */
function takeoversUnderWay(
  { reservations }: BotContext,
  { marketId, instrument, state }: MarketTrader,
): readonly ExposureOrder[] {
  const reserved = reservations.in(marketId);
  if (reserved.length === 0) return NO_ORDERS;
  return reserved.map((takeover) => {
    const lots = maxTakeoverLots(takeover, instrument);
    return alreadyTraded(
      `takeover ${takeover.jobId}`,
      lots < 0 ? "SELL" : "BUY",
      Math.abs(lots),
      state.markTicks,
    );
  });
}

function alreadyTraded(hash: string, side: Side, lots: number, markTicks: number): ExposureOrder {
  const ticks = Number.isFinite(markTicks) ? Math.round(markTicks) : 1;
  return { hash, side, ticks, mayFillLots: 0, unreportedLots: lots, phase: "matched" };
}
