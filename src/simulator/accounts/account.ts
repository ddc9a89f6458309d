import type {
  CreditUnits,
  Hex,
  Int64Id,
  Lots,
  MarketId,
  Ms,
  Side,
  Ticks,
} from "../../core/units.js";
import type { IncomeType, OrderType, TimeInForce } from "../../exchange/records.js";
import type { VenueChoices } from "../config/choices.js";
import { BoundedHistory } from "../markets/bounded-history.js";
import type { Market, Trade } from "../markets/market.js";
import { BookOrder } from "../matching/book-order.js";
import { PositionLedger } from "./position-ledger.js";

/** A change of an account's credit. */
export interface Income {
  readonly id: Int64Id;
  readonly type: IncomeType;
  /** Signed; positive when credit comes in. */
  readonly amount: CreditUnits;
  readonly timeMs: Ms;
  /** Empty when it belongs to no market. */
  readonly marketId: MarketId;
}

/** One account's side of a trade. */
export interface UserTrade {
  readonly trade: Trade;
  readonly account: ExchangeAccount;
  /** The type of its order; LIMIT and GTC where the house traded. */
  readonly orderType: OrderType;
  readonly timeInForce: TimeInForce;
  readonly isMaker: boolean;
  readonly isBuyer: boolean;
  /** Credit paid; negative for a rebate. */
  readonly commission: CreditUnits;
  readonly realizedPnl: CreditUnits;
  /** The account's order; absent for the house, and in records of earlier versions. */
  readonly orderId?: Int64Id;
}

/** Statuses of an order (docs/reference/protocol.md#order-statuses). */
export type OrderStatus =
  | "CREATED"
  | "NEW"
  | "PARTIAL_FILLED"
  | "FILLED"
  | "CANCELED"
  | "EXPIRED"
  | "FAILED";

/** The checked terms of an order. */
export interface OrderTerms {
  readonly id: Int64Id;
  readonly account: ExchangeAccount;
  readonly market: Market;
  readonly side: Side;
  readonly type: OrderType;
  readonly timeInForce: TimeInForce;
  readonly ticks: Ticks;
  readonly lots: Lots;
  /** 0 unless GTT. */
  readonly expirationMs: Ms;
  /** Unsigned credit that was signed for the whole order. */
  readonly signedCredit: CreditUnits;
  readonly makerRate: bigint;
  readonly takerRate: bigint;
  readonly info: Hex;
  readonly hash: Hex;
  /** 65 bytes, for the contracts; null where trades are settled without them. */
  readonly signature: Hex | null;
  /** The signer's address in lower case: the account's own or an operator's. */
  readonly signedBy: Hex;
  readonly createdAtMs: Ms;
  /** The client's own id of it, in a dialect that has them. */
  readonly clientOrderId?: string;
  /** True if it may only reduce the position, in a dialect that has such orders. */
  readonly isReduceOnly?: boolean;
}

/** The venue's choices that decide an order's status. */
export type OrderRules = Pick<
  VenueChoices,
  "matchedOrderStatus" | "matchedOrderList" | "endedOrderList" | "partlyFailed" | "averagePriceFrom"
>;

/**
 * A participant's order and the state of each part of its amount. The parts always sum to `lots`
 * (docs/reference/protocol.md#order-statuses).
 */
export class Order extends BookOrder {
  pendingLots: Lots = 0;
  filledLots: Lots = 0;
  canceledLots: Lots = 0;
  expiredLots: Lots = 0;
  failedLots: Lots = 0;
  /** Unsigned credit of the pending and of the settled fills, for the average price. */
  pendingQuote: CreditUnits = 0n;
  filledQuote: CreditUnits = 0n;
  /** Unsigned credit of the fills whose settlement failed. */
  failedQuote: CreditUnits = 0n;
  status: OrderStatus;
  /** True from acceptance until the status is final. */
  active = true;

