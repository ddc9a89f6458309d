import { Decimal } from "decimal.js";
import type { OrderPhase } from "../../../account/orders/order.js";
import type { Clock } from "../../../core/runtime/runtime.js";
import type { MarketId, Ms, Side } from "../../../core/units.js";
import type { PnlPart } from "../../../monitoring/pnl-parts.js";
import type {
  OwnState,
  ScreenGuard,
  ScreenLevel,
  ScreenMarket,
  ScreenModel,
  ScreenOwnLevel,
  ScreenReason,
} from "../../../monitoring/screen/screen-model.js";
import { stopLimitMs } from "../../cancelling/stop-limit.js";
import type { Bot } from "../../engine/bot.js";
import type { MarketTrader } from "../../market/market-trader.js";
import { type BotStatus, buildBotStatus } from "../../status/bot-status.js";
import { hedgeText } from "../../status/hedge-status.js";
import type { MarketStatus } from "../../status/market-status.js";
import type { OwnQuote } from "../../status/own-quotes.js";
import { type PnlQuote, quoteText } from "../../status/quote-text.js";
import { referenceText } from "../../status/reference-text.js";
import { screenLiquidator } from "./liquidator-screen.js";
import type { RunMonitor } from "./run-monitor.js";

const LEVELS = 10;

/** Content of the screen beside the bot itself. */
export interface ScreenSetting {
  readonly clock: Clock;
  /** Start of the run, by the wall clock and by the monotonic clock. */
  readonly startedMs: Ms;
  readonly startedMonotonicMs: number;
  /** Destination of the log meanwhile. */
  readonly logFile: string;
  /** A link to the cockpit that was not used yet. */
  readonly cockpitLink?: string | undefined;
  /** The command that prints a link to the cockpit. */
  readonly cockpitCommand: string;
}

/** The live screen of a bot at this moment: what its status says, in few digits. */
export function buildScreenModel(
  bot: Bot,
  monitor: RunMonitor,
  { clock, startedMs, startedMonotonicMs, logFile, cockpitLink, cockpitCommand }: ScreenSetting,
): ScreenModel {
  // The guard is in the status of a bot that has one.
  const status: BotStatus & { readonly guard?: ScreenGuard } = buildBotStatus(bot);
  const { config, traders } = bot.context;
  const runMs = clock.monotonicMs() - startedMonotonicMs;
  return {
    title: config.path,
    account: status.account,
    exchange: config.exchange.rest,
    nowMs: startedMs + runMs,
    startedMs,
    equityQuote: short(status.equityQuote),
    earnedQuote: short(status.earnedQuote),
    inTransitQuote: short(status.underWayQuote),
    peakEquityQuote: short(status.peakEquityQuote),
    drawdownQuote: short(status.drawdownQuote),
    unrealisedQuote: short(status.unrealisedQuote),
    realisedQuote: short(status.realisedQuote),
    quoteAsset: status.quoteAsset ?? undefined,
    guard: status.guard,
    stoppingOrders:
      bot.phase === "stopping" || bot.phase === "stopped"
        ? bot.context.account.orders.unresolved().length
        : undefined,
    stopLimitMs: stopLimitMs(config.exchange.signatureWindowMs),
    budgets: Object.entries(status.tokens).map(([name, { left, limit }]) => ({
      name,
      left,
      limit,
    })),
    halts: status.halts,
    ladder: status.ladder,
    markets: Object.entries(status.markets).map(([marketId, market]) =>
      screenMarket(bot, marketId, market),
    ),
    liquidator: screenLiquidator(monitor.liquidation.running, {
      quote: (units) => short(quoteText(bot, units)),
      baseOf: (id, lots) => traders.get(id)?.instrument.formatAmount(lots) ?? String(lots),
    }),
    notes: monitor.notes,
    logFile,
    cockpitLink,
    cockpitCommand,
  };
}

function screenMarket(bot: Bot, marketId: MarketId, market: MarketStatus): ScreenMarket {
  const trader = bot.context.traders.get(marketId);
  return {
    marketId,
    strategy: market.strategy,
    state: market.state,
    stateReasons: market.reasons,
    baseAsset: market.baseAsset ?? undefined,
    quoteAsset: market.quoteAsset ?? undefined,
    priceDecimals: trader?.instrument.priceDecimals ?? 0,
    amountDecimals: trader?.instrument.amountDecimals ?? 0,
    bids: trader === undefined ? [] : levelsOf(trader, market.quotes, "BUY"),
    asks: trader === undefined ? [] : levelsOf(trader, market.quotes, "SELL"),
    spread: trader === undefined ? undefined : spreadOf(trader),
    mark: short(market.markQuote),
    bookAgeMs: market.bookAgeMs,
    positionBase:
      market.positionUnknownSeconds === undefined ? (market.positionBase ?? undefined) : undefined,
    entryPrice: entryText(trader, market.entryPrice),
    notionalQuote: short(market.notionalQuote ?? undefined),
    unrealisedQuote: short(market.unrealisedQuote ?? undefined),
    realisedQuote: short(market.realisedQuote ?? undefined),
    pnlQuote: shortPnl(market.pnlQuote),
    pnlTotalQuote: short(market.pnlTotalQuote),
    fills: market.fills,
    fillsPerMinute: market.fillsPerMinute,
    openBids: market.openBids,
    openAsks: market.openAsks,
    unknownOrders: market.unknownOrders,
    manualOrders: market.manualOrders,
    reason: reasonOf(trader, market),
    reference:
      market.reference === undefined
        ? undefined
        : { text: referenceText(market.reference), isGood: market.reference.state === "good" },
    hedge:
      market.hedge === undefined
        ? undefined
        : { text: hedgeText(market.hedge), isGood: market.hedge.restriction === undefined },
  };
}

