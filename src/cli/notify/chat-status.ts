import { formatCount } from "../../core/format-count.js";
import { formatBase, formatQuote, formatSignedQuote } from "../control/amount-text.js";
import { haltNames } from "../control/halt-lines.js";
import type { ControlAnswer } from "../session/control-handler.js";

/** The status of a running bot as a few short lines: a chat has no room for a table. */
export function chatStatusText(status: ControlAnswer): string {
  const { phase, dryRun, equityQuote, earnedQuote, quoteAsset, activeHalts, ladder } = status;
  const positions = new Map(status.openPositions.map((held) => [held.marketId, held]));
  const markets = Object.entries(status.markets).map(([marketId, market]) => {
    const position = positions.get(marketId);
    const held =
      position === undefined ? "flat" : formatBase(position.positionBase, position.baseAsset);
    const orders = `${formatCount(market.openBids, "bid")}, ${formatCount(market.openAsks, "ask")}`;
    return `${marketId}: ${market.state}, ${held}, ${orders}`;
  });
  return [
    `${phase}${dryRun ? ", dry run" : ""}`,
    `equity ${formatQuote(equityQuote, quoteAsset)}, earned ${formatSignedQuote(earnedQuote, quoteAsset)}`,
    ...markets,
    ...(activeHalts.length === 0 ? [] : [`halts: ${haltNames(activeHalts)}`]),
    ...ladder.map((rung) => `risk ladder: ${rung}`),
  ].join("\n");
}
