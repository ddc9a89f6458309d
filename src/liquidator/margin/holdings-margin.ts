import type { CreditUnits, Hex } from "../../core/units.js";
import type { MarginAccount, MarginMarket, Paper } from "./margin-account.js";
import { marginAfter } from "./margin-rules.js";

/** What the chain holds of an account, funding applied. */
export interface HeldOnChain {
  readonly primaryCredit: CreditUnits;
  readonly secondaryCredit: CreditUnits;
  readonly positions: readonly {
    readonly perp: Hex;
    readonly paper: Paper;
    readonly credit: CreditUnits;
  }[];
}

/** An account's margin by the published formulas (protocol 7.3); undefined where it holds a position in a market that is not among these. */
export function marginOfHoldings(
  held: HeldOnChain,
  markets: ReadonlyMap<Hex, MarginMarket>,
): MarginAccount | undefined {
  let account: MarginAccount | undefined = {
    netValueCredit: held.primaryCredit + held.secondaryCredit,
    exposureCredit: 0n,
    initialMarginCredit: 0n,
    maintenanceMarginCredit: 0n,
    papers: new Map(),
  };
  for (const { perp, paper, credit } of held.positions) {
    const market = markets.get(perp);
    account =
      market === undefined || account === undefined
        ? undefined
        : marginAfter(account, market, paper, credit);
  }
  return account;
}
