import type { Ms } from "../core/units.js";

interface Owed {
  readonly sequence: number;
  readonly sinceMs: Ms;
  /** When the stream was last seen not to have brought it. */
  lackedAtMs: Ms;
}

/**
 * Whether a market's stream tells late: a line that holds everything back by seconds has no gap and no silence, and the book that it
 * makes looks fresh. Public trades carry the exchange's time and raise the suspicion; what proves it is the book's sequence, which REST
 * tells without the stream's delay, since two clocks of an exchange may disagree. Instants are of a clock that never steps back.
 */
export class StreamLagDetector {
  #isSuspected = false;
  #owed: Owed | undefined;
  #lagMs: Ms = 0;

  /** Whether the newest public trade came late, and REST has not said since that the book is the exchange's own. */
  get isSuspected(): boolean {
    return this.#isSuspected;
  }

  /** Whether the stream is known to be behind. */
  get isProven(): boolean {
    return this.#lagMs > 0 || this.#owed !== undefined;
  }

  /** A public trade has come, so long after it was matched. One that came in time ends all suspicion. */
  traded(ageMs: Ms, allowedMs: Ms): void {
    if (ageMs > allowedMs) this.#isSuspected = true;
    else this.#clear();
  }

  /** REST has told where the exchange's book stands, and ours stands here. */
  recordRestSequence(sequence: number, ownSequence: number, nowMs: Ms): void {
    if (ownSequence >= sequence) this.#clear();
    else if (this.#isSuspected) this.#owed ??= { sequence, sinceMs: nowMs, lackedAtMs: nowMs };
  }

  /** A few times a second while it is suspected: how far the stream has come. */
  checkSequence(ownSequence: number, nowMs: Ms): void {
    const owed = this.#owed;
    if (owed === undefined) return;
    if (ownSequence < owed.sequence) {
      owed.lackedAtMs = nowMs;
      return;
    }
    this.#lagMs = owed.lackedAtMs - owed.sinceMs;
    this.#owed = undefined;
  }

  /** The book was lost: what comes next counts from another beginning. */
  lost(): void {
    this.#owed = undefined;
  }

  /** When a book that was last heard of at `heardAtMs` was last known to be right. */
  rightAtMs(heardAtMs: Ms): Ms {
    const laggedMs = heardAtMs - this.#lagMs;
    return this.#owed === undefined ? laggedMs : Math.min(laggedMs, this.#owed.sinceMs);
  }

  #clear(): void {
    this.#isSuspected = false;
    this.#owed = undefined;
    this.#lagMs = 0;
  }
}
