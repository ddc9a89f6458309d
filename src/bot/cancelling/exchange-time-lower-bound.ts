import type { Clock } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";
import { SharedRead } from "./shared-read.js";

/**
 * A lower bound of the exchange's time: queried once, then advanced by this machine's monotonic
 * clock. It never runs ahead, so a request that has expired by this time has expired at the
 * exchange too.
 */
export class ExchangeTimeLowerBound {
  readonly #clock: Clock;
  readonly #reading: SharedRead<{ readonly serverMs: Ms; readonly atMonotonicMs: Ms }>;

  /**
   * @param ask reads the exchange's clock; undefined if it was stopped before the query was sent.
   */
  constructor(clock: Clock, ask: () => Promise<Ms | undefined>) {
    this.#clock = clock;
    this.#reading = new SharedRead(async () => {
      const serverMs = await ask();
      return serverMs === undefined ? undefined : { serverMs, atMonotonicMs: clock.monotonicMs() };
    });
  }

  /**
   * The lower bound; minus infinity, which is earlier than anything, if the query was stopped.
   * @throws what the query throws. The next call queries again after either.
   */
  async nowMs(): Promise<Ms> {
    const reading = await this.#reading.latest();
    return reading === undefined
      ? Number.NEGATIVE_INFINITY
      : reading.serverMs + this.#clock.monotonicMs() - reading.atMonotonicMs;
  }
}
