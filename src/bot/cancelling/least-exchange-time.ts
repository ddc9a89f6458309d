import type { Clock } from "../../core/seam.js";
import type { Ms } from "../../core/units.js";
import { SharedRead } from "./shared-read.js";

/**
 * The exchange's time, or somewhat earlier: asked once, from then on counted by this machine's steady clock. It never runs ahead, so that
 * what the exchange takes no more by this time, it takes no more.
 */
export class LeastExchangeTime {
  readonly #clock: Clock;
  readonly #told: SharedRead<{ readonly serverMs: Ms; readonly atMonotonicMs: Ms }>;

  /** @param ask the exchange's clock. */
  constructor(clock: Clock, ask: () => Promise<Ms>) {
    this.#clock = clock;
    this.#told = new SharedRead(async () => ({ serverMs: await ask(), atMonotonicMs: clock.monotonicMs() }));
  }

  /** @throws what asking throws; it is asked again then. */
  async nowMs(): Promise<Ms> {
    const { serverMs, atMonotonicMs } = await this.#told.latest();
    return serverMs + this.#clock.monotonicMs() - atMonotonicMs;
  }
}
