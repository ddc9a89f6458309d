import type { WebSocket } from "ws";
import { json, LocalServer, type ReceivedRequest, until } from "../../exchange/local-server.js";

/** The market of {@link FuturesServer}, as ccxt spells it. */
export const FUTURES_SYMBOL = "BTC/USDT:USDT";

const SYMBOL = {
  symbol: "BTCUSDT",
  pair: "BTCUSDT",
  contractType: "PERPETUAL",
  deliveryDate: 4133404800000,
  onboardDate: 1569398400000,
  status: "TRADING",
  baseAsset: "BTC",
  quoteAsset: "USDT",
  marginAsset: "USDT",
  pricePrecision: 2,
  quantityPrecision: 3,
  baseAssetPrecision: 8,
  quotePrecision: 8,
  underlyingType: "COIN",
  filters: [
    { filterType: "PRICE_FILTER", minPrice: "556.80", maxPrice: "4529764", tickSize: "0.10" },
    { filterType: "LOT_SIZE", minQty: "0.001", maxQty: "1000", stepSize: "0.001" },
  ],
  orderTypes: ["LIMIT", "MARKET"],
  timeInForce: ["GTC", "IOC"],
};

/**
 * Speaks the public interface of a large futures exchange on loopback: the list of markets, a
 * snapshot of the book, and the streams `bookTicker`, `depth` and `trade`.
 */
export class FuturesServer {
  /** Time in messages. */
  timeMs = 1_780_272_010_000;
  /** The snapshot that a request for the book gets. */
  depth = { lastUpdateId: 100, bids: [["59999.9", "1"]], asks: [["60000.1", "2"]] };
  #socket: WebSocket | undefined;
  #updateId = 100;

  private constructor(readonly server: LocalServer) {
    server.onRequest = ({ path }, response) => {
      if (path === "/fapi/v1/exchangeInfo")
        json(response, { timezone: "UTC", rateLimits: [], symbols: [SYMBOL] });
      else if (path === "/fapi/v1/depth") json(response, { ...this.depth, E: this.timeMs });
      else json(response, { code: -5000, msg: "no such path" }, 404);
    };
    server.onSocket = (_url, socket) => {
      this.#socket = socket;
      socket.on("message", (data) => {
        const { id } = JSON.parse(data.toString()) as { readonly id: number };
        socket.send(JSON.stringify({ result: null, id }));
      });
    };
  }

  static async start(): Promise<FuturesServer> {
    return new FuturesServer(await LocalServer.start());
  }

  /** The exchange's own origins, and where this server is. */
  get origins(): Readonly<Record<string, string>> {
    const { host } = this.server;
    return {
      "https://fapi.binance.com": `http://${host}`,
      "wss://fstream.binance.com": `ws://${host}`,
    };
  }

  /** Names of the streams that were subscribed to, in order. */
  get subscribed(): string[] {
    return this.server.sockets.flatMap(({ received }) =>
      received.flatMap((text) => (JSON.parse(text) as { readonly params: string[] }).params),
    );
  }

  /** Every request and every opening of a websocket, as `METHOD path`. */
  get requested(): string[] {
    return [
      ...this.server.requests.map(({ method, path }) => `${method} ${path}`),
      ...this.server.sockets.map(({ url }) => `WS ${url}`),
    ];
  }

  get requests(): readonly ReceivedRequest[] {
    return this.server.requests;
  }

  /** Waits until a stream has been subscribed to on the newest of so many connections. */
  async subscriptions(count: number): Promise<void> {
    await until(() => this.subscribed.length >= count);
  }

  sendTouch(bid: string, ask: string): void {
    this.#updateId += 1;
    this.send({
      e: "bookTicker",
      u: this.#updateId,
      s: "BTCUSDT",
      b: bid,
      B: "3.1",
      a: ask,
      A: "4.2",
      T: this.timeMs,
      E: this.timeMs,
    });
  }

  /** One change of the book, without a gap after the one before. */
  sendDepth(bids: readonly (readonly string[])[], asks: readonly (readonly string[])[]): void {
    const before = this.#updateId;
    this.#updateId += 1;
    this.send({
      e: "depthUpdate",
      E: this.timeMs,
      T: this.timeMs,
      s: "BTCUSDT",
      U: before + 1,
      u: this.#updateId,
      pu: before,
      b: bids,
      a: asks,
    });
  }

  /** Leaves out changes of the book, as a lost message does. */
  skipDepth(count: number): void {
    this.#updateId += count;
  }

  sendTrade(price: string): void {
    this.#updateId += 1;
    this.send({
      e: "trade",
      E: this.timeMs,
      T: this.timeMs,
      s: "BTCUSDT",
      t: this.#updateId,
      p: price,
      q: "0.5",
      X: "MARKET",
      m: false,
      ps: "BTCUSDT",
    });
  }

  send(message: unknown): void {
    this.sendText(JSON.stringify(message));
  }

  sendText(text: string): void {
    this.#socket?.send(text);
  }

  /** Cuts the newest connection. */
  disconnect(): void {
    this.#socket?.terminate();
  }

  stop(): Promise<void> {
    return this.server.stop();
  }
}
