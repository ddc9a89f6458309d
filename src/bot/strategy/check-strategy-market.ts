import { ConfigError } from "../../core/errors.js";
import type { MarketId } from "../../core/units.js";
import type { BoundStrategy } from "../../strategies/strategy.js";
import type { BotConfig } from "../config/config.js";

/**
 * Checks that a market has what its strategy works with: a reference price if it quotes around one,
 * and no hedge if it works by the account's own position.
 * @throws ConfigError naming `markets.X.reference` or `markets.X.hedge`
 */
export function checkStrategyMarket(
  { markets }: Pick<BotConfig, "markets">,
  marketId: MarketId,
  { needsReference, inventoryPlan }: Pick<BoundStrategy, "needsReference" | "inventoryPlan">,
): void {
  const market = markets[marketId];
  if (inventoryPlan !== undefined && market?.hedge !== undefined)
    throw new ConfigError("does not go with a strategy that works by its own position", {
      field: `markets.${marketId}.hedge`,
      expected: `no hedge, or another strategy than ${market.strategy}: it sees the position of both legs`,
    });
  if (needsReference !== true || market?.reference !== undefined) return;
  throw new ConfigError("is missing, and the strategy quotes around a reference price", {
    field: `markets.${marketId}.reference`,
    expected: "the sources of one, such as { from: [index] } with one of the name in references",
  });
}
