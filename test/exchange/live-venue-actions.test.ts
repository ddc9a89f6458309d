import { verifyMessage } from "ethers";
import { describe, expect, it } from "vitest";
import type { Instrument } from "#core/instrument.js";
import { ecdsaScheme } from "#core/signing.js";
import { createInstruments } from "#exchange/decode-rules.js";
import { buildHashedOrder } from "#exchange/order-building.js";
import { OrderHasher } from "#exchange/order-signing.js";
import type { MarketRules, VenueRules } from "#exchange/records.js";
import { formatCanonicalParams } from "#exchange/request-signing.js";
import type { Action, PlaceAction } from "#exchange/venue.js";
import { json, type ReceivedRequest, until } from "./local-server.js";
import { NOW, ServedVenue, signer, type Unnumbered } from "./served-venue.js";
import { wireBalances, wireOrder } from "./wire-records.js";

const at = new ServedVenue();

/**
 * Checks a request as the exchange does: rebuild the string from what arrived, recover the signer.
 */
function requireSigned({ params }: ReceivedRequest): URLSearchParams {
  const fields = new URLSearchParams(params);
  const { signature = "", ...rest } = Object.fromEntries(fields);
  expect(formatCanonicalParams(rest)).toBe(params.slice(0, params.indexOf("&signature=")));
  expect(verifyMessage(formatCanonicalParams(rest), signature)).toBe(signer.address);
  expect(rest.timestamp).toBe(String(NOW));
  return fields;
}

function place(rules: VenueRules, change: Partial<PlaceAction> = {}): Unnumbered<PlaceAction> {
  const market = rules.markets.btcusdc as MarketRules;
  const instrument = createInstruments(rules).get("btcusdc") as Instrument;
  const built = buildHashedOrder(new OrderHasher(rules.eip712.domainSeparator), {
    rules: market,
    instrument,
    side: "BUY",
    ticks: 20005,
    lots: 20,
    signer: signer.address,
    expirationSeconds: 2_051_222_400,
    nonce: 1n,
  });
  return {
    kind: "place",
    marketId: "btcusdc",
    side: "BUY",
    type: "LIMIT",
    ticks: 20005,
    lots: 20,
    timeInForce: "POST_ONLY",
    expirationMs: 0,
    order: built.order,
    hash: built.hash,
    ...change,
  };
}

