import { expect, it } from "vitest";
import { createInstruments, decodeRules } from "#exchange/decode-rules.js";
import { VENUE_ERROR_CODES } from "#exchange/errors.js";
import { determineFate, type Fate } from "#exchange/fate.js";
import { OrderHasher } from "#exchange/order-signing.js";
import { readOutcome } from "#exchange/outcomes.js";
import type { HttpResult } from "#exchange/transport.js";
import type { Action } from "#exchange/venue.js";
import { readPage, tableOf } from "../project/pages.js";
import { HASH, INFO, PERP, wireExchangeInfo, wireOrder } from "./wire-records.js";

const rules = decodeRules(wireExchangeInfo(), ["btcusdc"]);
const context = {
  creditDecimals: rules.creditDecimals,
  instruments: createInstruments(rules),
  hasher: new OrderHasher(rules.eip712.domainSeparator),
};
const base = { actionId: 1, timestampMs: 1, marketId: "btcusdc" } as const;
const PLACE: Action = {
  ...base,
  kind: "place",
  side: "BUY",
  type: "LIMIT",
  ticks: 20005,
  lots: 20,
  timeInForce: "GTC",
  expirationMs: 0,
  order: {
    perp: PERP,
    signer: PERP,
    paperAmount: 20_000_000_000_000_000n,
    creditAmount: -40_010_000n,
    info: INFO,
  },
  hash: HASH,
};
const CANCELS: readonly Action[] = [
  { ...base, kind: "cancel", orderId: "7", hash: HASH },
  { ...base, kind: "cancel-all" },
];

const failed = (cause: "timeout" | "connection-lost", sent: boolean): HttpResult => ({
  ok: false,
  cause,
  sent,
  message: "",
});
const answered = (status: number, body: unknown = ""): HttpResult => ({
  ok: true,
  status,
  body: typeof body === "string" ? body : JSON.stringify(body),
  retryAfterMs: undefined,
});
const coded = (code: number, ...statuses: number[]): HttpResult[] =>
  statuses.map((status) => answered(status, { code, codeText: "", message: "" }));

const CODES_4XX = [400, 401, 403, 404, 422];
const PLAIN_CODES = [...VENUE_ERROR_CODES.map(({ code }) => code), 9999].filter(
  (code) => ![2010, 2011, 2016].includes(code),
);
const TOO_LONG = "x".repeat(8 * 1024 * 1024 + 1);

/** docs/ideas/orders.md as data: answers, and what each proves of a place and of a cancel. */
const CASES: readonly (readonly [string, readonly HttpResult[], Fate, Fate])[] = [
  [
    "no byte of the request left",
    [failed("timeout", false), failed("connection-lost", false)],
    "rejected",
    "rejected",
  ],
  ["time-out", [failed("timeout", true)], "unknown", "unknown"],
  ["connection lost", [failed("connection-lost", true)], "unknown", "unknown"],
  [
    "429, 418",
    [...coded(1011, 429, 418), answered(429, "slow down"), answered(418)],
    "rejected",
    "rejected",
  ],
  [
    "5xx, whatever the body",
    [...coded(2012, 500, 502, 503, 504, 599), answered(502, "<html>")],
    "unknown",
    "unknown",
  ],
  ["code 2010", coded(2010, 200, ...CODES_4XX), "unknown", "unknown"],
  ["code 2016, 4xx", coded(2016, ...CODES_4XX), "unknown", "rejected"],
  ["code 2011, 4xx", coded(2011, ...CODES_4XX), "rejected", "accepted"],
  [
    "another code, 4xx",
    PLAIN_CODES.flatMap((code) => coded(code, ...CODES_4XX)),
    "rejected",
    "rejected",
  ],
  [
    "another code, no 4xx",
    PLAIN_CODES.flatMap((code) => coded(code, 200, 201, 302)),
    "unknown",
    "rejected",
  ],
  ["403 without a code", [answered(403), answered(403, "<html>")], "rejected", "rejected"],
  [
    "another 3xx or 4xx without a code",
    [answered(302), answered(400, "{}"), answered(404, "null"), answered(400, '{"code":"1012"}')],
    "unknown",
    "unknown",
  ],
  ["success without a body", [answered(204), answered(200, " ")], "unknown", "accepted"],
  ["success with the order", [answered(200, wireOrder({ hash: HASH }))], "accepted", "unknown"],
  [
    "success with anything else",
    [
      answered(200, wireOrder({ hash: `0x${"cd".repeat(32)}` })),
      answered(200, wireOrder({ marketId: "dogeusdc" })),
      answered(200, wireOrder({ amount: "x" })),
      ...["{", "null", "[]", "{}", "<html>"].map((body) => answered(200, body)),
    ],
    "unknown",
    "unknown",
  ],
  ["a body above 8 MiB", [answered(200, TOO_LONG), answered(400, TOO_LONG)], "unknown", "unknown"],
];

it.each(CASES)(
  "%s proves the same of every place and every cancel",
  (_, results, place, cancel) => {
    for (const result of results) {
      const shown = JSON.stringify(result).slice(0, 200);
      const fates = [
        determineFate("place", readOutcome(PLACE, result, context)),
        ...CANCELS.map((action) => determineFate("cancel", readOutcome(action, result, context))),
      ];
      expect([shown, ...fates]).toEqual([shown, place, cancel, cancel]);
    }
  },
);

it("the page of orders has these cases, and no others", () => {
  const rows = tableOf(readPage("docs/ideas/orders.md"), "answer");
  expect(rows.map((row) => row.slice(0, 3))).toEqual(
    CASES.map(([name, , place, cancel]) => [name, place, cancel]),
  );
});
