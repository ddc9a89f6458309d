import { Observable } from "rxjs";
import type { Runtime } from "../../core/runtime/runtime.js";
import type { MarketId } from "../../core/units.js";
import type { MarketEvent } from "../../exchange/client/stream-events.js";
import { ExchangeStreams } from "../../exchange/client/streams.js";
import { NetworkTransport } from "../../exchange/rest/network-transport.js";
import type { Transport } from "../../exchange/rest/transport.js";
import type { PriceMessage } from "../price-message.js";
import type { PriceSource } from "./price-source.js";
import { readPrice } from "./read-price.js";

/** A market of another exchange with the interface of this one. */
export interface ExchangeSourceConfig {
  readonly exchange: { readonly rest: string; readonly stream: string };
  readonly market: MarketId;
}

/** Dependencies of {@link createExchangeSource}. */
export interface ExchangeSourceDeps {
  readonly runtime: Runtime;
  /** The network; the real one of the config's addresses if absent. The caller closes it. */
  readonly transport?: Pick<Transport, "open"> | undefined;
}

/**
 * Creates a source from the order book of another exchange with this one's interface. It opens one
 * websocket, and makes no other request. The book carries no time of its own.
 */
export function createExchangeSource(
  { exchange, market }: ExchangeSourceConfig,
  { runtime, transport }: ExchangeSourceDeps,
): PriceSource {
  return new Observable<PriceMessage>((subscriber) => {
    const own =
      transport === undefined
        ? new NetworkTransport({
            restUrl: exchange.rest,
            streamUrl: exchange.stream,
            clock: runtime.clock,
            connections: 1,
          })
        : undefined;
    const streams = new ExchangeStreams({
      transport: transport ?? (own as NetworkTransport),
      runtime,
      nowMs: () => runtime.clock.nowMs(),
    });
    const touch = new BookTouch();
    const subscription = streams.orderbook$(market).subscribe((event) => {
      const message = touch.apply(event);
      if (message !== undefined) subscriber.next(message);
    });
    return () => {
      subscription.unsubscribe();
      own?.close();
    };
  });
}

/** The best prices of a book. */
class BookTouch {
  readonly #bids = new Set<number>();
  readonly #asks = new Set<number>();
  #isKnown = false;

  apply(event: MarketEvent): PriceMessage | undefined {
    switch (event.type) {
      case "book-snapshot":
        this.#clear();
        this.#isKnown = true;
        break;
      case "book-update":
        break;
      case "down":
        this.#clear();
        return { type: "down", reason: event.reason };
      case "book-gap":
        this.#clear();
        return {
          type: "down",
          reason: `an update of the book is missing: expected ${event.expected}, received ${event.received}`,
        };
      case "malformed":
        return { type: "down", reason: `${event.where} cannot be read: ${event.reason}` };
      default:
        return undefined;
    }
    if (!this.#isKnown) return undefined;
    apply(this.#bids, event.bids);
    apply(this.#asks, event.asks);
    return readPrice({ bid: highest(this.#bids), ask: lowest(this.#asks) });
  }

  #clear(): void {
    this.#isKnown = false;
    this.#bids.clear();
    this.#asks.clear();
  }
}

type BookLevels = Extract<MarketEvent, { readonly type: "book-update" }>["bids"];

function apply(side: Set<number>, levels: BookLevels): void {
  for (const [price, amount] of levels) {
    if (amount.isZero()) side.delete(price.toNumber());
    else side.add(price.toNumber());
  }
}

function highest(prices: Iterable<number>): number {
  let best = Number.NaN;
  for (const price of prices) if (!(price <= best)) best = price;
  return best;
}

function lowest(prices: Iterable<number>): number {
  let best = Number.NaN;
  for (const price of prices) if (!(price >= best)) best = price;
  return best;
}
