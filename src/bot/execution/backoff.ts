import type { Ms } from "../../core/units.js";

/**
 * How long the reason of a hold is told after its end: what is held back anew each moment has one
 * all the time.
 */
const REASON_SHOWN_FOR_MS = 2_000;

/**
 * Reasons to wait, by subject (a slot, an order): what was stopped or refused is not tried again
 * before its time.
 */
export class Backoff {
  readonly #untilMs = new Map<string, Ms>();
  readonly #refusals = new Map<string, number>();
  readonly #reasons = new Map<string, { readonly why: string; readonly untilMs: Ms }>();

  /**
   * Holds a subject until an instant of the clock that never steps; a later one that stands is
   * kept. @param why in a trader's words.
   */
  holdUntil(subject: string, untilMs: Ms, why: string): void {
    this.#untilMs.set(subject, Math.max(untilMs, this.#untilMs.get(subject) ?? untilMs));
    this.#reasons.set(subject, { why, untilMs: untilMs + REASON_SHOWN_FOR_MS });
  }

  /**
   * Holds a subject for longer each time it is refused without a success between: 0.5 s doubling to
   * 32 s.
   */
  onRefusal(subject: string, nowMs: Ms, why: string): void {
    const times = this.#refusals.get(subject) ?? 0;
    this.#refusals.set(subject, times + 1);
    this.holdUntil(subject, nowMs + 500 * 2 ** Math.min(times, 6), why);
  }

  onSuccess(subject: string): void {
    this.#refusals.delete(subject);
    this.#reasons.delete(subject);
  }

  /**
   * Whether any subject is held, or was until just now and has not been let go by {@link expire}.
   */
  get isActive(): boolean {
    return this.#untilMs.size > 0;
  }

  isHeld(subject: string, nowMs: Ms): boolean {
    return nowMs < (this.#untilMs.get(subject) ?? Number.NEGATIVE_INFINITY);
  }

  /** Why a subject is held, or was until just now. */
  reasonFor(subject: string, nowMs: Ms): string | undefined {
    const told = this.#reasons.get(subject);
    return told !== undefined && nowMs < told.untilMs ? told.why : undefined;
  }

  /** Forgets what is over; true when anything was. */
  expire(nowMs: Ms): boolean {
    for (const [subject, { untilMs }] of this.#reasons)
      if (nowMs >= untilMs) this.#reasons.delete(subject);
    let any = false;
    for (const [subject, untilMs] of this.#untilMs) {
      if (nowMs < untilMs) continue;
      this.#untilMs.delete(subject);
      any = true;
    }
    return any;
  }
}
