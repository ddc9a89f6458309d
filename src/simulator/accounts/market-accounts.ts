import { atLeastZero } from "../../core/bigints.js";
import type { Market } from "../markets/market.js";
import type { ExchangeAccount } from "./account.js";

/** The accounts of one market: the house, and those that hold a position. */
export class MarketAccounts {
  /** Accounts with a position, which a change of the mark affects. */
  readonly holders = new Set<ExchangeAccount>();
  readonly #market: Market;

  constructor(
    market: Market,
    /** The account of all house agents and of recorded liquidity. */
    readonly house: ExchangeAccount,
  ) {
    this.#market = market;
  }

  /**
   * Runs a change of an account's position, then updates the market's open interest and its
   * holders.
   */
  change<Result>(account: ExchangeAccount, change: () => Result): Result {
    const { position } = account.inMarket(this.#market.id);
    const before = position.matched.paper;
    const result = change();
    const after = position.matched.paper;
    this.#market.openInterestPaper += atLeastZero(after) - atLeastZero(before);
    if (after === 0n) this.holders.delete(account);
    else this.holders.add(account);
    return result;
  }
}
