import { dirname } from "node:path";
import type { ChainRpc } from "../../../chain/rpc/chain-rpc.js";
import { RunError } from "../../../core/errors.js";
import type { ReconnectTimings } from "../../../core/runtime/reconnect-pauses.js";
import type { Runtime } from "../../../core/runtime/runtime.js";
import type { Ms } from "../../../core/units.js";
import type { Transport } from "../../../exchange/rest/transport.js";
import type { Log } from "../../../monitoring/log.js";
import { createCcxtSource } from "../../../reference/sources/ccxt/ccxt-source.js";
import { createExchangeSource } from "../../../reference/sources/exchange-source.js";
import { createFeedSource } from "../../../reference/sources/feed-source.js";
import { createModuleSource } from "../../../reference/sources/module-source.js";
import type { PriceSource } from "../../../reference/sources/price-source.js";
import type { BotConfig } from "../../config/config.js";
import { usedSourceNames } from "../../market/used-reference.js";
import type { StrategyWarning } from "../../strategy/strategy-warnings.js";
import { loadReferenceModule } from "./load-reference-module.js";

/** How the sources of reference prices reach their networks; the real ones if absent. */
export interface ReferenceAccess {
  /** Other addresses for some origins of ccxt. */
  readonly origins?: Readonly<Record<string, string>>;
  /** The network of a source with `exchange`, by its name. */
  readonly transports?: Readonly<Record<string, Pick<Transport, "open">>>;
  readonly timings?: Partial<ReconnectTimings>;
}

/** A source that is ready to connect. */
export interface PreparedSource {
  readonly name: string;
  readonly minGapMs: Ms;
  /** Uses of real time, timers and randomness in a file of the user's. */
  readonly warnings: readonly StrategyWarning[];
  /** True if it is read through the chain's RPCs. */
  readonly needsChain: boolean;
  /** @param rpc needed by a source that is read through the chain */
  open(rpc: Pick<ChainRpc, "head" | "read"> | undefined): PriceSource;
}

/** Dependencies of {@link prepareSources}. */
export interface PrepareSourcesDeps {
  readonly config: BotConfig;
  readonly runtime: Runtime;
  readonly log: Log;
  readonly access?: ReferenceAccess | undefined;
}

/** True if a market uses a source that is read through the chain. */
export function usesFeed(config: Pick<BotConfig, "markets" | "references">): boolean {
  return usedSourceNames(config).some((name) => config.references?.[name].feed !== undefined);
}

/**
 * Prepares the sources that markets use: loads libraries and files, and connects nothing. The index
 * price of the exchange needs no source.
 * @throws ConfigError for an exchange, stream or file that cannot be used; RunError for a missing
 * package
 */
export async function prepareSources(deps: PrepareSourcesDeps): Promise<PreparedSource[]> {
  const prepared: PreparedSource[] = [];
  for (const name of usedSourceNames(deps.config)) {
    const source = await prepareSource(name, deps);
    if (source !== undefined) prepared.push(source);
  }
  return prepared;
}

/** Prepares one source; undefined for the exchange's own index price. @throws as all do */
export async function prepareSource(
  name: string,
  { config, runtime, log, access = {} }: PrepareSourcesDeps,
): Promise<PreparedSource | undefined> {
  const { [name]: source } = config.references ?? {};
  const field = `references.${name}`;
  const { minGapMs } = source;
  const { origins, transports = {}, timings } = access;
  const prepared = { name, minGapMs, warnings: [], needsChain: false };
  if (source.ccxt !== undefined) {
    const { ccxt, symbol = "", stream = "touch" } = source;
    const price$ = await createCcxtSource(
      { ccxt, symbol, stream },
      { runtime, field, origins, timings },
    );
    return { ...prepared, open: () => price$ };
  }
  if (source.exchange !== undefined) {
    const { exchange, market = "" } = source;
    const transport = transports[name];
    return {
      ...prepared,
      open: () => createExchangeSource({ exchange, market }, { runtime, transport }),
    };
  }
  if (source.feed !== undefined) {
    const { feed, pollMs } = source;
    return {
      ...prepared,
      needsChain: true,
      open(rpc) {
        if (rpc === undefined)
          throw new RunError("a price feed needs access to its chain", { field: "chain" });
        return createFeedSource({ feed, pollMs }, { runtime, rpc });
      },
    };
  }
  if (source.module === undefined) return undefined;
  const loaded = await loadReferenceModule(source.module, dirname(config.path), `${field}.module`);
  const bound = loaded.source.bind(source.params, { at: ["references", name, "params"] });
  loaded.redirectConsole((text, isError) =>
    log[isError ? "warn" : "info"]({ source: name, text: text.trimEnd() }, "the source prints"),
  );
  const write = (text: string): void => log.info({ source: name, text }, "the source reports");
  return {
    ...prepared,
    warnings: loaded.warnings,
    open: () => createModuleSource(bound, { runtime, log: write, timings }),
  };
}
