import type { Seam } from "../core/seam.js";
import type { SignatureScheme } from "../core/signing.js";
import type { MarketId } from "../core/units.js";
import type { ExchangeConfig } from "./config.js";
import { EmbeddedExchange } from "./exchange.js";
import { orderFlowsOf } from "./flow/flow-config.js";
import type { ReplayEnd } from "./flow/replay.js";

/** What the order flows of a configuration need besides it. */
export interface ConfiguredExchangeOptions {
  /** The folder of the configuration's file, from which its paths count; the working directory when left out. */
  readonly baseFolder?: string;
  readonly scheme?: SignatureScheme;
  /** Hears once when a market's replay is over; its book then stays as it is. */
  readonly onReplayEnd?: (marketId: MarketId, end: ReplayEnd) => void;
}

/**
 * The exchange that a configuration describes, with its order flows, not yet started.
 * @throws ConfigError for values off a market's grid, or a capture that is not there.
 */
export function configuredExchange(config: ExchangeConfig, seam: Seam, options: ConfiguredExchangeOptions = {}): EmbeddedExchange {
  const { baseFolder = process.cwd(), scheme, onReplayEnd = () => {} } = options;
  return new EmbeddedExchange(config, seam, {
    ...(scheme === undefined ? {} : { scheme }),
    flowOf: orderFlowsOf(config, { baseFolder, onReplayEnd }),
  });
}
