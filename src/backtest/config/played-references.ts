import type { BotConfig } from "../../bot/config/config.js";
import { usedSourceNames } from "../../bot/market/used-reference.js";
import { ConfigError } from "../../core/errors.js";
import type { MarketId } from "../../core/units.js";
import { withoutHedges } from "../engine/replay-config.js";
import type { BacktestFile } from "./backtest-schema.js";

/** The history of a source of reference prices. */
export interface ReferenceHistoryConfig {
  /** Its name in the bot's `references`. */
  readonly source: string;
  /** Its name in the store. */
  readonly market: string;
  /** Time from its own stamp to the bot; undefined: as it was received. */
  readonly latencyMs: number | undefined;
}

/** The sources that replayed markets use. */
export interface PlayedReferences {
  /** Those outside the exchange, which a store has. */
  readonly outside: readonly ReferenceHistoryConfig[];
  /** Index prices of replayed markets, which come with their marks. */
  readonly index: readonly { readonly source: string; readonly market: MarketId }[];
}

/**
 * Finds the sources of a backtest, and where their history is.
 * @param written `references` of the backtest's file
 * @throws ConfigError for a source that no replayed market uses, or an index without its market
 */
export function playedReferences(
  bot: Pick<BotConfig, "markets" | "references">,
  marketIds: readonly MarketId[],
  written: BacktestFile["references"] = {},
): PlayedReferences {
  const used = usedSourceNames(withoutHedges(bot), marketIds);
  const sources = bot.references ?? {};
  const names = [...used].filter((source) => sources[source]?.index === undefined);
  for (const source of Object.keys(written)) {
    if (names.includes(source)) continue;
    const isIndex = sources[source]?.index !== undefined;
    throw new ConfigError(
      isIndex
        ? "is the exchange's own index price, which is played with the marks of its market"
        : "is not a source that a replayed market of the bot uses",
      {
        field: `references.${source}`,
        value: source,
        expected: names.length === 0 ? "no references" : `one of ${names.join(", ")}`,
      },
    );
  }
  const index = [...used].flatMap((source) => {
    const market = sources[source]?.index;
    return market === undefined ? [] : [{ source, market }];
  });
  for (const { source, market } of index) {
    if (marketIds.includes(market)) continue;
    throw new ConfigError(`lacks ${market}, whose index price is the source ${source}`, {
      field: "history.markets",
      value: marketIds.join(", "),
      expected: `${market} among the replayed markets`,
    });
  }
  return {
    outside: names.map((source) => ({
      source,
      market: written[source]?.market ?? source,
      latencyMs: written[source]?.latencyMs,
    })),
    index,
  };
}
