import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DAY_MS, WEEK_MS } from "#core/units.js";
import { IS_CCXT_INSTALLED } from "../reference/sources/ccxt-installed.js";
import { type HedgeSession, newKey, openVenue, SYMBOL } from "./dialect-world.js";
import { ToldServer } from "./told-server.js";

let server: ToldServer;
let session: HedgeSession;

beforeEach(async () => {
  server = await ToldServer.start();
  session = await openVenue(server.host);
});

afterEach(async () => {
  session.venue.close();
  await server.stop();
});

const trade = (id: number, orderId: number, time: number) => ({
  symbol: "BTCUSDC",
  id,
  orderId,
  side: "SELL",
  price: "30000.0",
  qty: "0.001",
  commission: "-0.00300000",
  commissionAsset: "USDC",
  time,
  maker: true,
});

const order = (orderId: number, clientOrderId: string) => ({
  symbol: "BTCUSDC",
  orderId,
  clientOrderId,
  side: "SELL",
  status: "FILLED",
  origQty: "1",
  executedQty: "1",
});

describe.skipIf(!IS_CCXT_INSTALLED)("the questions to a hedge venue", () => {
  it("say that there may be more fills when a page is full", async () => {
    const key = newKey();
    const nowMs = Date.now();
    const page = Array.from({ length: 1000 }, (_, at) => trade(at, 3, nowMs + at));
    server.told.set("GET /fapi/v1/userTrades", { body: page });
    server.told.set("GET /fapi/v1/allOrders", { body: [order(3, key)] });
    const outcome = await session.submit({ kind: "fills", symbol: SYMBOL, sinceMs: nowMs });
    expect(outcome).toMatchObject({ result: "fills", isWhole: false });
    expect(outcome.result === "fills" && outcome.fills[999]).toMatchObject({
      key,
      fee: -300_000n,
      quote: 3_000_000_000n,
      isMaker: true,
    });
  });

  it("read on by id where a page is full of one millisecond: by time they would never end", async () => {
    const nowMs = Date.now();
    const trades = Array.from({ length: 2_500 }, (_, at) => trade(at + 1, 3, nowMs));
    trades.push(trade(2_501, 3, nowMs + 5));
    const asked: string[] = [];
    server.told.set("GET /fapi/v1/userTrades", ({ params }) => {
      const given = new URLSearchParams(params);
      const fromId = given.get("fromId");
      asked.push(fromId ?? "by time");
      expect(fromId === null || given.get("startTime") === null, "never both").toBe(true);
      const rest =
        fromId === null
          ? trades.filter(({ time }) => time >= Number(given.get("startTime")))
          : trades.filter(({ id }) => id >= Number(fromId));
      return { body: rest.slice(0, 1000) };
    });
    server.told.set("GET /fapi/v1/allOrders", { body: [order(3, newKey())] });
    const outcome = await session.submit({ kind: "fills", symbol: SYMBOL, sinceMs: nowMs });
    const ids = outcome.result === "fills" ? outcome.fills.map(({ id }) => Number(id)) : [];
    expect(ids).toEqual(trades.map(({ id }) => id));
    expect(outcome).toMatchObject({ isWhole: true });
    expect(asked).toEqual(["by time", "1001", "2001"]);
  });

  it("find fills of three weeks ago, though the venue lists a week at once", async () => {
    const nowMs = Date.now();
    const trades = [trade(1, 3, nowMs - 20 * DAY_MS), trade(2, 3, nowMs - DAY_MS)];
    server.told.set("GET /fapi/v1/userTrades", ({ params }) => {
      const given = new URLSearchParams(params);
      const from = Number(given.get("startTime"));
      const to = Number(given.get("endTime") ?? from + WEEK_MS);
      return { body: trades.filter(({ time }) => time >= from && time <= to) };
    });
    server.told.set("GET /fapi/v1/allOrders", { body: [order(3, newKey())] });
    const sinceMs = nowMs - 21 * DAY_MS + 1000;
    expect(await session.submit({ kind: "fills", symbol: SYMBOL, sinceMs })).toMatchObject({
      result: "fills",
      fills: [{ id: "1" }, { id: "2" }],
      isWhole: true,
    });
  });

  it("say nothing of fills whose new order cannot be found yet: it may be the bot's own", async () => {
    server.told.set("GET /fapi/v1/allOrders", { body: [] });
    server.told.set("GET /fapi/v1/order", { status: 400, body: { code: -2013, msg: "none" } });
    const ask = (time: number) => {
      server.told.set("GET /fapi/v1/userTrades", { body: [trade(1, time, time)] });
      return session.submit({ kind: "fills", symbol: SYMBOL, sinceMs: Date.now() });
    };
    expect(await ask(Date.now())).toMatchObject({ result: "unknown" });
    expect(await ask(Date.now() - DAY_MS)).toMatchObject({
      result: "fills",
      fills: [{ key: undefined }],
    });
  });

  it("add up funding over pages, each payment once", async () => {
    const income = (tranId: number) => ({
      symbol: "BTCUSDC",
      tranId,
      income: "-0.37500000",
      asset: "USDC",
      time: 1000 + tranId,
    });
    server.told.set("GET /fapi/v1/income", ({ params }) => {
      const from = Number(new URLSearchParams(params).get("startTime")) - 1000;
      const rest = Math.max(0, 1001 - Math.max(from, 0));
      return {
        body: Array.from({ length: Math.min(1000, rest) }, (_, at) =>
          income(Math.max(from, 0) + at),
        ),
      };
    });
    const outcome = await session.submit({ kind: "funding", symbol: SYMBOL, sinceMs: 0 });
    const payments = outcome.result === "funding" ? outcome.payments : [];
    expect(payments.length).toBe(1001);
    expect(payments[0]).toEqual({
      id: "0",
      symbol: SYMBOL,
      amount: -37_500_000n,
      asset: "USDC",
      timeMs: 1000,
    });
  });
});
