import { decimalToScaled } from "../../../core/instrument.js";
import type { CreditUnits, Hex } from "../../../core/units.js";
import { EVERY_INCOME_TYPE } from "../../../exchange/records.js";
import type { ExchangeAccount } from "../../accounts/account.js";
import type { Clearing } from "../../accounts/clearing.js";
import type { ExchangeState } from "../../engine/exchange-state.js";
import { ApiError } from "../api-error.js";
import { listLimit, oneOf, optionalId, timeRange } from "../parameters.js";
import {
  balancesRecord,
  incomeRecord,
  positionRecords,
  userTradeRecord,
} from "../records/account-records.js";
import { writeRecords } from "../records/write-json.js";
import { requireMarket } from "./order-terms.js";

const ALL = "ALL";

/** The endpoints that register and read accounts, their credit, trades and incomes. */
export class AccountEndpoints {
  readonly #state: ExchangeState;
  readonly #clearing: Clearing;
  /** The initial credit of a new account. */
  readonly #credit: CreditUnits;
  /** Configured operators by account, all in lower case. */
  readonly #operators: ReadonlyMap<string, readonly Hex[]>;

  constructor(state: ExchangeState, clearing: Clearing) {
    this.#state = state;
    this.#clearing = clearing;
    this.#credit = decimalToScaled(state.config.creditOnRegistration, state.config.creditDecimals);
    this.#operators = new Map(
      Object.entries(state.config.accounts).map(([address, { operators }]) => [
        address.toLowerCase(),
        operators.map((operator) => operator.toLowerCase()),
      ]),
    );
  }

  /** POST /v1/account. @throws ApiError 1010 when there are too many, 2018 */
  register(address: Hex): string {
    if (this.#state.account(address) !== undefined) {
      throw new ApiError(2018, "the account is already registered");
    }
    if (this.#state.accounts.size >= this.#state.config.maxAccounts) {
      throw new ApiError(1010, "the exchange accepts no more accounts");
    }
    const account = this.open(address);
    return JSON.stringify({ address: account.address, createdAt: account.createdAtMs });
  }

  /**
   * Opens an account.
   * @param credit its initial credit; the venue's when left out
   */
  open(address: Hex, credit: CreditUnits = this.#credit): ExchangeAccount {
    const { config } = this.#state;
    const account = this.#state.registerAccount(address);
    for (const operator of this.#operators.get(address.toLowerCase()) ?? []) {
      account.operators.add(operator);
    }
    this.#state.listener.onAccount(account);
    this.#clearing.credit.onAccountOpened(account);
    if (credit > 0n) {
      this.#clearing.credit.deposit(account, credit, config.choices.registrationIncome);
    }
    return account;
  }

  /** GET /v1/account. */
  read(account: ExchangeAccount): string {
    return JSON.stringify({ address: account.address, createdAt: account.createdAtMs });
  }

  /** GET /v1/balances. */
  balances(account: ExchangeAccount): string {
    return JSON.stringify(this.balancesAnswer(account));
  }

  /** The body of GET /v1/balances and of ACCOUNT_UPDATE. */
  balancesAnswer(account: ExchangeAccount) {
    const { markets, config } = this.#state;
    return {
      balances: balancesRecord(account, markets, config.creditDecimals),
      positions: positionRecords(account, markets, {
        closed: config.choices.closedPositions === "latest",
        updatedAt: true,
      }),
    };
  }

  /** GET /v1/positions. */
  positions(account: ExchangeAccount): string {
    const { markets, config } = this.#state;
    const closed = config.choices.closedPositions === "latest";
    return JSON.stringify(positionRecords(account, markets, { closed, updatedAt: false }));
  }

  /** GET /v1/userTrades. @throws ApiError 1111 for fromId together with a time */
  userTrades(account: ExchangeAccount, parameters: ReadonlyMap<string, string>): string {
    const market = requireMarket(this.#state, parameters);
    const range = timeRange(parameters, this.#state.config.choices);
    const fromId = optionalId(parameters, "fromId");
    if (fromId !== undefined && (range.startMs !== undefined || range.endMs !== undefined)) {
      throw new ApiError(1111, "fromId cannot be combined with startTime or endTime");
    }
    const page = { ...range, fromId, limit: listLimit(parameters) };
    const trades = account.markets.get(market.id)?.trades.page(page) ?? [];
    return writeRecords(trades.map(userTradeRecord));
  }

  /** GET /v1/incomes. */
  incomes(account: ExchangeAccount, parameters: ReadonlyMap<string, string>): string {
    const market = requireMarket(this.#state, parameters);
    const type = oneOf(parameters.get("type") || ALL, [ALL, ...EVERY_INCOME_TYPE], "type");
    const everywhere = this.#state.config.choices.accountIncomes === "every-market";
    const incomes = account.incomes.page(
      { ...timeRange(parameters, this.#state.config.choices), limit: listLimit(parameters) },
      (income) =>
        (type === ALL || income.type === type) &&
        (income.marketId === market.id || (everywhere && income.marketId === "")),
    );
    return writeRecords(
      incomes.map((income) => incomeRecord(income, this.#state.config.creditDecimals)),
    );
  }
}
