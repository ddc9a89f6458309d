import type { MarketId, Ms } from "../../core/units.js";
import { describeOutcome } from "../../exchange/fate.js";
import type { VenueRules } from "../../exchange/records.js";
import type { Outcome, QueryAction } from "../../exchange/venue.js";
import type { OrderFactory } from "../execution/order-factory.js";
import type { MarketTrader } from "../market/market-trader.js";
import type { TradingGuards } from "../safety/trading-guards.js";
import { HEARTBEAT_FILE, type Heartbeat } from "../state/heartbeat.js";
import type { BotContext } from "./context.js";

/** How often the exchange's clock is queried if no reconciliation does. */
const TIME_EVERY_MS = 30_000;
/**
 * Minimum number of ticks between two queries of the clock. It matters only where ticks are long,
 * as on candles.
 */
const MIN_TICKS_BETWEEN_QUERIES = 96;
/** Longest wait for the snapshot of a book that was given up, before it is requested again. */
const SNAPSHOT_WITHIN_MS = 5_000;
/** Longest wait for an answer to a query of the monitor, before it is retried. */
const QUERY_TIMEOUT_MS = 5_000;
/**
 * Rules that could not be read, or that may be old, are read again after this, or after their own
 * interval if that is shorter.
 */
const RULES_AGAIN_MS = 10_000;

interface BookCheck {
  /**
   * When its book was lost or given up, on the monotonic clock; undefined while it is synchronised.
   */
  lostAtMs: Ms | undefined;
  queriedAtMs: Ms;
  /** Local sequence when the exchange was first seen at another. */
  mismatchSequence: number | undefined;
  /**
   * When the stream was last asked for a snapshot because REST could not be queried for the
   * sequence.
   */
  resubscribedAtMs: Ms;
}

/**
 * Periodic checks: the exchange's clock and rules, books without updates (a quiet market or a
 * stalled stream: REST knows the sequence), and the heartbeat for the guard.
 */
export class VenueMonitor {
  readonly #context: BotContext;
  readonly #tradingGuards: TradingGuards;
  readonly #orderFactory: OrderFactory;
  readonly #books = new Map<MarketId, BookCheck>();
  readonly #pending = new Map<number, MarketId | undefined>();
  readonly #timeEveryMs: Ms;
  #timeQueriedAtMs: Ms = Number.NEGATIVE_INFINITY;
  #rulesQueriedAtMs: Ms;
  #areRulesSuspect = false;
  #heartbeatWrittenMs: Ms = Number.NEGATIVE_INFINITY;
  #shownAtMs: Ms | undefined;

