import type { AccountChange, AccountStep } from "../../account/account-change.js";
import type { OrderChange, OrderPhase, OwnOrder } from "../../account/orders/order.js";
import type { Ms } from "../../core/units.js";
import type { VenueTrade } from "../../exchange/records.js";
import { isPaced } from "../../executor/pacing.js";
import { slotSubject } from "../execution/dispatcher.js";
import type { ReopenedOrderMonitor } from "../execution/reopened-order-monitor.js";
import type { TradingGuards } from "../safety/trading-guards.js";
import type { TradeLog } from "../state/trade-log.js";
import type { LiquidatedInventory } from "../unwind/liquidated-inventory.js";
import type { BotContext } from "./context.js";

/**
 * How long a slot waits after its quote has met the touch: longer than an exchange batches book
 * changes (25 ms) plus a round trip.
 */
const TOUCH_UNDER_WAY_MS: Ms = 50;

/** True if an order or its cancel was sent as planned. */
function isDispatchOfPlanned(change: OrderChange): boolean {
  return change.change === "phase" && (change.to === "sent" || change.to === "cancelling");
}

/** Handles account events for the rest of the bot. */
export class AccountEventHandler {
  readonly #context: BotContext;
  readonly #tradingGuards: TradingGuards;
  readonly #liquidatedInventory: LiquidatedInventory;
  readonly #trades: TradeLog;
  readonly #reopenedOrders: ReopenedOrderMonitor;

  constructor(
    context: BotContext,
    safety: TradingGuards,
    unwinding: LiquidatedInventory,
    trades: TradeLog,
    revivals: ReopenedOrderMonitor,
  ) {
    this.#context = context;
    this.#tradingGuards = safety;
    this.#liquidatedInventory = unwinding;
    this.#trades = trades;
    this.#reopenedOrders = revivals;
  }

  /** Applies the account's reaction to an input, and sends the queries that the account needs. */
  handleStep(step: AccountStep): void {
    for (const change of step.changes) this.#take(change);
    const { dispatcher } = this.#context;
    for (const action of step.queries) dispatcher.enqueue({ kind: "question", action });
  }

  #take(change: AccountChange): void {
    const { traders, notify, clock, statistics } = this.#context;
    statistics.onAccountChange(change);
    this.#liquidatedInventory.onAccountChange(change);
    switch (change.kind) {
      case "order":
        if (change.change.change === "phase") this.#noteEnd(change.order, change.change.to);
        // A place that was refused by mistake is counted as a refusal already.
        if (change.change.change === "revived" && change.change.from !== "rejected")
          this.#reopenedOrders.recordReopened(change.order.marketId);
        if (!isDispatchOfPlanned(change.change) || this.#mayReplan(change.order.marketId))
          this.#markForReplan(change.order.marketId);
        break;
      case "adopted":
      case "foreign":
        this.#markForReplan(change.order.marketId);
        break;
      case "fill":
      case "settled":
      case "trade-failed":
        this.#trades.note(change);
        if (change.kind === "fill") {
          this.#tradingGuards.ladder.filled(change.trade);
          traders.get(change.trade.marketId)?.fillRate.note(clock.monotonicMs());
        }
        traders.get(change.trade.marketId)?.noteFill();
        break;
      case "earlier-trade":
        if (this.#trades.recordEarlierTrade(change.trade)) this.#reportEarlierFill(change.trade);
        break;
      case "liquidation":
      case "position-set":
        traders.get(change.marketId)?.noteFill();
        break;
      case "reconciled":
        this.#trades.begin(traders.keys());
        this.#tradingGuards.accountConfirmed();
        break;
      case "balances":
        this.#tradingGuards.accountConfirmed();
        break;
      case "reconcile-failed":
        this.#tradingGuards.onAccountQueryFailed(change.ask, change.message);
        break;
      case "awaits-settlement":
        this.#tradingGuards.accountAwaitsSettlement(change.marketIds);
        break;
      default:
    }
    notify({ kind: "account", change });
  }

  /**
   * Reports a fill from the time when no bot ran. The opening position contains it, and this run
   * does not count it.
   */
  #reportEarlierFill({
    id,
    marketId,
    side,
    ticks,
    lots,
    restPaper,
    isMaker,
    timeMs,
  }: VenueTrade): void {
    const { traders, notify } = this.#context;
    const instrument = traders.get(marketId)?.instrument;
    const fields = {
      marketId,
      side,
      price: instrument?.formatReportedPrice(ticks),
      amount: instrument?.formatReportedAmount(lots, restPaper),
      liquidity: isMaker ? "maker" : "taker",
      tradeId: id,
      timeMs,
    };
    notify({ kind: "log", level: "warn", message: "filled while no bot ran", fields });
  }

  /**
   * Sending a planned action does not trigger a new plan, since nothing can be done about it before
   * its answer. The exception: the token that it cost, or the time, may lead to another plan.
   */
  #mayReplan(marketId: string): boolean {
    const { traders, budget } = this.#context;
    return (
      traders.get(marketId)?.isPlanLasting !== true ||
      isPaced(budget.available("ORDER") / budget.limit("ORDER"))
    );
  }

  #markForReplan(marketId: string): void {
    const trader = this.#context.traders.get(marketId);
    if (trader !== undefined) trader.markDirty();
  }

  /**
   * A quote that was filled, or that expired because it would have crossed, has met the touch. Our
   * book does not show that touch yet, and would lead to the same quote again until it does.
   */
  #noteEnd({ marketId, side, level, timeInForce }: OwnOrder, phase: OrderPhase): void {
    if (timeInForce !== "POST_ONLY" || (phase !== "expired" && phase !== "filled")) return;
    const untilMs = this.#context.clock.monotonicMs() + TOUCH_UNDER_WAY_MS;
    this.#context.backoff.holdUntil(
      slotSubject(marketId, side, level),
      untilMs,
      `the order before it was ${phase} at a touch that is moving`,
    );
  }
}
