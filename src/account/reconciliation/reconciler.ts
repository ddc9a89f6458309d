import type { Lots, MarketId, Ms } from "../../core/units.js";
import type { ActionId, Outcome, Query, QueryAction } from "../../exchange/venue.js";
import type { AccountChange, AccountStep, ReconcileCause } from "../account-change.js";
import type { AccountUpdater } from "../account-updater.js";
import type { OwnOrder } from "../orders/order.js";
import { LIQUIDATIONS_LOOKBACK_MS } from "../positions/takeover-ledger.js";
import { TRANSFER_TYPES } from "../profit/transfer-ledger.js";
import { applyResponse, createHistoryQuery, createTradesQuery } from "./apply-response.js";
import { comparePosition, inferOpeningPosition } from "./compare-position.js";
import { type HistoryWindow, historyWindows } from "./history-windows.js";
import { PendingQueries } from "./pending-queries.js";
import { ReconcileRun, type ReconcilerDeps } from "./reconcile-run.js";
import { ReconcileMemory, resolveReconciliation } from "./resolve-reconciliation.js";

/**
 * Time between reconciliations for unresolved orders, and before a mismatched position is checked
 * again.
 */
const RECHECK_MS = 2000;
/** How long the stream may take to report the end of an order after an accepted cancel. */
const CANCEL_GRACE_MS = 1000;
const RECOUNTS = 3;
/** Time between checks of positions that unsettled trades leave open. */
const SETTLEMENT_POLL_MS = 1000;

/**
 * Queries the exchange's state and compares it with ours (docs/ideas/design.md#unknown-outcomes).
 * It runs on start, on reconnect, at an interval and for unresolved orders. The order of its
 * queries: the time and the trades; the open orders, balances and positions; all pages of the
 * history, trades and incomes since; then the positions again until no trade comes in between.
 * Stream events continue meanwhile, and an older response never reverts them.
 */
export class Reconciler {
  readonly #options: ReconcilerDeps;
  readonly #updater: AccountUpdater;
  readonly #memory = new ReconcileMemory();
  readonly #queries: PendingQueries;
  #run: ReconcileRun | undefined;
  #lastBegunMs: Ms = Number.NEGATIVE_INFINITY;
  #lastFinishedMs: Ms = Number.NEGATIVE_INFINITY;
  /** Exchange time of the last finished run. Orders created before it have been listed. */
  #listedToMs: Ms | undefined;
  #recheckAtMs: Ms | undefined;

  constructor(options: ReconcilerDeps) {
    this.#options = options;
    this.#updater = options.updater;
    this.#queries = new PendingQueries(options.nextActionId);
  }

