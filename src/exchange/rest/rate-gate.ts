import { MarketwrightError, RunError } from "../../core/errors.js";
import { RateBudget } from "../../core/rate-budget.js";
import type { Clock, Timer } from "../../core/runtime/runtime.js";
import { DEFAULT_TOKEN_LIMITS } from "../../core/token-limits.js";
import type { Ms } from "../../core/units.js";
import type { OperationName } from "../protocol/operations.js";
import { RATE_BUCKETS, type RateBuckets } from "../rate-buckets.js";

/** A limit of `exchangeInfo.rateLimits`; several of one name apply together. */
export interface RateLimitRule {
  readonly name: string;
  /** Calls within `intervalMs`. */
  readonly limit: number;
  readonly intervalMs: Ms;
}

/** Options of a gate. */
export interface RateGateOptions {
  readonly clock: Clock;
  /** The limits of each operation, if they differ from {@link RATE_BUCKETS}. */
  readonly buckets?: Partial<RateBuckets>;
  /** The limits in force before {@link RateGate.setLimits}. */
  readonly limits?: readonly RateLimitRule[];
  /** Calls that would wait longer are rejected; default 60000. */
  readonly maxWaitMs?: Ms;
}

/** The limits in force until exchangeInfo is read. */
export const DEFAULT_LIMITS: readonly RateLimitRule[] = [
  { name: "COMMON", ...DEFAULT_TOKEN_LIMITS.COMMON },
  { name: "ORDER", ...DEFAULT_TOKEN_LIMITS.ORDER },
];

/**
 * A call that was not made: the budget is spent for longer than a call may wait, or the exchange
 * has banned this address.
 * @example
 * ```ts
 * import { RateLimitError } from "marketwright/exchange";
 *
 * const error = new RateLimitError("placeOrder", 250, false);
 * error.message; // => "the rate budget is spent: placeOrder may be sent again in 250 ms"
 * error.isBan; // => false
 * ```
 */
export class RateLimitError extends RunError {
  readonly operation: OperationName;
  /**
   * Time until a retry makes sense; Infinity until {@link RateGate.resume} after a ban without an
   * end.
   */
  readonly retryAfterMs: Ms;
  /** 418: the exchange has banned this address. */
  readonly isBan: boolean;

  constructor(operation: OperationName, retryAfterMs: Ms, isBan: boolean) {
    const when = Number.isFinite(retryAfterMs)
      ? `again in ${Math.ceil(retryAfterMs)} ms`
      : "until the client is resumed";
    super(
      isBan
        ? `the exchange has banned this address: no call ${when}`
        : `the rate budget is spent: ${operation} may be sent ${when}`,
    );
    this.operation = operation;
    this.retryAfterMs = retryAfterMs;
    this.isBan = isBan;
  }
}

interface Waiter {
  readonly name: OperationName;
  readonly admitted: () => void;
  readonly refused: (error: Error) => void;
}

const DEFAULT_MAX_WAIT_MS = 60_000;
const CANCELS: ReadonlySet<OperationName> = new Set(["cancelOrder", "cancelAllOpenOrders"]);

/**
 * The rate budget of one address, shared by everything in a process that is given the same gate:
 * sliding windows per limit, cancels before all else, the rest in the order of asking. A 429 shuts
 * every limit until `Retry-After` or a whole window has passed, since it does not say which one it
 * was; a 418 refuses every call until its term is over or {@link RateGate.resume} is called.
 * @example
 * ```ts
 * import { createLiveRuntime, RateGate } from "marketwright/exchange";
 *
 * const gate = new RateGate({
 *   clock: createLiveRuntime().clock,
 *   limits: [{ name: "COMMON", limit: 2, intervalMs: 60_000 }],
 * });
 * gate.available("orderbook"); // => 2
 * gate.tryAdmit("orderbook"); // => 0
 * gate.available("orderbook"); // => 1
 * ```
 */
export class RateGate {
  readonly #clock: Clock;
  readonly #buckets: RateBuckets;
  readonly #maxWaitMs: Ms;
  #budgets: { readonly name: string; budget: RateBudget }[] = [];
  #bannedUntilMs = Number.NEGATIVE_INFINITY;
  #waiters: Waiter[] = [];
  #timer: Timer | undefined;

  constructor({
    clock,
    buckets = {},
    limits = DEFAULT_LIMITS,
    maxWaitMs = DEFAULT_MAX_WAIT_MS,
  }: RateGateOptions) {
    this.#clock = clock;
    this.#buckets = { ...RATE_BUCKETS, ...buckets };
    this.#maxWaitMs = maxWaitMs;
    this.setLimits(limits);
  }

