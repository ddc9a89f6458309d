import type { Clock } from "../core/seam.js";
import type { MarketId, Ms } from "../core/units.js";
import type { Level } from "../market/view.js";
import type { ScreenLevel, ScreenMarket, ScreenModel, ScreenNote, ScreenReason } from "../monitoring/screen-model.js";
import type { Bot } from "./bot.js";
import { accountHalts, type BotStatus, type MarketStatus, statusOf } from "./bot-status.js";
import type { Notice } from "./notice.js";
import { ownResting } from "./planning.js";

const LEVELS = 10;
const MOST_NOTES = 50;
const RATE_WINDOW_MS = 300_000;
const MS_PER_MINUTE = 60_000;

/** Gathers what the live screen shows of a bot beside its state: fill rates and recent news. */
export class ScreenObserver {
  readonly #clock: Clock;
  readonly #startedMs: Ms;
  readonly #startedMonotonicMs: number;
  readonly #footer: string;
  readonly #notes: ScreenNote[] = [];
  readonly #fills = new Map<MarketId, { count: number; recentMs: number[] }>();

  /** @param footer where the log goes meanwhile, and what ends the bot. */
  constructor(clock: Clock, footer: string) {
    this.#clock = clock;
    this.#startedMs = clock.nowMs();
    this.#startedMonotonicMs = clock.monotonicMs();
    this.#footer = footer;
  }

  note(notice: Notice): void {
    switch (notice.kind) {
      case "log":
        return this.#say(notice.level, notice.message);
      case "account":
        if (notice.change.kind === "fill") this.#fill(notice.change.trade.marketId);
        if (notice.change.kind === "trade-failed")
          this.#say("warn", `${notice.change.trade.marketId}: a settlement failed, the fill is reversed`);
        if (notice.change.kind === "difference") {
          const { kind, subject, ours, theirs } = notice.change.difference;
          this.#say("warn", `the exchange differs: ${kind} ${subject}: ours ${ours}, theirs ${theirs}`);
        }
        return;
      case "answered":
        if (notice.outcome.result === "rejected")
          this.#say("warn", `${notice.action.kind} refused: ${notice.outcome.code} ${notice.outcome.message}`);
        if (notice.outcome.result === "unknown" && notice.action.kind !== "question")
          this.#say("warn", `${notice.action.kind}: outcome not known (${notice.outcome.cause})`);
        if (notice.outcome.result === "throttled") this.#say("warn", `refused by the rate limit (${notice.outcome.httpStatus})`);
        return;
      case "book-lost":
        return this.#say("warn", `${notice.marketId}: book given up: ${notice.reason}`);
      case "stream":
        return this.#say(notice.state === "up" ? "info" : "warn", `${notice.stream} stream is ${notice.state}: ${notice.reason}`);
      case "halted":
        return this.#say(
          notice.on ? "error" : "info",
          `${notice.marketId ?? "all markets"}: ${notice.on ? "halted" : "no longer halted"}: ${notice.reason}: ${notice.why}`,
        );
      default:
    }
  }

  /** The screen of this moment. */
  model(bot: Bot): ScreenModel {
    const status = statusOf(bot);
    const { config, desks } = bot.context;
    return {
      title: config.path,
      account: status.account,
      exchange: config.exchange.rest,
      nowMs: this.#startedMs + (this.#clock.monotonicMs() - this.#startedMonotonicMs),
      startedMs: this.#startedMs,
      equityQuote: status.equityQuote,
      equityChangeQuote: status.equityChangeQuote,
      peakEquityQuote: status.peakEquityQuote,
      budgets: Object.entries(status.tokens).map(([name, { left, limit }]) => ({ name, left, limit })),
      halts: accountHalts(bot),
      markets: [...desks.keys()].map((marketId) => this.#market(bot, marketId, status)),
      notes: this.#notes,
      footer: this.#footer,
    };
  }

  #market(bot: Bot, marketId: MarketId, status: BotStatus): ScreenMarket {
    const desk = bot.context.desks.get(marketId);
    const market = status.markets[marketId] as MarketStatus;
    const fills = this.#fills.get(marketId);
    const nowMs = this.#clock.monotonicMs();
    const inStep = desk?.book.synchronised === true;
    return {
      marketId,
      strategy: market.strategy,
      state: market.state,
      stateReasons: market.reasons,
      bids: inStep ? levelsOf(bot, marketId, desk.book.bids.top(LEVELS), "BUY") : [],
      asks: inStep ? levelsOf(bot, marketId, desk.book.asks.top(LEVELS), "SELL") : [],
      spread: inStep ? spreadOf(bot, marketId) : undefined,
      mark: market.markQuote,
      bookAgeMs: inStep ? Math.max(0, nowMs - desk.book.lastReceivedMs) : undefined,
      positionBase: market.positionBase,
      pnlQuote: market.pnlQuote,
      pnlTotalQuote: market.pnlTotalQuote,
      fills: fills?.count ?? 0,
      fillsPerMinute: this.#perMinute(fills?.recentMs ?? [], nowMs),
      openBids: market.openBids,
      openAsks: market.openAsks,
      unknownOrders: market.unknownOrders,
      manualOrders: market.manualOrders,
      reason: reasonOf(bot, marketId, market),
    };
  }

  #perMinute(recentMs: readonly number[], nowMs: number): number {
    const windowMs = Math.min(RATE_WINDOW_MS, Math.max(MS_PER_MINUTE, nowMs - this.#startedMonotonicMs));
    return (recentMs.filter((atMs) => atMs > nowMs - windowMs).length * MS_PER_MINUTE) / windowMs;
  }

  #fill(marketId: MarketId): void {
    const fills = this.#fills.get(marketId) ?? { count: 0, recentMs: [] };
    this.#fills.set(marketId, fills);
    const nowMs = this.#clock.monotonicMs();
    fills.count++;
    fills.recentMs.push(nowMs);
    while ((fills.recentMs[0] ?? nowMs) <= nowMs - RATE_WINDOW_MS) fills.recentMs.shift();
  }

  #say(level: ScreenNote["level"], text: string): void {
    this.#notes.push({ atMs: this.#clock.nowMs(), level, text });
    if (this.#notes.length > MOST_NOTES) this.#notes.shift();
  }
}

