import type { VenueOrder, VenueTrade } from "../../exchange/records.js";
import type { Action, PlaceAction } from "../../exchange/venue.js";
import type { BotInput } from "../engine/input.js";

/** The orders that a replayed bot has sent, which explain reports of orders and fills. */
export class SentOrders {
  readonly #places: PlaceAction[] = [];

  note(action: Action): void {
    if (action.kind === "place") this.#places.push(action);
  }

  /** How many of the orders and trades that an input reports are of orders that were sent. */
  explainedIn(input: BotInput): number {
    if (input.kind !== "event") return 0;
    const { event } = input;
    if (event.type === "order-update") return this.#countOrders([event.order]);
    if (event.type === "trade-update") return this.#countTrades([event.trade]);
    if (event.type !== "answer" || event.outcome.result !== "answered") return 0;
    const { outcome } = event;
    if (outcome.ask === "openOrders" || outcome.ask === "historyOrders")
      return this.#countOrders(outcome.data);
    return outcome.ask === "userTrades" ? this.#countTrades(outcome.data) : 0;
  }

  #countOrders(orders: readonly VenueOrder[]): number {
    return orders.filter((order) => this.#places.some(({ hash }) => hash === order.hash)).length;
  }

  /**
   * A trade names no order: it is explained by one whose price reaches it. The prices of a slice's
   * orders may differ, since its strategy sees fewer views.
   */
  #countTrades(trades: readonly VenueTrade[]): number {
    return trades.filter((trade) =>
      this.#places.some(
        (place) =>
          place.marketId === trade.marketId && place.side === trade.side && reaches(place, trade),
      ),
    ).length;
  }
}

function reaches({ side, ticks }: PlaceAction, trade: VenueTrade): boolean {
  return side === "BUY" ? ticks >= trade.ticks : ticks <= trade.ticks;
}
