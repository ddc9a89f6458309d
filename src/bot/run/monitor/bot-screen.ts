import { Decimal } from "decimal.js";
import type { Clock } from "../../../core/runtime/runtime.js";
import type { MarketId, Ms } from "../../../core/units.js";
import type { Level } from "../../../market/book/readable-book.js";
import type { PnlPart } from "../../../monitoring/metrics.js";
import type {
  ScreenLevel,
  ScreenMarket,
  ScreenModel,
  ScreenReason,
} from "../../../monitoring/screen-model.js";
import type { Bot } from "../../engine/bot.js";
import { accountHalts, buildBotStatus, ladderTexts } from "../../status/bot-status.js";
import type { MarketStatus } from "../../status/market-status.js";
import { type PnlQuote, quoteText } from "../../status/quote-text.js";
import { screenLiquidator } from "./liquidator-screen.js";
import type { RunMonitor } from "./run-monitor.js";

const LEVELS = 10;

/** Content of the screen beside the bot itself. */
export interface ScreenSetting {
  readonly clock: Clock;
  /** Start of the run, by the wall clock and by the monotonic clock. */
  readonly startedMs: Ms;
  readonly startedMonotonicMs: number;
  /** Destination of the log meanwhile, and how to end the bot. */
  readonly footer: string;
}

/** The live screen of a bot at this moment. */
export function buildScreenModel(
  bot: Bot,
  monitor: RunMonitor,
  { clock, startedMs, startedMonotonicMs, footer }: ScreenSetting,
): ScreenModel {
  const status = buildBotStatus(bot);
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
    inTransitQuote:
      Number(short(status.underWayQuote) ?? 0) === 0 ? undefined : short(status.underWayQuote),
    peakEquityQuote: short(status.peakEquityQuote),
    budgets: Object.entries(status.tokens).map(([name, { left, limit }]) => ({
      name,
      left,
      limit,
    })),
    halts: accountHalts(bot),
    ladder: ladderTexts(bot),
    markets: Object.entries(status.markets).map(([marketId, market]) =>
      screenMarket(bot, marketId, market),
    ),
    liquidator: screenLiquidator(monitor.liquidation.running, {
      quote: (units) => short(quoteText(bot, units)),
      baseOf: (id, lots) => traders.get(id)?.instrument.formatAmount(lots) ?? String(lots),
    }),
    notes: monitor.notes,
    footer,
  };
}

function screenMarket(bot: Bot, marketId: MarketId, market: MarketStatus): ScreenMarket {
  const trader = bot.context.traders.get(marketId);
  const inStep = trader?.book.isSynchronised === true;
  return {
    marketId,
    strategy: market.strategy,
    state: market.state,
    stateReasons: market.reasons,
    bids: inStep ? levelsOf(bot, marketId, trader.book.bids.top(LEVELS), "BUY") : [],
    asks: inStep ? levelsOf(bot, marketId, trader.book.asks.top(LEVELS), "SELL") : [],
    spread: inStep ? spreadOf(bot, marketId) : undefined,
    mark: short(market.markQuote),
    bookAgeMs: market.bookAgeMs,
    positionBase: market.positionBase ?? undefined,
    pnlQuote: shortPnl(market.pnlQuote),
    pnlTotalQuote: short(market.pnlTotalQuote),
    fills: market.fills,
    fillsPerMinute: market.fillsPerMinute,
    openBids: market.openBids,
    openAsks: market.openAsks,
    unknownOrders: market.unknownOrders,
    manualOrders: market.manualOrders,
    reason: reasonOf(bot, marketId, market),
  };
}

function levelsOf(
  bot: Bot,
  marketId: MarketId,
  levels: readonly Level[],
  side: "BUY" | "SELL",
): ScreenLevel[] {
  const { traders, account } = bot.context;
  const instrument = traders.get(marketId)?.instrument;
  if (instrument === undefined) return [];
  const own = account.orders.resting(marketId).filter((order) => order.side === side);
  return levels.map(({ ticks, lots }) => {
    const ours = own
      .filter((order) => order.ticks === ticks)
      .reduce((sum, order) => sum + order.lots, 0);
    return {
      price: instrument.formatPrice(ticks),
      amount: instrument.formatAmount(lots),
      own: ours === 0 ? undefined : instrument.formatAmount(ours),
    };
  });
}

function spreadOf(bot: Bot, marketId: MarketId): string | undefined {
  const trader = bot.context.traders.get(marketId);
  const midHalfTicks = trader?.midHalfTicks;
  if (trader === undefined || midHalfTicks === undefined) return undefined;
  const ticks = trader.book.asks.bestTicks - trader.book.bids.bestTicks;
  const text = ticks > 0 ? trader.instrument.formatPrice(ticks) : "0";
  return `${text} (${((ticks * 20_000) / midHalfTicks).toFixed(2)} bps)`;
}

function reasonOf(
  bot: Bot,
  marketId: MarketId,
  { lastReason }: MarketStatus,
): ScreenReason | undefined {
  const instrument = bot.context.traders.get(marketId)?.instrument;
  if (lastReason === undefined || instrument === undefined) return undefined;
  const price = (ticks: number): string =>
    (ticks * instrument.tickQuote).toFixed(instrument.priceDecimals + 1);
  return {
    fair: price(lastReason.fairTicks),
    reservation: price(lastReason.reservationTicks),
    halfSpread: `${lastReason.halfSpreadTicks.toFixed(2)} ticks`,
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

/** A screen has no room for every digit; `status` shows them all. */
function short(text: string): string;
function short(text: string | undefined): string | undefined;
function short(text: string | undefined): string | undefined {
  return text === undefined ? undefined : new Decimal(text).toFixed(SHOWN_DECIMALS);
}

function shortPnl(parts: PnlQuote): PnlQuote {
  return Object.fromEntries(
    Object.entries(parts).map(([part, quote]) => [part, short(quote)]),
  ) as Record<PnlPart, string>;
}
