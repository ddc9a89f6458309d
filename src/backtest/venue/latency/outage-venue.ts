import { NEVER, type Observable } from "rxjs";
import type { Timer } from "../../../core/runtime/seam.js";
import type { MarketId } from "../../../core/units.js";
import type { Action, Venue, VenueEvent } from "../../../exchange/venue.js";
import type { Span } from "../../../history/spans.js";
import { QueuedRequests, type QueuedRequestsOptions } from "./queued-requests.js";

/** What a line that was cut is made of. */
export interface OutageVenueOptions extends QueuedRequestsOptions {
  /** Where it leads to. */
  readonly venue: Venue;
  /** When nothing gets through, on the bot's clock, ascending. */
  readonly outages: readonly Span[];
}

/** The line to a replayed exchange, cut at known times: what leaves then waits until it is back, and is lost where nobody waits so long for an answer. */
export class OutageVenue implements Venue {
  /** Nothing: the engine brings every event in itself, at its instant. */
  readonly events$: Observable<VenueEvent> = NEVER;
  readonly #options: OutageVenueOptions;
  readonly #queued: QueuedRequests;
  #back: Timer | undefined;

  constructor(options: OutageVenueOptions) {
    this.#options = options;
    this.#queued = new QueuedRequests(options);
  }

  submit(action: Action): void {
    const { clock, outages: cutOff, venue } = this.#options;
    const nowMs = clock.nowMs();
    const cut = cutOff.find(([fromMs, toMs]) => fromMs <= nowMs && nowMs < toMs);
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
