import type { Clock } from "../../core/runtime/runtime.js";
import type { VenueEvent } from "../../exchange/venue.js";
import type { HedgeEvent } from "../hedge-venue.js";
import { BookWatch } from "./book-watch.js";
import { TouchBook } from "./touch-book.js";
import type { VenueRequests } from "./venue-requests.js";

type BookEvent = Extract<VenueEvent, { readonly type: "book-snapshot" | "book-update" }>;
type StreamEvent = Extract<HedgeEvent, { readonly type: "stream" | "touch" }>;
type TouchEvent = Extract<StreamEvent, { readonly type: "touch" }>;

/** Dependencies of {@link TouchStreams}. */
export interface TouchStreamsDeps {
  readonly symbols: readonly string[];
  readonly clock: Clock;
  readonly requests: VenueRequests;
  readonly emit: (event: StreamEvent) => void;
  readonly resubscribe: (symbol: string) => void;
}

/**
 * The state of an exchange's two streams as one, and the touch of its books while both are up.
 */
export class TouchStreams {
  readonly #books: ReadonlyMap<string, TouchBook>;
  readonly #emit: (event: StreamEvent) => void;
  readonly #resubscribe: (symbol: string) => void;
  readonly #watches: readonly BookWatch[];
  readonly #up = { market: false, account: false };
  readonly #emitted = new Map<string, TouchEvent>();
  /** Undefined before the first event. */
  #state: "up" | "down" | undefined;

  constructor({ symbols, clock, requests, emit, resubscribe }: TouchStreamsDeps) {
    this.#books = new Map(symbols.map((symbol) => [symbol, new TouchBook()]));
    this.#emit = emit;
    this.#resubscribe = resubscribe;
    this.#watches = [...this.#books].map(
      ([symbol, book]) =>
        new BookWatch({ symbol, book, clock, requests, resubscribe: () => resubscribe(symbol) }),
    );
  }

  /** Applies a change of one of the streams. */
  changed(stream: "market" | "account", state: "up" | "down", reason: string): void {
    this.#up[stream] = state === "up";
    if (stream === "market") {
      for (const book of this.#books.values()) book.clear();
      for (const watch of this.#watches) state === "up" ? watch.start() : watch.stop();
    }
    if (state === "down") return this.#set("down", `${stream} stream: ${reason}`);
    if (!this.#up.market || !this.#up.account) return;
    this.#set("up", reason);
    for (const symbol of this.#books.keys()) this.#emitTouch(symbol);
  }

  /** Applies a change of a book. */
  book(event: BookEvent): void {
    const { marketId } = event;
    const book = this.#books.get(marketId);
    if (book === undefined) return;
    if (!book.apply(event)) this.#resubscribe(marketId);
    else if (this.#state === "up") this.#emitTouch(marketId);
  }

  /** Called before any other event: the first one is about the streams. */
  beforeEvent(): void {
    if (this.#state === undefined) this.#set("down", "not connected yet");
  }

  close(): void {
    for (const watch of this.#watches) watch.stop();
  }

  #set(state: "up" | "down", reason: string): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#emitted.clear();
    this.#emit({ type: "stream", state, reason });
  }

  #emitTouch(symbol: string): void {
    const touch = this.#books.get(symbol)?.touch;
    if (touch === undefined) return;
    const event: TouchEvent = { type: "touch", symbol, ...touch };
    const last = this.#emitted.get(symbol);
    if (last !== undefined && isSameTouch(last, event)) return;
    this.#emitted.set(symbol, event);
    this.#emit(event);
  }
}

function isSameTouch(a: TouchEvent, b: TouchEvent): boolean {
  return (
    a.bidTicks === b.bidTicks &&
    a.bidLots === b.bidLots &&
    a.askTicks === b.askTicks &&
    a.askLots === b.askLots
  );
}
