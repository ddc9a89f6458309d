import { scaledToDecimal } from "../../core/instrument.js";
import type { MarketId, Ms } from "../../core/units.js";
import type { QuoteReason } from "../../strategies/intent.js";
import type { Bot } from "../engine/bot.js";
import { type MarketActivity, quotingStatusFor } from "../market/quoting-status.js";
import { type HedgeStatus, readHedge } from "./hedge-status.js";
import { listMarkouts, type MarkoutStatus } from "./markout-status.js";
import { notionalText } from "./open-position.js";
import { listOwnQuotes, type OwnQuote } from "./own-quotes.js";
import { type PnlQuote, pnlText, quoteText } from "./quote-text.js";
import { type QuotingTimeStatus, readQuotingTime } from "./quoting-time-status.js";
import { type ReferenceStatus, readReference } from "./reference-status.js";

/** One market of {@link BotStatus}. */
export interface MarketStatus {
  readonly state: MarketActivity;
  /** Why it does not quote, or not everything that its strategy wants. */
  readonly reasons: readonly string[];
  readonly strategy: string;
  /** null until the exchange has reported the account. */
  readonly positionBase: string | null;
  /**
   * For how long the position has been unknown: nothing is quoted meanwhile. Undefined while it is
   * known.
   */
  readonly positionUnknownSeconds: number | undefined;
  /**
   * Average entry price of the exchange's own record, in quote for one base. Null for a flat
   * position, and while the exchange has not reported a position of this sign.
   */
  readonly entryPrice: string | null;
  /** Value of the position at its mark, unsigned; null while it is not known. */
  readonly notionalQuote: string | null;
  /**
   * Value of the position at its mark less its value at `entryPrice`; null while it is not known.
   */
  readonly unrealisedQuote: string | null;
  /**
   * `pnlTotalQuote` less the change of `unrealisedQuote` since the start: closed trades, fees,
   * funding and all other incomes. Null while the position is not known.
   */
  readonly realisedQuote: string | null;
  readonly pnlQuote: PnlQuote;
  readonly pnlTotalQuote: string;
  /** Fills since the start. */
  readonly fills: number;
  /** Over the last five minutes, or since the start, but never over less than one minute. */
  readonly fillsPerMinute: number;
  /** Our orders that may still fill: bids, then asks, the best of each first. */
  readonly quotes: readonly OwnQuote[];
  readonly openBids: number;
  readonly openAsks: number;
  readonly unknownOrders: number;
  readonly manualOrders: number;
  readonly bestBid: string | undefined;
  readonly bestAsk: string | undefined;
  /** Time since the book was last known to be right; undefined while it is not synchronised. */
  readonly bookAgeMs: number | undefined;
  readonly markQuote: string | undefined;
  /** Its price from outside; undefined in a market without `reference`. */
  readonly reference: ReferenceStatus | undefined;
  /** Its hedge at another venue; undefined in a market without one. */
  readonly hedge: HedgeStatus | undefined;
  /** True while an operator's flatten, or the risk ladder's, trades the position to zero. */
  readonly isFlattening: boolean;
  /** Our orders that ended cancelled, since the start. */
  readonly ordersCancelled: number;
  /** Smallest order of the market. */
  readonly minOrderBase: string | undefined;
  /** Names of the assets, such as BTC and USDC; null if the exchange does not name them. */
  readonly baseAsset: string | null;
  readonly quoteAsset: string | null;
  readonly lastReason: QuoteReason | undefined;
  /** Quoted time and distance since the start. */
  readonly quoting: QuotingTimeStatus;
  /** Markouts of the fills since the start, by side, level and horizon. */
  readonly markouts: readonly MarkoutStatus[];
}