  constructor(
    readonly terms: OrderTerms,
    status: OrderStatus,
    readonly rules: OrderRules,
  ) {
    super(terms.side, terms.ticks, terms.lots);
    this.status = status;
  }

  get selfMatchKey(): ExchangeAccount {
    return this.terms.account;
  }

  /**
   * The unsigned credit of `lots` of this order at its signed ratio, truncated, as the contracts
   * compute a maker's part (docs/reference/protocol.md#trades).
   */
  quoteFor(lots: Lots): CreditUnits {
    return lots === this.lots
      ? this.terms.signedCredit
      : (this.terms.signedCredit * BigInt(lots)) / BigInt(this.lots);
  }

  /** Marks the order as accepted: it is in the book, or about to be matched. */
  activate(): void {
    this.status = "NEW";
  }

  /** Ends the open part of the order. */
  end(how: "CANCELED" | "EXPIRED"): void {
    if (how === "CANCELED") {
      this.canceledLots += this.openLots;
    } else {
      this.expiredLots += this.openLots;
    }
    this.openLots = 0;
    this.status = how;
  }

  /** Moves `lots` from open to pending settlement. */
  match(lots: Lots, quote: CreditUnits): void {
    this.pendingLots += lots;
    this.pendingQuote += quote;
    this.#refresh();
  }

  /** Moves a pending match to settled or failed. */
  resolve(lots: Lots, quote: CreditUnits, settled: boolean): void {
    this.pendingLots -= lots;
    this.pendingQuote -= quote;
    if (settled) {
      this.filledLots += lots;
      this.filledQuote += quote;
    } else {
      this.failedLots += lots;
      this.failedQuote += quote;
    }
    this.#refresh();
  }

  /**
   * True once the order belongs to the history. Nothing of its amount can change then, except by
   * settlement where the venue lists such orders in the history.
   */
  get isFinal(): boolean {
    if (this.openLots > 0) {
      return false;
    }
    return (
      this.pendingLots === 0 ||
      (this.#isEnded ? this.rules.endedOrderList : this.rules.matchedOrderList) === "history"
    );
  }

  /** The lots and the credit that the average price is computed over. */
  get priced(): { readonly lots: Lots; readonly quote: CreditUnits } {
    const pending = this.rules.averagePriceFrom === "match";
    return {
      lots: this.filledLots + (pending ? this.pendingLots : 0),
      quote: this.filledQuote + (pending ? this.pendingQuote : 0n),
    };
  }

  get #isEnded(): boolean {
    return this.status === "CANCELED" || this.status === "EXPIRED";
  }

  #refresh(): void {
    if (this.#isEnded) {
      return;
    }
    if (this.openLots > 0) {
      this.status = this.pendingLots + this.filledLots > 0 ? "PARTIAL_FILLED" : "NEW";
    } else if (this.pendingLots > 0) {
      this.status = this.rules.matchedOrderStatus;
    } else {
      const failed =
        this.failedLots > 0 && (this.rules.partlyFailed === "FAILED" || this.filledLots === 0);
      this.status = failed ? "FAILED" : "FILLED";
    }
  }
}

/** An account's state in one market: its position and the sums over its open orders. */
export class AccountMarket {
  readonly position = new PositionLedger();
  /** The leverage that the account has set in a dialect; null for the market's highest. */
  leverage: number | null = null;
  openOrders = 0;
  openBuyLots: Lots = 0;
  openSellLots: Lots = 0;
  /** Notional of the open buy orders at their own prices. */
  openBuyCredit: CreditUnits = 0n;
  openSellCredit: CreditUnits = 0n;
  /** Orders whose status is final. */
  readonly history: BoundedHistory<Order>;
  readonly trades: BoundedHistory<UserTrade>;