function levelsOf(bot: Bot, marketId: MarketId, levels: readonly Level[], side: "BUY" | "SELL"): ScreenLevel[] {
  const { desks, account } = bot.context;
  const instrument = desks.get(marketId)?.instrument;
  if (instrument === undefined) return [];
  const own = ownResting(account.orders.mayStillFill(marketId)).filter((order) => order.side === side);
  return levels.map(({ ticks, lots }) => {
    const ours = own.filter((order) => order.ticks === ticks).reduce((sum, order) => sum + order.lots, 0);
    return { price: instrument.priceOf(ticks), amount: instrument.amountOf(lots), own: ours === 0 ? undefined : instrument.amountOf(ours) };
  });
}

function spreadOf(bot: Bot, marketId: MarketId): string | undefined {
  const desk = bot.context.desks.get(marketId);
  const midHalfTicks = desk?.midHalfTicks;
  if (desk === undefined || midHalfTicks === undefined) return undefined;
  const ticks = desk.book.asks.bestTicks - desk.book.bids.bestTicks;
  const text = ticks > 0 ? desk.instrument.priceOf(ticks) : "0";
  return `${text} (${((ticks * 20_000) / midHalfTicks).toFixed(2)} bps)`;
}

function reasonOf(bot: Bot, marketId: MarketId, { lastReason }: MarketStatus): ScreenReason | undefined {
  const instrument = bot.context.desks.get(marketId)?.instrument;
  if (lastReason === undefined || instrument === undefined) return undefined;
  const price = (ticks: number): string => (ticks * instrument.tickQuote).toFixed(instrument.priceDecimals + 1);
  return {
    fair: price(lastReason.fairTicks),
    reservation: price(lastReason.reservationTicks),
    halfSpread: `${lastReason.halfSpreadTicks.toFixed(2)} ticks`,
    terms: Object.entries(lastReason.terms).map(([name, value]) => [name, shortNumber(value)] as const),
    clamps: lastReason.clamps,
  };
}

function shortNumber(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toPrecision(4);
}
