import type { CreditUnits, MarketId, PaperUnits } from "../../core/units.js";
import type { ExchangeAccount } from "../accounts/account.js";
import type { ExchangeState } from "./exchange-state.js";

/**
 * A balance of all credit. It is conserved if the credit of all accounts, the insurance account and
 * the fees equals deposits less withdrawals to the unit, and every long has its short.
 */
export interface Audit {
  /** Of every account, less its withdrawals. */
  readonly deposits: CreditUnits;
  /**
   * Credit of every account as matched: primary credit and all positions, including the houses'.
   */
  readonly accountCredit: CreditUnits;
  /**
   * The same as settled. Once no settlement is pending it equals the matched credit, except for
   * fees.
   */
  readonly settledCredit: CreditUnits;
  readonly feeCredit: CreditUnits;
  readonly dustCredit: CreditUnits;
  readonly insuranceCredit: CreditUnits;
  /** All deposits less all withdrawals, counted as they happened and not from the accounts. */
  readonly depositedCredit: CreditUnits;
  readonly withdrawnCredit: CreditUnits;
  /** Sum of all positions by market: zero. */
  readonly netPaper: Readonly<Record<MarketId, PaperUnits>>;
  readonly isConserved: boolean;
}

/** Sums up the exchange's credit and positions. */
export function audit(state: ExchangeState): Audit {
  let deposits = 0n;
  let accountCredit = 0n;
  let settledCredit = 0n;
  const netPaper: Record<MarketId, PaperUnits> = {};
  for (const id of state.markets.keys()) {
    netPaper[id] = 0n;
  }
  const add = (account: ExchangeAccount): void => {
    deposits += account.deposits;
    accountCredit += account.primaryCredit;
    settledCredit += account.settledPrimaryCredit;
    for (const [id, { position }] of account.markets) {
      accountCredit += position.matched.credit;
      settledCredit += position.settled.credit;
      netPaper[id] = (netPaper[id] ?? 0n) + position.matched.paper;
    }
  };
  for (const account of state.accounts.values()) add(account);
  for (const account of state.unregisteredAccounts.values()) add(account);
  for (const house of state.houses) add(house);
  const { feeCredit, dustCredit, insuranceCredit, depositedCredit, withdrawnCredit } = state;
  const held = accountCredit + feeCredit + dustCredit + insuranceCredit;
  return {
    deposits,
    accountCredit,
    settledCredit,
    feeCredit,
    dustCredit,
    insuranceCredit,
    depositedCredit,
    withdrawnCredit,
    netPaper,
    isConserved:
      held === depositedCredit - withdrawnCredit &&
      Object.values(netPaper).every((paper) => paper === 0n),
  };
}
