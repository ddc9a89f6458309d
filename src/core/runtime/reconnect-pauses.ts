import type { Ms } from "../units.js";
import type { Runtime } from "./runtime.js";

/** Pauses before a connection is opened again. */
export interface ReconnectTimings {
  /** The first pause. It doubles with each failure; its upper half is random. */
  readonly reconnectMinMs: Ms;
  /** The longest pause before opening again. */
  readonly reconnectMaxMs: Ms;
  /** Age of a connection after which the pauses start over. */
  readonly stableAfterMs: Ms;
}

/** Growing random pauses between the attempts to open one connection. */
export class ReconnectPauses {
  readonly #timings: ReconnectTimings;
  readonly #runtime: Runtime;
  #failures = 0;
  #upSinceMs: Ms | undefined;

  constructor(timings: ReconnectTimings, runtime: Runtime) {
    this.#timings = timings;
    this.#runtime = runtime;
  }

  /** The connection is open. */
  onUp(): void {
    this.#upSinceMs = this.#runtime.clock.monotonicMs();
  }

  /** The connection was lost, or could not be opened. */
  onFailure(): void {
    const upSinceMs = this.#upSinceMs;
    this.#upSinceMs = undefined;
    const isStable =
      upSinceMs !== undefined &&
      this.#runtime.clock.monotonicMs() - upSinceMs >= this.#timings.stableAfterMs;
    this.#failures = isStable ? 1 : this.#failures + 1;
  }

  /** Forgets earlier failures: the connection was closed on purpose. */
  reset(): void {
    this.#failures = 0;
    this.#upSinceMs = undefined;
  }

  /** The pause before the next attempt. Each call draws a random number. */
  nextMs(): Ms {
    const { reconnectMinMs, reconnectMaxMs } = this.#timings;
    const pauseMs = Math.min(
      reconnectMaxMs,
      reconnectMinMs * 2 ** Math.min(this.#failures - 1, 30),
    );
    return Math.ceil(pauseMs * (0.5 + 0.5 * this.#runtime.random.uniform()));
  }
}
