import type { Ms } from "../../core/units.js";
import type { Action, VenueEvent } from "../../exchange/venue.js";
import { QueuedRequests, type QueuedRequestsOptions } from "../venue/latency/queued-requests.js";

/** What a line is watched with. */
export interface OutageDetectorOptions extends QueuedRequestsOptions {
  /** A line that nothing came by for so long is taken for dead. */
  readonly maxSilenceMs: Ms;
}

/**
 * The line to an exchange, as far as what comes by it tells: a request that leaves while it is silent may not have arrived, and paper that takes it all
 * the same would have every quote down before the market moves. It waits for a sign of life; after its time nobody knows what became of it, and it never arrives.
 */
export class OutageDetector {
  readonly #options: OutageDetectorOptions;
  readonly #queued: QueuedRequests;
  #lastReceivedMs = Number.POSITIVE_INFINITY;

  constructor(options: OutageDetectorOptions) {
    this.#options = options;
    this.#queued = new QueuedRequests(options);
  }

  /** Whether nothing comes by it. Before the first sign of life it is taken to be well. */
  get isSilent(): boolean {
    const { clock, maxSilenceMs: silentMs } = this.#options;
    return clock.monotonicMs() - this.#lastReceivedMs > silentMs;
  }

  /** Something came by it, or word that it is down: then until a book is told anew, since it may have passed what rests. */
  onEvent(event: VenueEvent): void {
    if (event.type === "stream" && event.state === "down")
      this.#lastReceivedMs = Number.NEGATIVE_INFINITY;
    const isDown = this.#lastReceivedMs === Number.NEGATIVE_INFINITY;
    const isLife = isDown
      ? event.type === "book-snapshot"
      : event.type !== "answer" || event.outcome.result === "answered";
    if (isLife) this.#lastReceivedMs = this.#options.clock.monotonicMs();
  }

  /** Keeps a request until there is a sign of life. */
  queue(action: Action): void {
    this.#queued.add(action);
  }

  /** Takes out what arrives now, in its order: nothing while the line is silent. */
  release(): Action[] {
    return this.isSilent ? [] : this.#queued.release();
  }

  /** Forgets what it keeps. */
  close(): void {
    this.#queued.close();
  }
}
