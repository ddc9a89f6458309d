import { ConfigError } from "../../core/errors.js";
import type { MarketId } from "../../core/units.js";
import type { BoundStrategy } from "../../strategies/strategy.js";
import type { BotConfig } from "../config/config.js";

/**
 * Checks that a market has a reference price if its strategy quotes around one.
 * @throws ConfigError naming `markets.X.reference`
 */
export function checkNeededReference(
  { markets }: Pick<BotConfig, "markets">,
  marketId: MarketId,
  { needsReference }: Pick<BoundStrategy, "needsReference">,
): void {
  if (needsReference !== true || markets[marketId]?.reference !== undefined) return;
  throw new ConfigError("is missing, and the strategy quotes around a reference price", {
    field: `markets.${marketId}.reference`,
    expected: "the sources of one, such as { from: [index] } with one of the name in references",
  });
}
