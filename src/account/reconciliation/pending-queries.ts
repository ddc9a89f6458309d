import type { Ms } from "../../core/units.js";
import { describeOutcome } from "../../exchange/fate.js";
import type { ActionId, Outcome, Query, QueryAction } from "../../exchange/venue.js";
import type { AccountChange } from "../account-change.js";
import type { HistoryWindow } from "./history-windows.js";

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 5000;
/** A venue responds to every query. A missing response must not stop the reconciliation forever. */
const ANSWER_LIMIT_MS = 30_000;

const NONE: readonly PendingQuery[] = [];

/** A query in flight, with the context that its response needs. */
export interface PendingQuery {
  readonly query: Query;
  readonly sentAtMs: Ms;
  /** Set for a page of the history. */
  readonly window?: HistoryWindow;
  /** Number of earlier failures. */
  readonly failures: number;
}

/** The queries of a reconciliation that are in flight or await a retry. */
export class PendingQueries {
  readonly #nextActionId: () => ActionId;
  readonly #pending = new Map<ActionId, PendingQuery>();
  #retries: { readonly pending: PendingQuery; readonly dueMs: Ms }[] = [];

  constructor(nextActionId: () => ActionId) {
    this.#nextActionId = nextActionId;
  }

  /** True if no query is in flight and none awaits a retry. */
  get isEmpty(): boolean {
    return this.#pending.size === 0 && this.#retries.length === 0;
  }

  has(actionId: ActionId): boolean {
    return this.#pending.has(actionId);
  }

  /** Drops all queries. Responses that still arrive are ignored. */
  clear(): void {
    this.#pending.clear();
    this.#retries = [];
  }

  send(question: Query, nowMs: Ms, window?: HistoryWindow, failures = 0): QueryAction {
    const actionId = this.#nextActionId();
    this.#pending.set(actionId, { query: question, sentAtMs: nowMs, failures, window });
    // Keys added to a spread object cost twenty times as much.
    return Object.assign({}, question, { kind: "question" as const, actionId, timestampMs: nowMs });
  }

  /** Schedules a query. */
  schedule(question: Query, dueMs: Ms): void {
    this.#retries.push({ pending: { query: question, sentAtMs: dueMs, failures: 0 }, dueMs });
  }

  /** Removes and returns the query of an outcome. */
  take(actionId: ActionId): PendingQuery | undefined {
    const pending = this.#pending.get(actionId);
    this.#pending.delete(actionId);
    return pending;
  }

  /** Schedules a retry of a failed query. The delay grows each time and respects a rate limit. */
  scheduleRetry(pending: PendingQuery, outcome: Outcome, nowMs: Ms): AccountChange {
    const backoffMs = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(pending.failures, 10));
    const retryAfterMs = outcome.result === "throttled" ? (outcome.retryAfterMs ?? 0) : 0;
    const dueMs = nowMs + Math.max(backoffMs, retryAfterMs);
    this.#retries.push({ pending: { ...pending, failures: pending.failures + 1 }, dueMs });
    return {
      kind: "reconcile-failed",
      ask: pending.query.ask,
      message: describeOutcome(outcome),
      retryAtMs: dueMs,
    };
  }

  /** Removes and returns the queries whose response is overdue. */
  takeOverdue(nowMs: Ms): readonly PendingQuery[] {
    if (this.#pending.size === 0) return NONE;
    const overdue = [...this.#pending].filter(
      ([, pending]) => nowMs - pending.sentAtMs >= ANSWER_LIMIT_MS,
    );
    for (const [actionId] of overdue) this.#pending.delete(actionId);
    return overdue.map(([, pending]) => pending);
  }

  /** Removes and returns the queries whose retry is due. */
  takeDueRetries(nowMs: Ms): readonly PendingQuery[] {
    if (this.#retries.length === 0) return NONE;
    const due = this.#retries.filter((retry) => retry.dueMs <= nowMs);
    if (due.length > 0) this.#retries = this.#retries.filter((retry) => retry.dueMs > nowMs);
    return due.map(({ pending }) => pending);
  }

  /** Moves due times back after the clock has stepped back. */
  stepBack(byMs: Ms): void {
    this.#retries = this.#retries.map(({ pending, dueMs }) => ({ pending, dueMs: dueMs - byMs }));
  }
}
