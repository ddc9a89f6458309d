import { liquidationLane } from "../chain/transactions/transaction-job.js";
import type { Clock } from "../core/runtime/seam.js";
import type { Hex, Ms } from "../core/units.js";

/** Positions that are left alone for a while after something of theirs was refused. */
export class PositionCooldowns {
  readonly #clock: Clock;
  readonly #forMs: Ms;
  /** Until which instant of the clock that never steps, by lane. */
  readonly #untilMs = new Map<string, Ms>();

  constructor(clock: Clock, forMs: Ms) {
    this.#clock = clock;
    this.#forMs = forMs;
  }

  /** From now on. */
  start(victim: Hex, perp: Hex): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [lane, untilMs] of this.#untilMs) if (untilMs <= nowMs) this.#untilMs.delete(lane);
    this.#untilMs.set(liquidationLane(victim, perp), nowMs + this.#forMs);
  }

  /** Whether it is left alone now. */
  isCoolingDown(victim: Hex, perp: Hex): boolean {
    return (
      this.#clock.monotonicMs() <
      (this.#untilMs.get(liquidationLane(victim, perp)) ?? Number.NEGATIVE_INFINITY)
    );
  }
}