  /** Starts a reconciliation now. One that is running is dropped, and its responses are ignored. */
  begin(nowMs: Ms, cause: ReconcileCause): AccountStep {
    this.#queries.clear();
    this.#run = new ReconcileRun(cause, nowMs, this.#options);
    this.#lastBegunMs = nowMs;
    this.#recheckAtMs = undefined;
    return {
      changes: [],
      queries: [this.#query({ ask: "time" }, nowMs), ...this.#queryTrades(nowMs)],
    };
  }

  /**
   * Starts a reconciliation now, unless one is running that has yet to query the positions: that
   * one reports as much, and sooner.
   */
  refresh(nowMs: Ms, cause: ReconcileCause): AccountStep {
    return this.#run !== undefined && this.#run.count === undefined
      ? NOTHING
      : this.begin(nowMs, cause);
  }

  /**
   * Records an unexplained position that the exchange reported outside a reconciliation. Returns
   * true if the mismatch is new, so that the position must be queried.
   */
  addMismatch(marketId: MarketId, off: Lots): boolean {
    const version = this.#updater.trades.version(marketId);
    const before = this.#memory.positions.get(marketId);
    if (before?.off === off && before.version === version) return false;
    this.#memory.positions.set(marketId, { off, version, times: 0 });
    return true;
  }

  /** Clears the mismatch after a report that equals our position, with nothing in between. */
  clearMismatch(marketId: MarketId): void {
    this.#memory.positions.delete(marketId);
  }

  /**
   * Returns true if the last report of the exchange's position differed from ours and nothing has
   * explained it since.
   */
  hasMismatch(marketId: MarketId): boolean {
    return this.#memory.hasMismatch(marketId);
  }

  /** Requests a reconciliation: the next tick starts one, unless one is running. */
  requestReconcile(nowMs: Ms): void {
    if (this.#run === undefined) this.#recheckAtMs = nowMs;
  }

  /** Returns true if a query of this reconciler has this id. */
  awaits(actionId: ActionId): boolean {
    return this.#queries.has(actionId);
  }

  /** Applies the outcome of a query. Responses to queries of a dropped run change nothing. */
  outcome(actionId: ActionId, outcome: Outcome, nowMs: Ms): AccountStep {
    const pending = this.#queries.take(actionId);
    const run = this.#run;
    if (pending === undefined || run === undefined) return NOTHING;
    if (outcome.result !== "answered" || outcome.ask !== pending.query.ask) {
      return { changes: [this.#queries.scheduleRetry(pending, outcome, nowMs)], queries: [] };
    }
    const { changes, followUps } = applyResponse(run, pending, outcome, nowMs);
    const ask = followUps.map(({ query, window }) => this.#query(query, nowMs, window));
    run.note(changes);
    if (this.#queries.isEmpty) this.#advance(run, nowMs, changes, ask);
    return { changes, queries: ask };
  }

  /**
   * Does the work that depends on time: retries, overdue queries, and, once `confirmed`, the next
   * reconciliation.
   */
  tick(nowMs: Ms, confirmed: boolean): AccountStep {
    if (this.#run === undefined) {
      const cause = confirmed ? this.#dueCause(nowMs) : undefined;
      if (cause !== undefined) return this.begin(nowMs, cause);
      if (this.#queries.isEmpty) return NOTHING;
    }
    const changes = this.#queries
      .takeOverdue(nowMs)
      .map((pending) => this.#queries.scheduleRetry(pending, NO_ANSWER, nowMs));
    const ask = this.#queries
      .takeDueRetries(nowMs)
      .map(({ query, window, failures }) => this.#query(query, nowMs, window, failures));
    return { changes, queries: ask };
  }

  /** Moves due times back after the clock has stepped back. */
  stepBack(byMs: Ms): void {
    this.#queries.stepBack(byMs);
    this.#lastBegunMs -= byMs;
    this.#lastFinishedMs -= byMs;
    if (this.#recheckAtMs !== undefined) this.#recheckAtMs -= byMs;
  }

  #dueCause(nowMs: Ms): ReconcileCause | undefined {
    if (nowMs >= this.#lastFinishedMs + this.#options.intervalMs) return "interval";
    if (this.#recheckAtMs !== undefined && nowMs >= this.#recheckAtMs) return "interval";
    if (nowMs < this.#lastBegunMs + RECHECK_MS) return undefined;
    for (const order of this.#updater.orders.unresolved())
      if (this.#knownByMs(order) < nowMs) return "unknown";
    return undefined;
  }

  /**
   * Time by which the exchange should have reported an order's outcome; Infinity if none is
   * expected.
   */
  #knownByMs(order: OwnOrder): Ms {
    if (order.place === "unknown" || order.place === "sent")
      return order.requestTimestampMs + this.#options.signatureWindowMs;
    return order.cancel === "accepted" && order.cancelAnsweredAtMs !== undefined
      ? order.cancelAnsweredAtMs + CANCEL_GRACE_MS
      : Number.POSITIVE_INFINITY;
  }

  #query(question: Query, nowMs: Ms, window?: HistoryWindow, failures = 0): QueryAction {
    if (question.ask === "balances") this.#markCount();
    return this.#queries.send(question, nowMs, window, failures);
  }

  /** Stores the state of our books when the positions are queried. */
  #markCount(): void {
    const { trades, incomes, takeovers, moneySerial, streamBalancesSerial } = this.#updater;
    if (this.#run === undefined) return;
    for (const marketId of this.#options.markets) trades.beginPositionHistory(marketId);
    const { reportCount: liquidationsHeard } = takeovers.liquidations;
    this.#run.count = {
      liquidationReports: liquidationsHeard,
      incomeCount: incomes.count,
      moneySerial,
      streamBalancesSerial,
      positions: undefined,
    };
  }

  #queryTrades(nowMs: Ms): QueryAction[] {
    return this.#options.markets.map((marketId) =>
      this.#query(createTradesQuery(this.#updater, marketId), nowMs),
    );
  }

  #queryIncomes(nowMs: Ms): QueryAction[] {
    const startTimeMs = this.#updater.incomes.nextQueryFromMs();
    return this.#options.markets.map((marketId) =>
      this.#query({ ask: "incomes", marketId, startTimeMs }, nowMs),
    );
  }

  /**
   * Queries, at the start, incomes from before this run: transfers since an earlier run, and
   * takeovers that may already be in the position.
   */
  #queryEarlierIncomes(run: ReconcileRun, nowMs: Ms): QueryAction[] {
    const { markets, acquiresPositions } = this.#options;
    const transfersFromMs = this.#updater.transfers.queryFromMs;
    const liquidationsFromMs = run.exchangeTimeMs - LIQUIDATIONS_LOOKBACK_MS;
    const of = (marketId: MarketId, type: string, startTimeMs: Ms): QueryAction =>
      this.#query({ ask: "incomes", marketId, type, startTimeMs }, nowMs);
    return [
      // Transfers belong to the account as a whole: the list of one market contains them.
      ...(transfersFromMs === undefined ? [] : markets.slice(0, 1)).flatMap((marketId) =>
        TRANSFER_TYPES.map((type) => of(marketId, type, transfersFromMs ?? 0)),
      ),
      ...(acquiresPositions ? markets : []).map((marketId) =>
        of(marketId, "LIQUIDATE", liquidationsFromMs),
      ),
    ];
  }

  /** Advances to the next stage when all queries of the present one have a response. */
  #advance(run: ReconcileRun, nowMs: Ms, changes: AccountChange[], ask: QueryAction[]): void {
    switch (run.stage) {
      case "clock":
        run.stage = "lists";
        ask.push(
          this.#query({ ask: "openOrders" }, nowMs),
          this.#query({ ask: "balances" }, nowMs),
        );
        return;
      case "lists":
        run.stage = "detail";
        ask.push(...this.#queryDetail(run, nowMs));
        return;
      case "recount":
        run.stage = "recount-detail";
        ask.push(...this.#queryTrades(nowMs), ...this.#queryIncomes(nowMs));
        return;
      case "detail":
      case "recount-detail": {
        const between = this.#options.markets.filter(
          (marketId) => !this.#isCounted(run, marketId, nowMs),
        );
        const starting = run.cause === "start";
        const incomeBetween = starting && run.count?.incomeCount !== this.#updater.incomes.count;
        const hasMoved = this.#hasMoved();
        if (
          (between.length > 0 || incomeBetween) &&
          (starting || (hasMoved && run.recounts < RECOUNTS))
        ) {
          run.recounts += 1;
          run.stage = "recount";
          if (incomeBetween || hasMoved) ask.push(this.#query({ ask: "balances" }, nowMs));
          else changes.push(this.#awaitSettlement(between, nowMs));
          return;
        }
        this.#finish(run, nowMs, changes);
      }
    }
  }

  #isCounted(run: ReconcileRun, marketId: MarketId, nowMs: Ms): boolean {
    if (!this.#updater.trades.hasBase(marketId))
      return inferOpeningPosition(run, marketId, nowMs) !== undefined;
    return comparePosition(run, marketId, nowMs) !== undefined;
  }

  /**
   * Returns true if a trade has come since the positions were queried. A repeated query returns
   * them with the trade.
   */
  #hasMoved(): boolean {
    return this.#options.markets.some(
      (marketId) => this.#updater.trades.positionHistory(marketId).length > 1,
    );
  }

  /** Reports markets whose positions only the settlement of trades can decide. */
  #awaitSettlement(marketIds: readonly MarketId[], nowMs: Ms): AccountChange {
    this.#queries.schedule({ ask: "balances" }, nowMs + SETTLEMENT_POLL_MS);
    return { kind: "awaits-settlement", marketIds };
  }

  #queryDetail(run: ReconcileRun, nowMs: Ms): QueryAction[] {
    const ask = [
      ...this.#queryTrades(nowMs),
      ...this.#queryIncomes(nowMs),
      ...(run.cause === "start" ? this.#queryEarlierIncomes(run, nowMs) : []),
    ];
    for (const [marketId, windows] of historyWindows(run, this.#listedToMs, nowMs)) {
      for (const window of windows)
        ask.push(this.#query(createHistoryQuery(marketId, window), nowMs, window));
    }
    return ask;
  }

  #finish(run: ReconcileRun, nowMs: Ms, changes: AccountChange[]): void {
    const verdict = resolveReconciliation(run, this.#memory, nowMs);
    changes.push(...verdict.changes);
    this.#run = undefined;
    this.#lastFinishedMs = nowMs;
    this.#listedToMs = run.exchangeTimeMs;
    this.#recheckAtMs = verdict.recheck ? nowMs + RECHECK_MS : undefined;
    this.#updater.trades.fold();
    this.#updater.incomes.listed(run.exchangeTimeMs);
  }
}

const NO_ANSWER: Outcome = { result: "unknown", cause: "timeout", message: "no answer" };
const NOTHING: AccountStep = { changes: [], queries: [] };
