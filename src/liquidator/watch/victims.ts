import type { ChainMarket } from "../../chain/lens-answers.js";
import type { Hex } from "../../core/units.js";
import { mulFixed } from "../margin/fixed-point.js";
import type { MarginMarket } from "../margin/margin-account.js";
import { takeoverTerms } from "../margin/takeover-terms.js";
import type { TakeoverMarket, Victim } from "../plan/plan-input.js";
import type { Refused } from "../plan/takeover-plan.js";
import type { Confirmation, ConfirmedAccount } from "./candidate.js";

/** Whom a confirmation leaves to be planned for, and whom not and why. Safe accounts are in neither list. */
export interface Victims {
  readonly victims: readonly Victim[];
  readonly refused: readonly Refused[];
}

/** What the exchange, not the chain, knows of a market. */
export type VenueMarket = Omit<TakeoverMarket, keyof MarginMarket>;

/** The market as margin depends on it; undefined while its price is stale. */
export function marginMarketOf(market: ChainMarket): MarginMarket | undefined {
  const { markPrice, perp, initialMarginRatio, maintenanceMarginRatio, liquidationPriceOff, insuranceFeeRate } = market;
  if (!markPrice.ok) return undefined;
  return {
    perp,
    markPrice: markPrice.creditPerCoin,
    initialMarginRatio,
    maintenanceMarginRatio,
    liquidationPriceOff,
    insuranceFeeRate,
  };
}

/** The listed markets that have a price and that the exchange trades. @param venue by perp in lower case. */
export function takeoverMarkets({ markets }: Confirmation, venue: ReadonlyMap<Hex, VenueMarket>): Map<Hex, TakeoverMarket> {
  const list = [...markets.values()].flatMap((market): TakeoverMarket[] => {
    const [margin, side] = [marginMarketOf(market), venue.get(market.perp)];
    return margin === undefined || side === undefined || !market.isRegistered ? [] : [{ ...side, ...margin }];
  });
  return new Map(list.map((market) => [market.perp, market]));
}

/**
 * The accounts that are unsafe at the confirmation's block. Where the chain's own answers are not what the published formulas
 * give, nothing is planned: its contracts are of another kind, and a plan's figures would be wrong by as much.
 */
export function victimsOf(confirmation: Confirmation): Victims {
  const { accounts, own, markets, blockNumber } = confirmation;
  const victims: Victim[] = [];
  const refused: Refused[] = [];
  for (const entry of accounts) {
    const { account } = entry;
    const refuse = (reason: Refused["reason"], detail: string) =>
      refused.push({ kind: "refused", victim: account, perp: undefined, blockNumber, reason, detail });
    if (entry.kind === "unreadable") refuse("stale-victim", entry.revert.text);
    else if (entry.isSafe) continue;
    else if (own.kind === "unreadable") refuse("stale-own", own.revert.text);
    else if (!followsFormulas(entry, markets)) refuse("other-formulas", "its net value or a cost is another than the formulas give");
    else victims.push({ account, blockNumber, margin: entry.margin });
  }
  return { victims, refused };
}

function followsFormulas(entry: ConfirmedAccount & { readonly kind: "read" }, markets: ReadonlyMap<Hex, ChainMarket>): boolean {
  const { primaryCredit, secondaryCredit, positions } = entry.holdings;
  let netValue = primaryCredit + secondaryCredit;
  for (const { perp, paper, credit, markPrice } of positions) {
    if (!markPrice.ok) return false;
    netValue += mulFixed(paper, markPrice.creditPerCoin) + credit;
    const [market, cost] = [markets.get(perp), entry.costs.get(perp)];
    const margin = market === undefined ? undefined : marginMarketOf(market);
    if (margin === undefined || cost === undefined || !cost.ok) continue;
    const terms = takeoverTerms(margin, paper, paper);
    if (terms.paper !== cost.paper || terms.credit !== cost.credit) return false;
  }
  return netValue === entry.margin.netValueCredit;
}
