import type { BotConfig } from "../../bot/config/config.js";
import { usedSourceNames } from "../../bot/market/used-reference.js";
import { DAY_MS } from "../../core/units.js";
import type { VenueRules } from "../../exchange/records.js";

/** The time resolution of a replay. */
export interface ReplayPace {
  /** Minimum interval between checks for work that only time makes due. */
  readonly tickMs: number;
  /** The longest silence of market data that is not a fault: candles are far apart. */
  readonly silenceMs: number;
}

/** The pace of a run on the exchange's own clock and stream: books and trades, or trades. */
export const FINE_PACE: ReplayPace = { tickMs: 100, silenceMs: 0 };

/**
 * Adapts a bot's file to a replay: the same strategy, decisions, quotes, limits and halts. Checks
 * of the connection to an exchange are slowed down to the pace of the history. No order is built by
 * a server. Only the markets of the history and their reference sources remain.
 */
export function replayConfig(
  config: BotConfig,
  markets: ReadonlySet<string>,
  { tickMs, silenceMs }: ReplayPace = FINE_PACE,
): BotConfig {
  const isCoarse = silenceMs > 0;
  const unhedged = withoutHedges(config);
  const { liquidator: _liquidator, chain: _chain, references: written = {}, ...kept } = unhedged;
  const used = new Set(usedSourceNames(unhedged, markets));
  const references = Object.entries(written).filter(([name]) => used.has(name));
  return {
    ...kept,
    markets: Object.fromEntries(Object.entries(unhedged.markets).filter(([id]) => markets.has(id))),
    ...(references.length === 0 ? {} : { references: Object.fromEntries(references) }),
    exchange: {
      ...config.exchange,
      placement: "local",
      ...(isCoarse ? { reconcileMs: DAY_MS, rulesRefreshMs: DAY_MS } : {}),
    },
    decide: isCoarse
      ? { ...config.decide, everyMs: Math.max(config.decide.everyMs, tickMs) }
      : config.decide,
    risk: isCoarse
      ? {
          ...config.risk,
          maxBookAgeMs: Math.max(config.risk.maxBookAgeMs, 3 * silenceMs),
          maxAccountAgeMs: 3 * DAY_MS,
        }
      : config.risk,
  };
}

/** A bot's file without hedges: no history has the venue at which one would have traded. */
export function withoutHedges<Config extends Pick<BotConfig, "markets">>(
  config: Config,
): Omit<Config, "hedgeVenues"> & Pick<BotConfig, "markets"> {
  const { hedgeVenues: _hedgeVenues, ...kept } = config as Config & Pick<BotConfig, "hedgeVenues">;
  const markets = Object.fromEntries(
    Object.entries(config.markets).map(([id, { hedge: _hedge, ...market }]) => [id, market]),
  );
  return { ...kept, markets };
}

/** Names the hedges that a backtest does not play: its position and profit are of one leg. */
export function describeLeftOutHedges(
  { markets }: Pick<BotConfig, "markets">,
  played: Iterable<string>,
): string[] {
  return [...played].flatMap((id) => {
    const hedge = markets[id]?.hedge;
    return hedge === undefined
      ? []
      : [
          `${id}: its hedge at ${hedge.venue} is not played: position, profit and losses are those of this exchange alone`,
        ];
  });
}

/**
 * The exchange's rules for a replayed bot. The exchange never has to build an order for its gas,
 * but charges the gas all the same.
 */
export function replayRules(rules: VenueRules, startMs: number): VenueRules {
  return { ...rules, waiveGasFeeMinimumQuote: 0n, serverTimeMs: startMs };
}
