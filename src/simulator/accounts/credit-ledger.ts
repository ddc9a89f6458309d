import type { CreditUnits, Hex } from "../../core/units.js";
import type { IncomeType } from "../../exchange/records.js";
import type { Market } from "../markets/market.js";
import type { ExchangeAccount } from "./account.js";

/**
 * Moves credit outside of trades: in the exchange's own books, or through the contracts that hold
 * it.
 */
export interface CreditLedger {
  /** Called when an account has been opened and its configured settings apply. */
  onAccountOpened(account: ExchangeAccount): void;
  /** Credits an account from outside: at registration, or by the faucet. */
  deposit(account: ExchangeAccount, amount: CreditUnits, type?: "DEPOSIT" | "BONUS"): void;
  /** True while a deposit for the account is pending: its block is not applied yet. */
  hasPendingDeposit(account: ExchangeAccount): boolean;
  /** Withdraws credit from an account and from the exchange. */
  withdraw(account: ExchangeAccount, amount: CreditUnits): void;
  /**
   * Allows an address to sign for an account, or revokes that.
   * @param operator in lower case
   */
  setOperator(account: ExchangeAccount, operator: Hex, isValid: boolean): void;
  /**
   * Ends a funding interval of a market and pays its rate. With too few samples of the premium
   * nothing is paid.
   */
  settleFunding(market: Market): void;
  /** Called when credit or positions of accounts have changed. */
  onAccountsChanged(accounts: readonly ExchangeAccount[]): void;
  /**
   * Records incomes of an account and reports them.
   * @param marketId empty where they belong to no market
   */
  recordIncomes(
    account: ExchangeAccount,
    marketId: string,
    amounts: readonly (readonly [IncomeType, CreditUnits])[],
  ): void;
}
