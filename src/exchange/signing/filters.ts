import type { Lots, Ticks } from "../../core/units.js";
import type { MarketRules, OrderType } from "../records.js";

/** The fields of an order that filters check before it is sent. */
export interface OrderToCheck {
  readonly type: OrderType;
  readonly ticks: Ticks;
  readonly lots: Lots;
}

/** A filter that an order would violate (docs/reference/exchange-interface.md#filters). */
export interface FilterViolation {
  readonly filter:
    | "PRICE_FILTER"
    | "AMOUNT_FILTER"
    | "MARKET_AMOUNT_FILTER"
    | "MAX_OPEN_ORDERS_FILTER";
  readonly field: "ticks" | "lots" | "openOrders";
  /** In ticks, lots or orders, as `field` says. */
  readonly value: number;
  /** The accepted values, as text in ticks or lots. */
  readonly expected: string;
}

/**
 * Returns the filters that an order would violate; empty when it may be sent.
 * @param openOrders how many orders of the account rest in the market already, where the caller
 * counts them.
 * @example
 * ```ts
 * import { checkFilters, connect, decodeRules } from "marketwright/exchange";
 *
 * const { client, close } = await connect({
 *   baseUrl: process.env.EXCHANGE_URL ?? "http://127.0.0.1:8620/v1",
 * });
 * const rules = decodeRules(await client.call("exchangeInfo"), ["btcusdc"]).markets.btcusdc;
 * close();
 * if (rules === undefined) throw new Error("the exchange has no btcusdc");
 * const breaches = checkFilters(rules, { type: "LIMIT", ticks: rules.minTicks, lots: 0 });
 * breaches.map(({ filter, field }) => [filter, field]); // => [["AMOUNT_FILTER", "lots"]]
 * ```
 */
export function checkFilters(
  rules: MarketRules,
  order: OrderToCheck,
  openOrders = 0,
): FilterViolation[] {
  const breaches: FilterViolation[] = [];
  if (!isWithin(order.ticks, rules.minTicks, rules.maxTicks)) {
    breaches.push({
      filter: "PRICE_FILTER",
      field: "ticks",
      value: order.ticks,
      expected: `a whole number of ticks from ${rules.minTicks} to ${rules.maxTicks}`,
    });
  }
  const isMarket = order.type === "MARKET";
  const min = isMarket ? rules.marketMinLots : rules.minLots;
  const max = isMarket ? rules.marketMaxLots : rules.maxLots;
  const step = isMarket ? (rules.marketStepLots ?? 1) : 1;
  if (!isWithin(order.lots, min, max) || order.lots % step !== 0) {
    breaches.push({
      filter: isMarket ? "MARKET_AMOUNT_FILTER" : "AMOUNT_FILTER",
      field: "lots",
      value: order.lots,
      expected: `a whole number of lots from ${min} to ${max}${step === 1 ? "" : `, in multiples of ${step}`}`,
    });
  }
  if (openOrders >= rules.maxOpenOrders) {
    breaches.push({
      filter: "MAX_OPEN_ORDERS_FILTER",
      field: "openOrders",
      value: openOrders,
      expected: `fewer than ${rules.maxOpenOrders}`,
    });
  }
  return breaches;
}

function isWithin(value: number, min: number, max: number): boolean {
  return Number.isSafeInteger(value) && value >= min && value <= max;
}
