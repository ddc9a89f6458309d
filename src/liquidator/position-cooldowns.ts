import { liquidationLane } from "../chain/transactions/transaction-job.js";
import type { Clock } from "../core/runtime/runtime.js";
import type { Hex, Ms } from "../core/units.js";

/** Positions that are left alone for a while after a rejection. */
export class PositionCooldowns {
  readonly #clock: Clock;
  readonly #forMs: Ms;
  /** End of the cooldown on the monotonic clock, by lane. */
  readonly #untilMs = new Map<string, Ms>();

  constructor(clock: Clock, forMs: Ms) {
    this.#clock = clock;
    this.#forMs = forMs;
  }

  /** Starts the cooldown of a position. */
  start(victim: Hex, perp: Hex): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [lane, untilMs] of this.#untilMs) if (untilMs <= nowMs) this.#untilMs.delete(lane);
    this.#untilMs.set(liquidationLane(victim, perp), nowMs + this.#forMs);
  }

  /** Returns true during the cooldown. */
  isCoolingDown(victim: Hex, perp: Hex): boolean {
    return (
      this.#clock.monotonicMs() <
      (this.#untilMs.get(liquidationLane(victim, perp)) ?? Number.NEGATIVE_INFINITY)
    );
  }
}
