import type { Ms } from "../core/units.js";

interface Owed {
  readonly sequence: number;
  readonly sinceMs: Ms;
  /** Time at which the stream was last seen not to have delivered it. */
  lackedAtMs: Ms;
}

/**
 * Detects a delayed market stream. A connection that delays everything by seconds has no gap and no
 * silence, and its book looks fresh. Public trades carry the exchange's time and raise the
 * suspicion. The proof is the book's sequence from REST, which is not delayed with the stream. Time
 * stamps alone prove nothing, because two clocks of an exchange may differ. Instants are of a clock
 * that never steps back.
 */
export class StreamLagDetector {
  #isSuspected = false;
  #owed: Owed | undefined;
  #lagMs: Ms = 0;

  /** True if the newest public trade came late and REST has not confirmed the book since. */
  get isSuspected(): boolean {
    return this.#isSuspected;
  }

  /** True if the stream is proven to be behind. */
  get isProven(): boolean {
    return this.#lagMs > 0 || this.#owed !== undefined;
  }

  /**
   * Applies the delay between the match of a public trade and its arrival. A trade in time ends all
   * suspicion.
   */
  traded(ageMs: Ms, allowedMs: Ms): void {
    if (ageMs > allowedMs) this.#isSuspected = true;
    else this.#clear();
  }

  /** Applies the book's sequence from REST, next to ours. */
  recordRestSequence(sequence: number, ownSequence: number, nowMs: Ms): void {
    if (ownSequence >= sequence) this.#clear();
    else if (this.#isSuspected) this.#owed ??= { sequence, sinceMs: nowMs, lackedAtMs: nowMs };
  }

  /** Checks our sequence a few times a second during a suspicion. */
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

  /** Resets the state after the book was invalidated: its sequence starts anew. */
  lost(): void {
    this.#owed = undefined;
  }

  /** Time at which a book with its last event at `heardAtMs` was last known to be right. */
  rightAtMs(lastEventAtMs: Ms): Ms {
    const laggedMs = lastEventAtMs - this.#lagMs;
    return this.#owed === undefined ? laggedMs : Math.min(laggedMs, this.#owed.sinceMs);
  }

  #clear(): void {
    this.#isSuspected = false;
    this.#owed = undefined;
    this.#lagMs = 0;
  }
}
