import { describe, expect, it } from "vitest";
import { createInstruments, decodeRules } from "#exchange/decode-rules.js";
import { OrderHasher } from "#exchange/order-signing.js";
import { readOutcome } from "#exchange/outcomes.js";
import type { HttpResult } from "#exchange/transport.js";
import type { Action } from "#exchange/venue.js";
import {
  HASH,
  INFO,
  PERP,
  wireBalances,
  wireExchangeInfo,
  wireOrder,
  wirePosition,
  wireTrade,
} from "./wire-records.js";

const rules = decodeRules(wireExchangeInfo(), ["btcusdc"]);
const context = {
  creditDecimals: rules.creditDecimals,
  instruments: createInstruments(rules),
  hasher: new OrderHasher(rules.eip712.domainSeparator),
};

const base = { actionId: 1, timestampMs: 1, marketId: "btcusdc" } as const;
const order = {
  perp: PERP,
  signer: PERP,
  paperAmount: 20_000_000_000_000_000n,
  creditAmount: -40_010_000n,
  info: INFO,
};
const PLACE: Action = {
  ...base,
  kind: "place",
  side: "BUY",
  type: "LIMIT",
  ticks: 20005,
  lots: 20,
  timeInForce: "GTC",
  expirationMs: 0,
  order,
  hash: HASH,
};
const BUILD: Action = {
  ...base,
  kind: "build",
  side: "BUY",
  type: "LIMIT",
  ticks: 20005,
  lots: 20,
  timeInForce: "GTC",
  expirationMs: 0,
};
const CANCEL: Action = { ...base, kind: "cancel", orderId: "7", hash: HASH };
const CANCEL_ALL: Action = { ...base, kind: "cancel-all" };
const QUESTION: Action = { ...base, kind: "question", ask: "openOrders" };

function answered(status: number, body: unknown, retryAfterMs?: number): HttpResult {
  return {
    ok: true,
    status,
    body: typeof body === "string" ? body : JSON.stringify(body),
    retryAfterMs,
  };
}

describe("an outcome that is not known is not a failure", () => {
  const all: [string, Action][] = [
    ["place", PLACE],
    ["cancel", CANCEL],
    ["cancel-all", CANCEL_ALL],
    ["build", BUILD],
    ["question", QUESTION],
  ];

  it.each(all)(
    "a %s that timed out after it left, or lost its connection, is unknown",
    (_, action) => {
      expect(
        readOutcome(action, { ok: false, cause: "timeout", sent: true, message: "m" }, context),
      ).toEqual({
        result: "unknown",
        cause: "timeout",
        message: "m",
      });
      expect(
        readOutcome(
          action,
          { ok: false, cause: "connection-lost", sent: true, message: "m" },
          context,
        ),
      ).toMatchObject({
        result: "unknown",
        cause: "connection-lost",
      });
    },
  );

  it.each(all)("a %s of which no byte left did certainly not happen", (_, action) => {
    expect(
      readOutcome(
        action,
        { ok: false, cause: "connection-lost", sent: false, message: "refused" },
        context,
      ),
    ).toEqual({
      result: "not-sent",
      message: "refused",
    });
  });

  it.each(all)("a %s answered by 5xx is unknown, whatever the body claims", (_, action) => {
    for (const status of [500, 502, 503, 504]) {
      expect(
        readOutcome(action, answered(status, { code: 1012, codeText: "x", message: "y" }), context),
      ).toMatchObject({
        result: "unknown",
        cause: "server-error",
      });
    }
  });

  it.each(all)("a %s answered by the code of an internal error is unknown", (_, action) => {
    expect(
      readOutcome(
        action,
        answered(400, { code: 2010, codeText: "Internal", message: "" }),
        context,
      ),
    ).toMatchObject({
      result: "unknown",
      cause: "server-error",
    });
  });

  it.each(all)("a %s refused by the rate limit was not looked at", (_, action) => {
    expect(readOutcome(action, answered(429, "slow down", 3000), context)).toEqual({
      result: "throttled",
      httpStatus: 429,
      retryAfterMs: 3000,
    });
    expect(readOutcome(action, answered(418, ""), context)).toEqual({
      result: "throttled",
      httpStatus: 418,
      retryAfterMs: undefined,
    });
  });

  it.each(all)("a %s refused by code is rejected, with the exchange's own words", (_, action) => {
    const body = { code: 2016, codeText: "Invalid order", message: "duplicate hash" };
    const rejected = { result: "rejected", ...body, httpStatus: 400 };
    expect(readOutcome(action, answered(400, body), context)).toEqual(rejected);
    expect(readOutcome(action, answered(200, body), context)).toEqual({
      ...rejected,
      httpStatus: 200,
    });
    expect(readOutcome(action, answered(400, { code: 9999 }), context)).toEqual({
      result: "rejected",
      code: 9999,
      codeText: "",
      message: "",
      httpStatus: 400,
    });
  });

  it.each(all)(
    "a %s with a 4xx that says nothing is unknown, but for the firewall's 403, which lets nothing through",
    (_, action) => {
      for (const body of ["<html>", "", "{}", '{"code":"1012"}', "null"]) {
        expect(readOutcome(action, answered(400, body), context)).toMatchObject({
          result: "unknown",
          cause: "malformed-answer",
        });
        expect(readOutcome(action, answered(403, body), context)).toMatchObject({
          result: "rejected",
          code: 0,
          httpStatus: 403,
        });
      }
    },
  );

  it("a place whose 2xx answer cannot be read, or is of another order, is unknown", () => {
    const bodies = [
      "",
      "{",
      "null",
      "[]",
      "{}",
      wireOrder({ hash: `0x${"cd".repeat(32)}` }),
      wireOrder({ marketId: "dogeusdc" }),
      wireOrder({ amount: "x" }),
    ];
    for (const body of bodies) {
      expect(readOutcome(PLACE, answered(200, body), context)).toMatchObject({
        result: "unknown",
        cause: "malformed-answer",
      });
    }
  });
});

