import type { Lots, MarketId, Ms } from "../../core/units.js";
import type { ActionId, Outcome, Question, QuestionAction } from "../../exchange/venue.js";
import type { AccountChange, AccountStep, ReconcileCause } from "../account-change.js";
import type { Intake } from "../account-updater.js";
import type { OwnOrder } from "../orders/order.js";
import { LIQUIDATIONS_LOOKBACK_MS } from "../positions/takeover-ledger.js";
import { TRANSFER_TYPES } from "../profit/transfer-ledger.js";
import { historyQuestion, takeAnswer, tradesQuestion } from "./apply-response.js";
import { comparedPosition, narrowBase } from "./compare-position.js";
import { type HistoryWindow, wantedHistory } from "./history-windows.js";
import { OpenQuestions } from "./pending-queries.js";
import { ReconcileRun, type ReconcilerOptions } from "./reconcile-run.js";
import { ReconcileMemory, resolveReconciliation } from "./resolve-reconciliation.js";

/** Between reconciliations for the sake of unresolved orders, and before a doubtful position is looked at again. */
const RECHECK_MS = 2000;
/** How long the stream has to tell the end of an order whose cancel said that it was over. */
const CANCEL_GRACE_MS = 1000;
const RECOUNTS = 3;
/** Between looks at positions that trades which have not settled leave open. */
const SETTLEMENT_LOOK_MS = 1000;

/**
 * Asks the exchange what is true and compares (design, rule 6): on start, on reconnect, at an interval, and for the
 * sake of unresolved orders. In turn: the time and the trades; the open orders, balances and positions; all pages of
 * the history, trades and incomes since; then, until no trade has come between, the positions again. Stream events
 * go on meanwhile; what they tell is never undone by an older answer.
 */
