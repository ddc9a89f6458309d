import type { CreditUnits, Hex, Lots, MarketId, Ms } from "../../core/units.js";
import { Journal } from "../markets/journal.js";
import type { Order } from "./order.js";
import { PositionLedger } from "./position-ledger.js";
import type { Income, UserTrade } from "./records.js";

/** What an account has in one market: its position and the sums over its open orders. */
export class AccountMarket {
  readonly position = new PositionLedger();
  openOrders = 0;
  openBuyLots: Lots = 0;
  openSellLots: Lots = 0;
  /** Notional of the open orders at their own prices. */
  openBuyCredit: CreditUnits = 0n;
  openSellCredit: CreditUnits = 0n;
  /** Final orders. */
  readonly history: Journal<Order>;
  readonly trades: Journal<UserTrade>;

  constructor(retention: { readonly historyOrders: number; readonly userTrades: number }) {
    this.history = new Journal(retention.historyOrders, {
      id: (order) => order.terms.id,
      timeMs: (order) => order.terms.createdAtMs,
    });
    this.trades = new Journal(retention.userTrades, {
      id: ({ trade }) => trade.id,
      timeMs: ({ trade }) => trade.timeMs,
    });
  }

  /** Counts an accepted order with all that is open of it. */
  reserve(order: Order): void {
    this.openOrders += 1;
    this.#count(
      order,
      order.openLots,
      order.terms.market.instrument.creditCeil(order.ticks, order.openLots),
    );
  }

  /** `lots` of an order are no longer open; its `openLots` are already without them. */
  release(order: Order, lots: Lots): void {
    const { instrument } = order.terms.market;
    const before = instrument.creditCeil(order.ticks, order.openLots + lots);
    this.#count(order, -lots, instrument.creditCeil(order.ticks, order.openLots) - before);
    this.openOrders -= order.openLots === 0 ? 1 : 0;
  }

  #count(order: Order, lots: Lots, credit: CreditUnits): void {
    if (order.side === "BUY") {
      this.openBuyLots += lots;
      this.openBuyCredit += credit;
    } else {
      this.openSellLots += lots;
      this.openSellCredit += credit;
    }
  }
}

/** An account of the exchange: deposits, positions, orders, trades and incomes. */
export class ExchangeAccount {
  /** Every deposit less every withdrawal. */
  deposits: CreditUnits = 0n;
  /** Debt that the insurance account has taken over. */
  insuredCredit: CreditUnits = 0n;
  /** Credit that counts as margin alone; only a chain with a secondary asset has it. */
  secondaryCredit: CreditUnits = 0n;
  /** Credit that is on its way out: asked of the chain, and not yet in a block. */
  leavingCredit: CreditUnits = 0n;
  /** What the account asked on chain to withdraw after the time lock. */
  lockedPrimaryWithdrawal: CreditUnits = 0n;
  lockedSecondaryWithdrawal: CreditUnits = 0n;
  /** Whether it has registered: false for one that is only on the chain. */
  isRegistered = true;
  /** Addresses, in lower case, that may sign for it. */
  readonly operators = new Set<Hex>();
  /** A withdrawal that waits for its time. */
  pendingWithdrawal: PendingWithdrawal | null = null;
  readonly markets = new Map<MarketId, AccountMarket>();
  /** Active orders by id, oldest first. */
  readonly activeOrders = new Map<string, Order>();
  readonly incomes: Journal<Income>;
  /** Below maintenance margin: orders were cancelled and only reducing ones are taken. */
  reduceOnly = false;
  /** Whoever provides the other side of a market: no margin, never asked for it. */
  readonly isHouse: boolean;
  readonly #retention: Retention;

  constructor(
    /** As it was spelled at registration. */
    public address: Hex,
    public createdAtMs: Ms,
    retention: Retention,
    isHouse = false,
  ) {
    this.#retention = retention;
    this.incomes = new Journal(retention.incomes, {
      id: (income) => income.id,
      timeMs: (income) => income.timeMs,
    });
    this.isHouse = isHouse;
  }

  /** An account that was only on the chain registers. */
  register(address: Hex, nowMs: Ms): void {
    this.address = address;
    this.createdAtMs = nowMs;
    this.isRegistered = true;
  }

  /** Its part in a market, made on first use. */
  in(marketId: MarketId): AccountMarket {
    let part = this.markets.get(marketId);
    if (part === undefined) {
      part = new AccountMarket(this.#retention);
      this.markets.set(marketId, part);
    }
    return part;
  }

  /** Primary credit, with what matched trades have realised and without what is leaving. */
  get primaryCredit(): CreditUnits {
    let credit = this.deposits + this.insuredCredit - this.leavingCredit;
    for (const { position } of this.markets.values()) {
      credit += position.matched.realizedCredit;
    }
    return credit;
  }

  /** Primary credit as the contracts hold it: settled trades only. */
  get settledPrimaryCredit(): CreditUnits {
    let credit = this.deposits + this.insuredCredit;
    for (const { position } of this.markets.values()) {
      credit += position.settled.realizedCredit;
    }
    return credit;
  }
}

/** A withdrawal that has been asked for. */
export interface PendingWithdrawal {
  readonly amount: CreditUnits;
  /** Exchange time of its execution. */
  readonly dueMs: Ms;
}

/** How many records of each kind an account keeps. */
export interface Retention {
  readonly historyOrders: number;
  readonly userTrades: number;
  readonly incomes: number;
}
