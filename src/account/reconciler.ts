import type { Int64Id, MarketId, Ms } from "../core/units.js";
import type { VenueOrder } from "../exchange/records.js";
import type { ActionId, AnswerData, Outcome, Question, QuestionAction } from "../exchange/venue.js";
import type { AccountChange, AccountStep, ReconcileCause } from "./changes.js";
import { afterPage, type HistoryWindow, mergeWindows, PAGE_LIMIT } from "./history-windows.js";
import type { Intake } from "./intake.js";
import { type Asked, comparedPosition, narrowBase, ReconcileRun } from "./reconcile-run.js";
import { judge, ReconcileMemory } from "./reconcile-verdict.js";

/** How the reconciler asks and when. */
export interface ReconcilerOptions {
  readonly intake: Intake;
  /** The bot's markets. */
  readonly markets: readonly MarketId[];
  readonly nextActionId: () => ActionId;
  /** How long the exchange takes a signed request. */
  readonly signatureWindowMs: Ms;
  /** Between the end of one reconciliation and the next. */
  readonly intervalMs: Ms;
  readonly streamLagMs: Ms;
}

type Answered = Extract<Outcome, { result: "answered" }>;

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 5000;
/** A venue answers every question; one that does not must not stop the reconciliation for ever. */
const ANSWER_LIMIT_MS = 30_000;
/** Between reconciliations for the sake of unresolved orders, and before a doubtful position is looked at again. */
const RECHECK_MS = 2000;
/** How long the stream has to tell the end of an order whose cancel said that it was over. */
const CANCEL_GRACE_MS = 1000;
const RECOUNTS = 3;
const WINDOW_JOIN_MS = 10_000;

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
  readonly #pending = new Map<ActionId, Asked>();
  #retries: { readonly asked: Asked; readonly dueMs: Ms }[] = [];
  #run: ReconcileRun | undefined;
  #lastBegunMs: Ms = Number.NEGATIVE_INFINITY;
  #lastFinishedMs: Ms = Number.NEGATIVE_INFINITY;
  /** Exchange time of the last finished run: what was created before it has been listed. */
  #listedToMs: Ms | undefined;
  #recheckAtMs: Ms | undefined;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    this.#intake = options.intake;
  }

  get running(): boolean {
    return this.#run !== undefined;
  }

  /** Begins one now; one under way is given up, its answers are ignored. */
  begin(nowMs: Ms, cause: ReconcileCause): AccountStep {
    this.#pending.clear();
    this.#retries = [];
    this.#run = new ReconcileRun(cause, nowMs, this.#intake);
    this.#lastBegunMs = nowMs;
    this.#recheckAtMs = undefined;
    return { changes: [], ask: [this.#ask({ ask: "time" }, nowMs), ...this.#askTrades(nowMs)] };
  }

  /** Whether a question of this reconciler has this id: else its outcome is none of ours. */
  awaits(actionId: ActionId): boolean {
    return this.#pending.has(actionId);
  }

  /** The fate of a question. Answers to questions of a run that was given up change nothing. */
  outcome(actionId: ActionId, outcome: Outcome, nowMs: Ms): AccountStep {
    const asked = this.#pending.get(actionId);
    const run = this.#run;
    if (asked === undefined || run === undefined) return NOTHING;
    this.#pending.delete(actionId);
    if (outcome.result !== "answered" || outcome.ask !== asked.question.ask) return this.#failed(asked, outcome, nowMs);
    const changes: AccountChange[] = [];
    const ask: QuestionAction[] = [];
    this.#answered(run, asked, outcome, nowMs, changes, ask);
    run.note(changes);
    if (ask.length === 0 && this.#pending.size === 0 && this.#retries.length === 0) this.#advance(run, nowMs, changes, ask);
    return { changes, ask };
  }

  /** What time alone brings: retries, questions without an answer, and, once `confirmed`, the next reconciliation. */
  tick(nowMs: Ms, confirmed: boolean): AccountStep {
    const changes: AccountChange[] = [];
    const ask: QuestionAction[] = [];
    for (const [actionId, asked] of this.#pending) {
      if (nowMs - asked.askedAtMs < ANSWER_LIMIT_MS) continue;
      this.#pending.delete(actionId);
      changes.push(...this.#failed(asked, { result: "unknown", cause: "timeout", message: "no answer" }, nowMs).changes);
    }
    const due = this.#retries.filter((retry) => retry.dueMs <= nowMs);
    if (due.length > 0) {
      this.#retries = this.#retries.filter((retry) => retry.dueMs > nowMs);
      for (const { asked } of due) ask.push(this.#ask(asked.question, nowMs, asked.window, asked.failures));
    }
    if (this.#run === undefined && confirmed) {
      const cause = this.#dueCause(nowMs);
      if (cause !== undefined) return this.begin(nowMs, cause);
    }
    return { changes, ask };
  }

  #dueCause(nowMs: Ms): ReconcileCause | undefined {
    if (nowMs >= this.#lastFinishedMs + this.#options.intervalMs) return "interval";
    if (this.#recheckAtMs !== undefined && nowMs >= this.#recheckAtMs) return "interval";
    if (nowMs < this.#lastBegunMs + RECHECK_MS) return undefined;
    const windowMs = this.#options.signatureWindowMs;
    const waiting = this.#intake.orders.unresolved().some((order) => {
      if (order.place === "unknown" || order.place === "sent") return order.requestTimestampMs + windowMs < nowMs;
      const answered = order.cancel === "taken" || order.cancel === "gone";
      return answered && order.cancelAnsweredAtMs !== undefined && order.cancelAnsweredAtMs + CANCEL_GRACE_MS < nowMs;
    });
    return waiting ? "unknown" : undefined;
  }

  #failed(asked: Asked, outcome: Outcome, nowMs: Ms): AccountStep {
    const backoffMs = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(asked.failures, 10));
    const retryAfterMs = outcome.result === "throttled" ? (outcome.retryAfterMs ?? 0) : 0;
    const dueMs = nowMs + Math.max(backoffMs, retryAfterMs);
    this.#retries.push({ asked: { ...asked, failures: asked.failures + 1 }, dueMs });
    const message = "message" in outcome ? outcome.message : outcome.result;
    return { changes: [{ kind: "reconcile-failed", ask: asked.question.ask, message, retryAtMs: dueMs }], ask: [] };
  }

  #ask(question: Question, nowMs: Ms, window?: HistoryWindow, failures = 0): QuestionAction {
    const actionId = this.#options.nextActionId();
    if (question.ask === "balances") this.#markCount();
    this.#pending.set(actionId, { question, askedAtMs: nowMs, failures, ...(window === undefined ? {} : { window }) });
    return { ...question, kind: "question", actionId, timestampMs: nowMs };
  }

  /** Our books as they stand when the positions are asked for. */
  #markCount(): void {
    const { ledger, moneySerial, streamBalancesSerial } = this.#intake;
    if (this.#run === undefined) return;
    for (const marketId of this.#options.markets) ledger.beginTrail(marketId);
    this.#run.count = { incomesTaken: ledger.incomesTaken, moneySerial, streamBalancesSerial, positions: undefined };
  }

  #askTrades(nowMs: Ms): QuestionAction[] {
    return this.#options.markets.map((marketId) => this.#askTradesOf(marketId, nowMs, undefined));
  }

  #askTradesOf(marketId: MarketId, nowMs: Ms, afterId: Int64Id | undefined): QuestionAction {
    const fromId = this.#intake.ledger.askFrom(marketId, afterId);
    return this.#ask({ ask: "userTrades", marketId, ...(fromId === undefined ? {} : { fromId }) }, nowMs);
  }

  #askIncomesOf(marketId: MarketId, nowMs: Ms, startTimeMs: Ms): QuestionAction {
    return this.#ask({ ask: "incomes", marketId, startTimeMs }, nowMs);
  }

  #askHistory(marketId: MarketId, window: HistoryWindow, nowMs: Ms): QuestionAction {
    const end = window.endMs === undefined ? {} : { endTimeMs: window.endMs };
    return this.#ask({ ask: "historyOrders", marketId, startTimeMs: window.startMs, ...end }, nowMs, window);
  }

  #answered(run: ReconcileRun, asked: Asked, outcome: Answered, nowMs: Ms, changes: AccountChange[], ask: QuestionAction[]): void {
    switch (outcome.ask) {
      case "time":
        run.exchangeTimeMs = outcome.data.serverTimeMs;
        if (run.cause === "start") this.#intake.ledger.beginIncomes(outcome.data.serverTimeMs);
        return;
      case "openOrders":
        this.#openOrders(run, asked, outcome.data, nowMs, changes);
        return;
      case "balances":
        this.#balances(run, outcome.data, nowMs, changes);
        return;
      case "historyOrders":
        for (const order of outcome.data) changes.push(...this.#intake.order(order, "history", nowMs, asked.askedAtMs));
        if (asked.question.ask === "historyOrders" && asked.window !== undefined) {
          const { marketId } = asked.question;
          const verdict = afterPage(asked.window, outcome.data);
          if (!verdict.complete) run.incompleteHistory.add(marketId);
          for (const window of verdict.rest) ask.push(this.#askHistory(marketId, window, nowMs));
        }
        return;
      case "userTrades":
        if (asked.question.ask === "userTrades") this.#trades(asked.question, outcome.data, nowMs, changes, ask);
        return;
      case "incomes":
        for (const income of outcome.data) changes.push(...this.#intake.income(income, "rest", nowMs));
        if (asked.question.ask === "incomes" && outcome.data.length >= PAGE_LIMIT) {
          const { marketId, startTimeMs = 0 } = asked.question;
          const lastMs = outcome.data.reduce((latest, income) => Math.max(latest, income.timeMs), startTimeMs);
          // A whole page of one millisecond: the next begins after it, or it would be the same page for ever.
          ask.push(this.#askIncomesOf(marketId, nowMs, lastMs > startTimeMs ? lastMs : startTimeMs + 1));
        }
        return;
      default:
        return;
    }
  }

  #openOrders(run: ReconcileRun, asked: Asked, open: readonly VenueOrder[], nowMs: Ms, changes: AccountChange[]): void {
    const { orders } = this.#intake;
    const listed = new Set<string>();
    for (const order of open) {
      const before = orders.recognise(order);
      const news = this.#intake.order(order, "open-orders", nowMs, asked.askedAtMs);
      changes.push(...news);
      const unexpected = news.some((c) => c.kind === "adopted" || (c.kind === "order" && c.change.change === "revived"));
      if (unexpected && run.cause !== "start") {
        const ours = before === undefined ? "not in the table" : before.phase;
        const theirs = `${order.status}, ${order.availableLots} of ${order.lots} lots available`;
        run.differences.push({ kind: "order-unexpected", marketId: order.marketId, subject: order.hash, ours, theirs });
      }
      listed.add(orders.recognise(order)?.hash ?? order.id);
    }
    for (const order of orders.unresolved()) {
      if (listed.has(order.hash)) continue;
      if (order.place === "unknown" || order.place === "sent") {
        if (run.exchangeTimeMs > order.requestTimestampMs + this.#options.signatureWindowMs) run.deadlines.push(order.hash);
      } else if (order.place === "seen" && order.seenAtMs !== undefined && order.seenAtMs < asked.askedAtMs) {
        run.missing.push(order.hash);
      }
    }
    for (const order of orders.foreign()) {
      if (!listed.has(order.id) && order.createdAtMs < run.exchangeTimeMs) run.foreignMissing.push(order.id);
    }
  }

  #balances(run: ReconcileRun, data: AnswerData["balances"], nowMs: Ms, changes: AccountChange[]): void {
    const { balances, positions } = data;
    const count = run.count;
    if (count === undefined) return;
    count.positions = positions;
    // A stream update since the question is as new as the answer, or newer.
    if (count.streamBalancesSerial !== this.#intake.streamBalancesSerial) return;
    const before = this.#intake.balances;
    const quiet = count.moneySerial === this.#intake.balancesMoneySerial && count.moneySerial === this.#intake.moneySerial;
    if (before !== undefined && quiet && run.cause !== "start" && creditOf(before.balances) !== creditOf(balances)) {
      const ours = `credit ${creditOf(before.balances)}`;
      run.differences.push({ kind: "balance", marketId: undefined, subject: "credit", ours, theirs: `credit ${creditOf(balances)}` });
    }
    changes.push(...this.#intake.account(balances, positions, "rest", nowMs));
  }

  #trades(
    question: Extract<Question, { ask: "userTrades" }>,
    trades: AnswerData["userTrades"],
    nowMs: Ms,
    changes: AccountChange[],
    ask: QuestionAction[],
  ): void {
    const { ledger } = this.#intake;
    for (const trade of trades) changes.push(...this.#intake.trade(trade, "rest", nowMs));
    if (question.fromId === undefined) {
      ledger.readLatest(
        question.marketId,
        trades.map((trade) => trade.id),
      );
      return;
    }
    const last = trades.reduce<bigint | undefined>(
      (most, { id }) => (most === undefined || BigInt(id) > most ? BigInt(id) : most),
      undefined,
    );
    const wentOn = last !== undefined && last >= BigInt(question.fromId);
    if (trades.length >= PAGE_LIMIT && wentOn) ask.push(this.#askTradesOf(question.marketId, nowMs, last.toString()));
    else ledger.readTo(question.marketId, last?.toString());
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
        const between = this.#options.markets.filter((marketId) => !this.#isCounted(run, marketId)).length > 0;
        const starting = run.cause === "start";
        const incomeBetween = starting && run.count?.incomesTaken !== this.#intake.ledger.incomesTaken;
        if ((between || incomeBetween) && (starting || run.recounts < RECOUNTS)) {
          run.recounts += 1;
          run.stage = "recount";
          ask.push(this.#ask({ ask: "balances" }, nowMs));
          return;
        }
        this.#finish(run, nowMs, changes);
      }
    }
  }

  #isCounted(run: ReconcileRun, marketId: MarketId): boolean {
    if (!this.#intake.ledger.isBased(marketId)) return narrowBase(run, this.#intake, marketId) !== undefined;
    return comparedPosition(run, this.#intake, marketId) !== undefined;
  }

  #askIncomes(nowMs: Ms): QuestionAction[] {
    const fromMs = this.#intake.ledger.incomesFromMs();
    return this.#options.markets.map((marketId) => this.#askIncomesOf(marketId, nowMs, fromMs));
  }

  #askDetail(run: ReconcileRun, nowMs: Ms): QuestionAction[] {
    const ask = [...this.#askTrades(nowMs), ...this.#askIncomes(nowMs)];
    const { signatureWindowMs, streamLagMs } = this.#options;
    const windows = new Map<MarketId, HistoryWindow[]>();
    const add = (marketId: MarketId, window: HistoryWindow): void => {
      const known = windows.get(marketId);
      if (known === undefined) windows.set(marketId, [window]);
      else known.push(window);
    };
    if (this.#listedToMs !== undefined) {
      // Whatever was placed and over since the last time, by us or by hand, while no stream told it.
      const startMs = this.#listedToMs - signatureWindowMs - streamLagMs;
      for (const marketId of this.#options.markets) add(marketId, { startMs, endMs: undefined });
    }
    for (const hash of run.deadlines) {
      const order = this.#intake.orders.get(hash);
      if (order !== undefined) add(order.marketId, { startMs: order.requestTimestampMs - signatureWindowMs, endMs: undefined });
    }
    const missing = [
      ...run.missing.map((hash) => this.#intake.orders.get(hash)),
      ...run.foreignMissing.map((id) => this.#intake.orders.foreignById(id)),
      ...this.#intake.orders.unsettled(nowMs - 2 * streamLagMs),
    ];
    for (const order of missing) {
      if (order?.createdAtMs !== undefined) add(order.marketId, { startMs: order.createdAtMs, endMs: order.createdAtMs + 2 });
    }
    for (const [marketId, wanted] of windows) {
      for (const window of mergeWindows(wanted, WINDOW_JOIN_MS)) ask.push(this.#askHistory(marketId, window, nowMs));
    }
    return ask;
  }

  #finish(run: ReconcileRun, nowMs: Ms, changes: AccountChange[]): void {
    const verdict = judge(run, this.#intake, this.#memory, this.#options.markets, nowMs);
    changes.push(...verdict.changes);
    this.#run = undefined;
    this.#lastFinishedMs = nowMs;
    this.#listedToMs = run.exchangeTimeMs;
    this.#recheckAtMs = verdict.recheck ? nowMs + RECHECK_MS : undefined;
    this.#intake.ledger.fold();
    this.#intake.ledger.forgetIncomes();
  }
}

const NOTHING: AccountStep = { changes: [], ask: [] };

function creditOf(balances: { readonly primaryCredit: bigint; readonly secondaryCredit: bigint }): bigint {
  return balances.primaryCredit + balances.secondaryCredit;
}
