import type { Hex, Lots, Ticks } from "../../core/units.js";
import { isSafe } from "../../perpetual/margin.js";
import { type ExchangeAccount, Order } from "../accounts/account.js";
import { archiveIfFinal } from "../accounts/clearing.js";
import { computeMargin } from "../accounts/margin.js";
import type { ExchangeState } from "../engine/exchange-state.js";
import type { Market } from "../markets/market.js";
import type { MatchBooking } from "./match-booking.js";
import type { EngineListener } from "./matching-engine.js";
import { OrderExpiries } from "./order-expiries.js";

/** Accepts checked orders into the markets, and ends them. */
export class OrderManager {
  readonly #state: ExchangeState;
  readonly #booking: MatchBooking;
  readonly #expiries: OrderExpiries;

  /** @param turn runs a change as one event of the exchange. */
  constructor(state: ExchangeState, booking: MatchBooking, turn: (run: () => void) => void) {
    this.#state = state;
    this.#booking = booking;
    this.#expiries = new OrderExpiries(state, (order) => turn(() => this.#expire(order)));
    booking.listen({
      onFilled: (order) => this.#expiries.forget(order),
      onTraded: (accounts) => this.enforceMaintenance(accounts),
    });
  }

  /** Sets the expiry of every resting GTT order. Those that passed while stopped expire at once. */
  start(): void {
    this.#expiries.start();
  }

  /** Stops all expiries until the next start. */
  stop(): void {
    this.#expiries.stop();
  }

  /** Creates the listener of a market's matching engine. */
  createEngineListener(market: Market): EngineListener {
    return {
      onMatch: (taker, maker, ticks, lots) =>
        this.#booking.book(market, taker, maker, taker.side, ticks, lots),
      onSelfMatch: (resting) => {
        if (resting instanceof Order) {
          this.#end(resting, this.#state.config.choices.selfMatchEnd);
        }
      },
      onLevel: (side, ticks) => {
        market.depth.change(side, ticks);
        this.#state.listener.onBook(market);
      },
    };
  }

  /** True if a POST_ONLY order of these terms would trade on arrival. */
  wouldCross(market: Market, side: Order["side"], ticks: Ticks): boolean {
    return market.engine.crosses(side, ticks);
  }

  /** True if an order of these terms could trade in full on arrival. */
  couldFill(
    account: ExchangeAccount,
    market: Market,
    side: Order["side"],
    ticks: Ticks,
    lots: Lots,
  ): boolean {
    return market.engine.canFill({ side, ticks, openLots: lots, selfMatchKey: account });
  }

  /**
   * Accepts an order that passed every check: announces it, matches it, and rests or ends the
   * remainder.
   */
  accept(order: Order): void {
    this.#match(order);
    this.#booking.endSweep();
  }

  #match(order: Order): void {
    const { account, market, timeInForce, type } = order.terms;
    const { listener, config } = this.#state;
    account.activeOrders.set(order.terms.id, order);
    account.inMarket(market.id).reserve(order);
    listener.onOrder(order);
    listener.onAccount(account);
    order.activate();
    if (timeInForce === "POST_ONLY" && market.engine.crosses(order.side, order.ticks)) {
      this.#end(order, config.choices.crossingPostOnly === "CANCELED" ? "CANCELED" : "EXPIRED");
      return;
    }
    if (timeInForce === "FOK" && !market.engine.canFill(order)) {
      this.#end(order, config.choices.unfilledFok === "CANCELED" ? "CANCELED" : "EXPIRED");
      return;
    }
    const swept = market.engine.sweep(order);
    this.#refreshMid(market);
    if (order.openLots === 0) {
      return;
    }
    if (swept === "self-match") {
      this.#end(order, config.choices.selfMatchEnd);
    } else if (type === "MARKET" || timeInForce === "IOC" || timeInForce === "FOK") {
      this.#end(order, config.choices.iocRemainder);
    } else {
      market.engine.rest(order);
      this.#refreshMid(market);
      this.#expiries.watch(order);
      if (config.choices.acceptedStatus === "CREATED" && order.openLots === order.lots) {
        // So far the client has received only CREATED. This report says that the order rests. After
        // a trade it is not needed: the report of the trade shows it.
        listener.onOrder(order);
      }
    }
  }

  /**
   * Cancels the open part of an active order.
   * @returns false if there was none.
   */
  cancel(order: Order): boolean {
    if (order.openLots === 0 || !order.active) {
      return false;
    }
    order.terms.market.engine.remove(order);
    this.#end(order, "CANCELED");
    this.#refreshMid(order.terms.market);
    return true;
  }

  /** Cancels every order of an account with an open part, in one market or in all. */
  cancelAll(account: ExchangeAccount, market?: Market): void {
    this.cancelWhere(account, ({ terms }) => market === undefined || terms.market === market);
  }

  /** Cancels every order of an account with an open part that `picks` accepts. */
  cancelWhere(account: ExchangeAccount, picks: (order: Order) => boolean): void {
    for (const order of [...account.activeOrders.values()]) {
      if (picks(order)) {
        this.cancel(order);
      }
    }
  }

  /**
   * Revokes an operator. Its resting orders are cancelled if the venue's choice says so.
   * @param operator in lower case
   */
  revokeOperator(account: ExchangeAccount, operator: Hex): void {
    if (!account.operators.delete(operator)) {
      return;
    }
    if (this.#state.config.choices.revokedOperatorOrders === "cancel") {
      // The contracts would reject their signatures.
      this.cancelWhere(account, (order) => order.terms.signedBy === operator);
    }
    this.#state.listener.onOperatorRevoked(account, operator);
  }

  /**
   * Cancels the orders of accounts that fell below maintenance margin; from then on they may only
   * reduce.
   */
  enforceMaintenance(accounts: Iterable<ExchangeAccount>): void {
    for (const account of accounts) {
      if (account.isHouse) {
        continue;
      }
      const isCovered = isSafe(computeMargin(account, this.#state.markets));
      if (!isCovered && !account.reduceOnly) {
        account.reduceOnly = true;
        this.cancelAll(account);
        this.#state.listener.onAccount(account);
      } else if (isCovered && account.reduceOnly) {
        account.reduceOnly = false;
        this.#state.listener.onAccount(account);
      }
    }
  }

  #end(order: Order, how: "CANCELED" | "EXPIRED"): void {
    const lots = order.openLots;
    order.end(how);
    order.terms.account.inMarket(order.terms.market.id).release(order, lots);
    this.#expiries.forget(order);
    archiveIfFinal(order);
    this.#state.listener.onOrder(order);
    this.#state.listener.onAccount(order.terms.account);
  }

  #expire(order: Order): void {
    order.terms.market.engine.remove(order);
    this.#end(order, "EXPIRED");
    this.#refreshMid(order.terms.market);
  }

  #refreshMid(market: Market): void {
    market.prices.onMid(market.midTicks, this.#state.nowMs());
  }
}
