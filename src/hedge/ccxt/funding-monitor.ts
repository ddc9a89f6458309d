import type { Clock, Timer } from "../../core/runtime/runtime.js";
import { MINUTE_MS, type Ms } from "../../core/units.js";

/** How often the announced funding of a contract is read. */
const EVERY_MS: Ms = MINUTE_MS;

/** Dependencies of {@link FundingMonitor}. */
export interface FundingMonitorDeps {
  readonly clock: Clock;
  /** Ids of the contracts. */
  readonly ids: readonly string[];
  /** Reads and reports one contract's funding. Rejects if it cannot be read. */
  readonly ask: (id: string) => Promise<void>;
}

/** Reads the announced funding of contracts by REST, at once and then every minute. */
export class FundingMonitor {
  readonly #deps: FundingMonitorDeps;
  #timer: Timer | undefined;

  constructor(deps: FundingMonitorDeps) {
    this.#deps = deps;
  }

  /** The streams are up. */
  start(): void {
    this.stop();
    // An announcement that cannot be read stays the last one, until its funding time has passed.
    for (const id of this.#deps.ids) this.#deps.ask(id).catch(() => {});
    this.#timer = this.#deps.clock.setTimer(EVERY_MS, () => this.start());
  }

  /** The streams are down, or closed. */
  stop(): void {
    this.#timer?.cancel();
  }
}
