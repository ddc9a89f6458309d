import type { DecisionCause } from "../../market/view.js";
import type { MarketTrader, ViewInputs } from "../market/market-trader.js";
import { referenceInstant } from "../market/used-reference.js";
import { totalEquity } from "../safety/equity-monitor.js";
import type { LiquidatedInventory } from "../unwind/liquidated-inventory.js";
import type { BotContext } from "./context.js";
import type { BotInput } from "./input.js";

/** Causes for which a strategy is called at once, however late the bot is. */
const URGENT: ReadonlySet<DecisionCause> = new Set(["start", "fill", "params"]);

/**
 * Schedules the calls of each market's strategy: at its decision points, by market events and by a
 * timer if there are none.
 */
export class DecisionScheduler {
  readonly #context: BotContext;
  readonly #liquidatedInventory: LiquidatedInventory;
  /**
   * Due time of the timer that is set, which may be earlier than any decision that is due by now;
   * Infinity if none is set.
   */
  #timerMs = Number.POSITIVE_INFINITY;
  /** When every market was last decided, on the monotonic clock. */
  #roundAtMs = Number.NEGATIVE_INFINITY;
  #isRound = true;
  #roundTimer: { cancel(): void } | undefined;
  #timer: { cancel(): void } | undefined;
  readonly #fire = (): void => {
    this.#timerMs = Number.POSITIVE_INFINITY;
  };

  constructor(context: BotContext, unwinding: LiquidatedInventory) {
    this.#context = context;
    this.#liquidatedInventory = unwinding;
  }

  /**
   * Starts the settling of a turn. @returns true if every market may be decided in it. While load
   * is shed, only so often is a market decided that has nothing more urgent than its touch or its
   * time.
   */
  beginRound(): boolean {
    const { clock, loopLag } = this.#context;
    const nowMs = clock.monotonicMs();
    this.#isRound = !loopLag.isShedding || nowMs - this.#roundAtMs >= loopLag.roundMs;
    if (this.#isRound) this.#roundAtMs = nowMs;
    return this.#isRound;
  }

  /** Sets the timer of the next round, whose turn settles everything that was batched. */
  armRound(): void {
    const { clock, loopLag } = this.#context;
    if (this.#roundTimer !== undefined) return;
    const delayMs = Math.max(1, Math.ceil(this.#roundAtMs + loopLag.roundMs - clock.monotonicMs()));
    this.#roundTimer = clock.setTimer(delayMs, () => {
      this.#roundTimer = undefined;
    });
  }

  /**
   * Records the mid of a market, and emits a view to its strategy if a decision is due. True if it
   * has.
   */
  decide(trader: MarketTrader): boolean {
    const { account, clock, config, exchangeTime, phase } = this.#context;
    trader.noteOwn(account.orders, clock.monotonicMs());
    if (trader.noteTouch(trader.touch())) {
      const { midHalfTicks } = trader;
      account.onMid(trader.marketId, midHalfTicks, exchangeTime.nowMs());
      if (midHalfTicks !== undefined) this.#liquidatedInventory.noteMid(trader);
      const { netMidTicks, state } = trader;
      if (netMidTicks !== undefined) state.averages?.noteMid(netMidTicks);
    }
    if (trader.reference !== undefined) {
      const now = referenceInstant(this.#context);
      const isBookGood = !trader.book.isStale(now.monotonicMs, config.risk.maxBookAgeMs);
      trader.noteReference(now, isBookGood);
    }
    if (phase !== "running" || !trader.running) return false;
    const cause = trader.decisions.due(clock.monotonicMs());
    if (cause === null || (!this.#isRound && !URGENT.has(cause))) return false;
    trader.decisions.decided(clock.monotonicMs());
    return trader.emitView(cause, viewInputsFor(this.#context, trader));
  }

  /**
   * Sets the timer of the next decision that is due by time alone. It fires in its own turn, which
   * calls {@link decide}.
   */
  armTimer(): void {
    const { phase, clock, traderList, loopLag } = this.#context;
    if (phase !== "running") return;
    const nowMs = clock.monotonicMs();
    let dueMs = Number.POSITIVE_INFINITY;
    if (loopLag.isShedding) return this.armRound();
    for (const trader of traderList)
      if (trader.running) dueMs = Math.min(dueMs, trader.decisions.nextDueMs(nowMs));
    // Nearly every decision postpones the next one. One timer that fires early and is set again is
    // cheaper than one set at each decision.
    if (dueMs >= this.#timerMs) return;
    this.#timer?.cancel();
    this.#timerMs = dueMs;
    this.#timer = clock.setTimer(Math.max(1, Math.ceil(dueMs - nowMs)), this.#fire);
  }
}

/** The inputs of a view of a market that the market does not hold itself. */
export function viewInputsFor(
  {
    account,
    clock,
    exchangeTime,
    hedges,
  }: Pick<BotContext, "account" | "clock" | "exchangeTime" | "hedges">,
  { marketId }: Pick<MarketTrader, "marketId">,
): ViewInputs {
  return {
    positionLots: hedges.netLots(marketId) ?? account.positionLots(marketId),
    hedge: hedges.viewOf(marketId),
    equity: totalEquity({ account, hedges }) ?? account.equity ?? 0n,
    timeMs: exchangeTime.nowMs(),
    monotonicMs: clock.monotonicMs(),
  };
}

/**
 * True if an input waits for the next decision round. While load is shed, market data changes the
 * books at once, but decisions on it are batched into rounds, as the newest state of each market;
 * so are the effects of an order that is sent. A lost book, an answer and every account event
 * settle at once.
 */
export function isBatched(
  input: BotInput,
  { loopLag, traders }: Pick<BotContext, "loopLag" | "traders">,
): boolean {
  if (!loopLag.isShedding) return false;
  if (input.kind !== "event") return input.kind === "leave" || input.kind === "reference";
  const { event } = input;
  switch (event.type) {
    case "book-snapshot":
    case "book-update":
      return traders.get(event.marketId)?.book.isSynchronised === true;
    case "market-state":
    case "public-trade":
      return true;
    default:
      return false;
  }
}
