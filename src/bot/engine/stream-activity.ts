import type { Ms } from "../../core/units.js";
import type { VenueEvent } from "../../exchange/venue.js";

/** Names of the streams of an exchange. */
export const STREAM_NAMES = ["market", "account"] as const;
/** One of {@link STREAM_NAMES}. */
export type StreamName = (typeof STREAM_NAMES)[number];

/** State of one stream. */
export interface StreamState {
  /** True while it is connected and subscribed. */
  readonly isUp: boolean;
  /** When its newest message was handled, on the monotonic clock; undefined before the first. */
  readonly messageAtMs: Ms | undefined;
}

/** Connection and newest message of each stream, from the events that the bot handles. */
export class StreamActivity {
  readonly #isUp: Record<StreamName, boolean> = { market: false, account: false };
  #marketAtMs: Ms = Number.NEGATIVE_INFINITY;
  #accountAtMs: Ms = Number.NEGATIVE_INFINITY;

  /** Notes an event of the venue. Answers to requests are no messages of a stream. */
  note(event: VenueEvent, nowMs: Ms): void {
    switch (event.type) {
      case "book-update":
      case "book-snapshot":
      case "market-state":
      case "public-trade":
      case "kline":
        this.#marketAtMs = nowMs;
        return;
      case "order-update":
      case "trade-update":
      case "account-update":
      case "income-update":
        this.#accountAtMs = nowMs;
        return;
      case "stream":
        this.#isUp[event.stream] = event.state === "up";
        return;
      default:
    }
  }

  /** True while any stream is open: the exchange runs. */
  get isAnyUp(): boolean {
    return this.#isUp.market || this.#isUp.account;
  }

  /** The present state of a stream. */
  stateOf(name: StreamName): StreamState {
    const atMs = name === "market" ? this.#marketAtMs : this.#accountAtMs;
    return { isUp: this.#isUp[name], messageAtMs: Number.isFinite(atMs) ? atMs : undefined };
  }
}
