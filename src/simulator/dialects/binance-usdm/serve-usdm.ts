import type { EmbeddedExchange } from "../../exchange.js";
import { type ExchangeServer, type ServerOptions, serveExchange } from "../../rest/http-server.js";
import type { UsdmCredentials } from "./usdm-api-keys.js";
import type { UsdmConfig } from "./usdm-config.js";
import { UsdmDialect } from "./usdm-dialect.js";
import { UsdmError } from "./usdm-error.js";
import { usdmFaultFormat } from "./usdm-fault-format.js";

/** The dialect on a port of its own. */
export interface UsdmServer {
  readonly port: number;
  /** Takes the place of `https://fapi.binance.com`. */
  readonly restUrl: string;
  /** Takes the place of `wss://fstream.binance.com`. */
  readonly streamUrl: string;
  close(): Promise<void>;
}

/**
 * Adds the dialect to an exchange that has not started, and serves it on the exchange's host and
 * the dialect's own port. It answers once the exchange runs.
 * @throws ConfigError when the markets cannot have symbols; RunError when the port is in use
 */
export async function serveUsdm(
  exchange: EmbeddedExchange,
  config: UsdmConfig,
  credentials: readonly UsdmCredentials[],
  { onFault = () => {}, faults }: Pick<ServerOptions, "onFault" | "faults"> = {},
): Promise<UsdmServer> {
  const dialect = exchange.addDialect((deps) => new UsdmDialect(deps, config, credentials));
  const server: ExchangeServer = await serveExchange(
    {
      config: { ...exchange.config, port: config.port },
      respond: (request) => {
        try {
          return dialect.handle(request);
        } catch (error) {
          onFault(error);
          return new UsdmError("-1000").toResponse();
        }
      },
      connect: (pathWithQuery, sink, ip) => dialect.connect(pathWithQuery, sink, ip),
      // The exchange starts and stops with its own server.
      start: () => {},
      stop: () => {},
    },
    { onFault, faults, faultFormat: usdmFaultFormat(dialect, config), documents: false },
  );
  return {
    port: server.port,
    restUrl: `http://${server.authority}`,
    streamUrl: `ws://${server.authority}`,
    close: () => server.close(),
  };
}
