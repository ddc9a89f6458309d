import { Interface } from "ethers";
import { dealerAbi } from "../../chain/abi/dealer.generated.js";
import { fundingRateLimiterAbi } from "../../chain/abi/funding-rate-limiter.generated.js";
import type { CreditUnits, Hex } from "../../core/units.js";
import type { IncomeType } from "../../exchange/records.js";
import { mulFixed } from "../../perpetual/fixed-point.js";
import type { ExchangeAccount } from "../accounts/account.js";
import type { CreditLedger } from "../accounts/credit-ledger.js";
import { recordIncomes } from "../accounts/record-incomes.js";
import type { ExchangeState } from "../engine/exchange-state.js";
import type { Market } from "../markets/market.js";
import type { ChainAccounts, EventContext } from "./chain-accounts.js";
import type { ChainTransaction } from "./chain-block.js";
import type { ChainOutbox } from "./chain-outbox.js";
import type { ChainReport } from "./chain-report.js";
import type { ChainRequest } from "./chain-request.js";

/** Dependencies of the credit ledger on chain. Addresses in lower case. */
export interface ChainCreditLedgerDeps {
  readonly state: ExchangeState;
  readonly outbox: ChainOutbox;
  /** Created after the markets, which are created after this ledger. */
  accounts(): ChainAccounts;
  readonly dealer: Hex;
  /** The account whose tokens become deposits. */
  readonly owner: Hex;
  readonly fundingKeeper: Hex;
  /** The contract that the keeper calls: the limiter, or the dealer itself. */
  readonly fundingTarget: Hex;
  /** Wei that a new account gets for the gas of its own transactions. */
  readonly gasMoneyWei: bigint;
  report(report: ChainReport): void;
  /**
   * Called with the address of an account when one of its deposits is no longer pending: credited
   * or failed.
   */
  onDepositArrived(address: Hex): void;
  /** Called with the accounts whose credit or positions have changed. */
  afterChange(accounts: Iterable<ExchangeAccount>): void;
}

const DEALER = new Interface(dealerAbi);
const LIMITER = new Interface(fundingRateLimiterAbi);
const GAS = { transfer: 21_000, call: 200_000, withdrawal: 2_000_000, funding: 500_000 } as const;

/**
 * Moves credit through the contracts. Credit is added only when a block confirms it. A withdrawal
 * reduces the account's margin from the request on, and is returned if the contracts refuse it.
 */
export class ChainCreditLedger implements CreditLedger {
  readonly #parts: ChainCreditLedgerDeps;

