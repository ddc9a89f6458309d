import { decimalToScaled } from "../../core/instrument.js";
import type { Runtime } from "../../core/runtime/runtime.js";
import type { CreditUnits, Hex, Int64Id, MarketId, Ms } from "../../core/units.js";
import { ExchangeAccount, type Income, type Order, type UserTrade } from "../accounts/account.js";
import { MarketAccounts } from "../accounts/market-accounts.js";
import type { PendingSettlement } from "../accounts/pending-settlement.js";
import type { ExchangeConfig } from "../config/config.js";
import { GasMarket } from "../markets/gas-market.js";
import type { Market, Trade } from "../markets/market.js";
import type { ChainRequest } from "../settlement/chain-request.js";
import { PendingRequests } from "../settlement/pending-requests.js";

/** The events of the exchange, in order, for publication. */
export interface ExchangeListener {
  onOrder(order: Order): void;
  /** A trade of an account was matched, settled or failed. */
  onUserTrade(trade: UserTrade): void;
  /** Balances or positions of an account changed. */
  onAccount(account: ExchangeAccount): void;
  onIncomes(account: ExchangeAccount, incomes: readonly Income[]): void;
  /**
   * An address may no longer sign for an account.
   * @param operator in lower case
   */
  onOperatorRevoked(account: ExchangeAccount, operator: Hex): void;
  onTrade(trade: Trade): void;
  onBook(market: Market): void;
}

/**
 * The same events and those that only a store needs. Together they cover every change of stored
 * state.
 */
export interface StateListener extends ExchangeListener {
  /**
   * Figures of a market other than its book and trades changed: marks, samples, funding, status.
   */
  onMarket(market: Market): void;
  /** An account's position in a market, as matched or as settled, or its leverage changed. */
  onPosition(account: ExchangeAccount, market: Market): void;
  /** A match became pending settlement. */
  onPending(pending: PendingSettlement): void;
  /** A pending match was settled, or its settlement failed. */
  onResolved(pending: PendingSettlement): void;
  /** An order with this hash was accepted. */
  onOrderHash(hash: Hex): void;
  /** A signed one-time request was used. It must be remembered until that time. */
  onUsedRequest(digest: Hex, untilMs: Ms): void;
  /** A used request is too old to be accepted again, and need not be remembered. */
  onExpiredUsedRequest(digest: Hex): void;
  /** A request to the chain was added. */
  onRequest(request: ChainRequest): void;
  /** The outcome of a request to the chain is known. */
  onRequestResolved(request: ChainRequest): void;
  /** A field of the state itself changed. */
  onState(): void;
}

/** The last identifiers and exchange time. */
export interface StateCounters {
  readonly nextId: bigint;
  readonly latestMs: Ms;
}

/**
 * The state that all parts of the exchange share: markets, accounts, credit outside of accounts,
 * identifiers and time.
 */
export class ExchangeState {
  readonly markets = new Map<MarketId, Market>();
  readonly #accountsIn = new Map<MarketId, MarketAccounts>();
  /** By address in lower case. */
  readonly accounts = new Map<Hex, ExchangeAccount>();
  /** Accounts that exist only on the chain, by address in lower case. */
  readonly unregisteredAccounts = new Map<Hex, ExchangeAccount>();
  /** Requests to the chain that are not yet in a block, oldest first. */
  readonly requests = new PendingRequests();
  nextRequestId = 1;
  /** The last block of the chain whose events have been applied. */
  chainBlock = 0;
  chainBlockHash: Hex | "" = "";
  /** The account on the chain that covers debts, in lower case; empty where there is no chain. */
  insuranceAddress: Hex | "" = "";
  /**
   * The contract that reads many accounts of the chain in one call; empty where there is no chain.
   */
  lensAddress: Hex | "" = "";
  /** The gas cost of settlement. */
  readonly gas: GasMarket;
  /**
   * Fees taken less rebates paid: the order sender's credit of docs/reference/protocol.md#trades.
   */
  feeCredit: CreditUnits = 0n;
  /** The truncated remainders of funding. */
  dustCredit: CreditUnits = 0n;
  /** The insurance account's credit, reduced by the debts that it covered. */
  insuranceCredit: CreditUnits;
  /**
   * All credit ever deposited: deposits, faucet and registration credit, and the insurance
   * account's capital.
   */
  depositedCredit: CreditUnits;
  /** All credit ever withdrawn. */
  withdrawnCredit: CreditUnits = 0n;
  /** Hashes of accepted orders, oldest first; only the newest `retention.orderHashes` are kept. */
  readonly orderHashes = new Set<Hex>();
  /**
   * Used one-time requests by digest, oldest first, each with the time until which its timestamp
   * would still be accepted.
   */
  readonly usedRequests = new Map<Hex, Ms>();
  /** The secret that seals gas-fee tokens. */
  readonly quotationSecret: string;
  #nextId: bigint;
  #latestMs: Ms = 0;

  /** @throws ConfigError for an ETH price from an unknown market */
  constructor(
    readonly config: ExchangeConfig,
    readonly runtime: Runtime,
    readonly listener: StateListener,
  ) {
    this.#nextId = BigInt(config.firstId);
    this.quotationSecret = [0, 1, 2, 3]
      .map(() => runtime.random.uint64().toString(16).padStart(16, "0"))
      .join("");
    this.gas = new GasMarket(config, this.markets);
    // With a chain, the insurance account's capital is deposited there.
    this.insuranceCredit =
      config.chain === undefined
        ? decimalToScaled(config.insurance.initialQuote, config.creditDecimals)
        : 0n;
    this.depositedCredit = this.insuranceCredit;
  }

  /**
   * Opens a market.
   * @param house the account of all its house agents and of recorded liquidity
   */
  addMarket(market: Market, house: ExchangeAccount): void {
    this.markets.set(market.id, market);
    this.#accountsIn.set(market.id, new MarketAccounts(market, house));
  }

  /** The accounts of a market: its house, and the holders of positions. */
  accountsFor({ id }: Market): MarketAccounts {
    return this.#accountsIn.get(id) as MarketAccounts;
  }

  /** The houses of all markets. */
  get houses(): readonly ExchangeAccount[] {
    return [...this.#accountsIn.values()].map(({ house }) => house);
  }

  /** The next identifier. Orders, trades and incomes share one counter. */
  nextId(): Int64Id {
    const id = this.#nextId;
    this.#nextId += 1n;
    return id.toString();
  }

  /** Exchange time for records: the runtime's wall time, except that it never goes back. */
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
   * Marks a signed one-time request as used.
   * @param untilMs the last instant at which its timestamp is within the window.
   * @returns false if it was used before.
   */
  markRequestUsed(digest: Hex, untilMs: Ms): boolean {
    if (this.usedRequests.has(digest)) {
      return false;
    }
    // The order is that of arrival, and a timestamp may be a window ahead, so only a few unexpired
    // entries precede an expired one.
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

  /** Registers an address: a new account, or its existing one on the chain. */
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

  /** The account of an address, registered or not, created on first use. */
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
