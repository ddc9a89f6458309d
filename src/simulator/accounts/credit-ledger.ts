import type { CreditUnits, Hex } from "../../core/units.js";
import type { IncomeType } from "../../exchange/records.js";
import type { Market } from "../markets/market.js";
import type { ExchangeAccount } from "./account.js";

/** Moves credit that no trade moves: in the exchange's own books, or through the contracts that hold it. */
export interface CreditLedger {
  /** An account has just been opened; what its configuration says of it holds. */
  onAccountOpened(account: ExchangeAccount): void;
  /** Credits an account from outside: registration, or the faucet. */
  deposit(account: ExchangeAccount, amount: CreditUnits, type?: "DEPOSIT" | "BONUS"): void;
  /** Whether credit from outside is on its way to an account and does not count yet. */
  hasPendingDeposit(account: ExchangeAccount): boolean;
  /** Lets credit leave an account and the exchange. */
  withdraw(account: ExchangeAccount, amount: CreditUnits): void;
  /** Somebody has been allowed to sign for an account, or is no more. @param operator in lower case */
  setOperator(account: ExchangeAccount, operator: Hex, isValid: boolean): void;
  /** Ends a funding interval of a market and pays its rate; nothing is paid when there were too few samples of the premium. */
  settleFunding(market: Market): void;
  /** Money or positions of accounts have changed. */
  onAccountsChanged(accounts: readonly ExchangeAccount[]): void;
  /** Notes incomes of an account, and tells of them. @param marketId empty where they belong to no market */
  recordIncomes(
    account: ExchangeAccount,
    marketId: string,
    amounts: readonly (readonly [IncomeType, CreditUnits])[],
  ): void;
}