  constructor(parts: ChainCreditLedgerDeps) {
    this.#parts = parts;
    const { outbox, state } = parts;
    outbox.handle("gas", this.#handler("gas-failed"));
    const deposit = this.#handler("deposit-failed", ({ details }) => ({
      depositType: details.type as IncomeType,
    }));
    const done = ({ details }: ChainRequest) =>
      parts.onDepositArrived(String(details.about) as Hex);
    outbox.handle("deposit", {
      onMined: (request, transaction) => {
        deposit.onMined(request, transaction);
        done(request);
      },
      onRefused: (request, reason) => {
        deposit.onRefused(request, reason);
        done(request);
      },
    });
    outbox.handle(
      "funding",
      this.#handler("funding-refused", ({ details }) => ({
        fundingRate: BigInt(String(details.rate)),
      })),
    );
    outbox.handle("operator", { ...this.#handler("operator-failed"), isResentWhenDropped: true });
    const arrived = (request: ChainRequest) => {
      const account = parts.accounts().account(String(request.details.about) as Hex);
      account.leavingCredit -= BigInt(String(request.details.amount));
      state.listener.onAccount(account);
      return account;
    };
    const withdrawal = this.#handler("withdrawal-failed");
    outbox.handle("withdraw", {
      onMined: (request, transaction) => {
        const account = arrived(request);
        withdrawal.onMined(request, transaction);
        this.onAccountsChanged([account]);
      },
      onRefused: (request, reason) => {
        const account = arrived(request);
        withdrawal.onRefused(request, reason);
        this.onAccountsChanged([account]);
      },
    });
  }

  /** Sends it gas money, and registers its operators with the dealer. */
  onAccountOpened(account: ExchangeAccount): void {
    const { outbox, owner, gasMoneyWei } = this.#parts;
    const to = lower(account.address);
    if (gasMoneyWei > 0n) {
      outbox.add({
        kind: "gas",
        from: owner,
        to,
        data: "0x",
        valueWei: gasMoneyWei,
        gas: GAS.transfer,
        details: { about: to },
      });
    }
    for (const operator of account.operators) this.setOperator(account, operator, true);
  }

  deposit(
    account: ExchangeAccount,
    amount: CreditUnits,
    type: "DEPOSIT" | "BONUS" = "DEPOSIT",
  ): void {
    const about = lower(account.address);
    const data = DEALER.encodeFunctionData("deposit", [amount, 0n, about]) as Hex;
    const { outbox, owner: from, dealer: to } = this.#parts;
    outbox.add({ kind: "deposit", from, to, data, gas: GAS.call, details: { about, type } });
  }

  hasPendingDeposit(account: ExchangeAccount): boolean {
    return this.#parts.state.requests.hasRequestFor("deposit", lower(account.address));
  }

  /**
   * Sent as the account itself, to itself: the chain is the exchange's own, and the account signed
   * the request.
   */
  withdraw(account: ExchangeAccount, amount: CreditUnits): void {
    const about = lower(account.address);
    const data = DEALER.encodeFunctionData("fastWithdraw", [
      about,
      about,
      amount,
      0n,
      false,
      "0x",
    ]) as Hex;
    const { outbox, state, dealer: to } = this.#parts;
    account.leavingCredit += amount;
    outbox.add({
      kind: "withdraw",
      from: about,
      to,
      data,
      gas: GAS.withdrawal,
      details: { about, amount: String(amount) },
    });
    state.listener.onAccount(account);
    this.onAccountsChanged([account]);
  }

  /** Sent as the account itself, like a withdrawal. */
  setOperator(account: ExchangeAccount, operator: Hex, isValid: boolean): void {
    const about = lower(account.address);
    const data = DEALER.encodeFunctionData("setOperator", [operator, isValid]) as Hex;
    this.#parts.outbox.add({
      kind: "operator",
      from: about,
      to: this.#parts.dealer,
      data,
      gas: GAS.call,
      details: { about, operator },
    });
  }

  /** True while the latest change of an operator is still pending on the chain. */
  hasPendingOperatorChange(account: ExchangeAccount, operator: Hex): boolean {
    const about = lower(account.address);
    for (const { details } of this.#parts.outbox.pending("operator")) {
      if (details.about === about && details.operator === operator) return true;
    }
    return false;
  }

  /**
   * Requests the cumulative rate that results from the interval's rate. The chain then pays it to
   * all positions, or to none.
   */
  settleFunding(market: Market): void {
    const rate =
      market.rules.config.funding.mode === "fixed"
        ? market.rules.fundingRate
        : market.premium.close();
    if (rate === null) return;
    const { outbox, fundingKeeper: from, fundingTarget: to } = this.#parts;
    const wanted = this.#pendingCumulativeRate(market) - mulFixed(rate, market.prices.mark);
    const data = LIMITER.encodeFunctionData("updateFundingRate", [
      [market.rules.perp],
      [wanted],
    ]) as Hex;
    outbox.add({
      kind: "funding",
      from,
      to,
      data,
      gas: GAS.funding,
      details: { about: market.id, rate: String(rate), wanted: String(wanted) },
    });
  }

  /** The cumulative rate including all pending updates. */
  #pendingCumulativeRate(market: Market): CreditUnits {
    let reported = market.cumulativeFunding;
    for (const { details } of this.#parts.outbox.pending("funding")) {
      if (details.about === market.id) reported = BigInt(String(details.wanted));
    }
    return reported;
  }

  onAccountsChanged(accounts: readonly ExchangeAccount[]): void {
    this.#parts.afterChange(accounts);
  }

  recordIncomes(
    account: ExchangeAccount,
    marketId: string,
    amounts: readonly (readonly [IncomeType, CreditUnits])[],
  ): void {
    recordIncomes(this.#parts.state, account, marketId, amounts);
  }

  #handler(
    failure: ChainReport["kind"],
    termsOf: (request: ChainRequest) => EventContext = () => ({}),
  ) {
    const { accounts, report } = this.#parts;
    const about = ({ details }: ChainRequest) => String(details.about);
    return {
      onMined: (request: ChainRequest, transaction: ChainTransaction) => {
        if (transaction.isReverted) {
          report({
            kind: failure,
            about: about(request),
            reason: transaction.revertReason ?? "reverted",
            hash: transaction.hash,
          });
        } else {
          accounts().apply(transaction, termsOf(request));
        }
      },
      onRefused: (request: ChainRequest, reason: string) =>
        report({ kind: failure, about: about(request), reason, hash: null }),
    };
  }
}

function lower(address: Hex): Hex {
  return address.toLowerCase() as Hex;
}
