import { seededRandom } from "../../core/runtime/seeded-random.js";
import type { Ms } from "../../core/units.js";
import type { ExchangeState } from "../engine/exchange-state.js";
import type { Trade } from "../markets/market.js";
import type { PendingSettlement } from "./pending-settlement.js";
import type { OnSettlement, Settlement } from "./settlement.js";
import { SettlementQueue } from "./settlement-queue.js";

/** Settles or fails each match separately, a configured time after the match. */
export class DelayedSettlement implements Settlement {
  readonly maxMatchesTogether = 1;
  readonly #state: ExchangeState;
  readonly #waiting: SettlementQueue<PendingSettlement>;

  constructor(state: ExchangeState, turn: (run: () => void) => void, onSettlement: OnSettlement) {
    this.#state = state;
    this.#waiting = new SettlementQueue(state.runtime, (items) =>
      turn(() =>
        onSettlement(items.map((pending) => ({ pending, isSettled: !this.#fails(pending.trade) }))),
      ),
    );
  }

  get houseDelayMs(): Ms {
    return this.#state.config.settlement.delayMs;
  }

  get pending(): readonly PendingSettlement[] {
    return this.#waiting.items;
  }

  add(matches: readonly PendingSettlement[]): void {
    for (const pending of matches) {
      this.#waiting.add(pending, this.#state.config.settlement.delayMs);
    }
  }

  /** Restores a pending match. One that has become due settles at the start. */
  restore(pending: PendingSettlement): void {
    this.#waiting.load(pending, Math.max(0, pending.dueMs - this.#state.runtime.clock.nowMs()));
  }

  start(): void {
    this.#waiting.resume();
  }

  stop(): void {
    this.#waiting.stop();
  }

  /**
   * Decides from the seed and the trade's id alone, so that a restart does not change any trade's
   * outcome.
   */
  #fails({ id }: Trade): boolean {
    const { seed, settlement } = this.#state.config;
    const { failureRate } = settlement;
    return failureRate > 0 && seededRandom(`${seed} settlement ${id}`).uniform() < failureRate;
  }
}
