import { z } from "zod";
import type { Order } from "../../../accounts/account.js";
import type { Market } from "../../../markets/market.js";
import type { DialectDeps } from "../../dialect.js";
import type { UsdmKey } from "../usdm-api-keys.js";
import type { UsdmCountdowns } from "../usdm-countdowns.js";
import { UsdmError } from "../usdm-error.js";
import type { UsdmOrders } from "../usdm-orders.js";
import type { UsdmSymbols } from "../usdm-symbols.js";
import type { UsdmOrderEntry } from "./usdm-order-entry.js";
import {
  limitUpTo,
  missing,
  readUsdmParameters,
  symbolText,
  timeSpan,
  type UsdmParameters,
  wholeNumber,
} from "./usdm-parameters.js";

const oneSymbol = z.object({ symbol: symbolText });
const maybeSymbol = z.object({ symbol: symbolText.optional() });
const orderName = z.object({
  symbol: symbolText,
  orderId: wholeNumber.optional(),
  origClientOrderId: z.string().max(36).optional(),
});
const allOrdersShape = z.object({
  symbol: symbolText,
  orderId: wholeNumber.optional(),
  limit: limitUpTo(1000, 500),
  ...timeSpan,
});
const countdownShape = z.object({ symbol: symbolText, countdownTime: wholeNumber });
const batchShape = z
  .array(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])))
  .min(1)
  .max(5);
const orderIdsShape = z
  .array(z.union([z.number(), z.string()]))
  .min(1)
  .max(10);

/** The two lists of a batch of cancellations, each with the parameter of one of them. */
const CANCEL_LISTS: ReadonlyMap<string, string> = new Map([
  ["orderidlist", "orderId"],
  ["origclientorderidlist", "origClientOrderId"],
]);

/** The endpoints that place, cancel and read orders. */
export class UsdmOrderEndpoints {
  readonly #deps: Pick<DialectDeps, "orderManager">;
  readonly #symbols: UsdmSymbols;
  readonly #orders: UsdmOrders;
  readonly #entry: UsdmOrderEntry;
  readonly #countdowns: UsdmCountdowns;

  constructor(
    deps: Pick<DialectDeps, "orderManager">,
    symbols: UsdmSymbols,
    orders: UsdmOrders,
    entry: UsdmOrderEntry,
    countdowns: UsdmCountdowns,
  ) {
    this.#deps = deps;
    this.#symbols = symbols;
    this.#orders = orders;
    this.#entry = entry;
    this.#countdowns = countdowns;
  }

  place(key: UsdmKey, parameters: UsdmParameters) {
    return this.#entry.place(key, parameters);
  }

  /** Places up to five orders, each of which is accepted or refused by itself. */
  placeBatch(key: UsdmKey, parameters: UsdmParameters) {
    return readList(batchShape, parameters, "batchOrders").map((terms) =>
      settled(() =>
        this.#entry.place(
          key,
          new Map(Object.entries(terms).map(([name, value]) => [name, String(value)])),
        ),
      ),
    );
  }

  /** @throws UsdmError -2011 if it has no open part */
  cancel(key: UsdmKey, parameters: UsdmParameters) {
    const order = this.#find(key, parameters);
    if (order === undefined || !this.#deps.orderManager.cancel(order)) throw new UsdmError("-2011");
    return this.#orders.record(order);
  }

  cancelBatch(key: UsdmKey, parameters: UsdmParameters) {
    const { symbol } = readUsdmParameters(oneSymbol, parameters);
    // Clients spell both lists in small letters too.
    const list = [...parameters.keys()].find((key) => CANCEL_LISTS.has(key.toLowerCase()));
    const names = readList(orderIdsShape, parameters, list ?? "orderIdList");
    const name = CANCEL_LISTS.get((list ?? "").toLowerCase()) ?? "orderId";
    return names.map((value) =>
      settled(() =>
        this.cancel(
          key,
          new Map([
            ["symbol", symbol],
            [name, String(value)],
          ]),
        ),
      ),
    );
  }

  cancelAll({ account }: UsdmKey, parameters: UsdmParameters) {
    this.#deps.orderManager.cancelAll(account, this.#market(parameters));
    return { code: 200, msg: "The operation of cancel all open order is done." };
  }

  countdownCancelAll({ account }: UsdmKey, parameters: UsdmParameters) {
    const { symbol, countdownTime } = readUsdmParameters(countdownShape, parameters);
    this.#countdowns.set(account, this.#symbols.market(symbol), countdownTime);
    return { symbol, countdownTime: String(countdownTime) };
  }

  /** @throws UsdmError -2013 */
  order(key: UsdmKey, parameters: UsdmParameters) {
    const order = this.#find(key, parameters);
    // An order that never traded and was ended is kept here as long as any other.
    if (order === undefined) throw new UsdmError("-2013");
    return this.#orders.record(order);
  }

  /** @throws UsdmError -2013 if it has no open part */
  openOrder(key: UsdmKey, parameters: UsdmParameters) {
    const order = this.#find(key, parameters);
    if (order === undefined || order.openLots === 0) throw new UsdmError("-2013");
    return this.#orders.record(order);
  }

  openOrders({ account }: UsdmKey, parameters: UsdmParameters) {
    const { symbol } = readUsdmParameters(maybeSymbol, parameters);
    const market = symbol === undefined ? undefined : this.#symbols.market(symbol);
    return this.#orders.open(account, market).map((order) => this.#orders.record(order));
  }

  /** With an id the first ones from there, without one the newest. */
  allOrders({ account }: UsdmKey, parameters: UsdmParameters) {
    const given = readUsdmParameters(allOrdersShape, parameters);
    const { orderId, startTime = 0, endTime = Number.POSITIVE_INFINITY, limit } = given;
    const records = this.#orders
      .all(account, this.#symbols.market(given.symbol))
      .map((order) => this.#orders.record(order))
      .filter(
        (order) =>
          order.time >= startTime &&
          order.time <= endTime &&
          (orderId === undefined || order.orderId >= orderId),
      );
    return orderId === undefined && given.startTime === undefined
      ? records.slice(-limit)
      : records.slice(0, limit);
  }

  #market(parameters: UsdmParameters): Market {
    return this.#symbols.market(readUsdmParameters(oneSymbol, parameters).symbol);
  }

  #find({ account }: UsdmKey, parameters: UsdmParameters): Order | undefined {
    const { symbol, ...name } = readUsdmParameters(orderName, parameters);
    const market = this.#symbols.market(symbol);
    if (name.orderId === undefined && name.origClientOrderId === undefined) {
      throw new UsdmError(
        "-1102",
        "Param 'origClientOrderId' or 'orderId' must be sent, but both were empty/null!",
      );
    }
    return this.#orders.find(account, market, name);
  }
}

/** The result of one of several, or its refusal in its place. */
function settled<Result>(act: () => Result) {
  try {
    return act();
  } catch (error) {
    if (error instanceof UsdmError) return { code: Number(error.code), msg: error.message };
    throw error;
  }
}

function readList<Item>(
  shape: z.ZodType<Item[]>,
  parameters: UsdmParameters,
  name: string,
): Item[] {
  const text = parameters.get(name);
  if (!text) throw missing(name);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new UsdmError("-1130", `Data sent for parameter '${name}' is not valid.`);
  }
  const result = shape.safeParse(parsed);
  if (!result.success) {
    throw new UsdmError("-1130", `Data sent for parameter '${name}' is not valid.`);
  }
  return result.data;
}
