import type { ExchangeAccount } from "../accounts/account.js";
import type { ExchangeState } from "../engine/exchange-state.js";
import { type AccountKey, idKey } from "./record-keys.js";

/**
 * The keys of accounts in the records: registered ones by the order of their registration, a house
 * by its market.
 */
export class AccountKeys {
  readonly #keys = new Map<ExchangeAccount, AccountKey>();
  readonly #accounts = new Map<AccountKey, ExchangeAccount>();

  constructor(state: ExchangeState) {
    for (const market of state.markets.values()) {
      this.#add(state.accountsFor(market).house, `house-${market.id}`);
    }
  }

  /** The key of an account, assigned on first use. */
  keyFor(account: ExchangeAccount): AccountKey {
    const key = this.#keys.get(account) ?? idKey(this.#keys.size);
    if (!this.#keys.has(account)) {
      this.#add(account, key);
    }
    return key;
  }

  /** Restores an account under its stored key. */
  restore(account: ExchangeAccount, key: AccountKey): void {
    this.#add(account, key);
  }

  /** The account of a key. */
  account(key: AccountKey): ExchangeAccount | undefined {
    return this.#accounts.get(key);
  }

  #add(account: ExchangeAccount, key: AccountKey): void {
    this.#keys.set(account, key);
    this.#accounts.set(key, account);
  }
}
