import type { Ms } from "../units.js";

/** A timer that has been set. Cancelling twice, or after it fired, does nothing. */
export interface Timer {
  cancel(): void;
}

/** The only source of time and timers in the project: the machine's, or virtual. */
export interface Clock {
  /** Wall time, integer milliseconds since the epoch. May step. */
  nowMs(): Ms;
  /** A monotonic clock in milliseconds with fractions; its zero has no meaning. */
  monotonicMs(): number;
  /** Runs `fire` once, `delayMs` from now (never synchronously, zero included). */
  setTimer(delayMs: Ms, fire: () => void): Timer;
}

/** The only source of randomness in the project: cryptographic when live, seeded otherwise. */
export interface Random {
  /** Uniform in [0, 1). */
  uniform(): number;
  /** Uniform over the unsigned 64-bit integers. */
  uint64(): bigint;
}

/** Time, timers and randomness together: passed to each layer in place of the globals. */
export interface Runtime {
  readonly clock: Clock;
  readonly random: Random;
}
