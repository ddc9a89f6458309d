import { type Lots, oppositeSide, type Side, type Ticks } from "../../core/units.js";
import { type ExchangeAccount, Order } from "../accounts/account.js";
import type { Clearing } from "../accounts/clearing.js";
import { FlowAgentOrder } from "../markets/flow-agent-order.js";
import type { Market } from "../markets/market.js";
import type { BookOrder } from "./book-order.js";

/** Hears what matches lead to. */
export interface BookingListener {
  /** Nothing of a resting order is left. */
  onFilled(order: Order): void;
  /**
   * A sweep is over in which these accounts traded: fees and prices may have brought them below
   * maintenance.
   */
  onTraded(accounts: Iterable<ExchangeAccount>): void;
}

/**
 * Passes on what matched, whoever it was that matched it: orders of accounts, agents of the house,
 * or a recording.
 */
export class MatchBooking {
  readonly #clearing: Clearing;
  readonly #traded = new Set<ExchangeAccount>();
  #listener: BookingListener | null = null;

  constructor(clearing: Clearing) {
    this.#clearing = clearing;
  }

  /** Says who hears what matches lead to. */
  listen(listener: BookingListener): void {
    this.#listener = listener;
  }

  /** Books a match; a `taker` or `maker` of null is nobody's order. */
  book(
    market: Market,
    taker: BookOrder | null,
    maker: BookOrder | null,
    takerSide: Side,
    ticks: Ticks,
    lots: Lots,
  ): void {
    if (maker instanceof FlowAgentOrder) {
      maker.rests(-lots);
    }
    this.#noteParty(taker);
    this.#noteParty(maker);
    this.#clearing.book({
      market,
      buyer: takerSide === "BUY" ? taker : maker,
      seller: takerSide === "BUY" ? maker : taker,
      makerSide: oppositeSide(takerSide),
      ticks,
      lots,
    });
    if (maker instanceof Order && maker.openLots === 0) {
      this.#listener?.onFilled(maker);
    }
  }

  /** What was taking takes no more. */
  endSweep(): void {
    this.#clearing.endSweep();
    if (this.#traded.size > 0) {
      const traded = [...this.#traded];
      this.#traded.clear();
      this.#listener?.onTraded(traded);
    }
  }

  #noteParty(order: BookOrder | null): void {
    if (order instanceof Order) {
      this.#traded.add(order.terms.account);
    }
  }
}
