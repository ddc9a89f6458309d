import { type Lots, oppositeSide, type Side, type Ticks } from "../../core/units.js";
import { type ExchangeAccount, Order } from "../accounts/account.js";
import type { Clearing } from "../accounts/clearing.js";
import { FlowAgentOrder } from "../markets/flow-agent-order.js";
import type { Market } from "../markets/market.js";
import type { BookOrder } from "./book-order.js";

/** Called for the consequences of matches. */
export interface BookingListener {
  /** A resting order was filled in full. */
  onFilled(order: Order): void;
  /**
   * A sweep has ended in which these accounts traded. Fees and prices may have brought them below
   * maintenance margin.
   */
  onTraded(accounts: Iterable<ExchangeAccount>): void;
}

/** Books matches of all participants: accounts, house agents and recordings. */
export class MatchBooking {
  readonly #clearing: Clearing;
  readonly #traded = new Set<ExchangeAccount>();
  #listener: BookingListener | null = null;

  constructor(clearing: Clearing) {
    this.#clearing = clearing;
  }

  /** Sets the listener. */
  listen(listener: BookingListener): void {
    this.#listener = listener;
  }

  /** Books a match; a null `taker` or `maker` is recorded liquidity. */
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

  /** Ends the sweep: the taking order trades no more. */
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