describe("actions of a live venue", () => {
  it("a place carries both signatures and is accepted as the exchange took it", async () => {
    const written: number[] = [];
    at.open({ streams: false, onWritten: (actionId) => written.push(actionId) });
    const rules = await at.withRules();
    const action = place(rules);
    at.server.onRequest = (_, response) =>
      json(response, wireOrder({ hash: action.hash, tif: "POST_ONLY" }));
    expect(await at.submitted(action)).toMatchObject({
      result: "accepted",
      order: { hash: action.hash, id: "275287091667264", timeInForce: "POST_ONLY" },
    });
    const request = at.server.requests.at(-1) as ReceivedRequest;
    expect([request.method, request.path]).toEqual(["POST", "/v1/order"]);
    const fields = requireSigned(request);
    expect(Object.fromEntries(fields)).toMatchObject({
      account: signer.address,
      marketId: "btcusdc",
      side: "BUY",
      orderType: "LIMIT",
      amount: "0.02",
      price: "2000.5",
      timeInForce: "POST_ONLY",
      info: action.order.info,
    });
    expect(fields.has("expiration")).toBe(false);
    expect(fields.has("gasFeeQuotation")).toBe(false);
    expect(
      ecdsaScheme.recover(
        Buffer.from(action.hash.slice(2), "hex"),
        fields.get("orderSignature") ?? "",
      ),
    ).toBe(signer.address.toLowerCase());
    expect(written).toEqual([1, 2]);
  });

  it("a GTT place says when it expires, and a built one passes its gas token on unchanged", async () => {
    at.open({ streams: false });
    const action = place(await at.withRules(), {
      timeInForce: "GTT",
      expirationMs: NOW + 300_000,
      gasFeeQuotation: "ab+/c==*~",
    });
    await at.submitted(action);
    const fields = requireSigned(at.server.requests.at(-1) as ReceivedRequest);
    expect(fields.get("expiration")).toBe(String(NOW + 300_000));
    expect(fields.get("gasFeeQuotation")).toBe("ab+/c==*~");
  });

  it("a build is answered with an order that hashes to what it says", async () => {
    at.open({ streams: false });
    const rules = await at.withRules();
    const { order, hash } = place(rules);
    at.server.onRequest = (_, response) =>
      json(response, {
        order: {
          ...order,
          sender: `0x${"0".repeat(40)}`,
          paperAmount: String(order.paperAmount),
          creditAmount: String(order.creditAmount),
        },
        orderHash: hash,
        packedOrder: "0x00",
        gasFeeQuotation: "token",
      });
    const { order: _, hash: __, gasFeeQuotation: ___, ...asked } = place(rules);
    const answer = await at.submitted({ ...asked, kind: "build" });
    expect(answer).toMatchObject({
      result: "built",
      hash,
      gasFeeQuotation: "token",
      order: { creditAmount: order.creditAmount },
    });
    expect(at.server.requests.at(-1)?.path).toBe("/v1/order/build");
    requireSigned(at.server.requests.at(-1) as ReceivedRequest);
  });

  it("cancels name the order, or the market", async () => {
    at.open({ streams: false });
    expect(
      await at.submitted({
        kind: "cancel",
        marketId: "btcusdc",
        orderId: "9223372036854775807",
        hash: "0x",
      }),
    ).toEqual({
      result: "cancelled",
    });
    expect(await at.submitted({ kind: "cancel-all", marketId: "btcusdc" })).toEqual({
      result: "cancelled",
    });
    expect(at.server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "DELETE /v1/order",
      "DELETE /v1/allOpenOrders",
    ]);
    expect(requireSigned(at.server.requests[0] as ReceivedRequest).get("orderId")).toBe(
      "9223372036854775807",
    );
    expect(requireSigned(at.server.requests[1] as ReceivedRequest).get("marketId")).toBe("btcusdc");
  });

  it("questions ask for whole pages; public ones are not signed", async () => {
    at.open({ streams: false });
    await at.withRules();
    at.server.onRequest = ({ path }, response) => {
      const answers: Record<string, unknown> = {
        "/v1/time": { serverTime: 5 },
        "/v1/orderbook": { sequence: 7, bids: [], asks: [] },
        "/v1/balances": { balances: wireBalances(), positions: [] },
      };
      json(response, answers[path] ?? []);
    };
    const questions: Unnumbered<Action>[] = [
      { kind: "question", ask: "time" },
      { kind: "question", ask: "bookSequence", marketId: "btcusdc" },
      { kind: "question", ask: "openOrders" },
      { kind: "question", ask: "openOrders", marketId: "btcusdc" },
      { kind: "question", ask: "historyOrders", marketId: "btcusdc", startTimeMs: 1, endTimeMs: 2 },
      { kind: "question", ask: "userTrades", marketId: "btcusdc", fromId: "9007199254740993" },
      { kind: "question", ask: "incomes", marketId: "btcusdc", startTimeMs: 3, endTimeMs: 4 },
      { kind: "question", ask: "balances" },
      { kind: "question", ask: "positions" },
    ];
    for (const question of questions)
      expect(await at.submitted(question)).toMatchObject({ result: "answered" });
    const asked = at.server.requests.slice(1).map((request) => {
      if (!request.params.includes("signature=")) return `${request.path}?${request.params}`;
      const fields = requireSigned(request);
      for (const name of ["account", "timestamp", "signature"]) fields.delete(name);
      return `signed ${request.path}?${fields}`;
    });
    expect(asked).toEqual([
      "/v1/time?",
      "/v1/orderbook?limit=10&marketId=btcusdc",
      "signed /v1/openOrders?",
      "signed /v1/openOrders?marketId=btcusdc",
      "signed /v1/historyOrders?endTime=2&limit=500&marketId=btcusdc&startTime=1",
      "signed /v1/userTrades?fromId=9007199254740993&limit=500&marketId=btcusdc",
      "signed /v1/incomes?endTime=4&limit=500&marketId=btcusdc&startTime=3",
      "signed /v1/balances?",
      "signed /v1/positions?",
    ]);
  });

  it("a place before the rules are known, or after the end, never leaves", async () => {
    at.open({ streams: false });
    const rules = await at.withRules();
    const action = place(rules);
    at.open({ streams: false });
    expect(await at.submitted(action)).toMatchObject({
      result: "not-sent",
      message: expect.stringMatching(/rules are not known/),
    });
    expect(at.server.requests.filter(({ path }) => path === "/v1/order")).toEqual([]);
  });

  it("no event follows the end, which is reported once", async () => {
    at.open({ streams: false });
    let completions = 0;
    at.venue.events$.subscribe({
      complete: () => {
        completions += 1;
      },
    });
    at.server.onRequest = () => undefined;
    at.venue.submit({ kind: "question", ask: "time", actionId: 1, timestampMs: NOW });
    await until(() => at.server.requests.length === 1);
    at.venue.close();
    at.venue.close();
    at.transport.close();
    at.venue.submit({ kind: "question", ask: "time", actionId: 2, timestampMs: NOW });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(at.events).toEqual([]);
    expect(completions).toBe(1);
  });

  it("an exchange that is not there means not sent; one that is silent, unknown", async () => {
    at.open({ streams: false, requestTimeoutMs: 50 });
    at.server.onRequest = () => undefined;
    expect(await at.submitted({ kind: "cancel-all", marketId: "btcusdc" })).toMatchObject({
      result: "unknown",
      cause: "timeout",
    });
    await at.server.stop();
    expect(await at.submitted({ kind: "cancel-all", marketId: "btcusdc" })).toMatchObject({
      result: expect.stringMatching(/^(not-sent|unknown)$/),
    });
    expect(await at.submitted({ kind: "cancel-all", marketId: "btcusdc" })).toMatchObject({
      result: "not-sent",
    });
  });

  it("an answer that cannot be read is counted as malformed besides", async () => {
    at.open({ streams: false });
    const action = place(await at.withRules());
    at.server.onRequest = (_, response) => response.end("<html>");
    expect(await at.submitted(action)).toMatchObject({
      result: "unknown",
      cause: "malformed-answer",
    });
    expect(at.events.filter(({ type }) => type === "malformed")).toMatchObject([
      { where: "answer POST /v1/order" },
    ]);
  });
});
