import type { DecisionCause } from "../../market/view.js";
import type { MarketTrader } from "../market/market-trader.js";
import type { LiquidatedInventory } from "../unwind/liquidated-inventory.js";
import type { BotContext } from "./context.js";

/** What a strategy is asked about at once, however late the bot is. */
const URGENT: ReadonlySet<DecisionCause> = new Set(["start", "fill"]);

/** When each trader's strategy is asked: at its decision points, by what the market does and by a timer where it does nothing. */
export class DecisionScheduler {
  readonly #context: BotContext;
  readonly #liquidatedInventory: LiquidatedInventory;
  /** What the timer that is set is for, which may be before a decision is due by now; Infinity when none is set. */
  #timerMs = Number.POSITIVE_INFINITY;
  /** When every market was last asked, on the clock that never steps. */
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
   * A turn settles. @returns whether every market may be asked in it: while load is shed, only so often is one asked that has nothing more urgent than its
   * touch or its time.
   */
  beginRound(): boolean {
    const { clock, loopLag } = this.#context;
    const nowMs = clock.monotonicMs();
    this.#isRound = !loopLag.isShedding || nowMs - this.#roundAtMs >= loopLag.roundMs;
    if (this.#isRound) this.#roundAtMs = nowMs;
    return this.#isRound;
  }

  /** Sets the timer of the next round, in whose turn everything settles that was gathered. */
  armRound(): void {
    const { clock, loopLag } = this.#context;
    if (this.#roundTimer !== undefined) return;
    const delayMs = Math.max(1, Math.ceil(this.#roundAtMs + loopLag.roundMs - clock.monotonicMs()));
    this.#roundTimer = clock.setTimer(delayMs, () => {
      this.#roundTimer = undefined;
    });
  }

  /** Notes where the mid of a market is, and emits a view to its strategy when a decision is due. */
  decide(trader: MarketTrader): void {
    const { account, clock, exchangeTime, phase } = this.#context;
    trader.noteOwn(account.orders, clock.monotonicMs());
    const midHalfTicks = trader.noteTouch(trader.touch()) ? trader.midHalfTicks : undefined;
    if (midHalfTicks !== undefined) {
      account.onMid(trader.marketId, midHalfTicks);
      this.#liquidatedInventory.noteMid(trader);
    }
    if (phase !== "running" || !trader.running) return;
    const cause = trader.decisions.due(clock.monotonicMs());
    if (cause === null || (!this.#isRound && !URGENT.has(cause))) return;
    trader.decisions.decided(clock.monotonicMs());
    const positionLots = account.positionLots(trader.marketId);
    trader.emitView(cause, {
      positionLots,
      equity: account.equity ?? 0n,
      timeMs: exchangeTime.nowMs(),
    });
  }

  /** Sets the timer of the next decision that is due by time alone: a turn of its own, in which {@link decide} is asked. */
  armTimer(): void {
    const { phase, clock, traderList, loopLag } = this.#context;
    if (phase !== "running") return;
    const nowMs = clock.monotonicMs();
    let dueMs = Number.POSITIVE_INFINITY;
    if (loopLag.isShedding) return this.armRound();
    for (const trader of traderList)
      if (trader.running) dueMs = Math.min(dueMs, trader.decisions.nextDueMs(nowMs));
    // Nearly every decision puts the next one off: one timer that fires early and is set anew is cheaper than one set at each decision.
    if (dueMs >= this.#timerMs) return;
    this.#timer?.cancel();
    this.#timerMs = dueMs;
    this.#timer = clock.setTimer(Math.max(1, Math.ceil(dueMs - nowMs)), this.#fire);
  }
}
