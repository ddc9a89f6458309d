import type { Seam } from "../core/seam.js";
import type { CreditUnits, Hex, Int64Id, MarketId, Ms } from "../core/units.js";
import type { Account } from "./accounts/account.js";
import type { Order } from "./accounts/order.js";
import type { Income, Trade, UserTrade } from "./accounts/records.js";
import type { ExchangeConfig } from "./config.js";
import type { Market } from "./markets/market.js";

/** What happens at the exchange, told to whoever publishes it, in order. */
export interface ExchangeListener {
  onOrder(order: Order): void;
  /** A trade of an account arose, settled or failed. */
  onUserTrade(trade: UserTrade): void;
  /** Balances or positions of an account changed. */
  onAccount(account: Account): void;
  onIncomes(account: Account, incomes: readonly Income[]): void;
  onTrade(trade: Trade): void;
  onBook(market: Market): void;
}

/** What all rooms of the exchange share: its markets, accounts, money that is nobody's, identifiers and time. */
export class ExchangeState {
  readonly markets = new Map<MarketId, Market>();
  /** By address in lower case. */
  readonly accounts = new Map<Hex, Account>();
  /** Fees taken less rebates given, the order sender's credit of protocol 7.6. */
  feeCredit: CreditUnits = 0n;
  /** What truncation left when funding was shared out. */
  dustCredit: CreditUnits = 0n;
  #nextId: bigint;
  #latestMs: Ms = 0;

  constructor(
    readonly config: ExchangeConfig,
    readonly seam: Seam,
    readonly listener: ExchangeListener,
  ) {
    this.#nextId = BigInt(config.firstId);
  }

  /** The next identifier: one counter for orders, trades and incomes. */
  nextId(): Int64Id {
    const id = this.#nextId;
    this.#nextId += 1n;
    return id.toString();
  }

  /** Exchange time for records: the seam's wall time, except that it never goes back. */
  nowMs(): Ms {
    this.#latestMs = Math.max(this.#latestMs, this.seam.clock.nowMs());
    return this.#latestMs;
  }

  account(address: string): Account | undefined {
    return this.accounts.get(address.toLowerCase());
  }
}
