import type { Ms } from "../../core/units.js";

/** Intervals between blocks that the rhythm is taken from. */
const REMEMBERED = 8;
const LEAST = 4;

/** Of the intervals that are remembered, so many must be near their median. */
const REGULAR_SHARE = 0.75;

/** Part of {@link BlockPollSchedule}'s longest wait that a look comes before the last one's place in the rhythm. */
const STEP_SHARE = 1 / 20;

/**
 * When to look for the next block. A chain that makes its blocks at regular times is asked just before the next one is due, and then
 * again at growing distances until it is there: about two looks a block, and it is seen within a few hundredths of a second. Any
 * other chain, and one whose blocks come faster than they are asked for, is looked at again and again at one interval.
 */
export class BlockPollSchedule {
  readonly #pollMs: Ms;
  readonly #stepMs: Ms;
  readonly #intervals: Ms[] = [];
  /** The last block, and when the look was begun that found it. */
  #last: { readonly number: number; readonly atMs: Ms } | undefined;
  /** Looks since then that came when the next block was due, and found none. */
  #misses = 0;
  /** How much earlier in the rhythm than the last time the next block is looked for. */
  #slackMs: Ms;

  /** @param pollMs how long is waited at most where no block is due. */
  constructor(pollMs: Ms) {
    this.#pollMs = pollMs;
    this.#stepMs = pollMs * STEP_SHARE;
    this.#slackMs = this.#stepMs;
  }

  /**
   * What a look has found.
   * @param number of the newest block, of which nothing more is heard where it has been told before.
   * @param atMs when the look was begun, by a clock that never goes back.
   */
  recordPoll(number: number, atMs: Ms): void {
    const last = this.#last;
    if (last === undefined || number < last.number) {
      this.#last = { number, atMs };
      return;
    }
    if (number === last.number) {
      if (this.#isDue(atMs)) this.#misses += 1;
      return;
    }
    // Found at the first look, it may have been there long before: the next is looked for earlier and earlier, until a look misses it.
    this.#slackMs = this.#misses > 0 ? this.#stepMs : Math.min(this.#pollMs, 2 * this.#slackMs);
    this.#misses = 0;
    this.#intervals.push((atMs - last.atMs) / (number - last.number));
    if (this.#intervals.length > REMEMBERED) this.#intervals.shift();
    this.#last = { number, atMs };
  }

  /** How long the next look waits. */
  waitMs(nowMs: Ms): Ms {
    const dueMs = this.#dueMs();
    if (dueMs === undefined) return this.#pollMs;
    if (this.#misses === 0) return Math.max(this.#stepMs, dueMs - nowMs);
    return Math.min(this.#pollMs, this.#stepMs * 2 ** (this.#misses - 1));
  }

  #isDue(atMs: Ms): boolean {
    const dueMs = this.#dueMs();
    return dueMs !== undefined && atMs >= dueMs;
  }

  /** When the next block is looked for first; undefined where the chain has no rhythm that is of use. */
  #dueMs(): Ms | undefined {
    const last = this.#last;
    const intervalMs = this.#intervalMs();
    return last === undefined || intervalMs === undefined
      ? undefined
      : last.atMs + intervalMs - this.#slackMs;
  }

  #intervalMs(): Ms | undefined {
    const sorted = [...this.#intervals].sort((a, b) => a - b);
    const median = sorted[sorted.length >> 1];
    if (median === undefined || sorted.length < LEAST || median <= this.#pollMs) return undefined;
    const near = sorted.filter((ms) => Math.abs(ms - median) <= Math.min(median / 4, this.#pollMs));
    return near.length >= REGULAR_SHARE * sorted.length ? median : undefined;
  }
}
