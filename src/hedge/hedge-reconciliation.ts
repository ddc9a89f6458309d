import type { Ms } from "../core/units.js";
import type { HedgeQuery } from "./hedge-venue.js";

/** The questions of one round, in this order. */
const ROUND = ["open-orders", "fills", "funding", "account"] as const;

/** One question of a round. */
export type RoundQuestion = (typeof ROUND)[number];

/** Shortest time between two rounds, and between two queries of one order. */
const AGAIN_MS: Ms = 500;
/** Longest pause after questions that failed. */
const LONGEST_PAUSE_MS: Ms = 5_000;

/**
 * The schedule of the questions to a hedge venue: rounds of open orders, fills, funding and
 * account, and single orders by their key. One question is under way at a time.
 */
export class HedgeReconciliation {
  readonly #reconcileMs: Ms;
  #at = -1;
  #isRequested = true;
  #startedAtMs: Ms = Number.NEGATIVE_INFINITY;
  #askedAtMs: Ms = Number.NEGATIVE_INFINITY;
  #pauseUntilMs: Ms = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #orderAskedAtMs: Ms = Number.NEGATIVE_INFINITY;
  #awaited: { readonly actionId: number; readonly kind: HedgeQuery["kind"] } | undefined;

  constructor(reconcileMs: Ms) {
    this.#reconcileMs = reconcileMs;
  }

  /** When the newest question was sent. */
  get askedAtMs(): Ms {
    return this.#askedAtMs;
  }

  /** Asks for a round soon: something is in doubt. */
  request(): void {
    this.#isRequested = true;
  }

  /** The stream was lost: what is under way is void, and a round is needed. */
  restart(): void {
    this.#at = -1;
    this.#awaited = undefined;
    this.#isRequested = true;
    this.#pauseUntilMs = Number.NEGATIVE_INFINITY;
  }

  /** The question of a round that is due now; undefined if none is, or one is under way. */
  due(nowMs: Ms): RoundQuestion | undefined {
    if (this.#awaited !== undefined || nowMs < this.#pauseUntilMs) return undefined;
    if (this.#at >= 0) return ROUND[this.#at];
    const sinceMs = nowMs - this.#startedAtMs;
    const isDue = sinceMs >= this.#reconcileMs || (this.#isRequested && sinceMs >= AGAIN_MS);
    if (!isDue) return undefined;
    this.#at = 0;
    this.#startedAtMs = nowMs;
    this.#isRequested = false;
    return ROUND[0];
  }

  /** True if an order may be asked for by its key now. */
  mayAskOrder(nowMs: Ms): boolean {
    return (
      this.#awaited === undefined &&
      nowMs >= this.#pauseUntilMs &&
      nowMs - this.#orderAskedAtMs >= AGAIN_MS
    );
  }

  /** A question was sent. */
  asked(question: HedgeQuery, nowMs: Ms): void {
    this.#awaited = { actionId: question.actionId, kind: question.kind };
    this.#askedAtMs = nowMs;
    if (question.kind === "order") this.#orderAskedAtMs = nowMs;
  }

  /** True if an answer belongs to the question under way, which is over then. */
  take(actionId: number): boolean {
    if (this.#awaited?.actionId !== actionId) return false;
    this.#awaited = undefined;
    return true;
  }

  /** The question of a round was answered. True if it was the last one. */
  advance(): boolean {
    this.#failures = 0;
    if (this.#at < 0) return false;
    this.#at += 1;
    if (this.#at < ROUND.length) return false;
    this.#at = -1;
    return true;
  }

  /** A question was not answered: the round begins again after a pause. */
  failed(nowMs: Ms, retryAfterMs: Ms | undefined): void {
    this.#at = -1;
    this.#isRequested = true;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, AGAIN_MS * 2 ** this.#failures);
    this.#failures += 1;
    this.#pauseUntilMs = nowMs + Math.max(pauseMs, retryAfterMs ?? 0);
  }
}
