import type { Hex, Ms } from "../../../core/units.js";
import type { ExchangeAccount, Order } from "../../accounts/account.js";
import type { ExchangeState } from "../../engine/exchange-state.js";
import { compareIds } from "../../markets/bounded-history.js";
import type { Market } from "../../markets/market.js";
import {
  clientIdOf,
  orderIdIn,
  usdmOrder,
  usdmSelfTradeMode,
} from "./records/usdm-order-record.js";
import type { UsdmOrder } from "./records/usdm-order-wire.js";
import type { UsdmIds } from "./usdm-ids.js";

/** Client ids that are remembered of one account. */
const MOST_CLIENT_IDS = 200_000;

/** Names one order of a market by either id. */
export interface UsdmOrderName {
  readonly orderId?: number | undefined;
  readonly origClientOrderId?: string | undefined;
}

/** The orders of the accounts by the ids of the dialect. */
export class UsdmOrders {
  readonly #state: ExchangeState;
  readonly #ids: UsdmIds;
  /** By account: the newest order of each client id. */
  readonly #byClientId = new Map<ExchangeAccount, Map<string, Order>>();
  readonly #updatedMs = new WeakMap<Order, Ms>();

  constructor(state: ExchangeState, ids: UsdmIds) {
    this.#state = state;
    this.#ids = ids;
  }

  /** Finds the client ids of an account's orders again after a restart. */
  restore(account: ExchangeAccount): void {
    const orders = [...account.markets.values()].flatMap(({ history }) =>
      history.page({ limit: MOST_CLIENT_IDS }),
    );
    orders.push(...account.activeOrders.values());
    for (const order of orders.sort((a, b) => compareIds(a.terms.id, b.terms.id)))
      this.#note(order);
  }

  /** An order was accepted or changed. */
  onOrder(order: Order): void {
    this.#updatedMs.set(order, this.#state.nowMs());
    this.#note(order);
  }

  #note(order: Order): void {
    const { account, clientOrderId } = order.terms;
    if (clientOrderId === undefined) return;
    const known = this.#byClientId.get(account) ?? new Map<string, Order>();
    this.#byClientId.set(account, known);
    if (known.get(clientOrderId) === order) return;
    known.delete(clientOrderId);
    known.set(clientOrderId, order);
    if (known.size > MOST_CLIENT_IDS) known.delete(known.keys().next().value as string);
  }

  /** The order of a market with this name, whatever its state; undefined for none. */
  find(account: ExchangeAccount, market: Market, name: UsdmOrderName): Order | undefined {
    const { orderId, origClientOrderId } = name;
    const own = origClientOrderId === undefined ? null : orderIdIn(origClientOrderId);
    const order =
      orderId === undefined && own === null
        ? this.#byClientId.get(account)?.get(origClientOrderId ?? "")
        : this.#byId(account, market, orderId ?? own ?? 0);
    return order?.terms.market === market ? order : undefined;
  }

  /** The order of an account with this id of the exchange. */
  withId(account: ExchangeAccount, market: Market, id: string): Order | undefined {
    return account.activeOrders.get(id) ?? account.markets.get(market.id)?.history.find(id);
  }

  #byId(account: ExchangeAccount, market: Market, orderId: number): Order | undefined {
    return this.withId(account, market, this.#ids.toId(orderId));
  }

  /** True if an open order of the account has this client id. */
  isOpen(account: ExchangeAccount, clientOrderId: string): boolean {
    const order = this.#byClientId.get(account)?.get(clientOrderId);
    return order !== undefined && order.openLots > 0;
  }

  /** Orders with an open part, oldest first, of one market or of all. */
  open(account: ExchangeAccount, market?: Market): Order[] {
    return [...account.activeOrders.values()].filter(
      ({ openLots, terms }) => openLots > 0 && (market === undefined || terms.market === market),
    );
  }

  /** Open reduce-only orders that are larger than the position that they would reduce. */
  excess(account: ExchangeAccount): Order[] {
    return this.open(account).filter(({ terms: { market, isReduceOnly, side }, openLots }) => {
      if (isReduceOnly !== true) return false;
      const paper = account.markets.get(market.id)?.position.matched.paper ?? 0n;
      return market.instrument.lotsToPaper(openLots) > (side === "SELL" ? paper : -paper);
    });
  }

  /** Every kept order of a market, oldest first. */
  all(account: ExchangeAccount, market: Market): Order[] {
    const { historyOrders: limit } = this.#state.config.retention;
    const ended = account.markets.get(market.id)?.history.page({ limit }) ?? [];
    const active = [...account.activeOrders.values()].filter(
      ({ terms }) => terms.market === market,
    );
    return [...ended, ...active].sort((a, b) => compareIds(a.terms.id, b.terms.id));
  }

  /** The wire's record of an order. */
  record(order: Order): UsdmOrder {
    const mode = usdmSelfTradeMode(this.#state.config.choices.selfMatch);
    const updatedMs = this.#updatedMs.get(order) ?? order.terms.createdAtMs;
    return usdmOrder(order, this.#ids, updatedMs, mode);
  }

  /** The client's id of an order. */
  clientId(order: Order): string {
    return clientIdOf(order, this.#ids);
  }
}

/** The address of an account in lower case, by which orders are counted. */
export function accountKey({ address }: ExchangeAccount): Hex {
  return address.toLowerCase() as Hex;
}
