import { dirname, resolve } from "node:path";
import { requireInstalled } from "../../core/optional-part.js";
import { packageFile } from "../../core/package-files.js";
import { openLog } from "../../monitoring/log.js";
import type { OpenChain } from "../../simulator/chain/open-chain.js";
import { checkPorts } from "../../simulator/config/config-chain.js";
import { serveUsdm, type UsdmServer } from "../../simulator/dialects/binance-usdm/serve-usdm.js";
import { usdmFaultNames } from "../../simulator/dialects/binance-usdm/usdm-fault-names.js";
import {
  type OpenExchange,
  openConfiguredExchange,
} from "../../simulator/engine/configured-exchange.js";
import { exchangeFaultNames } from "../../simulator/faults/exchange-fault-names.js";
import { describeFaults, type OpenFaults, openFaults } from "../../simulator/faults/open-faults.js";
import { checkCaptures } from "../../simulator/flow/capture/check-captures.js";
import { serveExchange } from "../../simulator/rest/http-server.js";
import type { CliContext } from "../cli-context.js";
import { type ChosenDialect, chooseDialect, type DialectOptions } from "../exchange-dialect.js";
import { exchangeParts } from "../exchange-parts.js";
import { type ExchangePorts, withPorts } from "../exchange-ports.js";
import { loadExchangeConfig } from "../load-exchange-config.js";
import { jsonText } from "../process/output.js";

export interface ExchangeCommandOptions extends ExchangePorts, DialectOptions {
  readonly json?: boolean;
}

/** Runs the embedded exchange until a signal arrives. */
export async function exchangeCommand(
  context: CliContext,
  file: string | undefined,
  options: ExchangeCommandOptions,
): Promise<void> {
  const path = resolve(file ?? packageFile("config/exchange.yaml"));
  const loaded = loadExchangeConfig(path);
  const config = withPorts(loaded, options);
  checkPorts(config);
  const dialect = chooseDialect(config, options, context);
  requireInstalled(exchangeParts(config));
  await checkCaptures(config, dirname(path));
  const log = openLog({
    level: "info",
    clock: context.runtime.clock,
    fields: { process: "exchange" },
  });
  const interrupted = context.interrupted();
  let open: OpenExchange | undefined;
  let faults: OpenFaults | undefined;
  let usdm: UsdmServer | undefined;
  let fail: (error: unknown) => void = () => {};
  const failed = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  // No code awaits it until the server listens.
  failed.catch(() => {});
  try {
    open = await openConfiguredExchange(config, context.runtime, {
      baseFolder: dirname(path),
      onChainReport: (report) => log.warn({ ...report }, "an action on the chain failed"),
      onChainFault: (error) => {
        log.error({ error }, "the chain has failed");
        fail(error);
      },
      onReplayEnd: (marketId, { reason, captureMs, messages, prints, error }) =>
        log[error === undefined ? "info" : "error"](
          { marketId, reason, captureMs, messages, prints, error },
          "the replay has ended: the book no longer changes",
        ),
    });
    const { exchange } = open;
    const spoken = [
      exchangeFaultNames(config),
      ...(dialect === null ? [] : [usdmFaultNames(config)]),
    ];
    faults = await openFaults(config, spoken, context.runtime.clock);
    if (faults !== undefined) context.stderr.write(describeFaults(faults));
    const onFault = (error: unknown): void => {
      log.error({ error }, "the exchange failed to answer");
      // It stops by itself only when acknowledged data cannot be stored.
      if (!exchange.isRunning) fail(error);
    };
    if (dialect !== null) {
      usdm = await serveUsdm(exchange, dialect.config, dialect.credentials, {
        faults: faults?.injector,
        onFault,
      });
    }
    const server = await serveExchange(exchange, { faults: faults?.injector, onFault });
    const { restUrl, streamUrl, port } = server;
    const markets = Object.keys(config.markets);
    context.stdout.write(
      options.json === true
        ? jsonText({
            restUrl,
            streamUrl,
            port,
            markets,
            ...(open.chain === null ? {} : { chain: whereIs(open.chain) }),
            ...(faults?.admin == null ? {} : { faultsUrl: faults.admin.url }),
            ...(usdm === undefined ? {} : { dialect: whereIsDialect(usdm, dialect) }),
          })
        : `exchange with ${markets.join(", ")}: REST ${restUrl}, streams ${streamUrl}\n${open.chain === null ? "" : chainText(open.chain)}${usdm === undefined ? "" : dialectText(usdm, dialect)}`,
    );
    try {
      const signal = await Promise.race([interrupted, failed]);
      log.info({ signal }, "the exchange is stopping");
    } finally {
      await server.close();
    }
  } finally {
    await faults?.close();
    await usdm?.close();
    await open?.close();
    log.close();
  }
}

/** Addresses of the chain, and of the contracts that a client needs. */
function whereIs({ chain, server, addresses }: OpenChain) {
  const { dealer, lens, token } = addresses;
  const { chainId } = chain.genesis;
  return {
    rpcUrl: server?.url ?? null,
    rpcStreamUrl: server?.streamUrl ?? null,
    chainId,
    dealer,
    lens,
    token,
  };
}

function chainText(open: OpenChain): string {
  const { rpcUrl, chainId, dealer } = whereIs(open);
  return `chain ${chainId}: ${rpcUrl === null ? "without a port" : `RPC ${rpcUrl}`}, dealer ${dealer}\n`;
}

/** Addresses of the dialect, and the key that was made for this run. */
function whereIsDialect({ restUrl, streamUrl, port }: UsdmServer, chosen: ChosenDialect | null) {
  const key = chosen?.demoKey;
  return {
    name: "binance-usdm",
    restUrl,
    streamUrl,
    port,
    ...(key ? { apiKey: key.apiKey, apiSecret: key.secret } : {}),
  };
}

function dialectText(server: UsdmServer, chosen: ChosenDialect | null): string {
  const { name, restUrl, streamUrl, apiKey, apiSecret } = whereIsDialect(server, chosen);
  const key =
    apiKey === undefined
      ? ""
      : `a key for this run, with an account of its own: ${apiKey}, secret ${apiSecret}\n`;
  return `dialect ${name}: REST ${restUrl}, streams ${streamUrl}\n${key}`;
}
