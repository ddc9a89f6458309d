import { decimalToScaled } from "../../core/instrument.js";
import type { Seam } from "../../core/runtime/seam.js";
import type { CreditUnits, Hex, Int64Id, MarketId, Ms } from "../../core/units.js";
import { ExchangeAccount, type Income, type Order, type UserTrade } from "../accounts/account.js";
import { MarketAccounts } from "../accounts/market-accounts.js";
import type { PendingSettlement } from "../accounts/pending-settlement.js";
import type { ExchangeConfig } from "../config/config.js";
import { GasMarket } from "../markets/gas-market.js";
import type { Market, Trade } from "../markets/market.js";
import type { ChainRequest } from "../settlement/chain-request.js";
import { PendingRequests } from "../settlement/pending-requests.js";

/** What happens at the exchange, told to whoever publishes it, in order. */
export interface ExchangeListener {
  onOrder(order: Order): void;
  /** A trade of an account arose, settled or failed. */
  onUserTrade(trade: UserTrade): void;
  /** Balances or positions of an account changed. */
  onAccount(account: ExchangeAccount): void;
  onIncomes(account: ExchangeAccount, incomes: readonly Income[]): void;
  /** Somebody may sign for an account no more. @param operator in lower case */
  onOperatorRevoked(account: ExchangeAccount, operator: Hex): void;
  onTrade(trade: Trade): void;
  onBook(market: Market): void;
}

/** The same, and what only a store has to know of: with it every change of what must outlive the process is told. */
export interface StateListener extends ExchangeListener {
  /** Figures of a market changed that are neither its book nor its trades: marks, samples, funding, its status. */
  onMarket(market: Market): void;
  /** An account's position in a market changed, as matched or as settled. */
  onPosition(account: ExchangeAccount, market: Market): void;
  /** A match waits for its settlement from now on. */
  onPending(pending: PendingSettlement): void;
  /** It waits no longer: it was settled, or its settlement failed. */
  onResolved(pending: PendingSettlement): void;
  /** The hash of an order that was taken. */
  onOrderHash(hash: Hex): void;
  /** A signed request that counts once has counted; it need not be remembered beyond that time. */
  onUsedRequest(digest: Hex, untilMs: Ms): void;
  /** It is too old to be let in again. */
  onExpiredUsedRequest(digest: Hex): void;
  /** Something is asked of the chain from now on. */
  onRequest(request: ChainRequest): void;
  /** Its fate is known. */
  onRequestResolved(request: ChainRequest): void;
  /** A field of the state itself changed. */
  onState(): void;
}

/** Where identifiers and exchange time have come to. */
export interface StateCounters {
  readonly nextId: bigint;
  readonly latestMs: Ms;
}

/** What all rooms of the exchange share: its markets, accounts, money that is nobody's, identifiers and time. */
export class ExchangeState {
  readonly markets = new Map<MarketId, Market>();
  readonly #accountsIn = new Map<MarketId, MarketAccounts>();
  /** By address in lower case. */
  readonly accounts = new Map<Hex, ExchangeAccount>();
  /** Accounts that are on the chain and have not registered, by address in lower case. */
  readonly unregisteredAccounts = new Map<Hex, ExchangeAccount>();
  /** What was asked of the chain and is not yet in a block, oldest first. */
  readonly requests = new PendingRequests();
  nextRequestId = 1;
  /** The last block of the chain whose events have been applied. */
  chainBlock = 0;
  chainBlockHash: Hex | "" = "";
  /** Whose account on the chain takes debts over, in lower case; empty where there is no chain. */
  insuranceAddress: Hex | "" = "";
  /** The contract that reads many accounts of the chain in one call; empty where there is no chain. */
  lensAddress: Hex | "" = "";
  /** What settlement costs. */
  readonly gas: GasMarket;
  /**
   * Fees taken less rebates given, the order sender's credit of docs/reference/protocol.md#trades.
   */
  feeCredit: CreditUnits = 0n;
  /** What truncation left when funding was shared out. */
  dustCredit: CreditUnits = 0n;
  /** What the insurance account holds; debts that it took over have brought it down. */
  insuranceCredit: CreditUnits;
  /** All that ever came in from outside: deposits, faucet and registration credit, the insurance account's capital. */
  depositedCredit: CreditUnits;
  /** All that ever left. */
  withdrawnCredit: CreditUnits = 0n;
  /** Hashes of the orders taken, oldest first; only the newest `retention.orderHashes` are kept. */
  readonly orderHashes = new Set<Hex>();
  /** Signed requests that count once, by their digest, oldest first, and until when each would be let in again by its timestamp. */
  readonly usedRequests = new Map<Hex, Ms>();
  /** What gas-fee tokens are sealed with. */
  readonly quotationSecret: string;
  #nextId: bigint;
  #latestMs: Ms = 0;

