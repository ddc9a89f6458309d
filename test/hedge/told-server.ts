import type { ServerResponse } from "node:http";
import { json, LocalServer, type ReceivedRequest } from "../exchange/local-server.js";

/** A contract as Binance USD-M lists it. */
export const CONTRACT = {
  symbol: "BTCUSDC",
  pair: "BTCUSDC",
  contractType: "PERPETUAL",
  deliveryDate: 4133404800000,
  onboardDate: 1569398400000,
  status: "TRADING",
  baseAsset: "BTC",
  quoteAsset: "USDC",
  marginAsset: "USDC",
  pricePrecision: 1,
  quantityPrecision: 3,
  baseAssetPrecision: 8,
  quotePrecision: 8,
  filters: [
    { filterType: "PRICE_FILTER", minPrice: "0.10", maxPrice: "1000000", tickSize: "0.10" },
    { filterType: "LOT_SIZE", minQty: "0.001", maxQty: "1000", stepSize: "0.001" },
    { filterType: "MIN_NOTIONAL", notional: "100" },
  ],
  orderTypes: ["LIMIT"],
  timeInForce: ["GTC", "IOC", "GTX"],
};

/** The answer to one request. */
export interface ToldAnswer {
  readonly status?: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A server that speaks what a hedge venue reads while it is opened, and answers any other request
 * as it was told to.
 */
export class ToldServer {
  contract: Readonly<Record<string, unknown>> = CONTRACT;
  /** Answers by `METHOD path`, in place of the usual ones. A text is sent as it is. */
  readonly told = new Map<string, ToldAnswer | ((request: ReceivedRequest) => ToldAnswer)>();
  clockAheadMs = 0;

  private constructor(readonly server: LocalServer) {
    server.onRequest = (request, response) => this.#answer(request, response);
  }

  static async start(): Promise<ToldServer> {
    return new ToldServer(await LocalServer.start());
  }

  get host(): string {
    return this.server.host;
  }

  /** Requests to a path, without those of the start. */
  requests(path: string): readonly ReceivedRequest[] {
    return this.server.requests.filter((request) => request.path === path);
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  #answer(request: ReceivedRequest, response: ServerResponse): void {
    const told = this.told.get(`${request.method} ${request.path}`);
    const answer = typeof told === "function" ? told(request) : (told ?? this.#usual(request));
    for (const [name, value] of Object.entries(answer.headers ?? {}))
      response.setHeader(name, value);
    const { status = 200, body } = answer;
    if (typeof body === "string") response.writeHead(status).end(body);
    else json(response, body, status);
  }

  #usual({ path }: ReceivedRequest): ToldAnswer {
    switch (path) {
      case "/fapi/v1/exchangeInfo":
        return { body: { timezone: "UTC", rateLimits: [], symbols: [this.contract] } };
      case "/fapi/v1/time":
        return { body: { serverTime: Date.now() + this.clockAheadMs } };
      case "/fapi/v1/positionSide/dual":
        return { body: { dualSidePosition: false } };
      case "/fapi/v1/multiAssetsMargin":
        return { body: { multiAssetsMargin: false } };
      default:
        return { status: 404, body: { code: -5000, msg: "no such path" } };
    }
  }
}
