import type { Ms } from "../../core/units.js";
import type { Action, VenueEvent } from "../../exchange/venue.js";
import { QueuedRequests, type QueuedRequestsOptions } from "../venue/latency/queued-requests.js";

/** Options for watching a connection. */
export interface OutageDetectorOptions extends QueuedRequestsOptions {
  /** Silence after which a connection is taken to be down. */
  readonly maxSilenceMs: Ms;
}

/**
 * Detects outages of the connection to an exchange from the data that arrives. A request sent while
 * the connection is silent may not arrive. If paper trading accepted it anyway, every quote would
 * be cancelled before the market moves. So the request is queued until data arrives. After its time
 * limit its outcome is unknown, and it never arrives.
 */
export class OutageDetector {
  readonly #options: OutageDetectorOptions;
  readonly #queued: QueuedRequests;
  #lastReceivedMs = Number.POSITIVE_INFINITY;

  constructor(options: OutageDetectorOptions) {
    this.#options = options;
    this.#queued = new QueuedRequests(options);
  }

  /** True if no data arrives. Before the first data the connection is taken to work. */
  get isSilent(): boolean {
    const { clock, maxSilenceMs } = this.#options;
    return clock.monotonicMs() - this.#lastReceivedMs > maxSilenceMs;
  }

  /**
   * Data arrived, or a report that the connection is down. In that case the connection is silent
   * until a new book, since the market may have passed the resting orders.
   */
  onEvent(event: VenueEvent): void {
    if (event.type === "stream" && event.state === "down")
      this.#lastReceivedMs = Number.NEGATIVE_INFINITY;
    const isDown = this.#lastReceivedMs === Number.NEGATIVE_INFINITY;
    const isLife = isDown
      ? event.type === "book-snapshot"
      : event.type !== "answer" || event.outcome.result === "answered";
    if (isLife) this.#lastReceivedMs = this.#options.clock.monotonicMs();
  }

  /** Queues a request until data arrives. */
  queue(action: Action): void {
    this.#queued.add(action);
  }

  /**
   * Removes and returns the requests that arrive now, in order: none while the connection is
   * silent.
   */
  release(): Action[] {
    return this.isSilent ? [] : this.#queued.release();
  }

  /** Drops the queued requests. */
  close(): void {
    this.#queued.close();
  }
}
