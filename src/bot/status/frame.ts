import type { MarketId, Ms, Side } from "../../core/units.js";
import { ownLotsAt } from "../../market/book/net-book.js";
import type { Level } from "../../market/book/readable-book.js";
import type { FileComparison } from "../configure/config-file.js";
import type { Bot } from "../engine/bot.js";
import { restingIn } from "../execution/executor-touch.js";
import type { MarketTrader } from "../market/market-trader.js";
import type { RunningBot } from "../run/running-bot.js";
import { type BotStatus, buildBotStatus } from "./bot-status.js";
import { quoteText } from "./quote-text.js";
import type { RecentFill } from "./recent-fills.js";

/** Levels a side in a frame. */
const DEPTH = 20;
/** Most fills in a frame: a bot of many markets sends fewer of each. */
const MOST_FILLS = 2_000;

/** A price of the book, as the exchange shows it. */
export interface FrameLevel {
  readonly price: string;
  /** Everything at this price, our own orders included. */
  readonly amountBase: string;
  /** Our own part, as far as the book shows it; absent if there is none. */
  readonly ownBase?: string;
}

/** A fill of this run. */
export interface FrameFill {
  /** The exchange's time. */
  readonly atMs: Ms;
  readonly side: Side;
  readonly price: string;
  readonly amountBase: string;
  /** Negative: a rebate received. */
  readonly feeQuote: string;
  readonly isMaker: boolean;
  /** Level of the quote that filled, 0 innermost; absent for a taker's fill, or if unknown. */
  readonly level?: number;
}

/** The book of a market, and its grids. */
export interface FrameBook {
  readonly tickSize: string;
  readonly stepSize: string;
  /** Best first; empty while the book is not synchronised. */
  readonly bids: readonly FrameLevel[];
  readonly asks: readonly FrameLevel[];
}

/** One market of a {@link Frame}. */
export interface FrameMarket extends FrameBook {
  /** The running parameters of the strategy, as its file would have them. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The newest fills, oldest first: at most 200, and fewer if the bot has many markets. */
  readonly fills: readonly FrameFill[];
}

/** A message of the bot. */
export interface FrameNotice {
  readonly atMs: Ms;
  readonly level: "info" | "warn" | "error";
  readonly text: string;
}

/** The bot at one turn, as the control command `watch` sends it: plain JSON. */
export interface Frame {
  /** The same as `status --json` prints at this turn. */
  readonly status: BotStatus;
  /** True if the bot takes commands of a cockpit: `cockpit.control` of its file. */
  readonly control: boolean;
  readonly markets: Readonly<Record<MarketId, FrameMarket>>;
  /** Newest last. */
  readonly notices: readonly FrameNotice[];
}

/** The present frame of a running bot. @param file how it differs from its file, if known */
export function buildFrame(
  { bot, liquidator, monitor }: Pick<RunningBot, "bot" | "liquidator" | "monitor">,
  file?: FileComparison,
): Frame {
  const { config, traderList } = bot.context;
  const mostFills = Math.floor(MOST_FILLS / Math.max(1, traderList.length));
  return {
    status: buildBotStatus(bot, liquidator, file),
    control: config.cockpit?.control === true,
    markets: Object.fromEntries(
      traderList.map((trader) => [
        trader.marketId,
        frameMarket(bot, trader, monitor.recentFills.of(trader.marketId).slice(-mostFills)),
      ]),
    ),
    notices: monitor.notes,
  };
}

/** The present book of a market, with the bot's own orders in it. */
export function buildFrameBook(bot: Bot, trader: MarketTrader): FrameBook {
  const { book, instrument } = trader;
  const { tickSize, stepSize } = instrument;
  const own = restingIn(trader, bot.context.account.orders);
  const levels = (side: Side, top: readonly Level[]): readonly FrameLevel[] =>
    top.map((level) => {
      // The book may lag our own orders: no part is larger than the whole.
      const ownLots = Math.min(level.lots, ownLotsAt(own, side, level.ticks));
      return {
        price: instrument.formatPrice(level.ticks),
        amountBase: instrument.formatAmount(level.lots),
        ...(ownLots === 0 ? {} : { ownBase: instrument.formatAmount(ownLots) }),
      };
    });
  return {
    tickSize,
    stepSize,
    bids: book.isSynchronised ? levels("BUY", book.bids.top(DEPTH)) : [],
    asks: book.isSynchronised ? levels("SELL", book.asks.top(DEPTH)) : [],
  };
}

function frameMarket(bot: Bot, trader: MarketTrader, fills: readonly RecentFill[]): FrameMarket {
  const { instrument } = trader;
  return {
    ...buildFrameBook(bot, trader),
    params: bot.context.config.markets[trader.marketId]?.params ?? {},
    fills: fills.map(({ trade, level }) => ({
      atMs: trade.timeMs,
      side: trade.side,
      price: instrument.formatReportedPrice(trade.ticks),
      amountBase: instrument.formatReportedAmount(trade.lots, trade.restPaper),
      feeQuote: quoteText(bot, trade.commission),
      isMaker: trade.isMaker,
      ...(level === undefined ? {} : { level }),
    })),
  };
}
