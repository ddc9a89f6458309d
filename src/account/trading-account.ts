import type { Instrument } from "../core/instrument.js";
import type { Hex, MarketId, Ms } from "../core/units.js";
import type { VenueBalances, VenueIncome, VenuePosition, VenueTrade } from "../exchange/records.js";
import type { Action, Outcome, PlaceAction, VenueEvent } from "../exchange/venue.js";
import type { AccountChange, AccountStep, ReconcileCause } from "./account-change.js";
import { AccountCounter, type AccountCounts } from "./account-counter.js";
import type { AccountOptions } from "./account-options.js";
import { AccountReadings } from "./account-readings.js";
import { AccountUpdater } from "./account-updater.js";
import { CancelAllTracker } from "./orders/cancel-all-tracker.js";
import { toCancelEvent, toPlaceEvent } from "./orders/outcome-events.js";
import type { OrderToSend, OwnOrders } from "./orders/own-orders.js";
import { isLiquidation } from "./positions/reported-liquidations.js";
import type { Takeover } from "./positions/takeover.js";
import {
  findPositionMismatches,
  isPlausiblePosition,
  type PositionMismatch,
} from "./reconciliation/is-plausible-position.js";
import { applyStreamedLiquidation } from "./reconciliation/reconcile-liquidations.js";
import { Reconciler } from "./reconciliation/reconciler.js";

const SIGNATURE_WINDOW_MS = 5000;
const RECONCILE_INTERVAL_MS = 30_000;
const STREAM_LAG_MS = 5000;
const REMEMBER_MS = 600_000;
const PRUNE_EVERY_MS = 10_000;

/**
 * The account as the bot knows it: own orders, position, balances, profit, and if all of it is
 * confirmed. Deterministic, without timers or clock: every input carries `nowMs`, exchange time as
 * the bot estimates it. Every input returns the changes and the queries that the bot has to send.
 */
export class TradingAccount extends AccountReadings {
  readonly orders: OwnOrders;
  readonly #updater: AccountUpdater;
  readonly #reconciler: Reconciler;
  readonly #tally = new AccountCounter();
  readonly #cancelAlls: CancelAllTracker;
  readonly #instruments: ReadonlyMap<MarketId, Instrument>;
  #confirmed = false;
  #streamUp = false;
  #current = false;
  #prunedAtMs: Ms = Number.NEGATIVE_INFINITY;
  #tickedAtMs: Ms = Number.NEGATIVE_INFINITY;

