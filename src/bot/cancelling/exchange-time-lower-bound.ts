import type { Clock } from "../../core/runtime/seam.js";
import type { Ms } from "../../core/units.js";
import { SharedRead } from "./shared-read.js";

/**
 * The exchange's time, or somewhat earlier: asked once, from then on counted by this machine's steady clock. It never runs ahead, so that
 * what the exchange takes no more by this time, it takes no more.
 */
export class ExchangeTimeLowerBound {
  readonly #clock: Clock;
  readonly #reading: SharedRead<{ readonly serverMs: Ms; readonly atMonotonicMs: Ms }>;

  /** @param ask the exchange's clock; undefined where it was given up before it was asked. */
  constructor(clock: Clock, ask: () => Promise<Ms | undefined>) {
    this.#clock = clock;
    this.#reading = new SharedRead(async () => {
      const serverMs = await ask();
      return serverMs === undefined ? undefined : { serverMs, atMonotonicMs: clock.monotonicMs() };
    });
  }

  /** Minus infinity, which is earlier than anything, where asking was given up. @throws what asking throws. It is asked again after either. */
  async nowMs(): Promise<Ms> {
    const told = await this.#reading.latest();
    return told === undefined
      ? Number.NEGATIVE_INFINITY
      : told.serverMs + this.#clock.monotonicMs() - told.atMonotonicMs;
  }
}
