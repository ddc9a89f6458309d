import { z } from "zod";
import type { Instrument } from "../../core/instrument.js";
import type { Hex } from "../../core/units.js";
import type { OrderStruct, VenueOrder } from "../records.js";
import { builtOrderFields, orderFields, orderStructFields } from "./order.js";
import { hash32, hex, TEXT } from "./values.js";
import { type DecodeContext, gridCount, parseList, parseWire, readMarketId } from "./wire-parse.js";

/** The part of an order that the bot reads. */
const orderSchema = z
  .object(orderFields(TEXT))
  .omit({ account: true, trades: true })
  .extend({ json: z.object({ info: hash32 }) });

/** The part of a build's response that the bot reads. */
const buildResultSchema = z.object({
  ...builtOrderFields,
  order: z.object(orderStructFields).omit({ sender: true }),
  packedOrder: hex.nullish(),
});

/**
 * Decodes an order of the account to its market's grid. Undefined when the bot does not know the
 * market. Price and amounts are whole, save for an order that was placed when the market had a
 * finer grid.
 * @throws FormatError
 * @example
 * ```ts
 * import { connect, decodeOrder, decodeRules, createInstruments } from "marketwright/exchange";
 *
 * const { client, close } = await connect({
 *   baseUrl: process.env.EXCHANGE_URL ?? "http://127.0.0.1:8620/v1",
 *   // The key of an account that is registered with the exchange.
 *   key: process.env.MARKETWRIGHT_KEY,
 * });
 * const rules = decodeRules(await client.call("exchangeInfo"), ["btcusdc"]);
 * const context = { creditDecimals: rules.creditDecimals, instruments: createInstruments(rules) };
 * const placed = await client.place({
 *   marketId: "btcusdc",
 *   side: "BUY",
 *   price: "20000",
 *   amount: "0.02",
 *   timeInForce: "POST_ONLY",
 * });
 * const wire = await client.call("openOrder", { marketId: "btcusdc", orderId: placed.id });
 * await client.cancelOrder({ marketId: "btcusdc", orderId: placed.id });
 * close();
 * decodeOrder(wire, context)?.lots; // => context.instruments.get("btcusdc")?.parseAmount("0.02")
 * ```
 */
export function decodeOrder(
  value: unknown,
  context: DecodeContext,
  where = "order",
): VenueOrder | undefined {
  const instrument = context.instruments.get(readMarketId(value, where));
  return instrument === undefined
    ? undefined
    : orderOf(parseWire(orderSchema, value, where), instrument, where);
}

/**
 * Decodes a list of orders, without those of unknown markets. @throws FormatError
 * @example
 * ```ts
 * import { connect, decodeOrders, decodeRules, createInstruments } from "marketwright/exchange";
 *
 * const { client, close } = await connect({
 *   baseUrl: process.env.EXCHANGE_URL ?? "http://127.0.0.1:8620/v1",
 *   // The key of an account that is registered with the exchange.
 *   key: process.env.MARKETWRIGHT_KEY,
 * });
 * const rules = decodeRules(await client.call("exchangeInfo"), ["btcusdc"]);
 * const context = { creditDecimals: rules.creditDecimals, instruments: createInstruments(rules) };
 * const wire = await client.call("openOrders", { marketId: "btcusdc" });
 * close();
 * const orders = decodeOrders(wire, context, "openOrders");
 * orders.every(({ marketId }) => marketId === "btcusdc"); // => true
 * ```
 */
export function decodeOrders(value: unknown, context: DecodeContext, where: string): VenueOrder[] {
  return parseList(value, where).flatMap(
    (element, index) => decodeOrder(element, context, `${where}.${index}`) ?? [],
  );
}

/** The response of `POST /v1/order/build`, not yet checked against the request. */
export interface BuildResult {
  readonly order: OrderStruct;
  readonly hash: Hex;
  readonly gasFeeQuotation: string;
}

/**
 * Decodes the response to a build. @throws FormatError
 * @example
 * ```ts
 * import { connect, decodeBuildResult } from "marketwright/exchange";
 *
 * const { client, close } = await connect({
 *   baseUrl: process.env.EXCHANGE_URL ?? "http://127.0.0.1:8620/v1",
 *   // The key of an account that is registered with the exchange.
 *   key: process.env.MARKETWRIGHT_KEY,
 * });
 * const wire = await client.call("buildOrder", {
 *   marketId: "btcusdc",
 *   side: "BUY",
 *   orderType: "LIMIT",
 *   price: "20000",
 *   amount: "0.02",
 *   timeInForce: "POST_ONLY",
 *   expiration: 0,
 * });
 * close();
 * const { order, hash } = decodeBuildResult(wire);
 * order.paperAmount; // => 20_000_000_000_000_000n
 * hash.length; // => 66
 * ```
 */
export function decodeBuildResult(value: unknown): BuildResult {
  const { order, orderHash, gasFeeQuotation } = parseWire(buildResultSchema, value, "build");
  const { perp, signer, paperAmount, creditAmount, info } = order;
  return {
    order: { perp, signer, paperAmount, creditAmount, info },
    hash: orderHash,
    gasFeeQuotation,
  };
}

function orderOf(
  wire: z.output<typeof orderSchema>,
  instrument: Instrument,
  where: string,
): VenueOrder {
  const lots = (field: keyof typeof wire & string): number =>
    gridCount(wire[field] as string, instrument.stepSize, `${where}.${field}`);
  return {
    id: wire.id,
    hash: wire.hash,
    info: wire.json.info,
    marketId: wire.marketId,
    side: wire.side,
    type: wire.type,
    timeInForce: wire.tif,
    ticks: gridCount(wire.price, instrument.tickSize, `${where}.price`),
    lots: lots("amount"),
    availableLots: lots("availableAmount"),
    pendingLots: lots("pendingAmount"),
    filledLots: lots("filledAmount"),
    canceledLots: lots("canceledAmount"),
    expiredLots: lots("expiredAmount"),
    failedLots: lots("failedAmount"),
    averagePrice: wire.averagePrice,
    status: wire.status,
    createdAtMs: wire.createdAt,
    expirationMs: wire.expiration,
  };
}
