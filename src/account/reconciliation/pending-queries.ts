import type { Ms } from "../../core/units.js";
import { describeOutcome } from "../../exchange/fate.js";
import type { ActionId, Outcome, Question, QuestionAction } from "../../exchange/venue.js";
import type { AccountChange } from "../account-change.js";
import type { HistoryWindow } from "./history-windows.js";

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 5000;
/** A venue answers every question; one that does not must not stop the reconciliation for ever. */
const ANSWER_LIMIT_MS = 30_000;

const NONE: readonly PendingQuery[] = [];

/** A question that is under way, and what its answer needs to be understood. */
export interface PendingQuery {
  readonly query: Question;
  readonly sentAtMs: Ms;
  /** Of a page of the history. */
  readonly window?: HistoryWindow;
  /** How often it has failed before. */
  readonly failures: number;
}

/** The questions of a reconciliation that are under way or wait to be asked again. */
export class PendingQueries {
  readonly #nextActionId: () => ActionId;
  readonly #pending = new Map<ActionId, PendingQuery>();
  #retries: { readonly asked: PendingQuery; readonly dueMs: Ms }[] = [];

  constructor(nextActionId: () => ActionId) {
    this.#nextActionId = nextActionId;
  }

  /** Nothing is under way, nothing waits. */
  get isEmpty(): boolean {
    return this.#pending.size === 0 && this.#retries.length === 0;
  }

  has(actionId: ActionId): boolean {
    return this.#pending.has(actionId);
  }

  /** Gives up all of them: answers that still come are not awaited any more. */
  clear(): void {
    this.#pending.clear();
    this.#retries = [];
  }

  send(question: Question, nowMs: Ms, window?: HistoryWindow, failures = 0): QuestionAction {
    const actionId = this.#nextActionId();
    this.#pending.set(actionId, { query: question, sentAtMs: nowMs, failures, window });
    // Keys that are added to a spread object cost twenty times as much.
    return Object.assign({}, question, { kind: "question" as const, actionId, timestampMs: nowMs });
  }

  /** A question that waits until then. */
  schedule(question: Question, dueMs: Ms): void {
    this.#retries.push({ asked: { query: question, sentAtMs: dueMs, failures: 0 }, dueMs });
  }

  /** The question that an outcome is of; it is not awaited any more. */
  take(actionId: ActionId): PendingQuery | undefined {
    const asked = this.#pending.get(actionId);
    this.#pending.delete(actionId);
    return asked;
  }

  /** It was not answered: it waits, longer each time, and as long as a rate limit says. */
  scheduleRetry(asked: PendingQuery, outcome: Outcome, nowMs: Ms): AccountChange {
    const backoffMs = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(asked.failures, 10));
    const retryAfterMs = outcome.result === "throttled" ? (outcome.retryAfterMs ?? 0) : 0;
    const dueMs = nowMs + Math.max(backoffMs, retryAfterMs);
    this.#retries.push({ asked: { ...asked, failures: asked.failures + 1 }, dueMs });
    return {
      kind: "reconcile-failed",
      ask: asked.query.ask,
      message: describeOutcome(outcome),
      retryAtMs: dueMs,
    };
  }

  /** Those that nobody has answered for too long, taken out. */
  takeOverdue(nowMs: Ms): readonly PendingQuery[] {
    if (this.#pending.size === 0) return NONE;
    const overdue = [...this.#pending].filter(
      ([, asked]) => nowMs - asked.sentAtMs >= ANSWER_LIMIT_MS,
    );
    for (const [actionId] of overdue) this.#pending.delete(actionId);
    return overdue.map(([, asked]) => asked);
  }

  /** Those whose wait is over, taken out. */
  takeDueRetries(nowMs: Ms): readonly PendingQuery[] {
    if (this.#retries.length === 0) return NONE;
    const due = this.#retries.filter((retry) => retry.dueMs <= nowMs);
    if (due.length > 0) this.#retries = this.#retries.filter((retry) => retry.dueMs > nowMs);
    return due.map(({ asked }) => asked);
  }

  /** The clock has stepped back: waits end that much earlier. */
  stepBack(byMs: Ms): void {
    this.#retries = this.#retries.map(({ asked, dueMs }) => ({ asked, dueMs: dueMs - byMs }));
  }
}