describe("what succeeded", () => {
  it("a place is accepted with the order as the exchange has it", () => {
    expect(
      readOutcome(
        PLACE,
        answered(200, wireOrder({ hash: HASH.toUpperCase().replace("0X", "0x") })),
        context,
      ),
    ).toMatchObject({
      result: "accepted",
      order: { id: "275287091667264", hash: HASH, ticks: 20005 },
    });
  });

  it("cancels are 204 and empty; another empty success is one too, an answer with a body proves nothing", () => {
    for (const action of [CANCEL, CANCEL_ALL]) {
      expect(readOutcome(action, answered(204, ""), context)).toEqual({ result: "cancelled" });
      expect(readOutcome(action, answered(200, " "), context)).toEqual({ result: "cancelled" });
      for (const body of [{}, "null", "[]", '{"serverTime":1}']) {
        expect(readOutcome(action, answered(200, body), context)).toMatchObject({
          result: "unknown",
          cause: "malformed-answer",
        });
      }
    }
  });

  it("a built order is told only when it hashes to what it says", () => {
    const { json } = wireOrder();
    const hash = context.hasher.hash(order);
    const built = { order: json, orderHash: hash, packedOrder: "0x", gasFeeQuotation: "token" };
    expect(readOutcome(BUILD, answered(200, built), context)).toMatchObject({
      result: "built",
      hash,
      gasFeeQuotation: "token",
    });
    const swapped = { ...built, order: { ...json, paperAmount: "30000000000000000" } };
    expect(readOutcome(BUILD, answered(200, swapped), context)).toMatchObject({
      result: "unknown",
      cause: "malformed-answer",
    });
    expect(
      readOutcome(BUILD, answered(200, built), { ...context, hasher: undefined }),
    ).toMatchObject({ result: "unknown" });
  });

  it.each([
    ["time", { serverTime: 5 }, { serverTimeMs: 5 }],
    ["openOrders", [wireOrder()], [expect.objectContaining({ hash: HASH })]],
    [
      "historyOrders",
      [wireOrder({ status: "FILLED" })],
      [expect.objectContaining({ status: "FILLED" })],
    ],
    ["userTrades", [wireTrade()], [expect.objectContaining({ id: "11" })]],
    [
      "incomes",
      [{ id: 1, type: "BUY", amount: "1", time: 2, marketId: "btcusdc" }],
      [expect.objectContaining({ amount: 1_000_000n })],
    ],
    [
      "balances",
      { balances: wireBalances(), positions: [wirePosition()] },
      { balances: expect.anything(), positions: [expect.anything()] },
    ],
    ["positions", [wirePosition()], [expect.objectContaining({ lots: -500 })]],
    ["bookSequence", { sequence: 77, bids: [], asks: [] }, { sequence: 77 }],
  ] as const)("the question %s has its answer", (ask, body, data) => {
    const question: Action = { ...base, kind: "question", ask };
    expect(readOutcome(question, answered(200, body), context)).toEqual({
      result: "answered",
      ask,
      data,
    });
    for (const odd of ["", "null", "{}x", '"x"', "[1]"]) {
      expect(readOutcome(question, answered(200, odd), context)).toMatchObject({
        result: "unknown",
        cause: "malformed-answer",
      });
    }
  });

  it("an answer of ten megabytes is not even parsed", () => {
    const long = `{"serverTime":1,"x":"${"x".repeat(10 * 1024 * 1024)}"}`;
    expect(
      readOutcome({ ...base, kind: "question", ask: "time" }, answered(200, long), context),
    ).toMatchObject({
      result: "unknown",
      cause: "malformed-answer",
      message: expect.stringContaining("above the limit of 8388608"),
    });
  });

  it("rules without a market of the bot's are an answer: its desk has to hear that it is gone", () => {
    const question: Action = { ...base, kind: "question", ask: "rules" };
    expect(readOutcome(question, answered(200, wireExchangeInfo()), context)).toMatchObject({
      result: "answered",
      ask: "rules",
    });
    const emptied = readOutcome(question, answered(200, wireExchangeInfo([])), context);
    expect(emptied).toMatchObject({ result: "answered", ask: "rules", data: { markets: {} } });
  });
});
