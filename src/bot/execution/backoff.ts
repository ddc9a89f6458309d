import type { Ms } from "../../core/units.js";

/**
 * How long a reason stays visible after its back-off ends: a subject that is blocked again each
 * moment keeps one reason.
 */
const REASON_SHOWN_FOR_MS = 2_000;

/** First pause before an action that could not be sent is retried. */
const FIRST_UNSENT_MS: Ms = 100;
/** Longest such pause: what an exchange that is back keeps of a cancel's delay at most. */
const MOST_UNSENT_MS: Ms = 2_000;
/** How long after its pause a subject still counts as refused in a row. */
const UNSENT_FORGOTTEN_MS: Ms = 10_000;

/**
 * Back-off by subject (a slot, an order): an action that was blocked or refused is not retried
 * before its time.
 */
export class Backoff {
  readonly #untilMs = new Map<string, Ms>();
  readonly #refusals = new Map<string, number>();
  /** Subjects that could not be sent: how often in a row, and the end of the last pause. */
  readonly #unsent = new Map<string, { readonly times: number; readonly untilMs: Ms }>();
  readonly #reasons = new Map<string, { readonly why: string; readonly untilMs: Ms }>();

  /**
   * Blocks a subject until an instant of the monotonic clock; a later block in force is kept.
   * @param why a human-readable reason.
   */
  holdUntil(subject: string, untilMs: Ms, why: string): void {
    this.#untilMs.set(subject, Math.max(untilMs, this.#untilMs.get(subject) ?? untilMs));
    this.#reasons.set(subject, { why, untilMs: untilMs + REASON_SHOWN_FOR_MS });
  }

  /**
   * Blocks a subject for longer at each refusal without a success between: 0.5 s doubling to 32 s.
   */
  onRefusal(subject: string, nowMs: Ms, why: string): void {
    const times = this.#refusals.get(subject) ?? 0;
    this.#refusals.set(subject, times + 1);
    this.holdUntil(subject, nowMs + 500 * 2 ** Math.min(times, 6), why);
  }

  /**
   * Blocks a subject whose action could not be sent, such as by a refused connection.
   * @param isExchangeUp true if a stream is open. Then the exchange runs, and each pause is 0.1 s.
   * Otherwise the pauses double from 0.1 s to 2 s.
   */
  onUnsent(subject: string, nowMs: Ms, why: string, isExchangeUp: boolean): void {
    const times = isExchangeUp ? 0 : (this.#unsent.get(subject)?.times ?? 0);
    const untilMs = nowMs + Math.min(MOST_UNSENT_MS, FIRST_UNSENT_MS * 2 ** Math.min(times, 10));
    this.#unsent.set(subject, { times: times + 1, untilMs });
    this.holdUntil(subject, untilMs, why);
  }

  /** The exchange can be reached: what is held longer than a first pause is retried at once. */
  onReachable(): void {
    for (const [subject, { times, untilMs }] of this.#unsent) {
      // A later block has another cause.
      if (times > 1 && this.#untilMs.get(subject) === untilMs)
        this.#untilMs.set(subject, Number.NEGATIVE_INFINITY);
    }
    this.#unsent.clear();
  }

  onSuccess(subject: string): void {
    this.#refusals.delete(subject);
    this.#reasons.delete(subject);
  }

  /**
   * True if any subject is blocked, or was until recently and {@link expire} has not removed it.
   */
  get isActive(): boolean {
    return this.#untilMs.size > 0;
  }

  isHeld(subject: string, nowMs: Ms): boolean {
    return nowMs < (this.#untilMs.get(subject) ?? Number.NEGATIVE_INFINITY);
  }

  /** Why a subject is blocked, or was until recently. */
  reasonFor(subject: string, nowMs: Ms): string | undefined {
    const held = this.#reasons.get(subject);
    return held !== undefined && nowMs < held.untilMs ? held.why : undefined;
  }

  /** Removes expired blocks; true if there were any. */
  expire(nowMs: Ms): boolean {
    for (const [subject, { untilMs }] of this.#reasons)
      if (nowMs >= untilMs) this.#reasons.delete(subject);
    for (const [subject, { untilMs }] of this.#unsent)
      if (nowMs >= untilMs + UNSENT_FORGOTTEN_MS) this.#unsent.delete(subject);
    let any = false;
    for (const [subject, untilMs] of this.#untilMs) {
      if (nowMs < untilMs) continue;
      this.#untilMs.delete(subject);
      any = true;
    }
    return any;
  }
}
