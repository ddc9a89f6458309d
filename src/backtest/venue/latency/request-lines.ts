import type { Action } from "../../../exchange/venue.js";
import { DelayLine } from "./delay-line.js";
import type { LatencyModel } from "./latency.js";

/**
 * Requests in transit to the replayed exchange: one line per latency model. None overtakes another
 * on its line.
 */
export class RequestLines {
  readonly #byLatency = new Map<LatencyModel, DelayLine<Action>>();
  readonly #lines: DelayLine<Action>[] = [];

  #nextUs = Number.POSITIVE_INFINITY;

  /** When the first of all arrives; Infinity when none is in transit. */
  get nextUs(): number {
    return this.#nextUs;
  }

  /** Sends a request. */
  push(latency: LatencyModel, action: Action, dueUs: number): void {
    let line = this.#byLatency.get(latency);
    if (line === undefined) {
      line = new DelayLine();
      this.#byLatency.set(latency, line);
      this.#lines.push(line);
    }
    line.push(action, dueUs);
    this.#note();
  }

  /** Takes the first one out. Only when there is one. */
  take(): Action {
    const { nextUs } = this;
    const action = (this.#lines.find((line) => line.nextUs === nextUs) as DelayLine<Action>).take();
    this.#note();
    return action;
  }

  #note(): void {
    let nextUs = Number.POSITIVE_INFINITY;
    for (const line of this.#lines) if (line.nextUs < nextUs) nextUs = line.nextUs;
    this.#nextUs = nextUs;
  }
}
