import { FormatError, MarketwrightError } from "./errors.js";
import type { Ms } from "./units.js";

/**
 * A budget's record as plain JSON, for the state directory. Times are wall-clock, because they
 * outlive the process.
 */
export interface RateBudgetRecord {
  /** Times of spent tokens, oldest first: `[wallMs, tokens]`. */
  readonly spends: readonly (readonly [Ms, number])[];
  /** End of a block by the exchange; 0 if there is none. */
  readonly blockedUntilWallMs: Ms;
}

/** One moment on both clocks, which relates the budget's clock to the wall clock. */
export interface BudgetMoment {
  readonly nowMs: Ms;
  readonly wallMs: Ms;
}

/**
 * Spends as parallel columns, shared by all versions of a budget. A version reads its own range,
 * which never changes.
 */
interface SpendLog {
  readonly atMs: number[];
  /** Tokens spent since the start of the log, through the same row. */
  readonly total: number[];
}

const COMPACT_FROM_ROWS = 256;

/**
 * Requests that an exchange will still accept: at most `limit` tokens in every sliding window of
 * `intervalMs`, counted when spent (docs/reference/protocol.md#rate-limits). A token spent at t is
 * free again at t + intervalMs. An immutable value: each change returns a new one, and an old one
 * keeps its results. Queries take O(log n), changes O(1) amortised. Times are milliseconds of one
 * clock that never steps (`Clock.monotonicMs`), because a step could empty the window too early. A
 * time before the last spend counts as that spend's.
 */
export class RateBudget {
  readonly limit: number;
  readonly intervalMs: Ms;
  /**
   * Nothing is available before this time, because of a 429 or 418; -Infinity when there was none.
   */
  readonly blockedUntilMs: Ms;
  readonly #log: SpendLog;
  readonly #start: number;
  readonly #end: number;

  private constructor(
    limit: number,
    intervalMs: Ms,
    blockedUntilMs: Ms,
    log: SpendLog,
    start: number,
    end: number,
  ) {
    this.limit = limit;
    this.intervalMs = intervalMs;
    this.blockedUntilMs = blockedUntilMs;
    this.#log = log;
    this.#start = start;
    this.#end = end;
  }

  /**
   * Creates an unspent budget.
   * @throws MarketwrightError when `limit` is not a positive integer, or `intervalMs` not a
   * positive number.
   */
  static create(limit: number, intervalMs: Ms): RateBudget {
    if (!Number.isSafeInteger(limit) || limit < 1) {
      throw new MarketwrightError("not a limit", {
        field: "limit",
        value: limit,
        expected: "a positive integer of tokens",
      });
    }
    if (!Number.isFinite(intervalMs) || intervalMs <= 0) {
      throw new MarketwrightError("not an interval", {
        field: "intervalMs",
        value: intervalMs,
        expected: "milliseconds above zero",
      });
    }
    return new RateBudget(
      limit,
      intervalMs,
      Number.NEGATIVE_INFINITY,
      { atMs: [], total: [] },
      0,
      0,
    );
  }

  /** Tokens that may be spent at `nowMs`; never negative. */
  available(nowMs: Ms): number {
    return nowMs < this.blockedUntilMs ? 0 : Math.max(0, this.limit - this.spent(nowMs));
  }

  /**
   * Tokens spent in the window that ends at `nowMs`; above `limit` if other processes use the same
   * account.
   */
  spent(nowMs: Ms): number {
    return this.#totalAt(this.#end) - this.#totalAt(this.#firstLive(nowMs));
  }

  /**
   * Returns the earliest time, `nowMs` or later, at which `tokens` are available if nothing else is
   * spent; Infinity when that is more than the limit.
   */
  earliestMs(nowMs: Ms, tokens: number): Ms {
    if (requireTokens(tokens) === 0) {
      return nowMs;
    }
    if (tokens > this.limit) {
      return Number.POSITIVE_INFINITY;
    }
    const openMs = Math.max(nowMs, this.blockedUntilMs);
    const mustBeFree = this.#totalAt(this.#end) + tokens - this.limit;
    if (mustBeFree <= this.#totalAt(this.#firstLive(openMs))) {
      return openMs;
    }
    let low = this.#start;
    let high = this.#end - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#log.total[middle] as number) >= mustBeFree) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return Math.max(openMs, (this.#log.atMs[low] as number) + this.intervalMs);
  }

