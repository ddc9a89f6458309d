import ccxt from "ccxt";
import { createLiveRuntime } from "#core/live-runtime.js";
import type { Hex } from "#core/units.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import { FaultInjector } from "#simulator/fault-injector.js";
import { serveUsdm, type UsdmServer } from "#simulator/serve-usdm.js";
import { usdmConfigShape } from "#simulator/usdm-config.js";
import { ReferenceClient } from "../reference-client.js";
import { readFault } from "./served-faults.js";

/** The market as ccxt names it. */
export const SYMBOL = "BTC/USDC:USDC";
/** The accounts that the API keys stand for. */
export const [TRADER, OTHER]: readonly [Hex, Hex] = [
  "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
  "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
];
const KEYS = [TRADER, OTHER].map((account, place) => ({
  apiKey: `ccxt-key-${place}-0123456789`,
  secret: `ccxt-secret-${place}-0123456789`,
  account,
}));
/** The time after which ccxt gives up a request or a handshake. */
const CLIENT_TIMEOUT_MS = 700;

/** An answer that the exchange gave, whether or not the client got it. */
export interface GivenAnswer {
  readonly request: string;
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the wire carries.
  readonly json: any;
}

type Client = InstanceType<typeof ccxt.pro.binanceusdm>;

/** A dialect under faults, with a trader's client, and the exchange behind it. */
export interface FaultyDialect {
  readonly exchange: EmbeddedExchange;
  readonly injector: FaultInjector;
  readonly client: Pick<
    Client,
    | "cancelOrder"
    | "createOrder"
    | "fetchBalance"
    | "fetchMyTrades"
    | "fetchOpenOrders"
    | "fetchOrderBook"
    | "fetchPositions"
    | "fetchTime"
    | "last_response_headers"
    | "watchMyTrades"
    | "watchOrderBook"
    | "watchOrders"
  >;
  /** Connects a client of another account. */
  connectOther(): Promise<FaultyDialect["client"]>;
  /** Changes the book until the end, since a book that does not change sends no event. */
  movesBook(): void;
  add(fault: Readonly<Record<string, unknown>>): void;
  /** Every answer of the exchange, also those that faults withhold. */
  readonly answers: readonly GivenAnswer[];
}

/** Clients of ccxt, unchanged but for their base URLs, on dialects that are under faults. */
export class CcxtUnderFaults {
  readonly #servers: UsdmServer[] = [];
  readonly #clients: Client[] = [];
  readonly #exchanges: EmbeddedExchange[] = [];
  #moving: NodeJS.Timeout | undefined;

  async open(): Promise<FaultyDialect> {
    const runtime = createLiveRuntime();
    const exchange = new EmbeddedExchange(
      parseExchangeConfig({ port: 0, markets: { btcusdc: {} } }),
      runtime,
    );
    const answers = recordAnswers(exchange);
    const injector = new FaultInjector(runtime.clock, { seed: 1 });
    const server = await serveUsdm(exchange, usdmConfigShape.parse({ port: 0 }), KEYS, {
      faults: injector,
    });
    exchange.start();
    this.#servers.push(server);
    this.#exchanges.push(exchange);
    const maker = new ReferenceClient(exchange, () => runtime.clock.nowMs()).register();
    maker.place("BUY", "30000", "1");
    maker.place("SELL", "30001", "1");
    const client = await this.#connect(server, 0);
    await client.loadMarkets();
    const connectOther = () => this.#connect(server, 1);
    const movesBook = () => this.#moveBook(maker);
    const add = (fault: Readonly<Record<string, unknown>>) =>
      injector.schedule.add(readFault(fault));
    return { exchange, injector, client, connectOther, movesBook, add, answers };
  }

  async #connect({ restUrl, streamUrl }: UsdmServer, place: number): Promise<Client> {
    const { apiKey, secret } = KEYS[place] as (typeof KEYS)[number];
    const client = new ccxt.pro.binanceusdm({
      apiKey,
      secret,
      timeout: CLIENT_TIMEOUT_MS,
      // Both would ask hosts of the spot market.
      options: { fetchCurrencies: false },
      streaming: { connectionTimeout: CLIENT_TIMEOUT_MS },
    });
    this.#clients.push(client);
    const api = client.urls.api as unknown as Record<string, unknown> & {
      ws: { future: string };
    };
    for (const [name, url] of Object.entries(api)) {
      if (typeof url === "string") api[name] = url.replace("https://fapi.binance.com", restUrl);
    }
    api.ws.future = `${streamUrl}/ws`;
    await client.loadHttpProxyAgent();
    return client;
  }

  #moveBook(maker: ReferenceClient): void {
    let orderId: string | undefined;
    this.#moving = setInterval(() => {
      if (orderId !== undefined)
        maker.call("DELETE", "/v1/order", { marketId: "btcusdc", orderId });
      orderId = String(maker.place("BUY", "20000", "0.01").json.id);
    }, 50);
  }

  async close(): Promise<void> {
    clearInterval(this.#moving);
    await Promise.all(this.#clients.splice(0).map((client) => client.close()));
    for (const exchange of this.#exchanges.splice(0)) exchange.stop();
    await Promise.all(this.#servers.splice(0).map((server) => server.close()));
  }
}

/** Keeps every answer that the dialect gives, also those that faults withhold. */
function recordAnswers(exchange: EmbeddedExchange): readonly GivenAnswer[] {
  const answers: GivenAnswer[] = [];
  const add = exchange.addDialect.bind(exchange);
  exchange.addDialect = (create) =>
    add((deps) => {
      const dialect = create(deps);
      if ("handle" in dialect && typeof dialect.handle === "function") {
        const handle = dialect.handle.bind(dialect);
        Object.assign(dialect, {
          handle: (request: { readonly method: string; readonly path: string }) => {
            const answer = handle(request);
            const { status, body } = answer;
            answers.push({
              request: `${request.method} ${request.path}`,
              status,
              json: JSON.parse(body),
            });
            return answer;
          },
        });
      }
      return dialect;
    });
  return answers;
}