  constructor(context: BotContext, safety: TradingGuards, works: OrderFactory) {
    this.#context = context;
    this.#tradingGuards = safety;
    this.#orderFactory = works;
    this.#rulesQueriedAtMs = Number.NaN;
    // Early enough to repeat a query whose answer is lost.
    this.#timeEveryMs = Math.min(
      Math.max(TIME_EVERY_MS, MIN_TICKS_BETWEEN_QUERIES * context.tickMs),
      safety.limits.maxClockAgeMs / 2,
    );
  }

  /**
   * When the last heartbeat was written, by this machine's clock; undefined before, and if none is
   * written.
   */
  get heartbeatAtMs(): Ms | undefined {
    return this.#shownAtMs;
  }

  /** Runs a few times a second. */
  tick(): void {
    const nowMs = this.#context.clock.monotonicMs();
    this.#writeHeartbeat(nowMs, "running");
    this.#queryTime(nowMs);
    this.#queryRules(nowMs);
    for (const trader of this.#context.traderList) this.#watchBook(trader, nowMs);
  }

  /**
   * An order was refused as made by other rules, or the exchange built it differently: the rules
   * are read before their time.
   */
  markRulesSuspect(): void {
    this.#areRulesSuspect = true;
  }

  /**
   * This machine was suspended for this long by the exchange's clock. A book is that much older
   * than the monotonic clock says, and messages received next may have waited as long in the
   * machine.
   */
  onSuspended(forMs: Ms): void {
    const { config, clock, traders } = this.#context;
    if (forMs <= config.risk.maxBookAgeMs) return;
    for (const trader of traders.values()) {
      if (trader.book.isSynchronised)
        this.#giveUpBook(
          trader,
          `this machine was suspended for ${Math.round(forMs)} ms`,
          clock.monotonicMs(),
        );
    }
  }

  /** Shows the guard that nothing of this run is left. */
  writeStoppedHeartbeat(): void {
    this.#heartbeatWrittenMs = Number.NEGATIVE_INFINITY;
    this.#writeHeartbeat(this.#context.clock.monotonicMs(), "stopped");
  }

  /** Handles the response to a query that was sent here; false for any other. */
  handleResponse(action: QueryAction, outcome: Outcome): boolean {
    if (!this.#pending.has(action.actionId)) return false;
    const marketId = this.#pending.get(action.actionId);
    this.#pending.delete(action.actionId);
    if (outcome.result !== "answered") {
      if (action.ask === "rules") this.#rulesFailed(outcome);
      return true;
    }
    if (outcome.ask === "rules") this.#rulesRead(outcome.data);
    if (outcome.ask === "bookSequence" && marketId !== undefined)
      this.#onBookSequence(marketId, outcome.data.sequence);
    return true;
  }

  #queryTime(nowMs: Ms): void {
    const sinceMs =
      nowMs - Math.max(this.#timeQueriedAtMs, this.#context.exchangeTime.measuredAtMonotonicMs);
    if (sinceMs < this.#timeQueryIntervalMs) return;
    this.#timeQueriedAtMs = nowMs;
    this.#query({ ask: "time" }, undefined);
  }

  get #timeQueryIntervalMs(): Ms {
    const { isKnown, isSuspect, offsetMs } = this.#context.exchangeTime;
    // A wall clock that has stepped may belong to a machine that was suspended. Requests signed for
    // the old time are refused, cancels too.
    const isWrong = isSuspect || Math.abs(offsetMs) > this.#tradingGuards.limits.maxClockOffsetMs;
    return isKnown && !isWrong ? this.#timeEveryMs : 1_000;
  }

  #queryRules(nowMs: Ms): void {
    if (Number.isNaN(this.#rulesQueriedAtMs)) this.#rulesQueriedAtMs = nowMs;
    if (nowMs - this.#rulesQueriedAtMs < this.#rulesEveryMs) return;
    this.#rulesQueriedAtMs = nowMs;
    this.#areRulesSuspect = false;
    this.#query({ ask: "rules" }, undefined);
  }

  get #rulesEveryMs(): Ms {
    const { rulesRefreshMs } = this.#context.config.exchange;
    return this.#areRulesSuspect ? Math.min(RULES_AGAIN_MS, rulesRefreshMs) : rulesRefreshMs;
  }

  #rulesFailed(outcome: Outcome): void {
    const { clock, config, notify } = this.#context;
    const message = describeOutcome(outcome);
    this.#tradingGuards.rulesUnread(message);
    const { rulesRefreshMs } = config.exchange;
    this.#rulesQueriedAtMs =
      clock.monotonicMs() - rulesRefreshMs + Math.min(RULES_AGAIN_MS, rulesRefreshMs);
    notify({
      kind: "log",
      level: "warn",
      message: "exchangeInfo cannot be read",
      fields: { reason: message },
    });
  }

  #rulesRead(rules: VenueRules): void {
    this.#context.rules = rules;
    this.#tradingGuards.rulesRead(rules);
    this.#orderFactory.rulesRead();
    this.#context.budget.rulesRead(rules);
    for (const trader of this.#context.traders.values())
      trader.rulesRead(rules.markets[trader.marketId]);
  }

  #watchBook(trader: MarketTrader, nowMs: Ms): void {
    const watch = this.#watchOf(trader.marketId);
    if (!trader.book.isSynchronised) {
      watch.mismatchSequence = undefined;
      watch.lostAtMs ??= nowMs;
      if (nowMs - watch.lostAtMs < SNAPSHOT_WITHIN_MS) return;
      watch.lostAtMs = nowMs;
      this.#context.venue.resubscribe(trader.marketId);
      return;
    }
    watch.lostAtMs = undefined;
    const { maxBookAgeMs } = this.#context.config.risk;
    const { book, lag } = trader;
    lag.checkSequence(book.sequence, nowMs);
    const ageMs = nowMs - book.lastReceivedMs;
    if (this.#context.budget.blockedUntilMonotonicMs > nowMs)
      return this.#renewBook(trader, watch, ageMs, nowMs);
    const isQuiet = ageMs >= maxBookAgeMs / 3;
    if (!isQuiet && !lag.isSuspected && !lag.isProven) return;
    // If the trades' clock differs from the book's, each trade raises the suspicion again. The cost
    // is one token every few seconds.
    if (
      nowMs - watch.queriedAtMs <
      (isQuiet || lag.isProven ? bookQueryIntervalMs(maxBookAgeMs) : QUERY_TIMEOUT_MS)
    )
      return;
    watch.queriedAtMs = nowMs;
    this.#query({ ask: "bookSequence", marketId: trader.marketId }, trader.marketId);
  }

  /**
   * A rate limit keeps REST from telling a quiet market from a stalled stream. The stream itself
   * can: a new subscription of a live stream brings a snapshot, and its messages do not cost REST
   * tokens. A stalled stream brings nothing, and its book becomes too old.
   */
  #renewBook(trader: MarketTrader, watch: BookCheck, ageMs: Ms, nowMs: Ms): void {
    const everyMs = this.#context.config.risk.maxBookAgeMs / 2;
    if (ageMs < everyMs || nowMs - watch.resubscribedAtMs < everyMs) return;
    watch.resubscribedAtMs = nowMs;
    this.#context.venue.resubscribe(trader.marketId);
  }

  #onBookSequence(marketId: MarketId, sequence: number): void {
    const trader = this.#context.traders.get(marketId);
    if (trader === undefined) return;
    const watch = this.#watchOf(marketId);
    const nowMs = this.#context.clock.monotonicMs();
    const found = trader.book.confirmSequence(sequence, nowMs);
    if (found !== "unsynchronised")
      trader.lag.recordRestSequence(sequence, trader.book.sequence, nowMs);
    const isApart = found === "behind" || found === "ahead";
    if (!isApart || watch.mismatchSequence !== trader.book.sequence) {
      watch.mismatchSequence = isApart ? trader.book.sequence : undefined;
      return;
    }
    // The second difference at one sequence, with a round trip between. Missing messages are no
    // longer on their way, even if pings are. Extra messages never came from the exchange.
    this.#giveUpBook(
      trader,
      `the stream is at sequence ${trader.book.sequence}, the exchange is at ${sequence}`,
      nowMs,
    );
  }

  #giveUpBook(trader: MarketTrader, reason: string, nowMs: Ms): void {
    const { marketId } = trader;
    const watch = this.#watchOf(marketId);
    trader.invalidate(reason);
    watch.mismatchSequence = undefined;
    watch.lostAtMs = nowMs;
    this.#context.notify({ kind: "book-lost", marketId, reason, gap: false });
    this.#context.venue.resubscribe(marketId);
  }

  #writeHeartbeat(nowMs: Ms, state: Heartbeat["state"]): void {
    const { config, clock, exchangeTime, traders, store } = this.#context;
    if (!this.#hasHeartbeat || nowMs - this.#heartbeatWrittenMs < config.guard.heartbeatMs) return;
    this.#heartbeatWrittenMs = nowMs;
    const beat: Heartbeat = {
      atMs: clock.nowMs(),
      // A request signed before the next heartbeat may carry a timestamp this late.
      lastRequestMs: exchangeTime.nowMs() + config.guard.heartbeatMs,
      state,
      markets: [...traders.keys()],
      pid: process.pid,
    };
    store.writeBehind(HEARTBEAT_FILE, JSON.stringify(beat));
    this.#shownAtMs = beat.atMs;
  }

  get #hasHeartbeat(): boolean {
    return !this.#context.dryRun && this.#context.store.isDiscarded !== true;
  }

  #query(question: Parameters<typeof asAction>[0], marketId: MarketId | undefined): void {
    const action = asAction(
      question,
      this.#context.nextActionId(),
      this.#context.exchangeTime.nowMs(),
    );
    this.#pending.set(action.actionId, marketId);
    this.#context.dispatcher.enqueue({ kind: "question", action });
  }

  #watchOf(marketId: MarketId): BookCheck {
    let watch = this.#books.get(marketId);
    if (watch === undefined) {
      watch = {
        lostAtMs: undefined,
        queriedAtMs: Number.NEGATIVE_INFINITY,
        mismatchSequence: undefined,
        resubscribedAtMs: Number.NEGATIVE_INFINITY,
      };
      this.#books.set(marketId, watch);
    }
    return watch;
  }
}

/** How often the sequence of a quiet book is queried. */
function bookQueryIntervalMs(maxBookAgeMs: Ms): Ms {
  return Math.min(QUERY_TIMEOUT_MS, maxBookAgeMs / 3);
}

function asAction(
  question:
    | { readonly ask: "time" }
    | { readonly ask: "rules" }
    | { readonly ask: "bookSequence"; readonly marketId: MarketId },
  actionId: number,
  timestampMs: Ms,
): QueryAction {
  return { kind: "question", actionId, timestampMs, ...question };
}
