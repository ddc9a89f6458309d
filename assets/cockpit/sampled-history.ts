/** A series of a history: exact texts, and the numbers that are drawn from them. */
export interface Series {
  readonly texts: (string | null)[];
  readonly values: (number | null)[];
}

/** Values of one instant by the names of their series. */
export type Sample = Readonly<Record<string, string | number | null | undefined>>;

/** How long a history reaches back. */
export const HISTORY_MS = 30 * 60_000;
const FINE_MS = 1_000;
const COARSE_MS = 5_000;
/** Fine samples that are kept before the oldest are thinned. */
const MOST_FINE = 360;
const THINNED_AT_ONCE = 60;

/**
 * The values of the last half hour, in bounded memory: one sample a second for some minutes, before
 * that one for each five seconds.
 */
export class SampledHistory {
  /** Instants of the samples, in milliseconds since 1970. */
  times: number[] = [];
  readonly #series = new Map<string, Series>();
  #coarse = 0;

  /** The newest sample of a second replaces the earlier ones of that second. */
  add(atMs: number, sample: Sample): void {
    // A bot whose clock was set back begins anew.
    if (atMs < (this.times.at(-1) ?? atMs) - COARSE_MS) this.#clear();
    const last = this.times.at(-1);
    const isSame = last !== undefined && Math.floor(atMs / FINE_MS) <= Math.floor(last / FINE_MS);
    const index = isSame ? this.times.length - 1 : this.times.length;
    this.times[index] = Math.max(atMs, last ?? atMs);
    for (const name of Object.keys(sample)) if (!this.#series.has(name)) this.#begin(name, index);
    for (const [name, { texts, values }] of this.#series) {
      const value = sample[name] ?? null;
      texts[index] = value === null ? null : String(value);
      values[index] = value === null ? null : Number(value);
    }
    if (!isSame) this.#bound(atMs);
  }

  /** A series by its name; without values if there is none. */
  series(name: string): Series {
    return this.#series.get(name) ?? { texts: [], values: this.times.map(() => null) };
  }

  #begin(name: string, length: number): void {
    this.#series.set(name, {
      texts: Array.from({ length }, () => null),
      values: Array.from({ length }, () => null),
    });
  }

  #bound(nowMs: number): void {
    if (this.times.length - this.#coarse < MOST_FINE) return;
    const end = this.#coarse + THINNED_AT_ONCE;
    // The last sample of each five seconds stays.
    const stays = (index: number): boolean =>
      index >= end ||
      (this.#isRecent(index, nowMs) &&
        (index < this.#coarse || slotOf(this.times[index + 1]) !== slotOf(this.times[index])));
    const kept = [...this.times.keys()].filter(stays);
    this.#coarse = kept.filter((index) => index < end).length;
    this.times = kept.map((index) => this.times[index] as number);
    for (const [name, { texts, values }] of this.#series) {
      this.#series.set(name, {
        texts: kept.map((index) => texts[index] ?? null),
        values: kept.map((index) => values[index] ?? null),
      });
    }
  }

  #isRecent(index: number, nowMs: number): boolean {
    return (this.times[index] as number) >= nowMs - HISTORY_MS;
  }

  #clear(): void {
    this.times = [];
    this.#coarse = 0;
    this.#series.clear();
  }
}

function slotOf(atMs: number | undefined): number {
  return Math.floor((atMs ?? Number.NaN) / COARSE_MS);
}
