import type { CreditUnits, Hex, Int64Id, Lots, Ms, Side, Ticks } from "../../core/units.js";
import type { OrderType, TimeInForce } from "../../exchange/records.js";
import type { VenueChoices } from "../config/choices.js";
import type { Market } from "../markets/market.js";
import { BookOrder } from "../matching/book-order.js";
import type { ExchangeAccount } from "./account.js";

/** Statuses of an order (protocol 5). */
export type OrderStatus =
  | "CREATED"
  | "NEW"
  | "PARTIAL_FILLED"
  | "FILLED"
  | "CANCELED"
  | "EXPIRED"
  | "FAILED";

/** What an order is made of, checked. */
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
  /** Whose key signed it, in lower case: the account's or an operator's. */
  readonly signedBy: Hex;
  readonly createdAtMs: Ms;
}

/** The venue's choices that an order's status depends on. */
export type OrderRules = Pick<
  VenueChoices,
  "matchedOrderStatus" | "matchedOrderList" | "endedOrderList" | "partlyFailed" | "averagePriceFrom"
>;

/** A participant's order and the fate of each part of its amount; the parts always sum to `lots` (protocol 5). */
export class Order extends BookOrder {
  pendingLots: Lots = 0;
  filledLots: Lots = 0;
  canceledLots: Lots = 0;
  expiredLots: Lots = 0;
  failedLots: Lots = 0;
  /** Unsigned credit of what is pending, and of what is filled, for the average price. */
  pendingQuote: CreditUnits = 0n;
  filledQuote: CreditUnits = 0n;
  status: OrderStatus;
  /** True from acceptance until its status is final. */
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
   * The unsigned credit of `lots` of this order by its signed ratio, as the contracts compute a maker's part (protocol 7.6,
   * truncated).
   */
  quoteOf(lots: Lots): CreditUnits {
    return lots === this.lots
      ? this.terms.signedCredit
      : (this.terms.signedCredit * BigInt(lots)) / BigInt(this.lots);
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
    this.pendingQuote += quote;
    this.#refresh();
  }

  /** A match of it was settled, or its settlement failed. */
  resolve(lots: Lots, quote: CreditUnits, settled: boolean): void {
    this.pendingLots -= lots;
    this.pendingQuote -= quote;
    if (settled) {
      this.filledLots += lots;
      this.filledQuote += quote;
    } else {
      this.failedLots += lots;
    }
    this.#refresh();
  }

  /** Whether it belongs to the history: nothing more can become of its amount, or only by settlement where the venue lists that so. */
  get isFinal(): boolean {
    if (this.openLots > 0) {
      return false;
    }
    return (
      this.pendingLots === 0 ||
      (this.#isEnded ? this.rules.endedOrderList : this.rules.matchedOrderList) === "history"
    );
  }

  /** Lots and credit that the average price is over. */
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
