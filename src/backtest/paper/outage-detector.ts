import type { Ms } from "../../core/units.js";
import type { Action, VenueEvent } from "../../exchange/venue.js";
import { HeldRequests, type HeldRequestsOptions } from "../venue/latency/queued-requests.js";

/** What a line is watched with. */
export interface SilentLineOptions extends HeldRequestsOptions {
  /** A line that nothing came by for so long is taken for dead. */
  readonly silentMs: Ms;
}

/**
 * The line to an exchange, as far as what comes by it tells: a request that leaves while it is silent may not have arrived, and paper that takes it all
 * the same would have every quote down before the market moves. It waits for a sign of life; after its time nobody knows what became of it, and it never arrives.
 */
export class SilentLine {
  readonly #options: SilentLineOptions;
  readonly #held: HeldRequests;
  #heardMs = Number.POSITIVE_INFINITY;

  constructor(options: SilentLineOptions) {
    this.#options = options;
    this.#held = new HeldRequests(options);
  }

  /** Whether nothing comes by it. Before the first sign of life it is taken to be well. */
  get isSilent(): boolean {
    const { clock, silentMs } = this.#options;
    return clock.monotonicMs() - this.#heardMs > silentMs;
  }

  /** Something came by it, or word that it is down: then until a book is told anew, since it may have passed what rests. */
  hear(event: VenueEvent): void {
    if (event.type === "stream" && event.state === "down") this.#heardMs = Number.NEGATIVE_INFINITY;
    const isDown = this.#heardMs === Number.NEGATIVE_INFINITY;
    const isLife = isDown
      ? event.type === "book-snapshot"
      : event.type !== "answer" || event.outcome.result === "answered";
    if (isLife) this.#heardMs = this.#options.clock.monotonicMs();
  }

  /** Keeps a request until there is a sign of life. */
  hold(action: Action): void {
    this.#held.hold(action);
  }

  /** Takes out what arrives now, in its order: nothing while the line is silent. */
  release(): Action[] {
    return this.isSilent ? [] : this.#held.release();
  }

  /** Forgets what it keeps. */
  close(): void {
    this.#held.close();
  }
}
