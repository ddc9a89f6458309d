import type { CreditUnits, Hex, Int64Id, Lots, Ms, Side, Ticks } from "../../core/units.js";
import type { OrderType, TimeInForce } from "../../exchange/records.js";
import type { Market } from "../markets/market.js";
import { BookOrder } from "../matching/book-order.js";
import type { Account } from "./account.js";

/** Statuses of an order (protocol 5). */
export type OrderStatus = "CREATED" | "NEW" | "PARTIAL_FILLED" | "FILLED" | "CANCELED" | "EXPIRED" | "FAILED";

/** What an order is made of, checked. */
export interface OrderTerms {
  readonly id: Int64Id;
  readonly account: Account;
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
  readonly createdAtMs: Ms;
}

/** A participant's order and the fate of each part of its amount; the parts always sum to `lots` (protocol 5). */
export class Order extends BookOrder {
  pendingLots: Lots = 0;
  filledLots: Lots = 0;
  canceledLots: Lots = 0;
  expiredLots: Lots = 0;
  failedLots: Lots = 0;
  /** Unsigned credit of what is pending or filled, for the average price. */
  tradedQuote: CreditUnits = 0n;
  status: OrderStatus;
  /** True from acceptance until its status is final. */
  active = true;

  constructor(
    readonly terms: OrderTerms,
    status: OrderStatus,
    /** Whether the order is FILLED as soon as all of it is matched, rather than once all of it is settled. */
    readonly filledWhenMatched: boolean,
  ) {
    super(terms.side, terms.ticks, terms.lots);
    this.status = status;
  }

  get selfMatchKey(): Account {
    return this.terms.account;
  }

  /**
   * The unsigned credit of `lots` of this order by its signed ratio, as the contracts compute a maker's part (protocol 7.6,
   * truncated).
   */
  quoteOf(lots: Lots): CreditUnits {
    return lots === this.lots ? this.terms.signedCredit : (this.terms.signedCredit * BigInt(lots)) / BigInt(this.lots);
  }

  /** It has been announced as accepted and is in the book, or about to be matched. */
  activate(): void {
    this.status = "NEW";
  }

  /** Ends what is open of it. */
  end(how: "CANCELED" | "EXPIRED"): void {
    if (how === "CANCELED") {
      this.canceledLots += this.openLots;
    } else {
      this.expiredLots += this.openLots;
    }
    this.openLots = 0;
    this.status = how;
  }

  /** `lots` of it were matched and wait for settlement. */
  match(lots: Lots, quote: CreditUnits): void {
    this.pendingLots += lots;
    this.tradedQuote += quote;
    this.#refresh();
  }

  /** A match of it was settled, or its settlement failed. */
  resolve(lots: Lots, quote: CreditUnits, settled: boolean): void {
    this.pendingLots -= lots;
    if (settled) {
      this.filledLots += lots;
    } else {
      this.failedLots += lots;
      this.tradedQuote -= quote;
    }
    this.#refresh();
  }

  /** Whether nothing more can become of its amount, or only by settlement after it was ended. */
  get isFinal(): boolean {
    return this.status === "CANCELED" || this.status === "EXPIRED" || this.status === "FILLED" || this.status === "FAILED";
  }

  #refresh(): void {
    if (this.status === "CANCELED" || this.status === "EXPIRED") {
      return;
    }
    if (this.openLots === 0 && (this.pendingLots === 0 || this.filledWhenMatched)) {
      this.status = this.failedLots > 0 ? "FAILED" : "FILLED";
    } else {
      this.status = this.pendingLots + this.filledLots > 0 ? "PARTIAL_FILLED" : "NEW";
    }
  }
}
