import { absolute } from "../../core/bigints.js";
import type { Hex } from "../../core/units.js";
import { mulFixed } from "../../perpetual/fixed-point.js";
import { liquidationPriceOnChain } from "../../perpetual/liquidation.js";
import { isSafe } from "../../perpetual/margin.js";
import {
  computePositionMargin,
  type MarginAccount,
  type MarginMarket,
} from "../../perpetual/margin-account.js";
import type { Candidate, Confirmation, Nearness } from "./candidate.js";
import { marginMarkets } from "./margin-markets.js";

/** Parts of a basis point: the resolution of distances. */
const FRACTIONS = 100n;

/**
 * Computes an account's distance to liquidation from the markets' prices. A market that is not
 * listed, or has no price, is assumed unchanged.
 */
export function computeNearness(
  margin: MarginAccount,
  markets: ReadonlyMap<Hex, MarginMarket>,
): Nearness {
  const liquidationPrices = new Map<Hex, bigint>();
  let distanceBps = Number.POSITIVE_INFINITY;
  for (const perp of margin.papers.keys()) {
    const market = markets.get(perp);
    if (market === undefined) continue;
    const price = liquidationPriceOnChain(margin, market);
    liquidationPrices.set(perp, price);
    if (price === 0n) continue;
    const distance = (absolute(market.markPrice - price) * 10_000n * FRACTIONS) / market.markPrice;
    distanceBps = Math.min(distanceBps, Number(distance) / Number(FRACTIONS));
  }
  return {
    distanceBps: isSafe(margin) ? distanceBps : 0,
    liquidationPrices,
    slackCredit: margin.netValueCredit - margin.maintenanceMarginCredit,
  };
}

/**
 * Ranks the accounts that hold a position, nearest to liquidation first; ties go to the larger
 * discount.
 */
export function rankCandidates({
  accounts,
  markets,
}: Pick<Confirmation, "accounts" | "markets">): Candidate[] {
  const margins = marginMarkets(markets);
  const candidates = accounts.flatMap((entry): Candidate[] => {
    if (entry.kind === "unreadable" || entry.margin.papers.size === 0) return [];
    const { account, margin } = entry;
    const { papers } = margin;
    return [
      {
        account,
        papers,
        nearness: computeNearness(margin, margins),
        discountCredit: discountOf(margin, margins),
      },
    ];
  });
  return candidates.sort(
    (a, b) =>
      (a.nearness.distanceBps === b.nearness.distanceBps
        ? 0
        : a.nearness.distanceBps - b.nearness.distanceBps) ||
      Number(b.discountCredit - a.discountCredit) ||
      (a.account < b.account ? -1 : 1),
  );
}

function discountOf({ papers }: MarginAccount, markets: ReadonlyMap<Hex, MarginMarket>): bigint {
  let discount = 0n;
  for (const [perp, paper] of papers) {
    const market = markets.get(perp);
    if (market !== undefined)
      discount += mulFixed(
        computePositionMargin(market, paper).notional,
        market.liquidationPriceOff,
      );
  }
  return discount;
}
