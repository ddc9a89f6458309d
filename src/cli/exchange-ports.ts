import { ConfigError } from "../core/errors.js";
import type { ExchangeConfig } from "../simulator/config/config.js";

/** Ports of the command line, which replace those of the exchange's file. */
export interface ExchangePorts {
  readonly port?: string;
  readonly rpcPort?: string;
  /** Opens the admin endpoint of faults. */
  readonly faultsPort?: string;
}

/**
 * Returns the configuration with the ports of the command line. @throws ConfigError for an invalid
 * port, or the port of a chain that is not configured
 */
export function withPorts(
  config: ExchangeConfig,
  { port, rpcPort, faultsPort }: ExchangePorts,
): ExchangeConfig {
  const listening = {
    ...config,
    ...(port === undefined ? {} : { port: parsePort("--port", port) }),
    ...(faultsPort === undefined
      ? {}
      : {
          faults: {
            list: [],
            ...config.faults,
            adminPort: parsePort("--faults-port", faultsPort),
          },
        }),
  };
  if (rpcPort === undefined) return listening;
  const { chain } = config;
  if (chain === undefined || chain.rpc === null) {
    throw new ConfigError("the file has no port of a chain", {
      field: "--rpc-port",
      value: rpcPort,
      expected: "a file with chain and its port",
    });
  }
  return {
    ...listening,
    chain: { ...chain, rpc: { ...chain.rpc, port: parsePort("--rpc-port", rpcPort) } },
  };
}

/** @throws ConfigError for a text that is not a port. */
export function parsePort(field: string, text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new ConfigError("is not a port", {
    field,
    value: text,
    expected: "a whole number from 0 to 65535",
  });
}
