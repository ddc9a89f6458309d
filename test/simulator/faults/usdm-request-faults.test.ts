import { setTimeout as sleep } from "node:timers/promises";
import type { Order } from "ccxt";
import { afterEach, describe, expect, it } from "vitest";
import { CcxtUnderFaults, type FaultyDialect, OTHER, SYMBOL, TRADER } from "./ccxt-under-faults.js";

const worlds = new CcxtUnderFaults();

afterEach(() => worlds.close());

const PLACE = "POST /fapi/v1/order";
const clientOrderId = "order-1";

/** The error that ccxt throws, by the name of its class and the code of the exchange. */
async function outcomeOf(asked: Promise<Order>): Promise<readonly unknown[]> {
  try {
    return [(await asked).status];
  } catch (error) {
    const { name, message } = error as Error;
    return [name, ...(/"code":(-\d+)/.exec(message)?.slice(1) ?? [])];
  }
}

const place = ({ client }: FaultyDialect) =>
  client.createOrder(SYMBOL, "limit", "buy", 0.01, 29_000, { clientOrderId });

/** The order that ccxt places under a fault: as ccxt sees it, and as the exchange has it. */
async function placeUnder(fault: Readonly<Record<string, unknown>>) {
  const world = await worlds.open();
  world.add({ endpoints: [PLACE], interface: "binance-usdm", ...fault });
  return { world, outcome: await outcomeOf(place(world)), orders: ordersOf(world) };
}

const ordersOf = ({ exchange }: FaultyDialect) => exchange.openOrders(TRADER).length;

/** The statuses and codes with which the exchange answered orders, whether they arrived or not. */
const placings = ({ answers }: FaultyDialect) =>
  answers
    .filter(({ request }) => request === PLACE)
    .map(({ status, json }) => (status === 200 ? json.status : json.code));

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(2);
}

const ordersBy = async ({ client }: FaultyDialect) =>
  (await client.fetchOpenOrders(SYMBOL)).map((order) => order.clientOrderId);