  /**
   * Spends `tokens` at `nowMs`.
   * @throws MarketwrightError when too few are available: the dispatcher must check first.
   */
  spend(nowMs: Ms, tokens: number): RateBudget {
    const available = this.available(nowMs);
    if (requireTokens(tokens) > available) {
      throw new MarketwrightError("spends more than the rate budget holds", {
        field: "tokens",
        value: tokens,
        expected: `at most ${available} at this instant`,
      });
    }
    return this.charge(nowMs, tokens);
  }

  /**
   * Counts tokens spent without this budget, by another process on the same account. May exceed the
   * limit.
   */
  charge(nowMs: Ms, tokens: number): RateBudget {
    if (requireTokens(tokens) === 0) {
      return this;
    }
    requireInstant(nowMs, "nowMs");
    const last =
      this.#end > this.#start
        ? (this.#log.atMs[this.#end - 1] as number)
        : Number.NEGATIVE_INFINITY;
    const atMs = Math.max(nowMs, last);
    const firstLive = this.#firstLive(atMs);
    // Another version has already written past our end, or most of the log is expired: continue in
    // a separate log.
    const own =
      this.#log.atMs.length !== this.#end ||
      (firstLive >= COMPACT_FROM_ROWS && 2 * firstLive >= this.#end);
    const log = own ? this.#copyFrom(firstLive) : this.#log;
    log.total.push((log.total[log.total.length - 1] ?? 0) + tokens);
    log.atMs.push(atMs);
    return new RateBudget(
      this.limit,
      this.intervalMs,
      this.blockedUntilMs,
      log,
      own ? 0 : firstLive,
      log.atMs.length,
    );
  }

  /**
   * Returns tokens that were spent at `spentAtMs` for a request that never left. They are taken
   * from the newest spends at or before that time, so that no token is free too early. Tokens that
   * no such spend holds are not returned.
   */
  refund(spentAtMs: Ms, tokens: number): RateBudget {
    let left = requireTokens(tokens);
    requireInstant(spentAtMs, "spentAtMs");
    const log = this.#copyFrom(this.#start);
    let row = log.atMs.length - 1;
    while (row >= 0 && (log.atMs[row] as number) > spentAtMs) row--;
    for (; row >= 0 && left > 0; row--) {
      const held = (log.total[row] as number) - (log.total[row - 1] ?? 0);
      const taken = Math.min(held, left);
      left -= taken;
      for (let later = row; later < log.total.length; later++)
        log.total[later] = (log.total[later] as number) - taken;
      if (taken < held) continue;
      log.atMs.splice(row, 1);
      log.total.splice(row, 1);
    }
    return left === tokens
      ? this
      : new RateBudget(this.limit, this.intervalMs, this.blockedUntilMs, log, 0, log.atMs.length);
  }

  /**
   * Records a 429 or 418 of the exchange: nothing is available before `untilMs`. A later block is
   * kept. @throws MarketwrightError when `untilMs` is not finite.
   */
  throttledUntil(untilMs: Ms): RateBudget {
    requireInstant(untilMs, "untilMs");
    return untilMs > this.blockedUntilMs
      ? new RateBudget(this.limit, this.intervalMs, untilMs, this.#log, this.#start, this.#end)
      : this;
  }

  /**
   * Serialises the spends of the last window, so that a restart does not spend their tokens again.
   * @param slotMs spends within less than this after the first of a slot become one, dated as the
   * last of them. A restored budget frees a token later by less than `slotMs`, and never earlier.
   */
  serialise({ nowMs, wallMs }: BudgetMoment, slotMs: Ms = 0): RateBudgetRecord {
    const spends: [Ms, number][] = [];
    const { atMs } = this.#log;
    for (let row = this.#firstLive(nowMs), end = row; row < this.#end; row = end) {
      const slotEndMs = (atMs[row] as number) + slotMs;
      do end += 1;
      while (end < this.#end && (atMs[end] as number) < slotEndMs);
      spends.push([
        (atMs[end - 1] as number) - nowMs + wallMs,
        this.#totalAt(end) - this.#totalAt(row),
      ]);
    }
    return {
      spends,
      blockedUntilWallMs: this.blockedUntilMs > nowMs ? this.blockedUntilMs - nowMs + wallMs : 0,
    };
  }

  /**
   * Restores a budget from `record`. A spend in the future, because the wall clock was set back
   * meanwhile, counts as made just now, which is conservative.
   * @param record the result of {@link serialise}, read back from JSON.
   * @throws FormatError when `record` is anything else.
   */
  static restore(
    record: unknown,
    limit: number,
    intervalMs: Ms,
    { nowMs, wallMs }: BudgetMoment,
  ): RateBudget {
    const { spends, blockedUntilWallMs } = checkedRecord(record);
    let budget = RateBudget.create(limit, intervalMs);
    for (const [spentWallMs, tokens] of spends) {
      const ageMs = Math.max(0, wallMs - spentWallMs);
      if (ageMs < intervalMs) {
        budget = budget.charge(nowMs - ageMs, tokens);
      }
    }
    return blockedUntilWallMs > wallMs
      ? budget.throttledUntil(nowMs + blockedUntilWallMs - wallMs)
      : budget;
  }

  /** The first row whose tokens are not yet free at `nowMs`. */
  #firstLive(nowMs: Ms): number {
    // Few tokens have become free since the last spend, where this version starts: a galloping
    // search from there reads the fewest rows.
    let low = this.#start;
    let reach = 1;
    while (
      low + reach <= this.#end &&
      (this.#log.atMs[low + reach - 1] as number) + this.intervalMs <= nowMs
    ) {
      low += reach;
      reach *= 2;
    }
    let high = Math.min(low + reach - 1, this.#end);
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#log.atMs[middle] as number) + this.intervalMs > nowMs) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /** Tokens spent in the log before `row`. */
  #totalAt(row: number): number {
    return row === 0 ? 0 : (this.#log.total[row - 1] as number);
  }

  #copyFrom(row: number): SpendLog {
    const before = this.#totalAt(row);
    return {
      atMs: this.#log.atMs.slice(row, this.#end),
      total: this.#log.total.slice(row, this.#end).map((total) => total - before),
    };
  }
}

function requireInstant(instantMs: Ms, field: string): void {
  if (!Number.isFinite(instantMs)) {
    throw new MarketwrightError("not an instant", {
      field,
      value: instantMs,
      expected: "a finite number of milliseconds",
    });
  }
}

function requireTokens(tokens: number): number {
  if (!Number.isSafeInteger(tokens) || tokens < 0) {
    throw new MarketwrightError("not a number of tokens", {
      field: "tokens",
      value: tokens,
      expected: "an integer, zero or above",
    });
  }
  return tokens;
}

function checkedRecord(record: unknown): RateBudgetRecord {
  const candidate = record as Partial<RateBudgetRecord> | null | undefined;
  const spends = candidate?.spends;
  const blockedUntilWallMs = candidate?.blockedUntilWallMs;
  const isSpend = (spend: unknown): boolean =>
    Array.isArray(spend) &&
    spend.length === 2 &&
    Number.isFinite(spend[0]) &&
    Number.isSafeInteger(spend[1]) &&
    spend[1] > 0;
  if (!Array.isArray(spends) || !spends.every(isSpend)) {
    throw new FormatError("not a stored rate budget", {
      field: "spends",
      value: spends,
      expected: "pairs [wallMs, tokens]",
    });
  }
  if (typeof blockedUntilWallMs !== "number" || !Number.isFinite(blockedUntilWallMs)) {
    throw new FormatError("not a stored rate budget", {
      field: "blockedUntilWallMs",
      value: blockedUntilWallMs,
      expected: "wall milliseconds, or 0",
    });
  }
  return { spends, blockedUntilWallMs };
}