/**
 * The best levels of one side, and every other price at which we have an order, best first. Only
 * our own without a synchronised book.
 */
function levelsOf(
  { book, instrument }: MarketTrader,
  quotes: readonly OwnQuote[],
  side: Side,
): ScreenLevel[] {
  const own = new Map<string, OwnQuote[]>();
  for (const quote of quotes)
    if (quote.side === side) own.set(quote.price, [...(own.get(quote.price) ?? []), quote]);
  const amount = (lots: number): string =>
    fixed(instrument.formatAmount(lots), instrument.amountDecimals);
  const shelf = side === "BUY" ? book.bids : book.asks;
  const levels = (book.isSynchronised ? shelf.top(LEVELS) : []).map(({ ticks, lots }) => ({
    price: instrument.formatPrice(ticks),
    amount: amount(lots),
    isBeyond: false,
  }));
  const shown = new Set(levels.map(({ price }) => price));
  const last = levels.at(-1)?.price;
  const sign = side === "BUY" ? -1 : 1;
  const isBehind = (price: string): boolean =>
    last === undefined || new Decimal(price).cmp(last) === sign;
  const beside = [...own.keys()]
    .filter((price) => !shown.has(price))
    .map((price) => ({
      price,
      // A price between ticks has no level of its own.
      amount:
        book.isSynchronised && isOnGrid(price, instrument.priceDecimals)
          ? amount(shelf.lotsAt(instrument.parsePrice(price)))
          : undefined,
      isBeyond: book.isSynchronised && isBehind(price),
    }));
  return [...levels, ...beside]
    .sort((one, other) => sign * new Decimal(one.price).cmp(other.price))
    .map(({ price, ...level }) => ({
      ...level,
      price: fixed(price, instrument.priceDecimals),
      own: ownLevel(own.get(price), instrument.amountDecimals),
    }));
}

function ownLevel(
  quotes: readonly OwnQuote[] | undefined,
  decimals: number,
): ScreenOwnLevel | undefined {
  const [first] = quotes ?? [];
  if (quotes === undefined || first === undefined) return undefined;
  const sum = quotes.reduce((total, { amountBase }) => total.plus(amountBase), new Decimal(0));
  return {
    amount: fixed(sum.toFixed(), decimals),
    distanceBps: first.distanceBps?.toFixed(2),
    state: ownState(quotes.map(({ phase }) => phase)),
  };
}

/** The state of several orders at one price: the one that asks for most attention. */
function ownState(phases: readonly OrderPhase[]): OwnState {
  if (phases.includes("unknown")) return "unknown";
  if (phases.includes("cancelling")) return "cancelling";
  return phases.some((phase) => phase === "intended" || phase === "sent") ? "sent" : "open";
}

function isOnGrid(price: string, decimals: number): boolean {
  return new Decimal(price).decimalPlaces() <= decimals;
}

/** A decimal with as many decimals as the grid has; one from a finer grid keeps its own. */
function fixed(text: string, decimals: number): string {
  const value = new Decimal(text);
  return value.toFixed(Math.max(decimals, value.decimalPlaces()));
}

/** An average price with one decimal more than the market's prices. */
function entryText(
  trader: MarketTrader | undefined,
  entryPrice: string | null,
): string | undefined {
  if (trader === undefined || entryPrice === null) return undefined;
  return new Decimal(entryPrice).toFixed(trader.instrument.priceDecimals + 1);
}

function spreadOf({ midHalfTicks, book, instrument }: MarketTrader): string | undefined {
  if (midHalfTicks === undefined) return undefined;
  const ticks = book.asks.bestTicks - book.bids.bestTicks;
  const text = ticks > 0 ? instrument.formatPrice(ticks) : "0";
  return `${fixed(text, instrument.priceDecimals)} (${((ticks * 20_000) / midHalfTicks).toFixed(2)} bps)`;
}

function reasonOf(
  trader: MarketTrader | undefined,
  { lastReason }: MarketStatus,
): ScreenReason | undefined {
  if (lastReason === undefined || trader === undefined) return undefined;
  const { tickQuote, priceDecimals } = trader.instrument;
  const price = (ticks: number): string =>
    Number.isFinite(ticks) ? (ticks * tickQuote).toFixed(priceDecimals + 1) : "none";
  return {
    fair: price(lastReason.fairTicks),
    reservation: price(lastReason.reservationTicks),
    halfSpread: Number.isFinite(lastReason.halfSpreadTicks)
      ? `${lastReason.halfSpreadTicks.toFixed(2)} ticks`
      : "none",
    terms: Object.entries(lastReason.terms).map(
      ([name, value]) => [name, shortNumber(value)] as const,
    ),
    clamps: lastReason.clamps,
  };
}

function shortNumber(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toPrecision(4);
}

const SHOWN_DECIMALS = 2;
/** Decimals of an amount below a hundredth, which two would show as zero. */
const SMALL_DECIMALS = 4;

/** A screen has no room for every digit; `status` shows them all. */
function short(text: string): string;
function short(text: string | undefined): string | undefined;
function short(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const value = new Decimal(text);
  const isSmall = !value.isZero() && value.abs().lt(0.01);
  return value.toFixed(isSmall ? SMALL_DECIMALS : SHOWN_DECIMALS);
}

function shortPnl(parts: PnlQuote): PnlQuote {
  return Object.fromEntries(
    Object.entries(parts).map(([part, quote]) => [part, short(quote)]),
  ) as Record<PnlPart, string>;
}
