import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { seededRandom } from "#core/seeded-random.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { openConfiguredExchange } from "#simulator/configured-exchange.js";
import { encode, ReferenceClient, START_MS } from "../../simulator/reference-client.js";
import { conforms } from "../conforms.js";
import { type Trader, trade, worlds } from "./world.js";

const world = worlds();
const PUBLIC = [
  "/v1/time",
  "/v1/exchangeInfo",
  "/v1/orderbook",
  "/v1/trades",
  "/v1/historicalTrades",
  "/v1/klines",
  "/v1/markPriceKlines",
  "/v1/fundingRate",
  "/v1/riskyAccounts",
  "/v1/contracts",
];
const PRIVATE: readonly (readonly [string, string])[] = [
  ["POST", "/v1/account"],
  ["GET", "/v1/account"],
  ["POST", "/v1/order/build"],
  ["POST", "/v1/order"],
  ["DELETE", "/v1/order"],
  ["DELETE", "/v1/allOpenOrders"],
  ["GET", "/v1/historyOrders"],
  ["GET", "/v1/order"],
  ["GET", "/v1/openOrder"],
  ["GET", "/v1/openOrders"],
  ["GET", "/v1/userTrades"],
  ["GET", "/v1/incomes"],
  ["GET", "/v1/balances"],
  ["GET", "/v1/positions"],
];

conforms("G9", "exchange", "answers and refusals are JSON and say so", async () => {
  const { alice } = await world();
  const fields = { marketId: "btcusdc", interval: "1M" };
  for (const path of PUBLIC) {
    const good = await alice.read(path, fields);
    expect([path, good.status, good.headers["content-type"]]).toEqual([
      path,
      200,
      expect.stringContaining("application/json"),
    ]);
    expect(typeof good.json).toBe("object");
  }
  for (const [method, path] of PRIVATE) {
    const refused = await alice.send(method, path);
    expect([path, refused.status, refused.headers["content-type"]]).toEqual([
      path,
      401,
      expect.stringContaining("application/json"),
    ]);
    expect(refused.json).toHaveProperty("code");
  }
});

conforms(
  "G1",
  "exchange",
  "all 24 operations answer under /v1, and none without it or under another version",
  async () => {
    const { alice } = await world();
    const all = [...PUBLIC.map((path) => ["GET", path] as const), ...PRIVATE];
    expect(all).toHaveLength(24);
    for (const [method, path] of all) {
      expect([path, (await alice.send(method, path)).status]).not.toEqual([path, 404]);
      expect((await alice.send(method, path.replace("/v1", ""))).status).toBe(404);
      expect((await alice.send(method, path.replace("/v1", "/v2"))).status).toBe(404);
    }
    expect(alice.server.restUrl).toMatch(/\/v1$/);
    expect(alice.server.streamUrl).toMatch(/\/v1$/);
  },
);

/** Every number in a JSON text that is not an integer. */
function fractions(text: string): string[] {
  return text.replace(/"(?:[^"\\]|\\.)*"/g, '""').match(/-?\d+[.eE][\d+-]+/g) ?? [];
}

conforms(
  "G2",
  "exchange",
  "no answer holds a decimal number, and amounts keep digits that a float would lose",
  async () => {
    const { alice, bob, clock } = await world({
      markets: {
        btcusdc: {
          stepSize: "0.000000000000000001",
          amountBase: { min: "0.000000000000000001", max: "0.009" },
          marketAmountBase: { min: "0.000000000000000001", max: "0.009" },
        },
      },
    });
    await trade(alice, bob, "BUY", "30000.1", "0.001234567890123456");
    await clock.runFor(3000);
    for (const path of PUBLIC)
      expect([
        path,
        fractions((await alice.read(path, { marketId: "btcusdc", interval: "1M" })).body),
      ]).toEqual([path, []]);
    for (const path of [
      "/v1/historyOrders",
      "/v1/userTrades",
      "/v1/incomes",
      "/v1/balances",
      "/v1/positions",
    ]) {
      expect([
        path,
        fractions((await alice.call("GET", path, { marketId: "btcusdc" })).body),
      ]).toEqual([path, []]);
    }
    expect(await alice.ask("/v1/historyOrders", { marketId: "btcusdc" })).toMatchObject([
      { price: "30000.1", amount: "0.001234567890123456" },
    ]);
    expect(await alice.ask("/v1/positions")).toMatchObject([{ size: "0.001234567890123456" }]);
  },
);

conforms("G2", "exchange", "a price or amount that is a JSON number is refused", async () => {
  const { alice } = await world();
  const terms = {
    marketId: "btcusdc",
    side: "BUY",
    orderType: "LIMIT",
    amount: "0.1",
    price: "30000.5",
    timeInForce: "GTC",
  };
  const signed = alice.reference.signed(terms);
  const body = JSON.stringify({ ...signed, price: 30000.5 });
  expect(
    (await alice.send("POST", "/v1/order/build", "", body, "application/json")).json,
  ).toMatchObject({ code: 1111 });
  expect((await alice.deliver("POST", "/v1/order/build", signed, "json")).status).toBe(200);
});

