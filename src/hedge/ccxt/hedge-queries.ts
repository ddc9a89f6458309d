import type { z } from "zod";
import { FormatError, formatErrorValue } from "../../core/errors.js";
import { MINUTE_MS, type Ms, WEEK_MS } from "../../core/units.js";
import type { HedgeAccountReport, HedgeOutcome, HedgeQuery } from "../hedge-venue.js";
import type { HedgeReply, HedgeRestClient } from "./hedge-rest-client.js";
import type { ListedContract, UsdmDecoder } from "./usdm-decoder.js";
import {
  usdmAccountShape,
  usdmIncomesShape,
  usdmOrderShape,
  usdmOrdersShape,
  usdmTradesShape,
} from "./usdm-records.js";
import type { HedgeRefusal } from "./usdm-refusals.js";
import type { UsdmRequestName } from "./usdm-requests.js";

/** The longest page of each list. */
const PAGE = 1000;
/** The exchange keeps trades for six months, and lists at most a week of them at once. */
const KEPT_MS: Ms = 25 * WEEK_MS;

/** A refusal in place of a record that a later step needs. */
export class RefusedRequest extends Error {
  constructor(readonly refusal: HedgeRefusal) {
    super(refusal.message);
  }
}

type Query<Kind extends HedgeQuery["kind"]> = Extract<HedgeQuery, { readonly kind: Kind }>;
type Trade = z.output<typeof usdmTradesShape>[number];

/** The questions of a hedge venue to Binance USD-M. */
export class HedgeQueries {
  readonly #client: HedgeRestClient;
  readonly #decoder: UsdmDecoder;
  readonly #nowMs: () => Ms;

  /** @param nowMs the exchange's time */
  constructor(client: HedgeRestClient, decoder: UsdmDecoder, nowMs: () => Ms) {
    this.#client = client;
    this.#decoder = decoder;
    this.#nowMs = nowMs;
  }

  /**
   * Asks, with as many requests as the answer takes.
   * @throws RefusedRequest; FormatError for a record that cannot be read
   */
  async ask(query: HedgeQuery, contract: ListedContract): Promise<HedgeOutcome> {
    switch (query.kind) {
      case "order":
        return this.#order(query, contract);
      case "open-orders":
        return this.#openOrders(contract);
      case "fills":
        return this.#fills(query, contract);
      case "funding":
        return this.#funding(query, contract);
      case "account":
        return { result: "account", account: await this.account(contract) };
    }
  }

  /** The account in the contract's quote asset. */
  async account({ quoteAsset }: ListedContract): Promise<HedgeAccountReport> {
    return this.#decoder.account(await this.read("account", usdmAccountShape), quoteAsset);
  }

