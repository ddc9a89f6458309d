import type { Ms } from "../../core/units.js";
import type { Difference } from "../account-change.js";

const NONE: readonly Difference[] = [];

/**
 * What REST told before the stream did. It may be that the stream lags, or that it has lost something; only when the
 * stream has not told it within its lag is it a difference.
 */
export class PendingDiscrepancies {
  readonly #waiting = new Map<string, { readonly difference: Difference; readonly dueMs: Ms }>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** The first suspicion about a subject stands. */
  add(subject: string, difference: Difference, dueMs: Ms): void {
    if (!this.#waiting.has(subject)) this.#waiting.set(subject, { difference, dueMs });
  }

  /** The stream has told it after all. */
  clear(subject: string): void {
    this.#waiting.delete(subject);
  }

  /** Those that the stream has not told in time; each is given once. */
  takeDue(nowMs: Ms): readonly Difference[] {
    if (this.#waiting.size === 0) return NONE;
    const due: Difference[] = [];
    for (const [subject, { difference, dueMs }] of this.#waiting) {
      if (dueMs > nowMs) continue;
      due.push(difference);
      this.#waiting.delete(subject);
    }
    return due;
  }

  /** The clock has stepped back by so much: what was due at an instant is due that much earlier. */
  shiftBack(byMs: Ms): void {
    for (const [subject, { difference, dueMs }] of this.#waiting)
      this.#waiting.set(subject, { difference, dueMs: dueMs - byMs });
  }
}
