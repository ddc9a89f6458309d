import type { OwnOrder } from "../../account/orders/order.js";
import { MarketwrightError } from "../../core/errors.js";
import type { MarketId, Ms } from "../../core/units.js";
import type { VenueOrder, VenuePosition } from "../../exchange/records.js";
import type { Outcome, QueryAction } from "../../exchange/venue.js";
import { SETTLEMENT_WAIT_MS, stopLimitMs } from "../cancelling/stop-limit.js";
import {
  type LeftoverOrder,
  leftoverFromOwnOrder,
  leftoverFromVenueOrder,
} from "../execution/leftover-order.js";
import { queueCancelAll } from "../execution/queue-cancel-all.js";
import type { TradingGuards } from "../safety/trading-guards.js";
import { HEARTBEAT_FILE, mayArriveUntilMs } from "../state/heartbeat.js";
import type { AccountEventHandler } from "./account-event-handler.js";
import type { PositionAtEnd } from "./bot-event.js";
import type { BotContext } from "./context.js";
import type { TickScheduler } from "./tick-scheduler.js";
import type { TurnQueue } from "./turn-queue.js";
import type { VenueMonitor } from "./venue-monitor.js";

/** How far apart two runs may have estimated the exchange's clock, each from its own queries. */
const CLOCKS_APART_MS: Ms = 1_000;
/** Pause between two reads of positions that differ at the exchange. */
const POSITIONS_AGAIN_MS: Ms = 1_000;
/** The same while the bot waits for something else. */
const POSITIONS_WAITING_MS: Ms = 5_000;
/** Pause between two cancel-alls of a market while an unknown order may still appear. */
const CANCEL_ALL_EVERY_MS = 1_000;
/** Cancels of one order by its id without effect, after which its market's cancel-all is tried. */
const CANCELS_IN_VAIN = 3;

/** Subject of the back-off of the shutdown's own queries. */
const QUERY_SUBJECT = "shutdown-query";

/** The parts of the bot that learn of its end, or lead to it. */
export interface ShutdownSequenceDeps {
  readonly tradingGuards: TradingGuards;
  readonly venueMonitor: VenueMonitor;
  readonly accountEvents: AccountEventHandler;
  readonly ticks: TickScheduler;
  readonly turns: TurnQueue;
}

/**
 * The shutdown. The bot cancels its quotes by their ids. An unknown place has no id: its market's
 * cancel-all ends it (docs/ideas/design.md#order-identity). The bot exits when three things hold:
 * every order's fate is known, no request of an earlier run can still be accepted, and the
 * exchange's positions equal its own. With hedges it first waits, bounded, for the settlement of
 * hedged fills. After a time limit it exits anyway, and names the leftover
 * orders and the positions that differ.
 */
export class ShutdownSequence {
  readonly #context: BotContext;
  readonly #deps: ShutdownSequenceDeps;
  readonly #sweptAtMs = new Map<MarketId, Ms>();
  /**
   * Exchange time until which a request of an earlier run that was killed may be accepted; minus
   * infinity if none may.
   */
  readonly #earlierUntilMs: Ms;
  #reason = "";
  #sinceMs: Ms = 0;
  #lastQuestion: number | undefined;
  /**
   * The exchange has reported that none of our orders is open, and no signed request can still be
   * accepted.
   */
  #isClear = false;
  #isSettlementAwaited = false;
  #positionsQueriedAtMs: Ms = Number.NEGATIVE_INFINITY;
  /** Positions that differ at the exchange, by its last answer; undefined before one. */
  #mismatches: readonly PositionAtEnd[] | undefined;
  /** Our orders that the exchange listed as open in its last answer. */
  #listed: readonly VenueOrder[] = [];

  constructor(context: BotContext, deps: ShutdownSequenceDeps) {
    this.#context = context;
    this.#deps = deps;
    this.#earlierUntilMs = earlierUntilMs(context);
  }

  begin(reason: string): void {
    this.#reason = reason;
    const { clock, account, exchangeTime } = this.#context;
    this.#sinceMs = clock.monotonicMs();
    // Otherwise events lost by the streams would be missing until the next interval.
    this.#deps.accountEvents.handleStep(account.reconcile(exchangeTime.nowMs(), "unknown"));
  }