  /** @throws ConfigError for a price of ETH from no market */
  constructor(
    readonly config: ExchangeConfig,
    readonly runtime: Seam,
    readonly listener: StateListener,
  ) {
    this.#nextId = BigInt(config.firstId);
    this.quotationSecret = [0, 1, 2, 3]
      .map(() => runtime.random.uint64().toString(16).padStart(16, "0"))
      .join("");
    this.gas = new GasMarket(config, this.markets);
    // Where there is a chain, the insurance account's capital comes as a deposit there.
    this.insuranceCredit =
      config.chain === undefined
        ? decimalToScaled(config.insurance.initialQuote, config.creditDecimals)
        : 0n;
    this.depositedCredit = this.insuranceCredit;
  }

  /** Opens a market. @param house the account of all its house agents and of recorded liquidity */
  addMarket(market: Market, house: ExchangeAccount): void {
    this.markets.set(market.id, market);
    this.#accountsIn.set(market.id, new MarketAccounts(market, house));
  }

  /** The house of a market, and the accounts that hold a position there. */
  accountsFor({ id }: Market): MarketAccounts {
    return this.#accountsIn.get(id) as MarketAccounts;
  }

  /** The house of each market. */
  get houses(): readonly ExchangeAccount[] {
    return [...this.#accountsIn.values()].map(({ house }) => house);
  }

  /** The next identifier: one counter for orders, trades and incomes. */
  nextId(): Int64Id {
    const id = this.#nextId;
    this.#nextId += 1n;
    return id.toString();
  }

  /** Exchange time for records: the seam's wall time, except that it never goes back. */
  nowMs(): Ms {
    this.#latestMs = Math.max(this.#latestMs, this.runtime.clock.nowMs());
    return this.#latestMs;
  }

  /** Remembers an order's hash. */
  addOrderHash(hash: Hex): void {
    this.orderHashes.add(hash);
    this.listener.onOrderHash(hash);
    if (this.orderHashes.size > this.config.retention.orderHashes) {
      for (const oldest of this.orderHashes) {
        this.orderHashes.delete(oldest);
        break;
      }
    }
  }

  /**
   * Lets a signed request count, and no copy of it after that.
   * @param untilMs the last instant at which its timestamp is within the window.
   * @returns false where it has counted before.
   */
  markRequestUsed(digest: Hex, untilMs: Ms): boolean {
    if (this.usedRequests.has(digest)) {
      return false;
    }
    // The order is that of arrival, and a timestamp may be ahead of it by a window: what is over stands behind few that are not.
    for (const [oldest, overMs] of this.usedRequests) {
      if (overMs >= this.runtime.clock.nowMs()) {
        break;
      }
      this.usedRequests.delete(oldest);
      this.listener.onExpiredUsedRequest(oldest);
    }
    this.usedRequests.set(digest, untilMs);
    this.listener.onUsedRequest(digest, untilMs);
    return true;
  }

  /** The counters, as plain values for a store. */
  get counters(): StateCounters {
    return { nextId: this.#nextId, latestMs: this.#latestMs };
  }

  /** Puts back what {@link counters} gave. */
  restoreCounters({ nextId, latestMs }: StateCounters): void {
    this.#nextId = nextId;
    this.#latestMs = latestMs;
  }

  account(address: string): ExchangeAccount | undefined {
    return this.accounts.get(address.toLowerCase() as Hex);
  }

  /** Registers an address: a new account, or the one that it has had on the chain. */
  registerAccount(address: Hex): ExchangeAccount {
    const key = address.toLowerCase() as Hex;
    const account =
      this.unregisteredAccounts.get(key) ??
      new ExchangeAccount(address, this.nowMs(), this.config.retention);
    this.unregisteredAccounts.delete(key);
    account.register(address, this.nowMs());
    this.accounts.set(key, account);
    return account;
  }

  /** The account of an address, registered or not, made on first sight. */
  findOrCreateAccount(address: Hex): ExchangeAccount {
    const key = address.toLowerCase() as Hex;
    const known = this.accounts.get(key) ?? this.unregisteredAccounts.get(key);
    if (known !== undefined) {
      return known;
    }
    const stranger = new ExchangeAccount(key, this.nowMs(), this.config.retention);
    stranger.isRegistered = false;
    this.unregisteredAccounts.set(key, stranger);
    return stranger;
  }
}
