import type { AccountChange } from "../../account/account-change.js";
import type { Lots, MarketId, Ms, Ticks } from "../../core/units.js";
import type { VenueTrade } from "../../exchange/records.js";
import { MarketAverages } from "../../market/market-averages.js";
import { baseToExactLots } from "../../strategies/size-lots.js";
import type { Bot } from "../engine/bot.js";
import type { BotEvent } from "../engine/bot-event.js";
import type { MarketTrader } from "../market/market-trader.js";
import { summariseWork, type WorkSummary } from "./work-summary.js";

/** Options of {@link WorkRecord}. */
export interface WorkRecordOptions {
  readonly marketId: MarketId;
  /** Signed. */
  readonly targetBase: number;
}

/** The state of the market at the start of a work, and the averages since. */
interface WorkStart {
  readonly atMs: Ms;
  readonly startLots: Lots;
  readonly targetLots: Lots;
  readonly arrivalTicks: number;
  /** Undefined if the target was held already. */
  readonly byMs: Ms | undefined;
  readonly worstTicks: Ticks | undefined;
  readonly averages: MarketAverages;
}

/** Reason of a work that has reached its target. */
const REACHED = "the target is reached";

/**
 * Records the work on a position from the events of its bot: when it is over, and what it cost. It
 * begins with the first intent of the market's strategy, which is `work`.
 */
export class WorkRecord {
  readonly #options: WorkRecordOptions;
  readonly #trades = new Map<string, VenueTrade>();
  #start: WorkStart | undefined;
  #reachedAtMs: Ms | undefined;
  #fault: string | undefined;

  constructor(options: WorkRecordOptions) {
    this.#options = options;
  }

  /** Handles an event. It changes nothing of the bot. */
  onBotEvent(event: BotEvent, { context }: Pick<Bot, "context">): void {
    const { marketId } = this.#options;
    const trader = context.traders.get(marketId);
    if (trader === undefined) return;
    if (event.kind === "intent" && event.intent.marketId === marketId && this.#start === undefined)
      this.#begin(trader, context);
    else if (event.kind === "account") this.#note(event.change);
    else if (event.kind === "strategy-failed" && event.marketId === marketId)
      this.#fault = event.why;
    else if (event.kind === "intent-refused" && event.marketId === marketId) {
      // An intent for an older view is late, not wrong.
      if (event.refusal !== "older-view") this.#fault = event.why;
    }
    if (this.#start === undefined || this.#reachedAtMs !== undefined) return;
    if (!isAtTarget(trader, context, this.#start)) return;
    this.#reachedAtMs = context.exchangeTime.nowMs();
    this.#start.averages.end();
  }

  /**
   * Why the work is over, as a sentence without its full stop; undefined while it goes on. A
   * position that is being flattened is left to it.
   */
  endReason({ context, tradingGuards }: Bot): string | undefined {
    const { marketId } = this.#options;
    if (context.traders.get(marketId)?.target?.byOperator === true) return undefined;
    if (this.#reachedAtMs !== undefined) return REACHED;
    if (this.#fault !== undefined) return this.#fault;
    const lasting = tradingGuards.haltsFor(marketId).find((halt) => !halt.resumesByItself);
    if (lasting !== undefined) return `halted by ${lasting.name}: ${lasting.why}`;
    const byMs = this.#start?.byMs;
    return byMs !== undefined && context.exchangeTime.nowMs() >= byMs
      ? "the time is over"
      : undefined;
  }

  /**
   * Summarises the work as it stands; undefined if it has not begun.
   * @param reason why it ended, unless at its target
   */
  summary({ context }: Pick<Bot, "context">, reason: string): WorkSummary | undefined {
    const { marketId } = this.#options;
    const trader = context.traders.get(marketId);
    if (this.#start === undefined || trader === undefined) return undefined;
    const { atMs, byMs, averages, startLots, targetLots, arrivalTicks, worstTicks } = this.#start;
    averages.end();
    const { account, exchangeTime } = context;
    const endLots = account.confirmed ? account.positionLots(marketId) : undefined;
    const isReached = endLots !== undefined && isDone(trader, endLots, targetLots);
    const { baseAsset, quoteAsset } = trader.rules;
    return summariseWork({
      instrument: trader.instrument,
      baseAsset,
      quoteAsset,
      isReached,
      reason: isReached ? REACHED : reason,
      startLots,
      targetLots,
      endLots,
      startMs: atMs,
      byMs,
      worstTicks,
      endMs: this.#reachedAtMs ?? Math.min(exchangeTime.nowMs(), byMs ?? exchangeTime.nowMs()),
      trades: this.#trades.values(),
      arrivalTicks,
      twapTicks: averages.twapTicks(),
      vwapTicks: averages.vwapTicks(),
    });
  }

  #begin(trader: MarketTrader, { exchangeTime }: Bot["context"]): void {
    const view = trader.lastView;
    if (view === undefined) return;
    const { deadlineMs: byMs, worstTicks } = { ...trader.target?.intent };
    const averages = new MarketAverages({
      nowMs: () => exchangeTime.nowMs(),
      midTicks: view.midTicks,
      untilMs: byMs ?? Number.POSITIVE_INFINITY,
    });
    trader.state.measure(averages);
    const { targetBase, marketId } = this.#options;
    this.#start = {
      atMs: view.timeMs,
      startLots: view.positionLots,
      targetLots: baseToExactLots(targetBase, trader.instrument, `targetBase of ${marketId}`),
      arrivalTicks: view.midTicks,
      byMs,
      worstTicks,
      averages,
    };
  }

  #note(change: AccountChange): void {
    if (this.#start === undefined || !("trade" in change)) return;
    const { kind, trade } = change;
    if (trade.marketId !== this.#options.marketId) return;
    if (kind === "fill") this.#trades.set(trade.id, trade);
    else if (kind === "trade-failed") this.#trades.delete(trade.id);
  }
}

/** True at the target, when no order may fill any more. */
function isAtTarget(
  trader: MarketTrader,
  { account }: Bot["context"],
  { targetLots }: WorkStart,
): boolean {
  const { marketId } = trader;
  return (
    account.confirmed &&
    isDone(trader, account.positionLots(marketId), targetLots) &&
    account.orders.mayStillFill(marketId).length === 0 &&
    account.orders.unmatchedLots(marketId, "BUY") === 0 &&
    account.orders.unmatchedLots(marketId, "SELL") === 0
  );
}

/** True if no order could bring the position closer to its target. */
function isDone({ rules }: MarketTrader, positionLots: Lots, targetLots: Lots): boolean {
  const left = Math.abs(targetLots - positionLots);
  return left === 0 || left < rules.minLots;
}
