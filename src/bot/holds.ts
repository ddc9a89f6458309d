import type { Ms } from "../core/units.js";

/** Reasons to wait, by subject (a slot, an order): what was stopped or refused is not tried again before its time. */
export class Holds {
  readonly #untilMs = new Map<string, Ms>();
  readonly #refusals = new Map<string, number>();

  /** Holds a subject until an instant of the clock that never steps; a later one that stands is kept. */
  hold(subject: string, untilMs: Ms): void {
    this.#untilMs.set(subject, Math.max(untilMs, this.#untilMs.get(subject) ?? untilMs));
  }

  /** Holds a subject for longer each time it is refused without a success between: 0.5 s doubling to 32 s. */
  refused(subject: string, nowMs: Ms): void {
    const times = this.#refusals.get(subject) ?? 0;
    this.#refusals.set(subject, times + 1);
    this.hold(subject, nowMs + 500 * 2 ** Math.min(times, 6));
  }

  succeeded(subject: string): void {
    this.#refusals.delete(subject);
  }

  holds(subject: string, nowMs: Ms): boolean {
    return nowMs < (this.#untilMs.get(subject) ?? Number.NEGATIVE_INFINITY);
  }

  /** Forgets what is over; true when anything was. */
  expire(nowMs: Ms): boolean {
    let any = false;
    for (const [subject, untilMs] of this.#untilMs) {
      if (nowMs < untilMs) continue;
      this.#untilMs.delete(subject);
      any = true;
    }
    return any;
  }
}
