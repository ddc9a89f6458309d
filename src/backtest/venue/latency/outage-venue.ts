import { NEVER, type Observable } from "rxjs";
import type { Timer } from "../../../core/runtime/runtime.js";
import type { MarketId } from "../../../core/units.js";
import type { Action, Venue, VenueEvent } from "../../../exchange/venue.js";
import type { Span } from "../../../history/spans.js";
import { QueuedRequests, type QueuedRequestsOptions } from "./queued-requests.js";

/** Options of a connection with outages. */
export interface OutageVenueOptions extends QueuedRequestsOptions {
  /** The venue behind the connection. */
  readonly venue: Venue;
  /** Times at which nothing gets through, on the bot's clock, ascending. */
  readonly outages: readonly Span[];
}

/**
 * The connection to a replayed exchange, with outages at known times. Requests sent in an outage
 * wait for its end, and are lost if that takes longer than the timeout.
 */
export class OutageVenue implements Venue {
  /** Never emits: the engine delivers every event itself, at its time. */
  readonly events$: Observable<VenueEvent> = NEVER;
  readonly #options: OutageVenueOptions;
  readonly #queued: QueuedRequests;
  #back: Timer | undefined;

  constructor(options: OutageVenueOptions) {
    this.#options = options;
    this.#queued = new QueuedRequests(options);
  }

  submit(action: Action): void {
    const { clock, outages, venue } = this.#options;
    const nowMs = clock.nowMs();
    const cut = outages.find(([fromMs, toMs]) => fromMs <= nowMs && nowMs < toMs);
    if (cut === undefined) {
      venue.submit(action);
      return;
    }
    this.#queued.add(action);
    this.#back ??= clock.setTimer(cut[1] - nowMs, () => {
      this.#back = undefined;
      for (const held of this.#queued.release()) venue.submit(held);
    });
  }

  resubscribe(marketId: MarketId): void {
    this.#options.venue.resubscribe(marketId);
  }

  close(): void {
    this.#back?.cancel();
    this.#queued.close();
    this.#options.venue.close();
  }
}
