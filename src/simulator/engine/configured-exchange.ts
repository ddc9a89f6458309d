import { resolve } from "node:path";
import type { SignatureScheme } from "../../core/crypto/signing.js";
import { RunError } from "../../core/errors.js";
import type { Runtime } from "../../core/runtime/runtime.js";
import type { MarketId } from "../../core/units.js";
import type { OpenChain } from "../chain/open-chain.js";
import { RecordTransactionLog } from "../chain/record-transaction-log.js";
import type { ExchangeConfig } from "../config/config.js";
import { checkChainConfig } from "../config/config-chain.js";
import { EmbeddedExchange, type ExchangeOptions } from "../exchange.js";
import type { ReplayEnd } from "../flow/capture/replay-flow.js";
import { orderFlowFactory } from "../flow/flow-config.js";
import { checkLeveraged, leveragedFlowFactory } from "../flow/leveraged-config.js";
import type { ChainReport } from "../settlement/chain-report.js";
import { withChainAddresses } from "../settlement/on-chain-config.js";
import type { SettlementChain } from "../settlement/settlement-chain.js";
import { openDataDir } from "../store/data-dir.js";
import { requireExchangeStore } from "../store/identity.js";
import type { RecordStore } from "../store/record-store.js";

/** Options of a configured exchange besides its configuration. */
export interface ConfiguredExchangeOptions {
  /**
   * The configuration file's folder, to which its paths are relative; the working directory when
   * left out.
   */
  readonly baseFolder?: string;
  readonly scheme?: SignatureScheme;
  /** Creates the markets' order flows, in place of the configuration's. */
  readonly createFlow?: ExchangeOptions["createFlow"];
  /** The store that keeps the state across restarts, in place of the configuration's `dataDir`. */
  readonly records?: RecordStore;
  /** Called once when a market's replay ends. Its book then stays as it is. */
  readonly onReplayEnd?: (marketId: MarketId, end: ReplayEnd) => void;
  /** Called when a request to the chain fails, and when the chain changes something by itself. */
  readonly onChainReport?: (report: ChainReport) => void;
  /** Called once when the chain has failed. The exchange has stopped by then. */
  readonly onChainFault?: (error: unknown) => void;
}

/** An exchange whose state may be in a folder, and whose trades may settle on a chain. */
export interface OpenExchange {
  readonly exchange: EmbeddedExchange;
  /** Its chain with its keys, addresses and port; null where it settles in memory. */
  readonly chain: OpenChain | null;
  /**
   * Waits until every request to the chain is done and every block of it applied. With a block
   * interval, transactions that wait for the next block are not awaited: advance the clock first.
   */
  waitUntilSettled(): Promise<void>;
  /**
   * Stops the exchange and its chain, and releases the folder. The next process resumes pending
   * work.
   */
  close(): Promise<void>;
}

/**
 * Opens the exchange of a configuration with its order flows and its chain, and resumes from the
 * state in its `dataDir`, if any. It is not started yet.
 * @throws ConfigError as {@link configuredExchange} and {@link openChain} do; for settings that
 * contradict a chain; and for a folder with other content, with a state that contradicts the
 * configuration, or in use by another process. FormatError when the folder and its chain do not
 * match. RunError when the folder cannot be read or written, or the chain cannot be set up.
 */
export async function openConfiguredExchange(
  config: ExchangeConfig,
  runtime: Runtime,
  options: ConfiguredExchangeOptions = {},
): Promise<OpenExchange> {
  const { baseFolder = process.cwd() } = options;
  const dataDir =
    config.dataDir === undefined
      ? undefined
      : await openDataDir(resolve(baseFolder, config.dataDir));
  const kept = dataDir === undefined ? options : { ...options, records: dataDir.records };
  try {
    if (config.chain !== undefined)
      return await openOnChain(config, runtime, kept, async () => dataDir?.close());
    const exchange = configuredExchange(config, runtime, kept);
    return {
      exchange,
      chain: null,
      waitUntilSettled: async () => {},
      close: async () => {
        exchange.stop();
        await dataDir?.close();
      },
    };
  } catch (error) {
    await dataDir?.close();
    throw error;
  }
}

async function openOnChain(
  config: ExchangeConfig,
  runtime: Runtime,
  options: ConfiguredExchangeOptions,
  closeFolder: () => Promise<void>,
): Promise<OpenExchange> {
  const { records, scheme } = options;
  const { chain: chainConfig } = config;
  checkChainConfig(config);
  if (chainConfig === undefined || scheme !== undefined) {
    throw new RunError("cannot be set for an exchange with a chain", {
      field: "scheme",
      expected: "no scheme, since the contracts check every signature",
    });
  }
  if (records !== undefined) requireExchangeStore(records);
  let exchange: EmbeddedExchange | undefined;
  let hasFailed = false;
  const onChainFault = (error: unknown): void => {
    if (hasFailed) return;
    hasFailed = true;
    exchange?.stop();
    options.onChainFault?.(error);
  };
  const { openSettlementChain } = await import("../settlement/settlement-chain.js");
  const chain = await openSettlementChain(
    { ...config, chain: chainConfig },
    {
      clock: runtime.clock,
      ...(records === undefined ? {} : { log: new RecordTransactionLog(records) }),
      onFault: onChainFault,
    },
  );
  const { addresses } = chain.open;
  try {
    const made = exchangeOf(
      withChainAddresses(config, addresses),
      runtime,
      { ...options, onChainFault },
      chain,
    );
    exchange = made;
    await made.chain?.catchUp();
    return {
      exchange: made,
      chain: chain.open,
      waitUntilSettled: async () => made.chain?.waitUntilSettled(),
      close: async () => {
        made.stop();
        await chain.open.close();
        await closeFolder();
      },
    };
  } catch (error) {
    await chain.open.close();
    throw error;
  }
}

/**
 * Creates the exchange of a configuration with its order flows. It is not started yet. Its state is
 * in memory, or in the given records.
 * @throws ConfigError for values off a market's grid, or a missing capture; RunError for a
 * `dataDir` and for a chain, which need {@link openConfiguredExchange}.
 */
export function configuredExchange(
  config: ExchangeConfig,
  runtime: Runtime,
  options: ConfiguredExchangeOptions = {},
): EmbeddedExchange {
  const expected = "a call of openConfiguredExchange instead";
  if (config.dataDir !== undefined && options.records === undefined) {
    throw new RunError("needs stored records, which configuredExchange does not open", {
      field: "dataDir",
      value: config.dataDir,
      expected,
    });
  }
  if (config.chain !== undefined)
    throw new RunError("needs a chain, which configuredExchange does not open", {
      field: "chain",
      expected,
    });
  return exchangeOf(config, runtime, options);
}

function exchangeOf(
  config: ExchangeConfig,
  runtime: Runtime,
  options: ConfiguredExchangeOptions,
  chain?: SettlementChain,
): EmbeddedExchange {
  const {
    baseFolder = process.cwd(),
    scheme,
    records,
    onReplayEnd = () => {},
    onChainReport,
    onChainFault,
  } = options;
  checkLeveraged(config);
  return new EmbeddedExchange(config, runtime, {
    chain,
    onChainReport,
    onChainFault,
    records,
    scheme,
    createFlow: options.createFlow ?? orderFlowFactory(config, { baseFolder, onReplayEnd }),
    createAccountFlow: leveragedFlowFactory(config),
  });
}
