import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HedgeOutcome } from "#hedge/hedge-venue.js";
import { USDM_CODES } from "#hedge/usdm-refusals.js";
import { IS_CCXT_INSTALLED } from "../reference/sources/ccxt-installed.js";
import { API_SECRET, type HedgeSession, newKey, openVenue, SYMBOL } from "./dialect-world.js";
import { type ToldAnswer, ToldServer } from "./told-server.js";

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

const ORDER = "/fapi/v1/order";
const key = newKey();

function answer(kind: "place" | "cancel" | "order", told: ToldAnswer): Promise<HedgeOutcome> {
  const method = { place: "POST", cancel: "DELETE", order: "GET" }[kind];
  server.told.set(`${method} ${ORDER}`, told);
  if (kind !== "place") return session.submit({ kind, symbol: SYMBOL, key });
  return session.submit({
    kind,
    symbol: SYMBOL,
    key,
    side: "BUY",
    lots: 20,
    ticks: 300_000,
    timeInForce: "IOC",
    isReduceOnly: false,
  });
}

const refusal = (code: number, status = 400): ToldAnswer => ({
  status,
  body: { code, msg: "as told" },
});

/** Codes that must never count as a proof: the exchange may have acted. */
const PROVES_NOTHING = [-1000, -1001, -1006, -1007, -1008, -1016, -2010, -4116, -9999];