export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #intake: Intake;
  readonly #memory = new ReconcileMemory();
  readonly #questions: OpenQuestions;
  #run: ReconcileRun | undefined;
  #lastBegunMs: Ms = Number.NEGATIVE_INFINITY;
  #lastFinishedMs: Ms = Number.NEGATIVE_INFINITY;
  /** Exchange time of the last finished run: what was created before it has been listed. */
  #listedToMs: Ms | undefined;
  #recheckAtMs: Ms | undefined;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    this.#intake = options.intake;
    this.#questions = new OpenQuestions(options.nextActionId);
  }

  /** Begins one now; one under way is given up, its answers are ignored. */
  begin(nowMs: Ms, cause: ReconcileCause): AccountStep {
    this.#questions.clear();
    this.#run = new ReconcileRun(cause, nowMs, this.#options);
    this.#lastBegunMs = nowMs;
    this.#recheckAtMs = undefined;
    return { changes: [], ask: [this.#ask({ ask: "time" }, nowMs), ...this.#askTrades(nowMs)] };
  }

  /** Begins one now, unless one is under way that has yet to ask for the positions: that tells as much, and sooner. */
  refresh(nowMs: Ms, cause: ReconcileCause): AccountStep {
    return this.#run !== undefined && this.#run.count === undefined
      ? NOTHING
      : this.begin(nowMs, cause);
  }

  /** The exchange has reported a position by the way that nothing explains. True where that was not known: then it has to be asked. */
  doubt(marketId: MarketId, off: Lots): boolean {
    const version = this.#intake.trades.version(marketId);
    const before = this.#memory.positions.get(marketId);
    if (before?.off === off && before.version === version) return false;
    this.#memory.positions.set(marketId, { off, version, times: 0 });
    return true;
  }

  /** The exchange has reported a position by the way that is ours, with nothing in between. */
  trust(marketId: MarketId): void {
    this.#memory.positions.delete(marketId);
  }

  /** Whether the exchange's position was another than ours when it was reported last, and nothing has explained it since. */
  isDoubtful(marketId: MarketId): boolean {
    return this.#memory.isDoubtful(marketId);
  }

  /** The next tick begins one, unless one is under way. */
  lookAgain(nowMs: Ms): void {
    if (this.#run === undefined) this.#recheckAtMs = nowMs;
  }

  /** Whether a question of this reconciler has this id: else its outcome is none of ours. */
  awaits(actionId: ActionId): boolean {
    return this.#questions.has(actionId);
  }

  /** The fate of a question. Answers to questions of a run that was given up change nothing. */
  outcome(actionId: ActionId, outcome: Outcome, nowMs: Ms): AccountStep {
    const asked = this.#questions.take(actionId);
    const run = this.#run;
    if (asked === undefined || run === undefined) return NOTHING;
    if (outcome.result !== "answered" || outcome.ask !== asked.question.ask) {
      return { changes: [this.#questions.failed(asked, outcome, nowMs)], ask: [] };
    }
    const { changes, next } = takeAnswer(run, asked, outcome, nowMs);
    const ask = next.map(({ question, window }) => this.#ask(question, nowMs, window));
    run.note(changes);
    if (this.#questions.isEmpty) this.#advance(run, nowMs, changes, ask);
    return { changes, ask };
  }

  /** What time alone brings: retries, questions without an answer, and, once `confirmed`, the next reconciliation. */
  tick(nowMs: Ms, confirmed: boolean): AccountStep {
    if (this.#run === undefined) {
      const cause = confirmed ? this.#dueCause(nowMs) : undefined;
      if (cause !== undefined) return this.begin(nowMs, cause);
      if (this.#questions.isEmpty) return NOTHING;
    }
    const changes = this.#questions
      .overdue(nowMs)
      .map((asked) => this.#questions.failed(asked, NO_ANSWER, nowMs));
    const ask = this.#questions
      .dueRetries(nowMs)
      .map(({ question, window, failures }) => this.#ask(question, nowMs, window, failures));
    return { changes, ask };
  }

  /** The clock has stepped back: nothing that is due waits longer for it. */
  stepBack(byMs: Ms): void {
    this.#questions.stepBack(byMs);
    this.#lastBegunMs -= byMs;
    this.#lastFinishedMs -= byMs;
    if (this.#recheckAtMs !== undefined) this.#recheckAtMs -= byMs;
  }

  #dueCause(nowMs: Ms): ReconcileCause | undefined {
    if (nowMs >= this.#lastFinishedMs + this.#options.intervalMs) return "interval";
    if (this.#recheckAtMs !== undefined && nowMs >= this.#recheckAtMs) return "interval";
    if (nowMs < this.#lastBegunMs + RECHECK_MS) return undefined;
    for (const order of this.#intake.orders.unresolved())
      if (this.#knownByMs(order) < nowMs) return "unknown";
    return undefined;
  }

  /** By when the exchange should have said what became of an order; Infinity where it owes no answer. */
  #knownByMs(order: OwnOrder): Ms {
    if (order.place === "unknown" || order.place === "sent")
      return order.requestTimestampMs + this.#options.signatureWindowMs;
    return order.cancel === "accepted" && order.cancelAnsweredAtMs !== undefined
      ? order.cancelAnsweredAtMs + CANCEL_GRACE_MS
      : Number.POSITIVE_INFINITY;
  }

  #ask(question: Question, nowMs: Ms, window?: HistoryWindow, failures = 0): QuestionAction {
    if (question.ask === "balances") this.#markCount();
    return this.#questions.ask(question, nowMs, window, failures);
  }

  /** Our books as they stand when the positions are asked for. */
  #markCount(): void {
    const { trades, incomes, takeovers, moneySerial, streamBalancesSerial } = this.#intake;
    if (this.#run === undefined) return;
    for (const marketId of this.#options.markets) trades.beginTrail(marketId);
    const { heard: liquidationsHeard } = takeovers.liquidations;
    this.#run.count = {
      liquidationsHeard,
      incomesTaken: incomes.taken,
      moneySerial,
      streamBalancesSerial,
      positions: undefined,
    };
  }

  #askTrades(nowMs: Ms): QuestionAction[] {
    return this.#options.markets.map((marketId) =>
      this.#ask(tradesQuestion(this.#intake, marketId), nowMs),
    );
  }

  #askIncomes(nowMs: Ms): QuestionAction[] {
    const startTimeMs = this.#intake.incomes.askFromMs();
    return this.#options.markets.map((marketId) =>
      this.#ask({ ask: "incomes", marketId, startTimeMs }, nowMs),
    );
  }

  /**
   * Asks, at the start, for incomes from before this run: transfers since an earlier one, and
   * takeovers that may be in the position already.
   */
  #askEarlier(run: ReconcileRun, nowMs: Ms): QuestionAction[] {
    const { markets, takesOver } = this.#options;
    const transfersFromMs = this.#intake.transfers.askFromMs;
    const liquidationsFromMs = run.exchangeTimeMs - LIQUIDATIONS_LOOKBACK_MS;
    const of = (marketId: MarketId, type: string, startTimeMs: Ms): QuestionAction =>
      this.#ask({ ask: "incomes", marketId, type, startTimeMs }, nowMs);
    return [
      // Transfers are of the account as a whole: one market's list has them.
      ...(transfersFromMs === undefined ? [] : markets.slice(0, 1)).flatMap((marketId) =>
        TRANSFER_TYPES.map((type) => of(marketId, type, transfersFromMs ?? 0)),
      ),
      ...(takesOver ? markets : []).map((marketId) =>
        of(marketId, "LIQUIDATE", liquidationsFromMs),
      ),
    ];
  }

  /** Everything of a stage has been answered. */
  #advance(run: ReconcileRun, nowMs: Ms, changes: AccountChange[], ask: QuestionAction[]): void {
    switch (run.stage) {
      case "clock":
        run.stage = "lists";
        ask.push(this.#ask({ ask: "openOrders" }, nowMs), this.#ask({ ask: "balances" }, nowMs));
        return;
      case "lists":
        run.stage = "detail";
        ask.push(...this.#askDetail(run, nowMs));
        return;
      case "recount":
        run.stage = "recount-detail";
        ask.push(...this.#askTrades(nowMs), ...this.#askIncomes(nowMs));
        return;
      case "detail":
      case "recount-detail": {
        const between = this.#options.markets.filter(
          (marketId) => !this.#isCounted(run, marketId, nowMs),
        );
        const starting = run.cause === "start";
        const incomeBetween = starting && run.count?.incomesTaken !== this.#intake.incomes.taken;
        const hasMoved = this.#hasMoved();
        if (
          (between.length > 0 || incomeBetween) &&
          (starting || (hasMoved && run.recounts < RECOUNTS))
        ) {
          run.recounts += 1;
          run.stage = "recount";
          if (incomeBetween || hasMoved) ask.push(this.#ask({ ask: "balances" }, nowMs));
          else changes.push(this.#awaitSettlement(between, nowMs));
          return;
        }
        this.#finish(run, nowMs, changes);
      }
    }
  }

  #isCounted(run: ReconcileRun, marketId: MarketId, nowMs: Ms): boolean {
    if (!this.#intake.trades.isBased(marketId))
      return narrowBase(run, marketId, nowMs) !== undefined;
    return comparedPosition(run, marketId, nowMs) !== undefined;
  }

  /** A trade has come since the positions were asked for: asked again, they are told with it. */
  #hasMoved(): boolean {
    return this.#options.markets.some((marketId) => this.#intake.trades.trail(marketId).length > 1);
  }

  /** Time alone settles what the positions of these markets leave open. */
  #awaitSettlement(marketIds: readonly MarketId[], nowMs: Ms): AccountChange {
    this.#questions.askLater({ ask: "balances" }, nowMs + SETTLEMENT_LOOK_MS);
    return { kind: "awaits-settlement", marketIds };
  }

  #askDetail(run: ReconcileRun, nowMs: Ms): QuestionAction[] {
    const ask = [
      ...this.#askTrades(nowMs),
      ...this.#askIncomes(nowMs),
      ...(run.cause === "start" ? this.#askEarlier(run, nowMs) : []),
    ];
    for (const [marketId, windows] of wantedHistory(run, this.#listedToMs, nowMs)) {
      for (const window of windows)
        ask.push(this.#ask(historyQuestion(marketId, window), nowMs, window));
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
    this.#intake.trades.fold();
    this.#intake.incomes.listed(run.exchangeTimeMs);
  }
}

const NO_ANSWER: Outcome = { result: "unknown", cause: "timeout", message: "no answer" };
const NOTHING: AccountStep = { changes: [], ask: [] };