  /** Runs a few times a second while the bot stops. */
  tick(): void {
    const { account, clock, config, dispatcher, dryRun, hedges } = this.#context;
    const nowMs = clock.monotonicMs();
    const left = account.orders.unresolved();
    if (nowMs - this.#sinceMs > stopLimitMs(config.exchange.signatureWindowMs))
      return this.#end(left, this.#isClear && left.length === 0 ? 0 : undefined);
    for (const order of left) {
      if (order.phase === "unknown" || order.cancelTries >= CANCELS_IN_VAIN)
        this.#sweep(order.marketId, nowMs);
    }
    if (left.length > 0 || dispatcher.inFlightCount > 0 || this.#lastQuestion !== undefined) return;
    if (dryRun) return this.#end(left, undefined);
    if (this.#context.exchangeTime.nowMs() <= this.#earlierUntilMs) return;
    // The exchange confirms the end, after our table has settled everything. Before the start's
    // reconciliation that table lacks the orders of an earlier run.
    if (!this.#isClear) return this.#query("openOrders");
    // The last fills are hedged first, and the orders of their hedges end. If that fails, the
    // exchange has answered all the same.
    const isWaiting = !hedges.isClear || this.#awaitsSettlement();
    // Before the account was confirmed the bot has no position that could be wrong.
    if (!account.confirmed) return isWaiting ? undefined : this.#end(left, 0);
    const pauseMs = isWaiting ? POSITIONS_WAITING_MS : POSITIONS_AGAIN_MS;
    if (nowMs < this.#positionsQueriedAtMs + pauseMs) return;
    this.#positionsQueriedAtMs = nowMs;
    this.#query("balances");
  }

  /** True while a hedged fill may fail to settle: no process would undo its hedge after the end. */
  #awaitsSettlement(): boolean {
    const { clock, hedges, notify } = this.#context;
    const { unsettled } = hedges;
    if (unsettled.length === 0) return false;
    if (clock.monotonicMs() - this.#sinceMs > SETTLEMENT_WAIT_MS) return false;
    if (!this.#isSettlementAwaited)
      notify({
        kind: "log",
        level: "info",
        message: "the stop waits for the settlement of hedged fills",
        fields: { unsettled, atMostMs: SETTLEMENT_WAIT_MS },
      });
    this.#isSettlementAwaited = true;
    return true;
  }

  #query(ask: "openOrders" | "balances"): void {
    const { backoff, clock, dispatcher, exchangeTime, nextActionId } = this.#context;
    if (backoff.isHeld(QUERY_SUBJECT, clock.monotonicMs())) return;
    const actionId = nextActionId();
    this.#lastQuestion = actionId;
    const timestampMs = exchangeTime.nowMs();
    dispatcher.enqueue({
      kind: "question",
      action: { kind: "question", actionId, timestampMs, ask },
    });
  }

  /** Handles the response to the last query; false for any other. */
  handleResponse(action: QueryAction, outcome: Outcome): boolean {
    if (action.actionId !== this.#lastQuestion) return false;
    this.#lastQuestion = undefined;
    const { backoff, clock, streams } = this.#context;
    // While a stream is open the exchange runs, and the next tick asks again.
    if (outcome.result === "not-sent" && !streams.isAnyUp)
      backoff.onUnsent(QUERY_SUBJECT, clock.monotonicMs(), outcome.message, false);
    if (outcome.result !== "answered") return true;
    if (outcome.ask === "balances") this.#comparePositions(outcome.data.positions);
    else if (outcome.ask === "openOrders") this.#compareOrders(action, outcome, outcome.data);
    return true;
  }

  #compareOrders(action: QueryAction, outcome: Outcome, open: readonly VenueOrder[]): void {
    const { account, exchangeTime, traders } = this.#context;
    const { accountEvents } = this.#deps;
    accountEvents.handleStep(account.onOutcome(action, outcome, exchangeTime.nowMs()));
    const foreign = new Set(
      [...traders.keys()].flatMap((marketId) =>
        account.orders.foreign(marketId).map(({ hash }) => hash.toLowerCase()),
      ),
    );
    const ours = open.filter(
      ({ hash, marketId }) => traders.has(marketId) && !foreign.has(hash.toLowerCase()),
    );
    // An order that is filled in full stays in the list until its trades are settled.
    this.#listed = ours.filter(({ availableLots }) => availableLots > 0);
    if (this.#listed.length > 0)
      return accountEvents.handleStep(account.reconcile(exchangeTime.nowMs(), "unknown"));
    this.#isClear = true;
  }

  /**
   * A difference may be a liquidation or a trade that has not reached the bot yet. The exchange is
   * queried again until the bot has it, or the time is over.
   */
  #comparePositions(positions: readonly VenuePosition[]): void {
    const { account, exchangeTime, hedges, traders } = this.#context;
    const nowMs = exchangeTime.nowMs();
    const apart: PositionAtEnd[] = [...account.findPositionMismatches(positions, nowMs)];
    for (const marketId of traders.keys()) {
      const isNamed = apart.some((one) => one.marketId === marketId);
      if (!isNamed && !account.isPositionKnown(marketId))
        apart.push(this.#unreportedPosition(marketId));
    }
    this.#mismatches = apart;
    if (apart.length > 0) return account.requestReconcile(nowMs);
    // A fill that only this answer has shown is hedged and settled first.
    if (!hedges.isClear || this.#awaitsSettlement()) return;
    this.#end(account.orders.unresolved(), 0);
  }

  /** REST has not answered in time, but the stream may have shown the positions. */
  #unanswered(): readonly PositionAtEnd[] {
    const { account, dryRun, traders, exchangeTime } = this.#context;
    if (!account.confirmed || dryRun) return [];
    const nowMs = exchangeTime.nowMs();
    return [...traders.keys()]
      .filter((marketId) => !account.isPositionStreamed(marketId, nowMs))
      .map((marketId) => this.#unreportedPosition(marketId));
  }

  #unreportedPosition(marketId: MarketId): PositionAtEnd {
    return {
      marketId,
      positionBase: this.#context.account.positionBase(marketId),
      exchangeBase: undefined,
    };
  }

  #sweep(marketId: MarketId, nowMs: Ms): void {
    if (nowMs - (this.#sweptAtMs.get(marketId) ?? Number.NEGATIVE_INFINITY) < CANCEL_ALL_EVERY_MS)
      return;
    this.#sweptAtMs.set(marketId, nowMs);
    queueCancelAll(this.#context, marketId, "an order cannot be cancelled in another way");
  }

  #end(left: readonly OwnOrder[], openOrdersLeft: number | undefined): void {
    const { traders, budget, notify, hedges } = this.#context;
    const { hedgesLeft, unsettled } = hedges;
    const { tradingGuards, venueMonitor, ticks, turns } = this.#deps;
    const apart = this.#mismatches ?? this.#unanswered();
    const ordersLeft: LeftoverOrder[] = [];
    const known = new Set<string>();
    for (const order of left) {
      const trader = traders.get(order.marketId);
      known.add(order.hash.toLowerCase());
      if (trader !== undefined) ordersLeft.push(leftoverFromOwnOrder(order, trader.instrument));
    }
    for (const order of this.#listed) {
      const trader = traders.get(order.marketId);
      if (trader !== undefined && !known.has(order.hash.toLowerCase()))
        ordersLeft.push(leftoverFromVenueOrder(order, trader.instrument));
    }
    this.#context.phase = "stopped";
    budget.persistExact();
    tradingGuards.settle();
    // Without this heartbeat the guard cancels what may still be open.
    if (ordersLeft.length === 0 && openOrdersLeft === 0) venueMonitor.writeStoppedHeartbeat();
    notify({
      kind: "stopped",
      result: {
        reason: this.#reason,
        ordersLeft,
        openOrdersLeft,
        ...(apart.length === 0 ? {} : { positionsApart: apart }),
        ...(hedgesLeft.length === 0 ? {} : { hedgesLeft }),
        ...(unsettled.length === 0 ? {} : { unsettledHedges: unsettled }),
      },
    });
    ticks.stop();
    turns.close();
  }
}

/**
 * Upper bound of the time until which requests of an earlier run may be accepted. They were dated
 * before this run, even if the heartbeat is dated later: by its own interval, or because the
 * exchange's clock was set back since. The age of an unreadable heartbeat is unknown.
 */
function earlierUntilMs({ store, config, exchangeTime }: BotContext): Ms {
  const { signatureWindowMs } = config.exchange;
  const latestMs = exchangeTime.nowMs() + CLOCKS_APART_MS + signatureWindowMs;
  try {
    return Math.min(
      mayArriveUntilMs(store.read(HEARTBEAT_FILE), signatureWindowMs) ?? Number.NEGATIVE_INFINITY,
      latestMs,
    );
  } catch (error) {
    if (!(error instanceof MarketwrightError)) throw error;
    return latestMs;
  }
}
