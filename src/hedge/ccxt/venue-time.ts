import type { Clock } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";

/** One reading of an exchange's clock. */
export interface ClockReading {
  /** The exchange's time less this machine's. */
  readonly offsetMs: Ms;
  readonly roundTripMs: number;
}

/**
 * An exchange's time: this machine's monotonic clock, set by the exchange's own. A step of the
 * machine's wall clock does not move it.
 */
export class VenueTime {
  readonly #clock: Clock;
  #aheadMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#aheadMs = clock.nowMs() - clock.monotonicMs();
  }

  /** Now at the exchange, in whole milliseconds. */
  nowMs(): Ms {
    return Math.floor(this.#clock.monotonicMs() + this.#aheadMs);
  }

  /** Asks for the exchange's time and sets this clock by it. */
  async read(ask: () => Promise<Ms>): Promise<ClockReading> {
    const sentMs = this.#clock.monotonicMs();
    const venueMs = await ask();
    const roundTripMs = this.#clock.monotonicMs() - sentMs;
    this.#aheadMs = venueMs + roundTripMs / 2 - this.#clock.monotonicMs();
    return { offsetMs: this.nowMs() - this.#clock.nowMs(), roundTripMs };
  }
}