describe.skipIf(!IS_CCXT_INSTALLED)("what an answer proves about a hedge", () => {
  it("takes every listed code as the table says, for a place, a cancel and a question", async () => {
    for (const [code, proof] of USDM_CODES) {
      if (proof === "not-sent") continue;
      const onPlace = proof === "absent" ? "unknown" : proof;
      expect([code, (await answer("place", refusal(Number(code)))).result]).toEqual([
        code,
        onPlace,
      ]);
      expect([code, (await answer("cancel", refusal(Number(code)))).result]).toEqual([code, proof]);
      expect([code, (await answer("order", refusal(Number(code)))).result]).toEqual([code, proof]);
    }
  });

  it("knows the refusals of the documentation that a hedge meets most", () => {
    const known = {
      rejected: [-1022, -1111, -1121, -2015, -2019, -2022, -2027, -4016, -4024, -4164, -5022],
      absent: [-2011, -2013],
      "not-sent": [-1003, -1015, -1021, -5028],
    };
    for (const [proof, codes] of Object.entries(known))
      for (const code of codes) expect([code, USDM_CODES.get(String(code))]).toEqual([code, proof]);
    for (const code of PROVES_NOTHING) expect(USDM_CODES.has(String(code))).toBe(false);
  });

  it("never takes a refused place as refused when a first copy of it may be in the book", async () => {
    for (const code of PROVES_NOTHING)
      expect([code, (await answer("place", refusal(code))).result]).toEqual([code, "unknown"]);
  });

  it("takes no 5xx as a refusal, whatever code it carries", async () => {
    for (const status of [500, 502, 503, 504])
      for (const code of [-2019, -2011, -1003, -1021])
        expect((await answer("place", refusal(code, status))).result).toBe("unknown");
  });

  it("takes no listed code under a success or a redirect as a refusal", async () => {
    expect((await answer("place", refusal(-2019, 200))).result).toBe("unknown");
    expect((await answer("place", refusal(-2019, 302))).result).toBe("unknown");
  });

  it("takes a page of a proxy as no answer", async () => {
    for (const status of [200, 400, 403, 404, 502])
      expect((await answer("place", { status, body: "<html>blocked</html>" })).result).toBe(
        "unknown",
      );
  });

  it("takes an answer about another order, or with an odd field, as no answer", async () => {
    const order = {
      symbol: "BTCUSDC",
      orderId: 1,
      clientOrderId: newKey(),
      side: "BUY",
      status: "NEW",
      origQty: "0.020",
      executedQty: "0",
    };
    expect((await answer("place", { body: order })).result).toBe("unknown");
    const own = { ...order, clientOrderId: key };
    expect((await answer("place", { body: own })).result).toBe("order");
    for (const odd of [
      { status: "HALF_OPEN" },
      { executedQty: "0.0005" },
      { executedQty: 0 },
      { origQty: "1e2" },
    ])
      expect((await answer("place", { body: { ...own, ...odd } })).result).toBe("unknown");
  });

  it("keeps the digits of an order's id beyond 2^53", async () => {
    const order = (id: string) =>
      `{"symbol":"BTCUSDC","orderId":${id},"clientOrderId":"${key}","side":"BUY","status":"FILLED","origQty":"0.02","executedQty":"0.02"}`;
    await answer("place", { body: order("8389765519143587841") });
    server.told.set("GET /fapi/v1/userTrades", {
      body: `[{"symbol":"BTCUSDC","id":7,"orderId":8389765519143587841,"side":"BUY","price":"1","qty":"0.001","commission":"0","commissionAsset":"USDC","time":1,"maker":false}]`,
    });
    expect(
      await session.submit({ kind: "fills", symbol: SYMBOL, sinceMs: Date.now() }),
    ).toMatchObject({ result: "fills", fills: [{ key }] });
    expect(server.requests("/fapi/v1/allOrders")).toEqual([]);
  });

  it("asks for fills although this machine's clock is ahead of the venue's: none is taken as read unasked", async () => {
    server.told.set("GET /fapi/v1/userTrades", { body: [] });
    const sinceMs = Date.now() + 120_000;
    expect(await session.submit({ kind: "fills", symbol: SYMBOL, sinceMs })).toMatchObject({
      result: "fills",
    });
    expect(server.requests("/fapi/v1/userTrades").length).toBe(1);
  });

  it("says not sent, with the time to wait, when the rate limit refuses, and asks no more until then", async () => {
    const told = { ...refusal(-1003, 429), headers: { "retry-after": "7" } };
    expect(await answer("place", told)).toMatchObject({ result: "not-sent", retryAfterMs: 7000 });
    const sent = server.requests(ORDER).length;
    const cancel = await answer("cancel", refusal(-2011));
    expect(cancel).toMatchObject({ result: "not-sent" });
    expect(cancel.result === "not-sent" && cancel.retryAfterMs).toBeGreaterThan(5000);
    expect(server.requests(ORDER).length).toBe(sent);
  });

  it("still cancels when only the number of new orders is used up", async () => {
    const told = { ...refusal(-1015, 429), headers: { "retry-after": "7" } };
    expect(await answer("place", told)).toMatchObject({ result: "not-sent", retryAfterMs: 7000 });
    expect((await answer("cancel", refusal(-2011))).result).toBe("absent");
  });

  it("says not sent for a refused timestamp, and then signs by the venue's clock", async () => {
    server.clockAheadMs = 30_000;
    const aheadMs = Date.now() + 25_000;
    const outcome = await answer("place", refusal(-1021));
    expect(outcome.result).toBe("not-sent");
    const timestamp = (): number =>
      Number(new URLSearchParams(server.requests(ORDER).at(-1)?.params).get("timestamp"));
    for (let turn = 0; turn < 200 && timestamp() < aheadMs; turn += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      await answer("cancel", refusal(-2011));
    }
    expect(timestamp()).toBeGreaterThan(aheadMs);
  });

  it("says unknown after a time-out, and not sent when no server was there", async () => {
    server.server.onRequest = () => undefined;
    const cancel = () => session.submit({ kind: "cancel", symbol: SYMBOL, key });
    expect(await cancel()).toMatchObject({ result: "unknown" });
    await server.stop();
    expect(await cancel()).toMatchObject({ result: "not-sent", retryAfterMs: undefined });
  });

  it("never shows the secret, whatever the venue repeats of a request", async () => {
    const outcome = await answer("place", {
      status: 400,
      body: { code: -1022, msg: `the signature with ${API_SECRET} is wrong` },
    });
    expect(outcome.result).toBe("rejected");
    expect(JSON.stringify(outcome)).not.toContain(API_SECRET);
  });
});
