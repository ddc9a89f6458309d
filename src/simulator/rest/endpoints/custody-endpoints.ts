import { decimalToScaled, scaledToDecimal } from "../../../core/instrument.js";
import type { CreditUnits } from "../../../core/units.js";
import type { ExchangeAccount } from "../../accounts/account.js";
import type { Clearing } from "../../accounts/clearing.js";
import type { Withdrawals } from "../../accounts/withdrawals.js";
import { MOST_OPERATORS } from "../../config/config.js";
import type { ExchangeState } from "../../engine/exchange-state.js";
import type { OrderManager } from "../../matching/order-manager.js";
import { ApiError } from "../api-error.js";
import { type Authentication, readAddress } from "../authentication.js";
import { oneOf, required } from "../parameters.js";
import { incomingNote } from "../records/incoming-note.js";

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/**
 * The operations that wallet and contract perform at a venue with a chain: deposits, withdrawals
 * and operators. Outside `/v1`.
 */
export class CustodyEndpoints {
  readonly #state: ExchangeState;
  readonly #mostFaucet: CreditUnits;
  readonly #clearing: Clearing;
  readonly #orderManager: OrderManager;
  readonly #withdrawals: Withdrawals;
  readonly #authentication: Authentication;

  constructor(
    state: ExchangeState,
    clearing: Clearing,
    desk: OrderManager,
    withdrawals: Withdrawals,
    authentication: Authentication,
  ) {
    this.#state = state;
    this.#mostFaucet = decimalToScaled(state.config.faucet.maxQuote, state.config.creditDecimals);
    this.#clearing = clearing;
    this.#orderManager = desk;
    this.#withdrawals = withdrawals;
    this.#authentication = authentication;
  }

  /**
   * POST /faucet: a free deposit, unsigned.
   * @throws ApiError 1010, 1110, 1111
   */
  faucet(parameters: ReadonlyMap<string, string>): string {
    const { faucet } = this.#state.config;
    const account = this.#authentication.requireRegistered(readAddress(parameters));
    const amount = this.#amountOf(parameters);
    if (amount > this.#mostFaucet) {
      throw new ApiError(1111, `amount is more than ${faucet.maxQuote}`);
    }
    this.#clearing.credit.deposit(account, amount);
    return this.faucetAnswer(account, parameters);
  }

  /** The response to POST /faucet, for the account's present state. */
  faucetAnswer(account: ExchangeAccount, parameters: ReadonlyMap<string, string>): string {
    const { creditDecimals } = this.#state.config;
    return JSON.stringify({
      account: account.address,
      amount: scaledToDecimal(this.#amountOf(parameters), creditDecimals),
      deposits: scaledToDecimal(account.deposits, creditDecimals),
    });
  }

  /**
   * POST /withdraw: withdraws credit. Signed by the account itself; each signature is valid once.
   * @throws ApiError 1010, 1011, 1012, 1110, 1111, and 2012 when the account would not keep its
   * initial margin
   */
  withdraw(parameters: ReadonlyMap<string, string>): string {
    const { creditDecimals } = this.#state.config;
    const account = this.#authentication.requireOwnAccountOnce(parameters);
    const amount = this.#amountOf(parameters);
    if (!this.#withdrawals.isAllowed(account, amount)) {
      const note = incomingNote(account, this.#clearing.credit, this.#state.config);
      throw new ApiError(2012, `the account would fall below its initial margin${note}`);
    }
    this.#withdrawals.request(account, amount);
    return JSON.stringify({
      account: account.address,
      amount: scaledToDecimal(amount, creditDecimals),
      executesAt: account.pendingWithdrawal?.dueMs ?? this.#state.nowMs(),
    });
  }

  /**
   * POST /operator: allows an address to sign for the account, or revokes that at once. Signed by
   * the account itself; each signature is valid once.
   * @throws ApiError 1010, 1011, 1012, 1110, 1111
   */
  setOperator(parameters: ReadonlyMap<string, string>): string {
    const account = this.#authentication.requireOwnAccountOnce(parameters);
    const operator = required(parameters, "operator").toLowerCase();
    if (!ADDRESS.test(operator)) {
      throw new ApiError(1110, "operator is not an address");
    }
    if (operator === account.address.toLowerCase()) {
      throw new ApiError(1111, "operator is the account itself, which can always sign");
    }
    if (oneOf(required(parameters, "isValid"), ["true", "false"], "isValid") === "true") {
      if (account.operators.size >= MOST_OPERATORS && !account.operators.has(operator)) {
        throw new ApiError(1111, `an account has at most ${MOST_OPERATORS} operators`);
      }
      account.operators.add(operator);
    } else {
      this.#orderManager.revokeOperator(account, operator);
    }
    this.#clearing.credit.setOperator(account, operator, account.operators.has(operator));
    this.#state.listener.onAccount(account);
    return JSON.stringify({ account: account.address, operators: [...account.operators] });
  }

  #amountOf(parameters: ReadonlyMap<string, string>): CreditUnits {
    const { creditDecimals } = this.#state.config;
    let amount: CreditUnits;
    try {
      amount = decimalToScaled(required(parameters, "amount"), creditDecimals);
    } catch (error) {
      throw error instanceof ApiError
        ? error
        : new ApiError(1111, `amount is not a decimal of at most ${creditDecimals} decimals`);
    }
    if (amount <= 0n) {
      throw new ApiError(1111, "amount is not positive");
    }
    return amount;
  }
}
