import type { ExchangeAccount, Order } from "../../accounts/account.js";
import type { ExchangeState } from "../../engine/exchange-state.js";
import type { OrderManager } from "../../matching/order-manager.js";
import { ApiError } from "../api-error.js";
import { listLimit, optionalId, timeRange } from "../parameters.js";
import { orderRecord } from "../records/order-record.js";
import { writeRecord, writeRecords } from "../records/write-json.js";
import { requireMarket } from "./order-terms.js";

/** The endpoints that read and cancel orders. */
export class OrderEndpoints {
  readonly #state: ExchangeState;
  readonly #orderManager: OrderManager;

  constructor(state: ExchangeState, desk: OrderManager) {
    this.#state = state;
    this.#orderManager = desk;
  }

  /**
   * DELETE /v1/order.
   * @throws ApiError 2011 if it has no open part
   */
  cancel(account: ExchangeAccount, parameters: ReadonlyMap<string, string>): void {
    const market = requireMarket(this.#state, parameters);
    const order = account.activeOrders.get(requiredId(parameters));
    const isMatched =
      order?.openLots === 0 && this.#state.config.choices.matchedOrderCancel === "accept";
    if (
      order === undefined ||
      order.terms.market !== market ||
      !(this.#orderManager.cancel(order) || isMatched)
    ) {
      throw new ApiError(2011, "no open order has this orderId");
    }
  }

  /** DELETE /v1/allOpenOrders: cancels in one market, or in all. */
  cancelAll(account: ExchangeAccount, parameters: ReadonlyMap<string, string>): void {
    this.#orderManager.cancelAll(
      account,
      parameters.get("marketId") ? requireMarket(this.#state, parameters) : undefined,
    );
  }

  /** GET /v1/openOrders. */
  openOrders(account: ExchangeAccount, parameters: ReadonlyMap<string, string>): string {
    return writeRecords(this.#active(account, parameters).map((order) => this.#record(order)));
  }

  /**
   * GET /v1/openOrder: the order of that id; without one, as the venue chose.
   * @throws ApiError 1111, 2011
   */
  openOrder(account: ExchangeAccount, parameters: ReadonlyMap<string, string>): string {
    const id = optionalId(parameters, "orderId");
    const orders = this.#active(account, parameters);
    const { openOrderWithoutId } = this.#state.config.choices;
    if (id === undefined && openOrderWithoutId === "reject") {
      throw new ApiError(1111, "parameter orderId is missing");
    }
    const order =
      id === undefined
        ? orders.at(openOrderWithoutId === "newest" ? -1 : 0)
        : orders.find(({ terms }) => terms.id === id);
    if (order === undefined) {
      throw new ApiError(2011, "no open order has this orderId");
    }
    return writeRecord(this.#record(order));
  }

  /** GET /v1/order: an order whose status is final. @throws ApiError 2011 */
  historyOrder(account: ExchangeAccount, parameters: ReadonlyMap<string, string>): string {
    const market = requireMarket(this.#state, parameters);
    const order = account.markets.get(market.id)?.history.find(requiredId(parameters));
    if (order === undefined) {
      throw new ApiError(2011, "no order in the history has this orderId");
    }
    return writeRecord(this.#record(order));
  }

  /** GET /v1/historyOrders: by time of creation. */
  historyOrders(account: ExchangeAccount, parameters: ReadonlyMap<string, string>): string {
    const market = requireMarket(this.#state, parameters);
    const page = {
      ...timeRange(parameters, this.#state.config.choices),
      limit: listLimit(parameters),
    };
    const orders = account.markets.get(market.id)?.history.page(page) ?? [];
    return writeRecords(orders.map((order) => this.#record(order)));
  }

  #active(account: ExchangeAccount, parameters: ReadonlyMap<string, string>): Order[] {
    const market = parameters.get("marketId") ? requireMarket(this.#state, parameters) : undefined;
    return [...account.activeOrders.values()].filter(
      ({ terms }) => market === undefined || terms.market === market,
    );
  }

  #record(order: Order) {
    return orderRecord(order, this.#state.config.choices.expirationUnit);
  }
}

function requiredId(parameters: ReadonlyMap<string, string>): string {
  const id = optionalId(parameters, "orderId");
  if (id === undefined) {
    throw new ApiError(1111, "parameter orderId is missing");
  }
  return id;
}
