/**
 * Profit of fills of resting orders from moves of the mid soon after them. It is the sum of signed
 * lots times (the mid one horizon after the fill minus the mid at the fill), in lots times half
 * ticks, exact. Fills whose horizon is not over count with the present mid, so that the sum is
 * defined at every instant.
 */
export class AdverseSelection {
  readonly #horizonUs: number;
  #waiting: {
    readonly dueUs: number;
    readonly signedLots: bigint;
    readonly midHalfTicks: bigint;
  }[] = [];
  #place = 0;
  #settled = 0n;
  #openLots = 0n;
  #openAtFill = 0n;

  constructor(horizonUs: number) {
    this.#horizonUs = horizonUs;
  }

  /** The earliest instant at which a fill needs a mid. */
  get nextDueUs(): number {
    return this.#waiting[this.#place]?.dueUs ?? Number.POSITIVE_INFINITY;
  }

  fill(atUs: number, signedLots: number, midHalfTicks: number): void {
    const [lots, mid] = [BigInt(signedLots), BigInt(midHalfTicks)];
    this.#waiting.push({ dueUs: atUs + this.#horizonUs, signedLots: lots, midHalfTicks: mid });
    this.#openLots += lots;
    this.#openAtFill += lots * mid;
  }

  /** Sets the mid for all the time before `untilUs`. */
  settle(untilUs: number, midHalfTicks: number): void {
    const mid = BigInt(midHalfTicks);
    for (
      let fill = this.#waiting[this.#place];
      fill !== undefined && fill.dueUs < untilUs;
      fill = this.#waiting[this.#place]
    ) {
      this.#settled += fill.signedLots * (mid - fill.midHalfTicks);
      this.#openLots -= fill.signedLots;
      this.#openAtFill -= fill.signedLots * fill.midHalfTicks;
      this.#place += 1;
    }
    if (this.#place >= 1024 && 2 * this.#place >= this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#place);
      this.#place = 0;
    }
  }

  /** The sum at a mid, in lots times half ticks; 0 before the first fill. */
  at(midHalfTicks: number): bigint {
    return Number.isNaN(midHalfTicks)
      ? 0n
      : this.#settled + this.#openLots * BigInt(midHalfTicks) - this.#openAtFill;
  }
}
