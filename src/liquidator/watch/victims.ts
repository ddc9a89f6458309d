import type { Hex } from "../../core/units.js";
import { computeTakeoverTerms } from "../../perpetual/liquidation.js";
import { computeHoldingsMargin, type MarginMarket } from "../../perpetual/margin-account.js";
import type { TakeoverMarket, Victim } from "../plan/plan-input.js";
import type { Refused } from "../plan/takeover-plan.js";
import type { Confirmation, ConfirmedAccount } from "./candidate.js";
import { marginMarkets, toMarginMarket } from "./margin-markets.js";

/**
 * Accounts of a confirmation to plan for, and excluded accounts with the reason. Safe accounts are
 * in neither list.
 */
export interface Victims {
  readonly victims: readonly Victim[];
  readonly refused: readonly Refused[];
}

/** Market data that comes from the exchange, not the chain. */
export type VenueMarket = Omit<TakeoverMarket, keyof MarginMarket>;

/**
 * The listed markets that have a price and that the exchange trades. @param venue by perp in lower
 * case.
 */
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
 * Finds the accounts that are unsafe at the confirmation's block. If the chain's results for the
 * victim or the own account differ from the published formulas, nothing is planned. The contracts
 * are then of another kind, and the figures of a plan, above all the own margin after it, would be
 * wrong.
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
      refuse("other-formulas", "the chain's margin of the own account differs from the formulas");
    else if (!followsFormulas(entry, markets))
      refuse(
        "other-formulas",
        "the chain's margin of the account, or a cost, differs from the formulas",
      );
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
  // For a delisted market only the dealer knows the ratios, so its figures apply.
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
