import type { Ms } from "../../core/units.js";

/** Number of block intervals that the schedule is computed from. */
const REMEMBERED = 8;
const LEAST = 4;

/** Share of the remembered intervals that must be near their median. */
const REGULAR_SHARE = 0.75;

/**
 * Part of {@link BlockPollSchedule}'s longest wait by which a poll precedes the last block's phase.
 */
const STEP_SHARE = 1 / 20;

/**
 * Decides when to poll for the next block. If a chain produces blocks at regular intervals, it
 * polls just before the next one is due, then at growing delays until the block is there. That
 * takes about two polls a block, and detects it within a few hundredths of a second. Any other
 * chain, or one faster than the poll interval, is polled at a fixed interval.
 */
export class BlockPollSchedule {
  readonly #pollMs: Ms;
  readonly #stepMs: Ms;
  readonly #intervals: Ms[] = [];
  /** The last block, and the start time of the poll that found it. */
  #last: { readonly number: number; readonly atMs: Ms } | undefined;
  /** Polls since the last block that ran after the next one was due, and found none. */
  #misses = 0;
  /** Time by which the next poll precedes the last block's phase. */
  #slackMs: Ms;

  /** @param pollMs the longest wait when no block is due. */
  constructor(pollMs: Ms) {
    this.#pollMs = pollMs;
    this.#stepMs = pollMs * STEP_SHARE;
    this.#slackMs = this.#stepMs;
  }

  /**
   * Records the result of a poll.
   * @param number the newest block; a block that was recorded before adds nothing.
   * @param atMs start of the poll, by the monotonic clock.
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
    // A block found at the first poll may be much older. The next poll starts earlier and earlier,
    // until one finds no block.
    this.#slackMs = this.#misses > 0 ? this.#stepMs : Math.min(this.#pollMs, 2 * this.#slackMs);
    this.#misses = 0;
    this.#intervals.push((atMs - last.atMs) / (number - last.number));
    if (this.#intervals.length > REMEMBERED) this.#intervals.shift();
    this.#last = { number, atMs };
  }

  /** Returns the wait before the next poll. */
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

  /** Time of the first poll for the next block; undefined if the chain has no usable interval. */
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