conforms(
  "G3",
  "exchange",
  "times are whole milliseconds, and the expiration in info whole seconds",
  async () => {
    const { alice, bob, clock } = await world();
    const expiration = clock.nowMs() + 90_500;
    const terms = {
      marketId: "btcusdc",
      side: "BUY",
      orderType: "LIMIT",
      amount: "0.1",
      price: "29000",
      timeInForce: "GTT",
      expiration: String(expiration),
    };
    const built = (await alice.call("POST", "/v1/order/build", terms)).json;
    expect(BigInt(`0x${built.order.info.slice(34, 50)}`)).toBe(
      BigInt(Math.floor(expiration / 1000)),
    );
    await trade(alice, bob, "BUY", "30000", "0.1");
    const now = clock.nowMs();
    expect((await alice.read("/v1/time")).json).toEqual({ serverTime: now });
    expect((await alice.read("/v1/trades", { marketId: "btcusdc" })).json).toMatchObject([
      { time: now },
    ]);
    expect(
      (await alice.place("BUY", "29000", "0.1", { timeInForce: "GTT", expirationMs: expiration }))
        .json,
    ).toMatchObject({
      expiration,
      createdAt: now,
    });
    expect(await alice.ask("/v1/account")).toMatchObject({ createdAt: now });
  },
);

conforms(
  "G4",
  "exchange",
  "identifiers past 2^53 stand in JSON with every digit, and name their orders and trades",
  async () => {
    const { alice, bob } = await world({ firstId: "9007199254740993" });
    const placed = await alice.place("BUY", "30000", "0.1");
    const id = /"id":(\d+)/.exec(placed.body)?.[1] ?? "";
    expect(BigInt(id)).toBeGreaterThan(2n ** 53n);
    expect((await alice.call("GET", "/v1/openOrders")).body).toContain(`"id":${id},`);
    expect((await alice.call("GET", "/v1/openOrder", { orderId: id })).body).toContain(
      `"id":${id},`,
    );
    const neighbour =
      (await alice.place("BUY", "29999", "0.1")).body.match(/"id":(\d+)/)?.[1] ?? "";
    expect([
      BigInt(neighbour) - BigInt(id),
      Number(neighbour) === Number(id) || BigInt(neighbour) > BigInt(id),
    ]).toEqual([1n, true]);
    expect((await alice.cancel(neighbour)).status).toBe(204);
    expect((await alice.call("GET", "/v1/openOrders")).body).toContain(`"id":${id},`);
    await bob.place("SELL", "30000", "0.1");
    const trades = await alice.call("GET", "/v1/userTrades", { marketId: "btcusdc" });
    const tradeId = /"id":(\d+)/.exec(trades.body)?.[1] ?? "";
    const next = String(BigInt(tradeId) + 1n);
    expect(
      (await alice.call("GET", "/v1/userTrades", { marketId: "btcusdc", fromId: tradeId })).json,
    ).toHaveLength(1);
    expect(
      (await alice.call("GET", "/v1/userTrades", { marketId: "btcusdc", fromId: next })).json,
    ).toHaveLength(0);
    expect(
      (await alice.read("/v1/historicalTrades", { marketId: "btcusdc", fromId: next })).json,
    ).toHaveLength(0);
    expect((await alice.cancel("9223372036854775807")).json).toMatchObject({ code: 2011 });
    expect((await alice.cancel("9223372036854775808")).json).toMatchObject({ code: 1111 });
  },
);

conforms(
  "G4",
  "exchange",
  "identifiers past 2^53 outlive the process with every digit, and go on from there",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "marketwright-ids-"));
    const config = parseExchangeConfig({
      markets: { btcusdc: {} },
      firstId: "900719925474099300",
      dataDir: folder,
      choices: { waiveGasFeeMinimumAmount: "0" },
    });
    const clock = new VirtualClock(START_MS);
    /** Opens the folder's exchange, has a client talk to it, and closes it. */
    const opened = async <Result>(talk: (client: ReferenceClient) => Result): Promise<Result> => {
      const { exchange, close } = await openConfiguredExchange(config, {
        clock,
        random: seededRandom("ids"),
      });
      exchange.start();
      const result = talk(new ReferenceClient(exchange, () => clock.nowMs()));
      await close();
      return result;
    };
    const idOf = (body: string) => /"id":(\d+)/.exec(body)?.[1] ?? "";
    const first = await opened((client) =>
      idOf(client.register().place("BUY", "30000", "0.1", { nonce: 1n }).body),
    );
    const [kept, next] = await opened((client) => [
      idOf(client.call("GET", "/v1/openOrders").body),
      idOf(client.place("BUY", "29999", "0.1", { nonce: 2n }).body),
    ]);
    expect(BigInt(first)).toBeGreaterThan(2n ** 53n);
    expect([kept, BigInt(next) > BigInt(first), BigInt(next) - BigInt(first) < 10n]).toEqual([
      first,
      true,
      true,
    ]);
    expect(await opened((client) => client.cancel(first).status)).toBe(204);
    rmSync(folder, { recursive: true });
  },
);