  /**
   * Applies the exchange's limits. Tokens spent under a limit of the same name and window stay
   * spent.
   */
  setLimits(limits: readonly RateLimitRule[]): void {
    const nowMs = this.#clock.monotonicMs();
    const before = this.#budgets;
    // A limit of 0 is disabled: an exchange that accepted no requests would not express it by a
    // budget.
    const inForce = limits.filter(({ limit }) => limit > 0);
    this.#budgets = inForce.map(({ name, limit, intervalMs }) => {
      const held =
        before.find((other) => other.name === name && other.budget.intervalMs === intervalMs) ??
        before.find((other) => other.name === name);
      if (held === undefined) return { name, budget: RateBudget.create(limit, intervalMs) };
      const { budget } = held;
      if (budget.limit === limit && budget.intervalMs === intervalMs) return { name, budget };
      const moment = { nowMs, wallMs: nowMs };
      return {
        name,
        budget: RateBudget.restore(budget.serialise(moment), limit, intervalMs, moment),
      };
    });
    this.#pump();
  }

  /** Returns the number of calls of an operation that may go now. */
  available(name: OperationName): number {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < this.#bannedUntilMs) return 0;
    return Math.min(
      Number.POSITIVE_INFINITY,
      ...this.#of(name).map(({ budget }) => budget.available(nowMs)),
    );
  }

  /** Returns the interval between calls of an operation that is sustainable forever. */
  evenlyMs(name: OperationName): Ms {
    return Math.max(0, ...this.#of(name).map(({ budget }) => budget.intervalMs / budget.limit));
  }

  /**
   * Counts a call that goes now. @returns the time to wait if it may not go; 0 when it was counted.
   * @param kept tokens of each limit that must remain after it; a limit with no more than these
   * must be full.
   */
  tryAdmit(name: OperationName, kept = 0): Ms {
    const nowMs = this.#clock.monotonicMs();
    const waitMs = this.#waitMs(name, nowMs, kept);
    if (waitMs === 0) for (const held of this.#of(name)) held.budget = held.budget.spend(nowMs, 1);
    return waitMs;
  }

  /**
   * Resolves when a call may go and is counted.
   * @throws RateLimitError when the wait would exceed `maxWaitMs`, or the address is banned;
   * MarketwrightError when it was aborted.
   */
  admit(name: OperationName, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return Promise.reject(aborted(name));
    const isFree = !this.#waiters.some((waiter) => this.#collide(waiter.name, name));
    const waitMs = isFree ? this.tryAdmit(name) : this.#waitMs(name, this.#clock.monotonicMs());
    if (isFree && waitMs === 0) return Promise.resolve();
    const isBan = this.#isBanned;
    if (isBan || waitMs > this.#maxWaitMs)
      return Promise.reject(new RateLimitError(name, waitMs, isBan));
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#waiters = this.#waiters.filter((other) => other !== waiter);
        this.#pump();
        reject(aborted(name));
      };
      const waiter: Waiter = {
        name,
        admitted: () => {
          signal?.removeEventListener("abort", abort);
          resolve();
        },
        refused: (error) => {
          signal?.removeEventListener("abort", abort);
          reject(error);
        },
      };
      signal?.addEventListener("abort", abort);
      // A place must never delay a cancel.
      const firstOther = this.#waiters.findIndex((other) => !CANCELS.has(other.name));
      if (CANCELS.has(name) && firstOther >= 0) this.#waiters.splice(firstOther, 0, waiter);
      else this.#waiters.push(waiter);
      this.#pump();
    });
  }

  /** Records a 429 or 418 of the exchange. */
  throttled(httpStatus: 429 | 418, retryAfterMs: Ms | undefined): void {
    const nowMs = this.#clock.monotonicMs();
    if (httpStatus === 418) {
      this.#bannedUntilMs = Math.max(
        this.#bannedUntilMs,
        nowMs + (retryAfterMs ?? Number.POSITIVE_INFINITY),
      );
      const waiters = this.#waiters;
      this.#waiters = [];
      for (const { name, refused } of waiters)
        refused(new RateLimitError(name, this.#bannedUntilMs - nowMs, true));
    } else {
      for (const held of this.#budgets)
        held.budget = held.budget.throttledUntil(nowMs + (retryAfterMs ?? held.budget.intervalMs));
    }
    this.#pump();
  }

  /** Ends a ban; the operator of the process decides that it is over. */
  resume(): void {
    this.#bannedUntilMs = Number.NEGATIVE_INFINITY;
    this.#pump();
  }

  get #isBanned(): boolean {
    return this.#clock.monotonicMs() < this.#bannedUntilMs;
  }

  #of(name: OperationName): { readonly name: string; budget: RateBudget }[] {
    const buckets = this.#buckets[name];
    return this.#budgets.filter((held) => buckets.includes(held.name));
  }

  #waitMs(name: OperationName, nowMs: Ms, kept = 0): Ms {
    const banMs = Math.max(0, this.#bannedUntilMs - nowMs);
    const waits = this.#of(name).map(
      ({ budget }) => budget.earliestMs(nowMs, Math.min(1 + kept, budget.limit)) - nowMs,
    );
    return Math.max(banMs, ...waits.map((waitMs) => Math.max(0, waitMs)));
  }

  #collide(one: OperationName, other: OperationName): boolean {
    return this.#buckets[one].some((bucket) => this.#buckets[other].includes(bucket));
  }

  /** Releases waiting calls in order: none overtakes another that waits for the same limit. */
  #pump(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const held: Waiter[] = [];
    let soonestMs = Number.POSITIVE_INFINITY;
    for (const waiter of this.#waiters) {
      const isBehind = held.some((other) => this.#collide(other.name, waiter.name));
      const waitMs = isBehind ? Number.POSITIVE_INFINITY : this.tryAdmit(waiter.name);
      if (waitMs === 0) {
        waiter.admitted();
      } else {
        held.push(waiter);
        soonestMs = Math.min(soonestMs, waitMs);
      }
    }
    this.#waiters = held;
    if (Number.isFinite(soonestMs))
      this.#timer = this.#clock.setTimer(Math.max(1, Math.ceil(soonestMs)), () => this.#pump());
  }
}

function aborted(name: OperationName): Error {
  return new MarketwrightError("the client was closed", {
    field: name,
    expected: "an open client",
  });
}
