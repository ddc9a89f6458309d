import type { MarketId, Ms } from "../../core/units.js";
import type { Outcome } from "../../exchange/venue.js";
import {
  addEvent,
  countEvents,
  EMPTY_MINUTE,
  type MinuteWindow,
} from "../../risk/minute-window.js";
import type { BotContext } from "../engine/context.js";
import type { TradingGuards } from "../safety/trading-guards.js";
import { queueCancelAll } from "./queue-cancel-all.js";

/** Contradictions within a minute after which a market is halted. */
const MOST_A_MINUTE = 3;
/** Pause before a cancel-all without an answer is retried. */
const AGAIN_AFTER_MS: Ms = 1_000;
const WHY = `${MOST_A_MINUTE} times within a minute the exchange showed orders as open that it had reported as cancelled or unknown`;

/**
 * Counts, per market, how often the exchange shows orders as open that its answers had ended:
 * something between answers in its place, and cancels do not arrive. A connection may fail for a
 * moment. At the third time within a minute the monitor cancels the market's orders all at once and
 * halts the market until an operator has looked. The cancel-all is sent until it is answered, and
 * then no more: its answer may be as wrong as those before.
 */
export class ReopenedOrderMonitor {
  readonly #context: BotContext;
  readonly #tradingGuards: TradingGuards;
  readonly #windows = new Map<MarketId, MinuteWindow>();
  /** Markets whose cancel-all was not answered, and when it was tried last. */
  readonly #owed = new Map<MarketId, Ms>();

  constructor(context: BotContext, safety: TradingGuards) {
    this.#context = context;
    this.#tradingGuards = safety;
  }

  /** An order turned out to be open after all. All that one answer shows counts once. */
  recordReopened(marketId: MarketId): void {
    if (this.#isHalted(marketId)) return;
    const nowMs: Ms = this.#context.clock.monotonicMs();
    const before = this.#windows.get(marketId) ?? EMPTY_MINUTE;
    if (before.atMs.at(-1) === nowMs) return;
    const window = addEvent(before, nowMs);
    const isOver = countEvents(window, nowMs) >= MOST_A_MINUTE;
    // After a resume, only new contradictions count.
    this.#windows.set(marketId, isOver ? EMPTY_MINUTE : window);
    if (!isOver) return;
    this.#tradingGuards.haltMarket(
      marketId,
      "revived-orders",
      `${WHY}: cancels may not reach it. Check the open orders there, then resume`,
    );
    this.#cancelAll(marketId, nowMs);
  }

  /** Result of a market's cancel-all: one that may not have arrived is sent again. */
  onCancelAllOutcome(marketId: MarketId, outcome: Outcome): void {
    const { result } = outcome;
    const isUnanswered =
      result === "not-sent" ||
      result === "throttled" ||
      (result === "unknown" && outcome.cause !== "malformed-answer");
    if (!isUnanswered) this.#owed.delete(marketId);
  }

  /** Runs a few times a second. */
  tick(): void {
    if (this.#owed.size === 0) return;
    const { account, clock, dispatcher, phase } = this.#context;
    const nowMs = clock.monotonicMs();
    for (const [marketId, triedAtMs] of this.#owed) {
      const isOver =
        phase !== "running" ||
        !this.#isHalted(marketId) ||
        account.orders.mayStillFill(marketId).length === 0;
      if (isOver) this.#owed.delete(marketId);
      else if (nowMs >= triedAtMs + AGAIN_AFTER_MS && !isCancelAllInFlight(dispatcher, marketId))
        this.#cancelAll(marketId, nowMs);
    }
  }

  #cancelAll(marketId: MarketId, nowMs: Ms): void {
    this.#owed.set(marketId, nowMs);
    queueCancelAll(this.#context, marketId, "cancels of single orders do not reach the exchange");
  }

  #isHalted(marketId: MarketId): boolean {
    return this.#tradingGuards.haltsFor(marketId).some(({ name }) => name === "revived-orders");
  }
}

function isCancelAllInFlight(dispatcher: BotContext["dispatcher"], marketId: MarketId): boolean {
  for (const { action } of dispatcher.inFlight())
    if (action.kind === "cancel-all" && action.marketId === marketId) return true;
  return false;
}