conforms("G5", "exchange", "GET and DELETE take their parameters from the query", async () => {
  const { alice } = await world();
  const { id } = (await alice.place("BUY", "30000", "0.1")).json;
  const fields = alice.reference.signed({ marketId: "btcusdc", orderId: String(id) });
  expect((await alice.send("GET", "/v1/openOrder", encode(fields))).json).toMatchObject({ id });
  expect((await alice.send("DELETE", "/v1/order", encode(fields))).status).toBe(204);
  expect((await alice.send("GET", "/v1/orderbook")).json).toMatchObject({ code: 1111 });
  expect((await alice.send("GET", "/v1/orderbook", "marketId=btcusdc")).status).toBe(200);
});

conforms(
  "G6",
  "exchange",
  "POST carries parameters in query, form, JSON, or mixed, and the body wins",
  async () => {
    const { alice } = await world();
    const order = () => alice.reference.signed(alice.reference.order("BUY", "30000", "0.1"));
    for (const carrier of ["query", "form", "json"] as const)
      expect([
        carrier,
        (await alice.deliver("POST", "/v1/order", order(), carrier)).status,
      ]).toEqual([carrier, 200]);
    const { price = "", marketId = "", ...rest } = order();
    const mixed = await alice.send("POST", "/v1/order", encode({ price, marketId }), encode(rest));
    expect([mixed.status, mixed.json.price]).toEqual([200, "30000"]);
    const whole = order();
    const won = await alice.send(
      "POST",
      "/v1/order",
      encode({ price: "1", amount: "7" }),
      encode(whole),
    );
    expect([won.status, won.json.price, won.json.amount]).toEqual([200, "30000", "0.1"]);
    const lost = order();
    expect(
      (
        await alice.send(
          "POST",
          "/v1/order",
          encode({ price: lost.price ?? "" }),
          encode({ ...lost, price: "1" }),
        )
      ).json,
    ).toMatchObject({
      code: 1012,
    });
    expect(await alice.ask("/v1/openOrders")).toHaveLength(5);
  },
);

async function history(alice: Trader, bob: Trader, step: () => Promise<void>): Promise<void> {
  for (const price of ["30000", "30001", "30002"]) {
    await trade(alice, bob, "BUY", price, "0.1");
    const { id } = (await alice.place("BUY", "20000", "0.1")).json;
    await alice.cancel(id);
    await step();
  }
}

conforms("G7", "exchange", "every list ascends: oldest first", async () => {
  const { alice, bob, clock } = await world({
    markets: { btcusdc: { funding: { mode: "fixed", intervalMs: 60_000 } } },
  });
  await history(alice, bob, () => clock.runFor(60_000));
  await alice.place("BUY", "20001", "0.1");
  await alice.place("BUY", "20000", "0.1");
  const fields = { marketId: "btcusdc", interval: "1M" };
  const lists: [string, string, "id" | "time" | "createdAt" | "fundingTime"][] = [
    ["public", "/v1/trades", "id"],
    ["public", "/v1/historicalTrades", "id"],
    ["public", "/v1/klines", "time"],
    ["public", "/v1/markPriceKlines", "time"],
    ["public", "/v1/fundingRate", "fundingTime"],
    ["private", "/v1/historyOrders", "id"],
    ["private", "/v1/openOrders", "id"],
    ["private", "/v1/userTrades", "id"],
    ["private", "/v1/incomes", "id"],
  ];
  for (const [kind, path, key] of lists) {
    const answer =
      kind === "public"
        ? (await alice.read(path, fields)).json
        : await alice.ask(path, { marketId: "btcusdc" });
    const keys = answer.map((record: Record<string, number>) => record[key]);
    expect(keys.length, path).toBeGreaterThan(1);
    expect(keys, path).toEqual([...keys].sort((a, b) => a - b));
  }
});

conforms(
  "G7",
  "exchange",
  "without a start the newest are given, with one the first from there, ascending both times",
  async () => {
    const { alice, bob, clock } = await world();
    const start = clock.nowMs();
    await history(alice, bob, () => clock.runFor(1000));
    const prices = (records: { price: string }[]) => records.map(({ price }) => price);
    const market = { marketId: "btcusdc", limit: "2" };
    expect(prices((await alice.read("/v1/trades", market)).json)).toEqual(["30001", "30002"]);
    expect(prices(await alice.ask("/v1/userTrades", market))).toEqual(["30001", "30002"]);
    expect(
      prices(await alice.ask("/v1/userTrades", { ...market, startTime: String(start) })),
    ).toEqual(["30000", "30001"]);
    expect(
      prices(await alice.ask("/v1/historyOrders", { ...market, startTime: String(start + 1000) })),
    ).toEqual(["30001", "20000"]);
  },
);
