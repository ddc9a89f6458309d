import { Observable } from "rxjs";
import type { Signer } from "../../core/crypto/signing.js";
import { ConfigError } from "../../core/errors.js";
import type { Runtime } from "../../core/runtime/runtime.js";
import type { Hex, MarketId, Ms } from "../../core/units.js";
import type { Transport } from "../rest/transport.js";
import { type FormerRuntimeOption, withRuntime } from "../runtime-option.js";
import { signParams } from "../signing/request-signing.js";
import { STREAMS_A_CONNECTION } from "../streams/market-streams.js";
import { StreamSession, type StreamTimings } from "../streams/stream-session.js";
import { decodeAccountFrame, decodeMarketFrame } from "./stream-decoder.js";
import type { AccountEvent, MarketEvent } from "./stream-events.js";

/** Options of the streams. */
export interface ExchangeStreamsOptions {
  readonly transport: Pick<Transport, "open">;
  readonly runtime: Runtime;
  /** Exchange time, for the account stream's signature at every connect. */
  readonly nowMs: () => Ms;
  /** Needed for the account stream. */
  readonly signer?: Signer;
  /** The trading account; default: the signer's own. */
  readonly account?: Hex;
  readonly timings?: Partial<StreamTimings>;
  /** Requests compressed frames. */
  readonly zip?: boolean;
}

/**
 * The exchange's streams as observables: each subscription is a connection of its own, kept open
 * until it is unsubscribed. Pings, silence, the server's 12-hour limit and reconnecting are seen
 * to; every interruption is told as `down` and `up`.
 * @example
 * ```ts
 * import { connect } from "marketwright/exchange";
 * import { filter, firstValueFrom } from "rxjs";
 *
 * const { streams, close } = await connect({
 *   baseUrl: process.env.EXCHANGE_URL ?? "http://127.0.0.1:8620/v1",
 * });
 * const snapshot = await firstValueFrom(
 *   streams.orderbook$("btcusdc").pipe(filter((event) => event.type === "book-snapshot")),
 * );
 * close();
 * snapshot.marketId; // => "btcusdc"
 * ```
 */
export class ExchangeStreams {
  readonly #options: ExchangeStreamsOptions;
  readonly #open = new Set<StreamSession>();

  constructor(options: ExchangeStreamsOptions | FormerRuntimeOption<ExchangeStreamsOptions>) {
    this.#options = withRuntime(options);
  }

  /**
   * Market streams by name: `btcusdc@orderbook`, `btcusdc@market`, `btcusdc@trades`,
   * `btcusdc@kline1M`. A book starts with a snapshot; updates follow without a gap. If an update is
   * missing, the stream reports it and requests a new snapshot.
   * @throws ConfigError for no name, or for more than the exchange accepts on one connection.
   */
  market$(names: readonly string[]): Observable<MarketEvent> {
    if (names.length === 0 || names.length > STREAMS_A_CONNECTION) {
      throw new ConfigError("too many streams, or none", {
        field: "streams",
        value: names.length,
        expected: `1 to ${STREAMS_A_CONNECTION} on one connection`,
      });
    }
    return new Observable((subscriber) => {
      const books = new Map<MarketId, number>();
      let requestId = 0;
      const session = this.#session({
        path: () => `/v1/multiple?streams=${names.map(encodedName).join("/")}${this.#zip}`,
        onUp: () => subscriber.next({ type: "up" }),
        onDown: (reason) => {
          books.clear();
          subscriber.next({ type: "down", reason });
        },
        onText: (text) => {
          for (const event of decodeMarketFrame(text)) {
            const accepted = inSequence(books, event);
            if (accepted !== undefined) subscriber.next(accepted);
            if (accepted?.type === "book-gap") {
              for (const method of ["UNSUBSCRIBE", "SUBSCRIBE"]) {
                requestId += 1;
                session.send(
                  JSON.stringify({
                    id: requestId,
                    method,
                    params: [`${accepted.marketId}@orderbook`],
                  }),
                );
              }
            }
          }
        },
      });
      session.start();
      return () => this.#end(session);
    });
  }

  /** Streams the book of one market only. */
  orderbook$(marketId: MarketId): Observable<MarketEvent> {
    return this.market$([`${marketId}@orderbook`]);
  }

  /**
   * Streams the account's own events. There is no snapshot: after every `up`, request open orders,
   * balances and positions.
   * @param marketId limits orders and trades to this market.
   * @throws ConfigError without a key.
   */
  account$({ marketId }: { readonly marketId?: MarketId } = {}): Observable<AccountEvent> {
    const { signer, nowMs } = this.#options;
    if (signer === undefined)
      throw new ConfigError("the account stream needs a key", {
        field: "key",
        expected: "a signing key",
      });
    const account = this.#options.account ?? signer.address;
    const filter = marketId === undefined ? "" : `&marketId=${encodeURIComponent(marketId)}`;
    return new Observable((subscriber) => {
      const session = this.#session({
        path: () => {
          const signed = signParams({}, account, nowMs(), signer);
          return `/v1/single/account@${account}?${signed.slice(signed.indexOf("&") + 1)}${filter}${this.#zip}`;
        },
        onUp: () => subscriber.next({ type: "up" }),
        onDown: (reason) => subscriber.next({ type: "down", reason }),
        onText: (text) => {
          for (const event of decodeAccountFrame(text)) subscriber.next(event);
        },
      });
      session.start();
      return () => this.#end(session);
    });
  }

  /** Closes every stream; no more events follow. */
  close(): void {
    for (const session of [...this.#open]) this.#end(session);
  }

  get #zip(): string {
    return this.#options.zip === true ? "&zip=1" : "";
  }

  #session(handlers: {
    readonly path: () => string;
    readonly onUp: () => void;
    readonly onDown: (reason: string) => void;
    readonly onText: (text: string) => void;
  }): StreamSession {
    const { transport, runtime, timings } = this.#options;
    const session = new StreamSession({ transport, runtime, ...handlers, timings });
    this.#open.add(session);
    return session;
  }

  #end(session: StreamSession): void {
    this.#open.delete(session);
    session.close("unsubscribed");
  }
}

/**
 * Returns a book's event if it follows the last one; a gap voids the book until the next snapshot.
 */
function inSequence(books: Map<MarketId, number>, event: MarketEvent): MarketEvent | undefined {
  if (event.type === "book-snapshot") books.set(event.marketId, event.sequence);
  if (event.type !== "book-update") return event;
  const { marketId, beginSequence, endSequence } = event;
  const last = books.get(marketId);
  if (last === undefined) return undefined;
  if (beginSequence === last + 1 && endSequence >= beginSequence) {
    books.set(marketId, endSequence);
    return event;
  }
  books.delete(marketId);
  return { type: "book-gap", marketId, expected: last + 1, received: beginSequence };
}

function encodedName(name: string): string {
  return name.split("@").map(encodeURIComponent).join("@");
}
