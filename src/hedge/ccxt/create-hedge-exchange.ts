import { Response } from "undici";
import type { AllowedRequests } from "../../ccxt/allowed-requests.js";
import type {
  CcxtClient,
  CcxtExchange,
  CcxtExchangeClass,
  CcxtRequest,
} from "../../ccxt/ccxt-exchange.js";
import { mapTexts } from "../../ccxt/map-texts.js";
import { watchSends } from "../../ccxt/watch-sends.js";
import { describeThrown } from "../../core/describe-thrown.js";
import { RunError } from "../../core/errors.js";
import type { Ms } from "../../core/units.js";
import type { HttpResult } from "../../exchange/rest/transport.js";

/** Receives what happens to the websockets of an exchange. */
export interface SocketListener {
  onOpen(client: CcxtClient): void;
  onMessage(client: CcxtClient, message: unknown): void;
  /** May be called more than once for one websocket. */
  onDown(client: CcxtClient, reason: string): void;
}

/** Dependencies of {@link createHedgeExchange}. */
export interface HedgeExchangeDeps {
  readonly base: CcxtExchangeClass;
  readonly apiKey: string;
  readonly secret: string;
  readonly acceptanceWindowMs: Ms;
  readonly requests: AllowedRequests;
  /** The exchange's time: the timestamp of signed requests. */
  readonly nowMs: () => Ms;
  /** Sends the requests for the list of markets, the only ones that ccxt makes by itself. */
  readonly send: (request: CcxtRequest) => Promise<HttpResult>;
  readonly listener: SocketListener;
}

/**
 * Creates an exchange of ccxt that reads the list of markets, signs requests and holds websockets.
 * Its own rate limiter, retries, timers and interpretation of messages are off.
 */
export function createHedgeExchange(deps: HedgeExchangeDeps): CcxtExchange {
  const { requests, listener, nowMs } = deps;
  const Exchange = class extends deps.base {
    override nonce(): number {
      return nowMs();
    }

    override client(url: string): CcxtClient {
      requests.check("WS", url);
      const client = super.client(url);
      watchSends(client);
      return client;
    }

    override handleMessage(client: CcxtClient, message: unknown): void {
      listener.onMessage(client, message);
    }

    override onConnected(client: CcxtClient, message?: unknown): void {
      super.onConnected(client, message);
      listener.onOpen(client);
    }

    override onError(client: CcxtClient, error: unknown): void {
      super.onError(client, error);
      listener.onDown(client, describeThrown(error));
    }

    override onClose(client: CcxtClient, event: unknown): void {
      super.onClose(client, event);
      listener.onDown(client, "closed by the exchange");
    }
  };
  const exchange = new Exchange({
    apiKey: deps.apiKey,
    secret: deps.secret,
    enableRateLimit: false,
    maxRetriesOnFailure: 0,
    options: {
      fetchMarkets: { types: ["linear"] },
      recvWindow: deps.acceptanceWindowMs,
      // Deadlines and pings are those of the streams, on the runtime's clock.
      ws: { keepAlive: 0, connectionTimeout: 0 },
    },
    fetchImplementation: async (url: string, { method }: CcxtRequest) => {
      const result = await deps.send({ url, method });
      if (!result.ok) throw new RunError(result.message);
      return new Response(result.body, { status: result.status });
    },
  });
  exchange.log = () => {};
  // Currencies are asked for at other hosts, and nothing depends on them.
  exchange.has.fetchCurrencies = false;
  exchange.urls.api = mapTexts(exchange.urls.api, (url) => requests.reroute(url));
  return exchange;
}
