import { dirname, resolve } from "node:path";
import type { Command } from "commander";
import { ConfigError } from "../../core/errors.js";
import { openLog } from "../../monitoring/log.js";
import { configuredExchange } from "../../simulator/configured-exchange.js";
import { serveExchange } from "../../simulator/http-server.js";
import type { CliContext } from "../cli-context.js";
import { loadExchangeConfig } from "../load-exchange-config.js";
import { jsonText } from "../output.js";
import { packageFile } from "../package-files.js";

interface ExchangeOptions {
  readonly port?: string;
  readonly json?: boolean;
}

/** `marketwright exchange [exchange.yaml]` */
export function addExchange(program: Command, context: CliContext): void {
  program
    .command("exchange")
    .description("run the embedded exchange alone, REST and websocket, until SIGINT or SIGTERM")
    .argument("[file]", "the exchange's YAML file (default: the one that comes with the package)")
    .option("--port <number>", "this port instead of the file's; 0 takes any free one")
    .option("--json", "say where it listens as one line of JSON")
    .action(async (file: string | undefined, options: ExchangeOptions) => {
      const path = resolve(file ?? packageFile("config/exchange.yaml"));
      const loaded = loadExchangeConfig(path);
      const config = options.port === undefined ? loaded : { ...loaded, port: portOf(options.port) };
      const log = openLog({ level: "info", clock: context.seam.clock, fields: { process: "exchange" } });
      const interrupted = context.interrupted();
      try {
        const exchange = configuredExchange(config, context.seam, {
          baseFolder: dirname(path),
          onReplayEnd: (marketId, { reason, captureMs, messages, prints, error }) =>
            log[error === undefined ? "info" : "error"](
              { marketId, reason, captureMs, messages, prints, error },
              "the replay is over: the book stays as it is",
            ),
        });
        const server = await serveExchange(exchange, { onFault: (error) => log.error({ error }, "the exchange failed to answer") });
        const { restUrl, streamUrl, port } = server;
        const markets = Object.keys(config.markets);
        context.stdout.write(
          options.json === true
            ? jsonText({ restUrl, streamUrl, port, markets })
            : `exchange with ${markets.join(", ")}: REST ${restUrl}, streams ${streamUrl}\n`,
        );
        const signal = await interrupted;
        log.info({ signal }, "the exchange stops");
        await server.close();
      } finally {
        log.close();
      }
    });
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new ConfigError("is no port", { field: "--port", value: text, expected: "a whole number from 0 to 65535" });
}
