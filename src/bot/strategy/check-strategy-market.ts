import { ConfigError } from "../../core/errors.js";
import type { MarketId } from "../../core/units.js";
import type { BoundStrategy } from "../../strategies/strategy.js";
import type { BotConfig } from "../config/config.js";

/**
 * Checks that a market has what its strategy works with: a reference price if it quotes around one,
 * a hedge if it works by both legs of one, and none if it works by the account's own position.
 * @throws ConfigError naming `markets.X.reference`, `markets.X.hedge` or a key of `hedgeVenues`
 */
export function checkStrategyMarket(
  { markets, hedgeVenues }: Pick<BotConfig, "markets" | "hedgeVenues">,
  marketId: MarketId,
  {
    needsReference,
    inventoryPlan,
    hedge,
  }: Pick<BoundStrategy, "needsReference" | "inventoryPlan" | "hedge">,
): void {
  const market = markets[marketId];
  if ((inventoryPlan !== undefined || hedge === "refused") && market?.hedge !== undefined)
    throw new ConfigError("does not go with a strategy that works by its own position", {
      field: `markets.${marketId}.hedge`,
      expected: `no hedge, or another strategy than ${market.strategy}: it sees the position of both legs`,
    });
  if (hedge === "needed") checkNeededHedge(marketId, market?.hedge?.venue, hedgeVenues);
  if (needsReference !== true || market?.reference !== undefined) return;
  throw new ConfigError("is missing, and the strategy quotes around a reference price", {
    field: `markets.${marketId}.reference`,
    expected: "the sources of one, such as { from: [index] } with one of the name in references",
  });
}

function checkNeededHedge(
  marketId: MarketId,
  venue: string | undefined,
  venues: BotConfig["hedgeVenues"],
): void {
  if (venue === undefined)
    throw new ConfigError("is missing, and the strategy trades both legs of a hedge", {
      field: `markets.${marketId}.hedge`,
      expected: "the venue and the symbol of the other leg, or other params",
    });
  if (venues?.[venue]?.takerFeeBps === undefined)
    throw new ConfigError("is missing, and the strategy counts the fees of both legs", {
      field: `hedgeVenues.${venue}.takerFeeBps`,
      expected: "the taker fee of the account there, in basis points",
    });
}
