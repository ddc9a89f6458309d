import { resolve } from "node:path";
import { RunError } from "../core/errors.js";
import type { Seam } from "../core/seam.js";
import type { SignatureScheme } from "../core/signing.js";
import type { MarketId } from "../core/units.js";
import type { ExchangeConfig } from "./config.js";
import { EmbeddedExchange } from "./exchange.js";
import { orderFlowsOf } from "./flow/flow-config.js";
import { checkLeveraged, leveragedFlowOf } from "./flow/leveraged-config.js";
import type { ReplayEnd } from "./flow/replay.js";
import { openDataDir } from "./store/data-dir.js";
import type { RecordStore } from "./store/record-store.js";

/** What the order flows of a configuration need besides it. */
export interface ConfiguredExchangeOptions {
  /** The folder of the configuration's file, from which its paths count; the working directory when left out. */
  readonly baseFolder?: string;
  readonly scheme?: SignatureScheme;
  /** Where its state outlives the process, in place of the configuration's `dataDir`. */
  readonly records?: RecordStore;
  /** Hears once when a market's replay is over; its book then stays as it is. */
  readonly onReplayEnd?: (marketId: MarketId, end: ReplayEnd) => void;
}

/** An exchange whose state may be in a folder. */
export interface OpenExchange {
  readonly exchange: EmbeddedExchange;
  /** Stops the exchange and lets another process have the folder. */
  close(): Promise<void>;
}

/**
 * The exchange that a configuration describes, with its order flows, going on from the state in its `dataDir` where it names
 * one; not yet started.
 * @throws ConfigError as {@link configuredExchange} does, and for a folder that holds something else, that contradicts the
 * configuration, or that another process uses; RunError when it cannot be read or written.
 */
export async function openConfiguredExchange(
  config: ExchangeConfig,
  seam: Seam,
  options: ConfiguredExchangeOptions = {},
): Promise<OpenExchange> {
  const { baseFolder = process.cwd() } = options;
  const dataDir = config.dataDir === undefined ? undefined : await openDataDir(resolve(baseFolder, config.dataDir));
  try {
    const exchange = configuredExchange(config, seam, dataDir === undefined ? options : { ...options, records: dataDir.records });
    return {
      exchange,
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

/**
 * The exchange that a configuration describes, with its order flows, not yet started. Its state is in memory, or in the records
 * that it is given.
 * @throws ConfigError for values off a market's grid, or a capture that is not there; RunError for a `dataDir`, which
 * {@link openConfiguredExchange} opens.
 */
export function configuredExchange(config: ExchangeConfig, seam: Seam, options: ConfiguredExchangeOptions = {}): EmbeddedExchange {
  const { baseFolder = process.cwd(), scheme, records, onReplayEnd = () => {} } = options;
  if (config.dataDir !== undefined && records === undefined) {
    throw new RunError("would not be kept", {
      field: "dataDir",
      value: config.dataDir,
      expected: "openConfiguredExchange, which opens it",
    });
  }
  checkLeveraged(config);
  return new EmbeddedExchange(config, seam, {
    ...(records === undefined ? {} : { records }),
    ...(scheme === undefined ? {} : { scheme }),
    flowOf: orderFlowsOf(config, { baseFolder, onReplayEnd }),
    accountFlowOf: leveragedFlowOf(config),
  });
}
