import type { Runtime } from "../../../core/runtime/runtime.js";
import type { Hex, MarketId } from "../../../core/units.js";
import type { VenueRules } from "../../../exchange/records.js";
import type { CcxtHedgeVenue } from "../../../hedge/ccxt/ccxt-hedge-venue.js";
import { openCcxtHedgeVenue } from "../../../hedge/ccxt/open-ccxt-hedge-venue.js";
import type { BotConfig, HedgeVenueConfig, MarketHedgeConfig } from "../../config/config.js";
import { nonceTagFor } from "../../execution/nonce-tag.js";
import { checkHedgeContract } from "./check-hedge-contract.js";
import { readHedgeKey } from "./read-hedge-key.js";

/** Inputs of {@link openHedgeVenues}. */
export interface HedgeVenuesStart {
  readonly config: BotConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly runtime: Runtime;
  /** The bot's account, whose tag its orders carry. */
  readonly account: Hex;
  readonly rules: Pick<VenueRules, "markets">;
}

/** A market that is hedged, with its part of the file. */
export interface HedgedMarketConfig {
  readonly marketId: MarketId;
  readonly hedge: MarketHedgeConfig;
}

/** The markets that a venue hedges. */
export function hedgedMarkets(
  { markets }: BotConfig,
  venue: string,
): readonly HedgedMarketConfig[] {
  return Object.entries(markets).flatMap(([marketId, { hedge }]) =>
    hedge?.venue === venue ? [{ marketId, hedge }] : [],
  );
}

/** The hedge venues of a file that a market uses, each with its name. */
export function usedHedgeVenues(
  config: BotConfig,
): readonly (readonly [string, HedgeVenueConfig])[] {
  return Object.entries(config.hedgeVenues ?? {}).filter(
    ([name]) => hedgedMarkets(config, name).length > 0,
  );
}

/**
 * Opens every hedge venue that a market uses, and checks the contracts against the markets. Nothing
 * is started. The caller closes each.
 * @throws ConfigError for a venue, key or contract that cannot hedge; RunError if a venue cannot be
 * reached. Those that were open are closed.
 */
export async function openHedgeVenues(
  start: HedgeVenuesStart,
): Promise<ReadonlyMap<string, CcxtHedgeVenue>> {
  const opened = new Map<string, CcxtHedgeVenue>();
  try {
    for (const [name, venueConfig] of usedHedgeVenues(start.config))
      opened.set(name, await openHedgeVenue(name, venueConfig, start));
  } catch (error) {
    for (const venue of opened.values()) venue.close();
    throw error;
  }
  return opened;
}

/** Opens one hedge venue. @throws as {@link openHedgeVenues} does */
export async function openHedgeVenue(
  name: string,
  venueConfig: HedgeVenueConfig,
  { config, env, runtime, account, rules }: HedgeVenuesStart,
): Promise<CcxtHedgeVenue> {
  const field = `hedgeVenues.${name}`;
  const markets = hedgedMarkets(config, name);
  const venue = await openCcxtHedgeVenue(venueConfig, {
    ...readHedgeKey(venueConfig, env, field),
    runtime,
    field,
    symbols: markets.map(({ marketId, hedge: { symbol } }) => ({
      symbol,
      field: `markets.${marketId}.hedge.symbol`,
    })),
    tag: nonceTagFor(account),
  });
  try {
    for (const { marketId, hedge } of markets) {
      const contract = venue.contracts.get(hedge.symbol);
      if (contract !== undefined)
        checkHedgeContract(marketId, hedge, contract, rules.markets[marketId]);
    }
  } catch (error) {
    venue.close();
    throw error;
  }
  return venue;
}
