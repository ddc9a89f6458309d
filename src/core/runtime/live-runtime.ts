import { randomFillSync } from "node:crypto";
import type { Ms } from "../units.js";
import type { Clock, Random, Runtime, Timer } from "./runtime.js";
import { toTimerDelayMs } from "./timer-delay.js";

/**
 * Node fires a timer at once when its delay does not fit a signed 32-bit integer, so longer ones
 * are split.
 */
const LONGEST_LEG_MS = 2 ** 31 - 1;
const RANDOM_POOL_WORDS = 512;

/**
 * The machine's own time, timers and randomness: the only runtime that places real orders. Its
 * randomness is cryptographic, because a repeated nonce is a repeated order hash. The only module
 * that may name the globals behind it.
 * @example
 * ```ts
 * import { createLiveRuntime } from "marketwright/exchange";
 *
 * const { clock, random } = createLiveRuntime();
 * const startMs = clock.monotonicMs();
 * await new Promise<void>((resolve) => clock.setTimer(5, resolve));
 * clock.monotonicMs() - startMs >= 4; // => true
 * random.uniform() < 1; // => true
 * ```
 */
export function createLiveRuntime(): Runtime {
  return { clock: new LiveClock(), random: new CryptographicRandom() };
}

class LiveClock implements Clock {
  nowMs(): Ms {
    return Date.now();
  }

  monotonicMs(): number {
    return performance.now();
  }

  setTimer(delayMs: Ms, fire: () => void): Timer {
    return new LiveTimer(performance.now() + toTimerDelayMs(delayMs), fire);
  }
}

class LiveTimer implements Timer {
  readonly #dueMs: number;
  readonly #fire: () => void;
  #handle: NodeJS.Timeout;

  constructor(dueMs: number, fire: () => void) {
    this.#dueMs = dueMs;
    this.#fire = fire;
    this.#handle = this.#nextLeg();
  }

  cancel(): void {
    clearTimeout(this.#handle);
  }

  #nextLeg(): NodeJS.Timeout {
    const remainingMs = this.#dueMs - performance.now();
    return remainingMs > LONGEST_LEG_MS
      ? setTimeout(() => {
          this.#handle = this.#nextLeg();
        }, LONGEST_LEG_MS)
      : setTimeout(this.#fire, Math.max(0, remainingMs));
  }
}

/**
 * Random words come from the operating system in batches: one system call for each nonce would be
 * slow in a burst.
 */
class CryptographicRandom implements Random {
  readonly #pool = new BigUint64Array(RANDOM_POOL_WORDS);
  #used = RANDOM_POOL_WORDS;

  uint64(): bigint {
    if (this.#used === RANDOM_POOL_WORDS) {
      randomFillSync(this.#pool);
      this.#used = 0;
    }
    const word = this.#pool[this.#used] as bigint;
    // A used nonce is erased from memory.
    this.#pool[this.#used] = 0n;
    this.#used += 1;
    return word;
  }

  uniform(): number {
    return Number(this.uint64() >> 11n) / 2 ** 53;
  }
}
