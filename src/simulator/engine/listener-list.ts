import type { Hex } from "../../core/units.js";
import type { ExchangeAccount, Income, Order, UserTrade } from "../accounts/account.js";
import type { Market, Trade } from "../markets/market.js";
import type { ExchangeListener } from "./exchange-state.js";

/** Several listeners as one, each event to all of them in the order in which they were added. */
export class ListenerList implements ExchangeListener {
  readonly #listeners: ExchangeListener[] = [];

  add(listener: ExchangeListener): void {
    this.#listeners.push(listener);
  }

  onOrder(order: Order): void {
    for (const listener of this.#listeners) listener.onOrder(order);
  }

  onUserTrade(trade: UserTrade): void {
    for (const listener of this.#listeners) listener.onUserTrade(trade);
  }

  onAccount(account: ExchangeAccount): void {
    for (const listener of this.#listeners) listener.onAccount(account);
  }

  onIncomes(account: ExchangeAccount, incomes: readonly Income[]): void {
    for (const listener of this.#listeners) listener.onIncomes(account, incomes);
  }

  onOperatorRevoked(account: ExchangeAccount, operator: Hex): void {
    for (const listener of this.#listeners) listener.onOperatorRevoked(account, operator);
  }

  onTrade(trade: Trade): void {
    for (const listener of this.#listeners) listener.onTrade(trade);
  }

  onBook(market: Market): void {
    for (const listener of this.#listeners) listener.onBook(market);
  }
}