  /** Client ids of the open orders that are not the bot's. */
  async foreignOrders({ id }: ListedContract): Promise<readonly string[]> {
    const records = await this.read("openOrders", usdmOrdersShape, { symbol: id });
    return records
      .map(({ clientOrderId }) => clientOrderId)
      .filter((clientId) => !this.#decoder.isOwn(clientId));
  }

  /** The body of an answer. @throws RefusedRequest; FormatError if it has another form */
  async read<Schema extends z.ZodType>(
    name: UsdmRequestName,
    shape: Schema,
    params: Readonly<Record<string, string | number>> = {},
  ): Promise<z.output<Schema>> {
    return readBody(await this.#client.call(name, params), shape, name);
  }

  async #order({ key }: Query<"order">, { id }: ListedContract): Promise<HedgeOutcome> {
    const params = { symbol: id, origClientOrderId: key };
    const order = this.#decoder.order(await this.read("order", usdmOrderShape, params));
    return order.key === key
      ? { result: "order", order }
      : { result: "unknown", message: `the answer is about the order ${order.key}` };
  }

  async #openOrders({ id }: ListedContract): Promise<HedgeOutcome> {
    const records = await this.read("openOrders", usdmOrdersShape, { symbol: id });
    for (const record of records) this.#decoder.learn(record);
    const own = records.filter(({ clientOrderId }) => this.#decoder.isOwn(clientOrderId));
    return { result: "open-orders", orders: own.map((record) => this.#decoder.order(record)) };
  }

  async #fills({ sinceMs }: Query<"fills">, contract: ListedContract): Promise<HedgeOutcome> {
    const nowMs = this.#nowMs();
    const trades: Trade[] = [];
    let isWhole = true;
    for (
      // A clock of this machine that is ahead must not leave the question out.
      let fromMs = Math.min(Math.max(sinceMs, nowMs - KEPT_MS), nowMs);
      isWhole && fromMs <= nowMs;
      fromMs += WEEK_MS
    ) {
      const page = await this.read("userTrades", usdmTradesShape, {
        symbol: contract.id,
        startTime: fromMs,
        // The present week has no end, so that no fill of this millisecond is left out.
        ...(fromMs + WEEK_MS > nowMs ? {} : { endTime: fromMs + WEEK_MS - 1 }),
        limit: PAGE,
      });
      trades.push(...page);
      isWhole = page.length < PAGE;
      const last = page.at(-1);
      if (isWhole || last === undefined || last.time > fromMs) continue;
      const rest = await this.#tradesAfter(last, contract);
      trades.push(...rest.trades);
      isWhole = rest.isWhole;
      // By id they reach the present, whatever week they began in.
      break;
    }
    await this.#learnOrders(trades, contract);
    return { result: "fills", fills: trades.map((trade) => this.#decoder.fill(trade)), isWhole };
  }

  /**
   * The trades after one whose page was full of a single millisecond: by time the same page would
   * come again. They are read by id until they end, or reach a later millisecond.
   */
  async #tradesAfter(
    { id, time }: Trade,
    contract: ListedContract,
  ): Promise<{ readonly trades: readonly Trade[]; readonly isWhole: boolean }> {
    const trades: Trade[] = [];
    for (let lastId = BigInt(id); ; ) {
      const fromId = `${lastId + 1n}`;
      const params = { symbol: contract.id, fromId, limit: PAGE };
      const page = await this.read("userTrades", usdmTradesShape, params);
      trades.push(...page);
      const last = page.at(-1);
      if (page.length < PAGE || last === undefined) return { trades, isWhole: true };
      if (last.time > time) return { trades, isWhole: false };
      lastId = BigInt(last.id);
    }
  }

  /** Learns the client ids of all orders that trades name. */
  async #learnOrders(trades: readonly Trade[], { id }: ListedContract): Promise<void> {
    for (;;) {
      const unknown = this.#decoder.unknownOrders(trades);
      if (unknown.length === 0) return;
      const first = unknown.reduce((one, other) => (BigInt(one) < BigInt(other) ? one : other));
      const params = { symbol: id, orderId: first };
      const records = await this.read("allOrders", usdmOrdersShape, { ...params, limit: PAGE });
      for (const record of records) this.#decoder.learn(record);
      if (!this.#decoder.unknownOrders(trades).includes(first)) continue;
      const reply = await this.#client.call("order", params);
      const isOld = trades.every(
        ({ orderId, time }) => orderId !== first || time < this.#nowMs() - MINUTE_MS,
      );
      if (reply.ok || reply.refusal.result !== "absent")
        this.#decoder.learn(readBody(reply, usdmOrderShape, "order"));
      // A fill without an order, such as a position that was taken over, is not the bot's.
      else if (isOld) this.#decoder.learn({ symbol: id, orderId: first, clientOrderId: "" });
      else {
        const message = `the order ${first} of a fill cannot be found yet`;
        throw new RefusedRequest({ result: "unknown", message });
      }
    }
  }

  async #funding({ sinceMs }: Query<"funding">, { id }: ListedContract): Promise<HedgeOutcome> {
    const found = new Map<string, z.output<typeof usdmIncomesShape>[number]>();
    for (let startTime = sinceMs; ; ) {
      const params = { symbol: id, incomeType: "FUNDING_FEE", startTime, limit: PAGE };
      const page = await this.read("income", usdmIncomesShape, params);
      const known = found.size;
      for (const income of page) found.set(income.tranId, income);
      if (page.length < PAGE || found.size === known) break;
      startTime = page.at(-1)?.time ?? startTime;
    }
    const payments = [...found.values()].map((income) => this.#decoder.funding(income));
    return { result: "funding", payments };
  }
}

/** The body of an answer. @throws RefusedRequest; FormatError if it has another form */
export function readBody<Schema extends z.ZodType>(
  reply: HedgeReply,
  shape: Schema,
  name: UsdmRequestName,
): z.output<Schema> {
  if (!reply.ok) throw new RefusedRequest(reply.refusal);
  return readShape(shape, reply.body, name);
}

/** A value of the wire. @throws FormatError that names the first field with another form */
export function readShape<Schema extends z.ZodType>(
  shape: Schema,
  value: unknown,
  where: string,
): z.output<Schema> {
  const result = shape.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = [where, ...(issue?.path ?? [])].join(".");
  throw new FormatError(`cannot be read: ${issue?.message ?? ""}`, {
    field: path,
    value: formatErrorValue(value),
  });
}
