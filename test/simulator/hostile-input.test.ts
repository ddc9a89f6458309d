import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plainReader } from "#simulation/plain-reader.js";
import { encode, traders } from "./reference-client.js";

const ENDPOINTS = [
  "/v1/time",
  "/v1/exchangeInfo",
  "/v1/orderbook",
  "/v1/trades",
  "/v1/historicalTrades",
  "/v1/klines",
  "/v1/markPriceKlines",
  "/v1/offchainMarkPriceWithVolKlines",
  "/v1/platform/tradeVolume",
  "/v1/fundingRate",
  "/v1/riskyAccounts",
  "/v1/contracts",
  "/v1/account",
  "/v1/order",
  "/v1/order/build",
  "/v1/allOpenOrders",
  "/v1/openOrder",
  "/v1/openOrders",
  "/v1/historyOrders",
  "/v1/userTrades",
  "/v1/incomes",
  "/v1/balances",
  "/v1/positions",
  "/faucet",
];

const key = fc.constantFrom(
  ...[
    "marketId",
    "side",
    "orderType",
    "amount",
    "price",
    "timeInForce",
    "expiration",
    "orderSignature",
    "info",
    "gasFeeQuotation",
  ],
  ...[
    "orderId",
    "startTime",
    "endTime",
    "limit",
    "fromId",
    "type",
    "interval",
    "__proto__",
    "account",
  ],
);
const value = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "btcusdc",
    "BUY",
    "LIMIT",
    "0.1",
    "30000",
    "GTC",
    "GTT",
    "MARKET",
    "FOK",
    "1M",
    "",
    "-1",
    "1e999",
    "NaN",
    "0x",
  ),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
  fc.integer({ min: 0, max: 64 }).map((length) => `0x${"ff".repeat(length)}`),
);
const parameters = fc.dictionary(key, value, { maxKeys: 12 });

describe("any input", () => {
  it("a request gets an answer with a status and, when refused, a code; nothing is thrown and no money moves", () => {
    const { exchange, alice } = traders();
    fc.assert(
      fc.property(
        fc.constantFrom("GET", "POST", "DELETE", "PATCH"),
        fc.constantFrom(...ENDPOINTS),
        parameters,
        fc.boolean(),
        fc.constantFrom("query" as const, "form" as const, "json" as const),
        (method, path, given, isSigned, where) => {
          const sent = isSigned ? alice.signed(given) : given;
          const answer = alice.raw(method, path, sent, where);
          expect([200, 204, 400, 401, 404, 405]).toContain(answer.status);
          if (answer.status >= 400) {
            expect(answer.json).toMatchObject({
              code: expect.any(Number),
              codeText: expect.any(String),
              message: expect.any(String),
            });
            expect(answer.json.code).not.toBe(2010);
          }
        },
      ),
      { numRuns: 1500 },
    );
    expect(exchange.audit().isConserved).toBe(true);
  });

  it("a body or query of any bytes does the same", () => {
    const { exchange } = traders();
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.string({ unit: "binary" }),
        fc.option(fc.string()),
        (query, body, contentType) => {
          const answer = exchange.handle({
            method: "POST",
            path: "/v1/order",
            query,
            body,
            ...(contentType === null ? {} : { contentType }),
            ip: "10.0.0.8",
          });
          expect([400, 401]).toContain(answer.status);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("a stream's address or message never throws, and a wrong one leaves nothing behind", () => {
    const { exchange } = traders();
    // Some of these addresses request compression.
    const sink = () => plainReader({ sendBytes: () => {} });
    const address = fc.oneof(
      fc.string({ unit: "binary" }),
      parameters.map((given) => `/v1/single/account@0x${"12".repeat(20)}?${encode(given)}`),
      fc.string().map((name) => `/v1/multiple?streams=${name}`),
    );
    fc.assert(
      fc.property(
        address,
        fc.array(fc.oneof(fc.string(), fc.json()), { maxLength: 5 }),
        (path, messages) => {
          const connection = exchange.connect(path, sink(), "10.0.0.8");
          if (!("refused" in connection)) {
            for (const message of messages) {
              connection.receive(message);
            }
            connection.closed();
          }
          expect(exchange.connections).toBe(0);
        },
      ),
      { numRuns: 500 },
    );
  });
});