describe("ccxt on the dialect: the fate of an order under a fault", () => {
  it.each([
    ["request-lost", "times out, and there is no order", {}, ["RequestTimeout"], []],
    ["answer-lost", "times out, and the order rests", {}, ["RequestTimeout"], ["NEW"]],
    ["answer-garbled", "fails in ccxt, and the order rests", {}, ["TypeError"], ["NEW"]],
    ["storm-429", "is refused, and there is no order", {}, ["DDoSProtection", "-1003"], []],
    ["storm-418", "is refused, and there is no order", {}, ["DDoSProtection", "-1003"], []],
    [
      "storm-5xx",
      "has an unknown fate, and the order rests",
      { actedShare: 1 },
      ["RequestTimeout", "-1007"],
      ["NEW"],
    ],
    [
      "storm-5xx",
      "has an unknown fate, and there is no order",
      { actedShare: 0, status: 504 },
      ["RequestTimeout", "-1007"],
      [],
    ],
    [
      "storm-5xx",
      "fails, and there is no order",
      { actedShare: 0, status: 500 },
      ["OperationFailed", "-1000"],
      [],
    ],
    [
      "storm-5xx",
      "meets a gateway's page, and the order rests",
      { actedShare: 1, status: 502 },
      ["ExchangeNotAvailable"],
      ["NEW"],
    ],
    [
      "connection-lost",
      "loses its connection, and the order rests",
      { actedShare: 1 },
      ["NetworkError"],
      ["NEW"],
    ],
    [
      "connection-lost",
      "loses its connection, and there is no order",
      { actedShare: 0 },
      ["NetworkError"],
      [],
    ],
  ])("%s: it %s (%j)", async (kind, _what, keys, seen, carriedOut) => {
    const { world, outcome, orders } = await placeUnder({ kind, ...keys });
    expect(outcome).toEqual(seen);
    expect(placings(world)).toEqual(carriedOut);
    expect(orders).toBe(carriedOut.length);
    world.injector.schedule.endAll();
    // The one thing that proves the fate: the open orders, asked for by the client id.
    expect(await ordersBy(world)).toEqual(carriedOut.length === 0 ? [] : [clientOrderId]);
  });

  it("request-delayed: it rests only once the delay is over", async () => {
    const world = await worlds.open();
    world.add({ kind: "request-delayed", endpoints: [PLACE], delayMs: { min: 200, max: 200 } });
    const placing = outcomeOf(place(world));
    await until(() => world.injector.schedule.list()[0]?.struck === 1);
    expect([ordersOf(world), placings(world)]).toEqual([0, []]);
    expect(await placing).toEqual(["open"]);
    expect(ordersOf(world)).toBe(1);
  });

  it("answer-delayed: it rests before its answer arrives", async () => {
    const world = await worlds.open();
    world.add({ kind: "answer-delayed", endpoints: [PLACE], delayMs: { min: 300, max: 300 } });
    let hasArrived = false;
    const placing = outcomeOf(place(world)).finally(() => {
      hasArrived = true;
    });
    await until(() => ordersOf(world) === 1);
    expect(hasArrived).toBe(false);
    expect(await placing).toEqual(["open"]);
  });

  it("request-duplicated: its copy is refused by the client id while it is open", async () => {
    const delayMs = { min: 1, max: 1 };
    const { world, outcome } = await placeUnder({ kind: "request-duplicated", delayMs });
    expect(outcome).toEqual(["open"]);
    await until(() => placings(world).length === 2);
    expect(placings(world)).toEqual(["NEW", -4116]);
    expect(ordersOf(world)).toBe(1);
  });

  it("request-duplicated: a market order is filled twice, and its answer reports one", async () => {
    const world = await worlds.open();
    world.add({ kind: "request-duplicated", endpoints: [PLACE], delayMs: { min: 1, max: 1 } });
    const { filled } = await world.client.createOrder(SYMBOL, "market", "buy", 0.02);
    expect(filled).toBe(0.02);
    await until(() => placings(world).length === 2);
    expect(placings(world)).toEqual(["FILLED", "FILLED"]);
    const [position] = await world.client.fetchPositions([SYMBOL]);
    expect(position?.contracts).toBe(0.04);
  });

  it("answers-swapped: the answer of a later question arrives first", async () => {
    const world = await worlds.open();
    world.add({ kind: "answers-swapped", endpoints: [PLACE] });
    const arrived: string[] = [];
    const placing = outcomeOf(place(world)).then(([status]) => arrived.push(String(status)));
    await until(() => ordersOf(world) === 1);
    const rested = await ordersBy(world);
    arrived.push("question");
    await placing;
    expect(rested).toEqual([clientOrderId]);
    expect(arrived).toEqual(["question", "open"]);
  });
});

describe("a refusal of the dialect by a fault", () => {
  it.each([
    ["storm-429", "7", /Too many requests; current limit of IP\(.*\) is 2400 requests/],
    ["storm-418", "7", /Way too many requests; IP\(.*\) banned until \d{13}\./],
  ])("%s says in words and header how long to wait", async (kind, seconds, text) => {
    const world = await worlds.open();
    const beforeMs = Date.now();
    world.add({ kind, retryAfterSeconds: Number(seconds) });
    const error = await world.client.fetchTime().catch((caught: Error) => caught);
    expect((error as Error).message).toMatch(text);
    const headers = world.client.last_response_headers as Readonly<Record<string, string>>;
    expect(headers["Retry-After"]).toBe(seconds);
    const until = /until (\d+)/.exec((error as Error).message)?.[1];
    if (kind === "storm-418") expect(Number(until)).toBeGreaterThanOrEqual(beforeMs + 7000);
  });
});

describe("faults on an exchange with the dialect strike", () => {
  it("only requests of the accounts that they name, found by the API key", async () => {
    const world = await worlds.open();
    const other = await world.connectOther();
    world.add({ kind: "storm-418", accounts: [OTHER] });
    expect(await outcomeOf(place(world))).toEqual(["open"]);
    await expect(other.fetchBalance()).rejects.toThrow("-1003");
    // A question without a key is nobody's.
    expect(await other.fetchTime()).toBeGreaterThan(0);
    expect(world.injector.schedule.list()).toMatchObject([{ seen: 1, struck: 1 }]);
  });

  it("nothing of the dialect if they name the exchange's own interface", async () => {
    const { outcome, world } = await placeUnder({
      kind: "answer-lost",
      interface: "exchange",
      endpoints: undefined,
    });
    expect(outcome).toEqual(["open"]);
    expect(world.injector.schedule.list()).toMatchObject([{ seen: 0 }]);
  });
});
