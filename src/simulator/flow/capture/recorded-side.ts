import { RunError } from "../../../core/errors.js";
import type { Lots, Side, Ticks } from "../../../core/units.js";

const INITIAL_CAPACITY = 1_024;

/**
 * One side of a recorded book: three parallel typed arrays sorted so that the best is last, since nearly every change is
 * near the touch and then moves little memory. `recorded` is what the capture says, `consumed` what participants' takers
 * have taken from it since that level last changed.
 */
export class RecordedSide {
  /** +1 where a higher price is better (bids), -1 for asks. */
  readonly #direction: 1 | -1;
  #ticks = new Float64Array(INITIAL_CAPACITY);
  #recorded = new Float64Array(INITIAL_CAPACITY);
  #consumed = new Float64Array(INITIAL_CAPACITY);
  #size = 0;

  constructor(side: Side) {
    this.#direction = side === "BUY" ? 1 : -1;
  }

  /** How many levels the capture has here, those that participants have emptied included. */
  get levels(): number {
    return this.#size;
  }

  /** The best price that still displays something, or undefined. */
  best(): Ticks | undefined {
    for (let at = this.#size - 1; at >= 0; at -= 1) {
      if (this.#recorded[at] > this.#consumed[at]) return this.#ticks[at];
    }
    return undefined;
  }

  /** What this price displays: recorded less consumed. */
  displayed(ticks: Ticks): Lots {
    const at = this.#indexOf(ticks);
    return this.#holds(at, ticks) ? this.#recorded[at] - this.#consumed[at] : 0;
  }

  /** Sets a level's absolute amount, 0 to delete it. Only a real change resets what was consumed. Says whether it was one. */
  set(ticks: Ticks, lots: Lots): boolean {
    const at = this.#indexOf(ticks);
    if (this.#holds(at, ticks)) {
      if (this.#recorded[at] === lots) return false;
      if (lots === 0) {
        this.#removeAt(at);
      } else {
        this.#recorded[at] = lots;
        this.#consumed[at] = 0;
      }
      return true;
    }
    if (lots === 0) return false;
    this.#insert(at, ticks, lots);
    return true;
  }

  /**
   * Overwrites the price range that a snapshot covers (flat pairs of ticks and lots): from the best down to its worst
   * level, everything that the snapshot lacks is deleted. Levels beyond its worst stay. `changed` hears of every level
   * whose recorded amount changed.
   */
  overwrite(pairs: readonly number[], changed: (ticks: Ticks, lots: Lots) => void): void {
    const kept = new Map<Ticks, Lots>();
    let worst: Ticks | undefined;
    for (let i = 0; i < pairs.length; i += 2) {
      const ticks = pairs[i];
      kept.set(ticks, pairs[i + 1]);
      if (worst === undefined || this.#direction * (ticks - worst) < 0) worst = ticks;
    }
    if (worst === undefined) return;
    for (
      let at = this.#size - 1;
      at >= 0 && this.#direction * (this.#ticks[at] - worst) >= 0;
      at -= 1
    ) {
      const ticks = this.#ticks[at];
      if (kept.has(ticks)) continue;
      this.#removeAt(at);
      changed(ticks, 0);
    }
    for (const [ticks, lots] of kept) {
      if (this.set(ticks, lots)) changed(ticks, lots);
    }
  }

  /** Takes `lots` of what this price displays. @throws RunError when it displays less. */
  take(ticks: Ticks, lots: Lots): void {
    const at = this.#indexOf(ticks);
    const left = this.#holds(at, ticks) ? this.#recorded[at] - this.#consumed[at] : 0;
    if (!(lots >= 0 && lots <= left)) {
      throw new RunError("more taken from a recorded level than it displays", {
        field: `level ${ticks}`,
        value: lots,
        expected: `at most ${left} lots`,
      });
    }
    if (lots > 0) this.#consumed[at] += lots;
  }

  /** Visits the displayed levels from the best on, until `visit` returns false. */
  walk(visit: (ticks: Ticks, lots: Lots) => boolean): void {
    for (let at = this.#size - 1; at >= 0; at -= 1) {
      const lots = this.#recorded[at] - this.#consumed[at];
      if (lots > 0 && !visit(this.#ticks[at], lots)) return;
    }
  }

  /** Where this price is, or where it would go: the first index whose price is not worse. */
  #indexOf(ticks: Ticks): number {
    let low = 0;
    let high = this.#size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#direction * (this.#ticks[middle] - ticks) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #holds(at: number, ticks: Ticks): boolean {
    return at < this.#size && this.#ticks[at] === ticks;
  }

  #insert(at: number, ticks: Ticks, lots: Lots): void {
    if (this.#size === this.#ticks.length) this.#grow();
    for (const column of [this.#ticks, this.#recorded, this.#consumed])
      column.copyWithin(at + 1, at, this.#size);
    this.#ticks[at] = ticks;
    this.#recorded[at] = lots;
    this.#consumed[at] = 0;
    this.#size += 1;
  }

  #removeAt(at: number): void {
    for (const column of [this.#ticks, this.#recorded, this.#consumed])
      column.copyWithin(at, at + 1, this.#size);
    this.#size -= 1;
  }

  #grow(): void {
    const widen = (column: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> => {
      const wider = new Float64Array(column.length * 2);
      wider.set(column);
      return wider;
    };
    this.#ticks = widen(this.#ticks);
    this.#recorded = widen(this.#recorded);
    this.#consumed = widen(this.#consumed);
  }
}