  constructor(retention: { readonly historyOrders: number; readonly userTrades: number }) {
    this.history = new BoundedHistory(retention.historyOrders, {
      id: (order) => order.terms.id,
      timeMs: (order) => order.terms.createdAtMs,
    });
    this.trades = new BoundedHistory(retention.userTrades, {
      id: ({ trade }) => trade.id,
      timeMs: ({ trade }) => trade.timeMs,
    });
  }

  /** Adds an accepted order's open lots to the sums. */
  reserve(order: Order): void {
    this.openOrders += 1;
    this.#count(
      order,
      order.openLots,
      order.terms.market.instrument.creditCeil(order.ticks, order.openLots),
    );
  }

  /** Subtracts `lots` that are no longer open. The order's `openLots` are already reduced. */
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
  /** All deposits less all withdrawals. */
  deposits: CreditUnits = 0n;
  /** Debt that the insurance account has covered. */
  insuredCredit: CreditUnits = 0n;
  /** Credit that counts only as margin. Only a chain with a secondary asset has it. */
  secondaryCredit: CreditUnits = 0n;
  /** Credit of withdrawals that were sent to the chain and are not yet in a block. */
  leavingCredit: CreditUnits = 0n;
  /** The amount that the account requested on chain to withdraw after the time lock. */
  lockedPrimaryWithdrawal: CreditUnits = 0n;
  lockedSecondaryWithdrawal: CreditUnits = 0n;
  /** False for an account that exists only on the chain. */
  isRegistered = true;
  /** Addresses, in lower case, that may sign for the account. */
  readonly operators = new Set<Hex>();
  /** A withdrawal that waits for its execution time. */
  pendingWithdrawal: PendingWithdrawal | null = null;
  readonly markets = new Map<MarketId, AccountMarket>();
  /** Active orders by id, oldest first. */
  readonly activeOrders = new Map<string, Order>();
  readonly incomes: BoundedHistory<Income>;
  /**
   * True below maintenance margin: open orders are cancelled and only reducing ones are accepted.
   */
  reduceOnly = false;
  /** True for the simulator's own account in a market, which has no margin requirement. */
  readonly isHouse: boolean;
  readonly #retention: Retention;

  constructor(
    /** As spelled at registration. */
    public address: Hex,
    public createdAtMs: Ms,
    retention: Retention,
    isHouse = false,
  ) {
    this.#retention = retention;
    this.incomes = new BoundedHistory(retention.incomes, {
      id: (income) => income.id,
      timeMs: (income) => income.timeMs,
    });
    this.isHouse = isHouse;
  }

  /** Registers an account that existed only on the chain. */
  register(address: Hex, nowMs: Ms): void {
    this.address = address;
    this.createdAtMs = nowMs;
    this.isRegistered = true;
  }

  /** The account's state in a market, created on first use. */
  inMarket(marketId: MarketId): AccountMarket {
    let part = this.markets.get(marketId);
    if (part === undefined) {
      part = new AccountMarket(this.#retention);
      this.markets.set(marketId, part);
    }
    return part;
  }

  /**
   * Primary credit, including the profit of matched trades and excluding credit that is being
   * withdrawn.
   */
  get primaryCredit(): CreditUnits {
    let credit = this.deposits + this.insuredCredit - this.leavingCredit;
    for (const { position } of this.markets.values()) {
      credit += position.matched.realizedCredit;
    }
    return credit;
  }

  /** Primary credit as the contracts hold it: from settled trades only. */
  get settledPrimaryCredit(): CreditUnits {
    let credit = this.deposits + this.insuredCredit;
    for (const { position } of this.markets.values()) {
      credit += position.settled.realizedCredit;
    }
    return credit;
  }
}

/** A requested withdrawal. */
export interface PendingWithdrawal {
  readonly amount: CreditUnits;
  /** Exchange time of its execution. */
  readonly dueMs: Ms;
}

/** The number of records of each kind that an account keeps. */
export interface Retention {
  readonly historyOrders: number;
  readonly userTrades: number;
  readonly incomes: number;
}
