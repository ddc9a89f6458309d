import type { Hex } from "../../core/units.js";
import { computeTakeoverTerms } from "../../perpetual/liquidation.js";
import { computeHoldingsMargin, type MarginMarket } from "../../perpetual/margin-account.js";
import type { TakeoverMarket, Victim } from "../plan/plan-input.js";
import type { Refused } from "../plan/takeover-plan.js";
import type { Confirmation, ConfirmedAccount } from "./candidate.js";
import { marginMarkets, toMarginMarket } from "./margin-markets.js";

/** Whom a confirmation leaves to be planned for, and whom not and why. Safe accounts are in neither list. */
export interface Victims {
  readonly victims: readonly Victim[];
  readonly refused: readonly Refused[];
}

/** What the exchange, not the chain, knows of a market. */
export type VenueMarket = Omit<TakeoverMarket, keyof MarginMarket>;

/** The listed markets that have a price and that the exchange trades. @param venue by perp in lower case. */
export function takeoverMarkets(
  { markets }: Confirmation,
  venue: ReadonlyMap<Hex, VenueMarket>,
): Map<Hex, TakeoverMarket> {
  const list = [...markets.values()].flatMap((market): TakeoverMarket[] => {
    const [margin, side] = [toMarginMarket(market), venue.get(market.perp)];
    return margin === undefined || side === undefined || !market.isRegistered
      ? []
      : [{ ...side, ...margin }];
  });
  return new Map(list.map((market) => [market.perp, market]));
}

/**
 * The accounts that are unsafe at the confirmation's block. Where the chain's own answers, of the victim or of the own account, are
 * not what the published formulas give, nothing is planned: its contracts are of another kind, and a plan's figures, the own margin
 * after it most of all, would be wrong by as much.
 */
export function findVictims(confirmation: Confirmation): Victims {
  const { accounts, own, blockNumber } = confirmation;
  const markets = marginMarkets(confirmation.markets);
  const victims: Victim[] = [];
  const refused: Refused[] = [];
  const ownDiffers = own.kind === "read" && !followsFormulas(own, markets);
  for (const entry of accounts) {
    const { account } = entry;
    const refuse = (reason: Refused["reason"], detail: string) =>
      refused.push({
        kind: "refused",
        victim: account,
        perp: undefined,
        blockNumber,
        reason,
        detail,
      });
    if (entry.kind === "unreadable") refuse("stale-victim", entry.revert.text);
    else if (entry.isSafe) continue;
    else if (own.kind === "unreadable") refuse("stale-own", own.revert.text);
    else if (ownDiffers)
      refuse("other-formulas", "the own margin is another than the formulas give");
    else if (!followsFormulas(entry, markets))
      refuse("other-formulas", "its margin or a cost is another than the formulas give");
    else victims.push({ account, blockNumber, margin: entry.margin });
  }
  return { victims, refused };
}

function followsFormulas(
  entry: ConfirmedAccount & { readonly kind: "read" },
  markets: ReadonlyMap<Hex, MarginMarket>,
): boolean {
  const { holdings, margin, costs } = entry;
  const ours = computeHoldingsMargin(holdings, markets);
  // Of a market that is no longer listed the dealer alone knows the ratios, so that its figures stand.
  if (ours !== undefined && FIGURES.some((figure) => ours[figure] !== margin[figure])) return false;
  return holdings.positions.every(({ perp, paper }) => {
    const [market, cost] = [markets.get(perp), costs.get(perp)];
    if (market === undefined || cost === undefined || !cost.ok) return true;
    const terms = computeTakeoverTerms(market, paper, paper);
    return terms.paper === cost.paper && terms.credit === cost.credit;
  });
}

const FIGURES = [
  "netValueCredit",
  "exposureCredit",
  "initialMarginCredit",
  "maintenanceMarginCredit",
] as const;
