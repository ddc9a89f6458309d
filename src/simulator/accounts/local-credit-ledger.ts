import type { CreditUnits } from "../../core/units.js";
import type { IncomeType } from "../../exchange/records.js";
import { mulFixed } from "../../perpetual/fixed-point.js";
import type { ExchangeState } from "../engine/exchange-state.js";
import type { Market } from "../markets/market.js";
import type { ExchangeAccount } from "./account.js";
import type { CreditLedger } from "./credit-ledger.js";
import { recordIncomes } from "./record-incomes.js";

/**
 * Moves credit in the exchange's own books: deposits, withdrawals, funding and cover from the
 * insurance account.
 */
export class LocalCreditLedger implements CreditLedger {
  readonly #state: ExchangeState;
  readonly #afterChange: (accounts: Iterable<ExchangeAccount>) => void;

  /** @param afterChange called with the accounts whose credit or positions have changed. */
  constructor(state: ExchangeState, afterChange: (accounts: Iterable<ExchangeAccount>) => void) {
    this.#state = state;
    this.#afterChange = afterChange;
  }

  /** Does nothing: there is no chain to inform. */
  onAccountOpened(): void {}

  /** Does nothing: there is no chain to inform. */
  setOperator(): void {}

  deposit(
    account: ExchangeAccount,
    amount: CreditUnits,
    type: "DEPOSIT" | "BONUS" = "DEPOSIT",
  ): void {
    account.deposits += amount;
    this.#state.depositedCredit += amount;
    this.#moved(account, type, amount);
  }

  /** Always false: a deposit counts at once. */
  hasPendingDeposit(): boolean {
    return false;
  }

  withdraw(account: ExchangeAccount, amount: CreditUnits): void {
    account.deposits -= amount;
    this.#state.withdrawnCredit += amount;
    this.#moved(account, "WITHDRAWAL", -amount);
  }

  /**
   * Covers the debt of accounts that have no position and no pending trades from the insurance
   * account (docs/reference/protocol.md#bad-debt).
   */
  #coverDebts(accounts: Iterable<ExchangeAccount>): void {
    for (const account of accounts) {
      const debt = -account.primaryCredit;
      if (
        debt > 0n &&
        !account.isHouse &&
        [...account.markets.values()].every(({ position }) => position.isFlat)
      ) {
        account.insuredCredit += debt;
        this.#state.insuranceCredit -= debt;
        this.recordIncomes(account, "", [["SYSTEM", debt]]);
        this.#state.listener.onAccount(account);
      }
    }
  }

  onAccountsChanged(accounts: readonly ExchangeAccount[]): void {
    this.#coverDebts(accounts);
    this.#afterChange(accounts);
  }

  /** Records a deposit to an account or a withdrawal from it. */
  #moved(account: ExchangeAccount, type: IncomeType, amount: CreditUnits): void {
    this.recordIncomes(account, "", [[type, amount]]);
    this.#state.listener.onAccount(account);
    this.onAccountsChanged([account]);
  }

  /**
   * Ends a funding interval and pays its rate on every position of a market at the mark
   * (docs/reference/protocol.md#funding). The cumulative rate falls by rate times mark, and each
   * position gains the change of dMul(paper, rate). The truncated remainder goes to the dust
   * account. With too few samples of the premium nothing is paid.
   */
  settleFunding(market: Market): void {
    const rate =
      market.rules.config.funding.mode === "fixed"
        ? market.rules.fundingRate
        : market.premium.close();
    if (rate === null) {
      return;
    }
    const { instrument } = market;
    const timeMs = this.#state.nowMs();
    const before = market.cumulativeFunding;
    const after = before - mulFixed(rate, market.prices.mark);
    market.cumulativeFunding = after;
    market.fundings.add({ rate, timeMs });
    const { house, holders: all } = this.#state.accountsFor(market);
    const holders = [house, ...this.#state.accounts.values()].filter((account) => all.has(account));
    for (const account of holders) {
      const { position } = account.inMarket(market.id);
      const { paper } = position.matched;
      const amount = instrument.markValue(paper, after) - instrument.markValue(paper, before);
      position.fund(amount, timeMs);
      this.#state.listener.onPosition(account, market);
      this.#state.dustCredit -= amount;
      if (!account.isHouse) {
        this.recordIncomes(account, market.id, [["FUNDING_FEE", amount]]);
        this.#state.listener.onAccount(account);
      }
    }
    this.#state.listener.onMarket(market);
    this.onAccountsChanged(holders);
  }

  recordIncomes(
    account: ExchangeAccount,
    marketId: string,
    amounts: readonly (readonly [IncomeType, CreditUnits])[],
  ): void {
    recordIncomes(this.#state, account, marketId, amounts);
  }
}
