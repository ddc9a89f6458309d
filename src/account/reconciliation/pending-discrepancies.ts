import type { Ms } from "../../core/units.js";
import type { Difference } from "../account-change.js";

const NONE: readonly Difference[] = [];

/**
 * Facts that REST reported before the stream did. The stream may lag, or may have lost something. A
 * fact becomes a difference only if the stream does not report it within its lag.
 */
export class PendingDiscrepancies {
  readonly #waiting = new Map<string, { readonly difference: Difference; readonly dueMs: Ms }>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** Adds a discrepancy. The first one about a subject is kept. */
  add(subject: string, difference: Difference, dueMs: Ms): void {
    if (!this.#waiting.has(subject)) this.#waiting.set(subject, { difference, dueMs });
  }

  /** Removes a discrepancy that the stream has since reported. */
  clear(subject: string): void {
    this.#waiting.delete(subject);
  }

  /** Removes and returns the discrepancies that the stream did not report in time. */
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

  /** Moves due times back by `byMs` after the clock has stepped back. */
  shiftBack(byMs: Ms): void {
    for (const [subject, { difference, dueMs }] of this.#waiting)
      this.#waiting.set(subject, { difference, dueMs: dueMs - byMs });
  }
}
