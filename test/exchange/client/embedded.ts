import { createLiveRuntime } from "#core/live-runtime.js";
import { type Connection, type ConnectOptions, connect } from "#exchange/connect.js";
import { type ExchangeConfigInput, parseExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import { type ExchangeServer, serveExchange } from "#simulator/http-server.js";

/** Keys that no money is behind. */
export const KEYS = [
  "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
  "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
  "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a",
] as const;

/** The embedded exchange over real HTTP and websockets, with what connects to it. */
export interface Embedded {
  readonly exchange: EmbeddedExchange;
  readonly server: ExchangeServer;
  /** A connection that ends with the exchange. */
  readonly connect: (options?: Partial<ConnectOptions>) => Promise<Connection>;
  /** An account that is registered, with the exchange's first deposit. */
  readonly trader: (key?: string, options?: Partial<ConnectOptions>) => Promise<Connection>;
  readonly close: () => Promise<void>;
}

/** One market, whose trades settle at once; nobody is there but the test. */
export async function startEmbedded(config: Partial<ExchangeConfigInput> = {}): Promise<Embedded> {
  const parsed = parseExchangeConfig({
    port: 0,
    markets: { btcusdc: { tickSize: "0.1", stepSize: "0.001" } },
    settlement: { delayMs: 1 },
    rateLimits: { common: 0, order: 0 },
    ...config,
  });
  const exchange = new EmbeddedExchange(parsed, createLiveRuntime());
  const server = await serveExchange(exchange);
  const open: Connection[] = [];
  const connected = async (options: Partial<ConnectOptions> = {}): Promise<Connection> => {
    const connection = await connect({
      baseUrl: server.restUrl,
      streamUrl: server.streamUrl,
      ...options,
    });
    open.push(connection);
    return connection;
  };
  return {
    exchange,
    server,
    connect: connected,
    trader: async (key = KEYS[0], options = {}) => {
      const connection = await connected({ key, ...options });
      await connection.client.registerAccount();
      return connection;
    },
    close: async () => {
      for (const connection of open) connection.close();
      await server.close();
    },
  };
}
