import type { Runtime } from "../../core/runtime/runtime.js";
import type { MarketId } from "../../core/units.js";
import type { WireStreamRequest } from "../protocol/stream.js";
import type { Transport } from "../rest/transport.js";
import { type FormerRuntimeOption, withRuntime } from "../runtime-option.js";
import { formatStreamName } from "./stream-names.js";
import { StreamSession, type StreamTimings } from "./stream-session.js";

/** Largest number of streams that the server accepts on one connection. */
export const STREAMS_A_CONNECTION = 50;
/** The streams of each traded market. */
export const MARKET_STREAM_KINDS = ["orderbook", "market", "trades"] as const;

/** Options of the market streams. */
export interface MarketStreamsOptions {
  readonly transport: Pick<Transport, "open">;
  readonly runtime: Runtime;
  readonly markets: readonly MarketId[];
  readonly onText: (text: string) => void;
  /** `up` once every connection is open, `down` once the first is not. */
  readonly onState: (state: "up" | "down", reason: string) => void;
  readonly timings?: Partial<StreamTimings>;
  /** Requests compressed frames; the transport unpacks them. */
  readonly zip?: boolean;
}

interface Connection {
  readonly session: StreamSession;
  readonly streams: Set<string>;
}

/**
 * The market streams over as few `/multiple` connections as the server's limit allows, with live
 * subscription. When one of several connections was lost, the books of the others are taken anew as
 * well, so that `up` always means fresh snapshots.
 * @example
 * ```ts
 * import { createLiveRuntime, MarketStreams, NetworkTransport } from "marketwright/exchange";
 *
 * const restUrl = process.env.EXCHANGE_URL ?? "http://127.0.0.1:8620/v1";
 * const runtime = createLiveRuntime();
 * const transport = new NetworkTransport({
 *   restUrl,
 *   streamUrl: restUrl.replace("http", "ws"),
 *   clock: runtime.clock,
 * });
 * const frame = await new Promise<string>((resolve) => {
 *   const streams = new MarketStreams({
 *     transport,
 *     runtime,
 *     markets: ["btcusdc"],
 *     onText: (text) => {
 *       if (text.includes("btcusdc")) resolve(text);
 *     },
 *     onState: () => undefined,
 *   });
 *   streams.start();
 * });
 * transport.close();
 * JSON.parse(frame).stream.split("@")[0]; // => "btcusdc"
 * ```
 */
export class MarketStreams {
  readonly #options: MarketStreamsOptions;
  readonly #connections: Connection[] = [];
  /** Books whose new subscription waits for the server's message limit. */
  readonly #booksWaiting = new Set<string>();
  readonly #droppedConnections = new Set<Connection>();
  #requestId = 0;
  #isUp = false;
  #isStarted = false;

  constructor(given: MarketStreamsOptions | FormerRuntimeOption<MarketStreamsOptions>) {
    const options = withRuntime(given);
    this.#options = options;
    for (const marketId of options.markets) {
      // A market's streams share a connection, so that they fail together.
      const connection = this.#connectionWithRoom(MARKET_STREAM_KINDS.length);
      for (const kind of MARKET_STREAM_KINDS)
        connection.streams.add(formatStreamName({ marketId, kind }));
    }
  }

  /** Opens the connections. Call it once. */
  start(): void {
    this.#isStarted = true;
    for (const { session } of this.#connections) session.start();
  }

  /** Subscribes to one more stream. @param stream its name, from {@link formatStreamName}. */
  subscribe(stream: string): void {
    if (this.#connectionOf(stream) !== undefined) return;
    const connection = this.#connectionWithRoom(1);
    connection.streams.add(stream);
    this.#request(connection, "SUBSCRIBE", stream);
  }

  /** Unsubscribes from a stream. */
  unsubscribe(stream: string): void {
    const connection = this.#connectionOf(stream);
    if (connection === undefined) return;
    connection.streams.delete(stream);
    this.#request(connection, "UNSUBSCRIBE", stream);
  }

  /**
   * Drops a market's book and subscribes again, so that the server sends a snapshot. A second call
   * before the message is sent does nothing.
   */
  resubscribe(marketId: MarketId): void {
    const stream = formatStreamName({ marketId, kind: "orderbook" });
    const connection = this.#connectionOf(stream);
    // A connection that is down gets a snapshot when it reconnects.
    if (connection === undefined || !connection.session.isUp || this.#booksWaiting.has(stream))
      return;
    this.#booksWaiting.add(stream);
    this.#request(connection, "UNSUBSCRIBE", stream);
    this.#request(connection, "SUBSCRIBE", stream, () => this.#booksWaiting.delete(stream));
  }

  /** Closes all connections for good. */
  close(reason: string): void {
    for (const { session } of this.#connections) session.close(reason);
  }

  #connectionWithRoom(count: number): Connection {
    const found = this.#connections.find(
      ({ streams }) => streams.size + count <= STREAMS_A_CONNECTION,
    );
    if (found !== undefined) return found;
    const streams = new Set<string>();
    const connection: Connection = {
      streams,
      session: new StreamSession({
        transport: this.#options.transport,
        runtime: this.#options.runtime,
        path: () =>
          `/v1/multiple?streams=${[...streams].join("/")}${this.#options.zip === true ? "&zip=1" : ""}`,
        onText: this.#options.onText,
        onUp: () => this.#handleConnectionUp(),
        onDown: (reason) => this.#cameDown(connection, reason),
        timings: this.#options.timings,
      }),
    };
    this.#connections.push(connection);
    if (this.#isStarted) connection.session.start();
    return connection;
  }

  #connectionOf(stream: string): Connection | undefined {
    return this.#connections.find(({ streams }) => streams.has(stream));
  }

  #handleConnectionUp(): void {
    if (this.#isUp || this.#connections.some(({ session }) => !session.isUp)) return;
    this.#isUp = true;
    this.#options.onState("up", "subscribed");
    const unbroken = this.#connections.filter(
      (connection) =>
        this.#droppedConnections.size > 0 && !this.#droppedConnections.has(connection),
    );
    this.#droppedConnections.clear();
    for (const marketId of this.#options.markets) {
      const connection = this.#connectionOf(formatStreamName({ marketId, kind: "orderbook" }));
      if (connection !== undefined && unbroken.includes(connection)) this.resubscribe(marketId);
    }
  }

  #cameDown(connection: Connection, reason: string): void {
    for (const stream of connection.streams) this.#booksWaiting.delete(stream);
    this.#droppedConnections.add(connection);
    this.#isUp = false;
    this.#options.onState("down", reason);
  }

  #request(
    connection: Connection,
    method: WireStreamRequest["method"],
    stream: string,
    onSent?: () => void,
  ): void {
    this.#requestId += 1;
    const request: WireStreamRequest = { id: this.#requestId, method, params: [stream] };
    connection.session.send(JSON.stringify(request), onSent);
  }
}