  /** @throws FormatError when the nonce tag is not a 16-bit number */
  constructor(options: AccountOptions) {
    const streamLagMs = options.streamLagMs ?? STREAM_LAG_MS;
    const windowMs = options.signatureWindowMs ?? SIGNATURE_WINDOW_MS;
    const intake = new AccountUpdater({
      instruments: options.instruments,
      nonceTag: options.nonceTag,
      finalOrderRetentionMs: options.rememberMs ?? REMEMBER_MS,
      streamLagMs,
      ...(options.builtHashes === undefined ? {} : { builtHashes: options.builtHashes }),
      ...(options.transfersBefore === undefined
        ? {}
        : { previousTransfers: options.transfersBefore }),
    });
    super(intake);
    this.#updater = intake;
    this.orders = intake.orders;
    this.#cancelAlls = new CancelAllTracker(this.orders, windowMs);
    this.#instruments = options.instruments;
    this.#reconciler = new Reconciler({
      updater: intake,
      markets: [...options.instruments.keys()],
      nextActionId: options.nextActionId,
      signatureWindowMs: windowMs,
      intervalMs: options.reconcileIntervalMs ?? RECONCILE_INTERVAL_MS,
      streamLagMs,
      acquiresPositions: options.previousTakeovers !== undefined,
    });
    intake.takeovers.restore(options.previousTakeovers ?? []);
  }

  /**
   * True when the start reconciliation is done: opening position, open orders and trades are known.
   * Never false again.
   */
  get confirmed(): boolean {
    return this.#confirmed;
  }

  /**
   * True when confirmed, with the account stream up and a reconciliation done since it came up.
   * Quotes need this (docs/ideas/design.md#fail-closed).
   */
  get current(): boolean {
    return this.#current;
  }

  /**
   * Adds an order before it may be sent.
   * @throws RunError when its hash or info already exists
   */
  intend(order: OrderToSend): void {
    this.orders.intend(order);
  }

  /** Withdraws an intended order that was never sent. */
  withdraw(hash: Hex, nowMs: Ms, why: string): AccountStep {
    return this.#step(this.orders.apply(hash, { kind: "withdrawn", atMs: nowMs, text: why }));
  }

  /**
   * Called when an action is handed to the transport, with the timestamp that it is signed with.
   * Only a place, a cancel or a cancel-all changes anything.
   */
  onDispatched(action: Action, nowMs: Ms): AccountStep {
    switch (action.kind) {
      case "place":
        return this.#step(
          this.orders.apply(action.hash, {
            kind: "sent",
            atMs: nowMs,
            requestTimestampMs: action.timestampMs,
          }),
        );
      case "cancel":
        return this.#step(
          this.orders.apply(action.hash, {
            kind: "cancel-sent",
            atMs: nowMs,
            actionId: action.actionId,
          }),
        );
      case "cancel-all":
        return this.#step(this.#cancelAlls.sent(action, nowMs));
      default:
        return this.#step([]);
    }
  }

  /** Applies the outcome of one of the bot's own actions or of the account's queries. */
  onOutcome(action: Action, outcome: Outcome, nowMs: Ms): AccountStep {
    switch (action.kind) {
      case "question": {
        if (!this.#reconciler.awaits(action.actionId)) return this.#step([]);
        const step = this.#reconciler.outcome(action.actionId, outcome, nowMs);
        return this.#step(step.changes, step.queries);
      }
      case "place":
        return this.#step(this.#placed(action, outcome, nowMs));
      case "cancel":
        return this.#step(
          this.orders.apply(action.hash, toCancelEvent(action.actionId, outcome, nowMs)),
        );
      case "cancel-all":
        return this.#step(this.#cancelAlls.answered(action.actionId, outcome, nowMs));
      case "build":
        return this.#step([]);
    }
  }

  /**
   * Applies a venue event. Events that do not concern the account, and responses (see `onOutcome`),
   * change nothing.
   */
  onEvent(event: VenueEvent, nowMs: Ms): AccountStep {
    switch (event.type) {
      case "order-update":
        return this.#step(this.#updater.applyOrder(event.order, "stream", nowMs));
      case "trade-update":
        return this.#step(this.#updater.applyTrade(event.trade, "stream", nowMs));
      case "income-update":
        return this.#incomes(event.incomes, nowMs);
      case "account-update":
        return this.#balances(event.balances, event.positions, nowMs);
      case "market-state":
        this.#updater.netValue.mark(event.marketId, event.mark, nowMs);
        return this.#step([]);
      case "stream": {
        if (event.stream !== "account") return this.#step([]);
        this.#streamUp = event.state === "up";
        this.#current = false;
        return this.#streamUp
          ? this.reconcile(nowMs, this.#confirmed ? "reconnect" : "start")
          : this.#step([]);
      }
      default:
        return this.#step([]);
    }
  }

  /**
   * Records a takeover: a liquidation brought a position. It counts at once, even if the exchange
   * has not reported it yet. Recording it again changes nothing, unless it was reverted meanwhile:
   * then it counts again. Before the account is confirmed it waits, and then counts as far as the
   * exchange's position lacks it.
   */
  acquireTakeover(takeover: Takeover, nowMs: Ms): AccountStep {
    return this.#step(this.#updater.acquireTakeover(takeover, nowMs));
  }

  /**
   * Reverts a takeover after a reorg. An unrecorded or already reverted one changes nothing. The
   * exchange is queried at once: until its position agrees, it may still hold the takeover.
   */
  revertTakeover(id: string, nowMs: Ms): AccountStep {
    const opposite = this.#updater.takeovers.reversalFor(id, nowMs);
    if (opposite === undefined) return this.#step([]);
    const step = this.#step(this.#updater.acquireTakeover(opposite, nowMs));
    return this.#confirmed && this.#updater.takeovers.isRevertPending(opposite.marketId)
      ? this.#withReconcile(step, nowMs)
      : step;
  }

  /**
   * Called a few times a second: retries, interval reconciliations, signature windows, overdue
   * discrepancies, pruning.
   */
  onTick(nowMs: Ms): AccountStep {
    if (nowMs < this.#tickedAtMs) {
      // A clock that steps back must not delay due work by as much.
      const byMs = this.#tickedAtMs - nowMs;
      this.#reconciler.stepBack(byMs);
      this.#updater.pendingDiscrepancies.shiftBack(byMs);
      this.#prunedAtMs -= byMs;
    }
    this.#tickedAtMs = nowMs;
    if (nowMs >= this.#prunedAtMs + PRUNE_EVERY_MS) {
      this.#prunedAtMs = nowMs;
      this.orders.prune(nowMs);
    }
    if (this.#updater.startValue.hasUncertainTransfers) this.#reconciler.requestReconcile(nowMs);
    const late = this.#updater.pendingDiscrepancies.takeDue(nowMs);
    const liquidated = this.#liquidatedOnStream(nowMs);
    const step = this.#reconciler.tick(nowMs, this.#confirmed);
    if (late.length === 0 && liquidated.length === 0)
      return step.changes.length === 0 ? step : this.#step(step.changes, step.queries);
    const differences = late.map((difference) => ({ kind: "difference", difference }) as const);
    return this.#step([...differences, ...liquidated, ...step.changes], step.queries);
  }

  #liquidatedOnStream(nowMs: Ms): readonly AccountChange[] {
    if (!this.#confirmed || !this.#streamUp || !this.#updater.takeovers.liquidations.isAnyWaiting)
      return [];
    return [...this.#instruments.keys()].flatMap((marketId) =>
      applyStreamedLiquidation(this.#updater, marketId, nowMs),
    );
  }

  /**
   * Starts a reconciliation now. A reconnect of the stream, the interval and unresolved orders
   * start one automatically.
   */
  reconcile(nowMs: Ms, cause: ReconcileCause): AccountStep {
    if (cause === "start" && !this.#confirmed) this.#updater.begin(nowMs);
    const step = this.#reconciler.begin(nowMs, this.#confirmed ? cause : "start");
    return this.#step(step.changes, step.queries);
  }

  /**
   * Requests a reconciliation for an uncertain state: the next tick starts one, unless one is
   * running.
   */
  requestReconcile(nowMs: Ms): void {
    this.#reconciler.requestReconcile(nowMs);
  }

  /**
   * Applies the book's mid in half ticks (best bid plus best ask), for the spread and inventory
   * parts of the profit.
   * @param midHalfTicks undefined if it is not known any more
   * @param exchangeMs the exchange's time
   * @throws FormatError when it is not a positive integer
   */
  onMid(marketId: MarketId, midHalfTicks: number | undefined, exchangeMs: Ms): void {
    this.#updater.applyMid(marketId, midHalfTicks, exchangeMs);
  }

  /**
   * The mid just before a trade matched, in half ticks, as the bot knew it then; undefined if it
   * did not.
   */
  midAtMatch(trade: Pick<VenueTrade, "marketId" | "timeMs">): number | undefined {
    return this.#updater.midAtMatch(trade);
  }

  /**
   * Returns true if the position equals {@link positionLots} as far as reported. See {@link
   * positionUncertainty}.
   */
  isPositionKnown(marketId: MarketId): boolean {
    return this.positionUncertainty(marketId) === undefined;
  }

  /**
   * The reason why the position may differ from {@link positionLots}; undefined without one. The
   * exchange has reported a liquidation in this market and not yet the position after it. Or it has
   * reported a position that nothing explains. Or a takeover was reverted, and the exchange may
   * still hold it.
   */
  positionUncertainty(
    marketId: MarketId,
  ): "liquidation" | "taken-back" | "unexplained" | undefined {
    if (this.#updater.takeovers.liquidations.isWaiting(marketId)) return "liquidation";
    if (this.#updater.takeovers.isRevertPending(marketId)) return "taken-back";
    return this.#reconciler.hasMismatch(marketId) ? "unexplained" : undefined;
  }

  /**
   * The bot's markets in which freshly reported positions contradict ours, in base. Unsettled
   * trades explain a difference.
   */
  findPositionMismatches(
    positions: readonly VenuePosition[],
    nowMs: Ms,
  ): readonly PositionMismatch[] {
    return findPositionMismatches(this.#updater, this.#instruments, positions, nowMs);
  }

  get counts(): AccountCounts {
    return this.#tally.counts;
  }

  /** Our orders of one market that ended cancelled, since the start. */
  cancelledIn(marketId: MarketId): number {
    return this.#tally.cancelledIn(marketId);
  }

  /**
   * Applies incomes. A liquidation without a recorded takeover triggers a query of the position at
   * once.
   */
  #incomes(incomes: readonly VenueIncome[], nowMs: Ms): AccountStep {
    const { takeovers } = this.#updater;
    const isWaiting = () =>
      incomes.some(
        (income) => isLiquidation(income) && takeovers.liquidations.isWaiting(income.marketId),
      );
    const wasWaiting = isWaiting();
    const step = this.#step(
      incomes.flatMap((income) => this.#updater.applyIncome(income, "stream", nowMs)),
    );
    if (wasWaiting || !this.#confirmed || !isWaiting()) return step;
    return this.#withReconcile(step, nowMs);
  }

  /**
   * Returns true if the account stream is up and its newest position is ours, with nothing in
   * between that it may include or lack.
   */
  isPositionStreamed(marketId: MarketId, nowMs: Ms): boolean {
    const { streamed } = this.#updater;
    return (
      this.#streamUp &&
      this.isPositionKnown(marketId) &&
      streamed.movedLots(marketId, Number.NEGATIVE_INFINITY, nowMs) === 0
    );
  }

  /** Applies balances and positions. A position that nothing explains triggers a query at once. */
  #balances(balances: VenueBalances, positions: readonly VenuePosition[], nowMs: Ms): AccountStep {
    const step = this.#step(this.#updater.applyAccount(balances, positions, "stream", nowMs));
    if (!this.#confirmed) return step;
    const { takeovers, trades, subLotBalances } = this.#updater;
    let isNew = false;
    for (const position of positions) {
      const { marketId } = position;
      // The query for a reported liquidation is already sent.
      if (!this.#instruments.has(marketId) || takeovers.liquidations.isWaiting(marketId)) continue;
      if (this.#updater.streamed.movedLots(marketId, nowMs, nowMs) === 0)
        this.#reconciler.clearMismatch(marketId);
      if (isPlausiblePosition(this.#updater, position, true, nowMs)) continue;
      const off =
        subLotBalances.splitByLots(marketId, position).lots - trades.positionLots(marketId);
      isNew = this.#reconciler.addMismatch(marketId, off) || isNew;
    }
    return isNew ? this.#withReconcile(step, nowMs) : step;
  }

  #withReconcile(step: AccountStep, nowMs: Ms): AccountStep {
    const refreshed = this.#reconciler.refresh(nowMs, "unknown");
    return {
      changes: [...step.changes, ...refreshed.changes],
      queries: [...step.queries, ...refreshed.queries],
    };
  }

  #placed(action: PlaceAction, outcome: Outcome, nowMs: Ms): readonly AccountChange[] {
    if (
      outcome.result === "accepted" &&
      this.orders.recognise(outcome.order)?.hash === action.hash
    ) {
      return this.#updater.applyOrder(outcome.order, "answer", nowMs);
    }
    return this.orders.apply(action.hash, toPlaceEvent(outcome, nowMs));
  }

  #step(changes: readonly AccountChange[], ask: AccountStep["queries"] = []): AccountStep {
    for (const change of changes) {
      this.#tally.add(change);
      if (change.kind !== "reconciled") continue;
      if (!this.#confirmed) {
        this.#confirmed = true;
        this.#updater.startReportingDiscrepancies();
      }
      this.#current = this.#streamUp;
    }
    return { changes, queries: ask };
  }
}
