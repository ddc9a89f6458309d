import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { loadExchangeConfig } from "#cli/load-exchange-config.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { openConfiguredExchange } from "#simulator/configured-exchange.js";
import { type ExchangeServer, serveExchange } from "#simulator/http-server.js";

const CONFIG = fileURLToPath(new URL("../../config/exchange.yaml", import.meta.url));

/** The exchange of `config/exchange.yaml`, with its order flow and its chain, on a free port. */
export async function shippedExchange(): Promise<
  Pick<ExchangeServer, "port" | "restUrl" | "close"> & { readonly blockIntervalMs: number }
> {
  const config = loadExchangeConfig(CONFIG);
  if (config.chain === undefined) throw new Error("the shipped configuration has no chain");
  const open = await openConfiguredExchange(
    { ...config, port: 0, chain: { ...config.chain, rpc: null } },
    createLiveRuntime(),
    {
      baseFolder: dirname(CONFIG),
    },
  );
  const { port, restUrl, close } = await serveExchange(open.exchange);
  return {
    port,
    restUrl,
    blockIntervalMs: config.chain.blocks.intervalMs,
    close: async () => {
      await close();
      await open.close();
    },
  };
}