/** The present status of one market. */
export function buildMarketStatus(bot: Bot, marketId: MarketId): MarketStatus {
  const { account, traders, config, clock } = bot.context;
  const trader = traders.get(marketId);
  const open = account.orders.mayStillFill(marketId);
  const { parts, total } = pnlText(account.profit(marketId));
  const { state, reasons } =
    trader === undefined
      ? { state: "halted" as const, reasons: [] }
      : quotingStatusFor(bot.context, bot.tradingGuards, trader);
  const touching = trader?.midHalfTicks === undefined ? undefined : trader;
  const mark = trader?.state.mark;
  const nowMs = clock.monotonicMs();
  return {
    state,
    reasons,
    strategy: config.markets[marketId]?.strategy ?? "no strategy",
    positionBase: account.confirmed ? account.positionBase(marketId) : null,
    positionUnknownSeconds: positionUnknownSeconds(bot, marketId),
    ...positionFigures(bot, marketId),
    pnlQuote: parts,
    pnlTotalQuote: total,
    fills: trader?.fillRate.count ?? 0,
    fillsPerMinute: trader?.fillRate.perMinute(nowMs, bot.startedAt.monotonicMs) ?? 0,
    quotes: listOwnQuotes(bot, marketId),
    openBids: open.filter(({ side }) => side === "BUY").length,
    openAsks: open.filter(({ side }) => side === "SELL").length,
    unknownOrders: open.filter(({ phase }) => phase === "unknown").length,
    manualOrders: account.orders.foreign(marketId).length,
    bestBid: touching?.instrument.formatPrice(touching.book.bids.bestTicks),
    bestAsk: touching?.instrument.formatPrice(touching.book.asks.bestTicks),
    bookAgeMs: bookAgeMs(bot, marketId),
    markQuote: mark === undefined ? undefined : quoteText(bot, mark),
    reference: trader === undefined ? undefined : readReference(bot, trader),
    hedge: readHedge(bot, marketId),
    isFlattening: trader?.target?.byOperator === true && trader.target.intent.targetLots === 0,
    ordersCancelled: account.cancelledIn(marketId),
    minOrderBase: trader?.instrument.formatAmount(trader.rules.minLots),
    baseAsset: trader?.rules.baseAsset ?? null,
    quoteAsset: trader?.rules.quoteAsset ?? null,
    quoting: readQuotingTime(bot, marketId),
    markouts: listMarkouts(bot, marketId),
    lastReason: trader?.target?.intent.reason ?? trader?.unwind?.reason ?? trader?.quotes?.reason,
  };
}

type PositionFigures = Pick<
  MarketStatus,
  "entryPrice" | "notionalQuote" | "unrealisedQuote" | "realisedQuote"
>;

const NOT_KNOWN: PositionFigures = {
  entryPrice: null,
  notionalQuote: null,
  unrealisedQuote: null,
  realisedQuote: null,
};

function positionFigures(bot: Bot, marketId: MarketId): PositionFigures {
  const { account, traders } = bot.context;
  const trader = traders.get(marketId);
  if (trader === undefined || !isPositionKnown(bot, marketId)) return NOT_KNOWN;
  const split = account.profitSplit(marketId);
  return {
    entryPrice: account.entryPrice(marketId) ?? null,
    notionalQuote: notionalText(
      trader.instrument,
      account.positionPaper(marketId),
      trader.state.mark,
    ),
    unrealisedQuote: split === undefined ? null : quoteText(bot, split.unrealised),
    realisedQuote: split === undefined ? null : scaledToDecimal(split.realised, split.decimals),
  };
}

/** True if the exchange has reported the account and nothing contradicts our position. */
export function isPositionKnown(bot: Bot, marketId: MarketId): boolean {
  return bot.context.account.confirmed && positionUnknownSeconds(bot, marketId) === undefined;
}

/** Time since the book was last known to be right; undefined while it is not synchronised. */
export function bookAgeMs(
  { context: { traders, clock } }: Bot,
  marketId: MarketId,
): Ms | undefined {
  const trader = traders.get(marketId);
  if (trader?.book.isSynchronised !== true) return undefined;
  return Math.max(0, clock.monotonicMs() - trader.lag.rightAtMs(trader.book.lastReceivedMs));
}

/** For how long the position of a market has been unknown; undefined while it is known. */
export function positionUnknownSeconds(
  { tradingGuards, context }: Bot,
  marketId: MarketId,
): number | undefined {
  const halt = tradingGuards.haltsFor(marketId).find(({ name }) => name === "position-unknown");
  return halt === undefined
    ? undefined
    : Math.round(context.clock.monotonicMs() - halt.sinceMs) / 1000;
}
