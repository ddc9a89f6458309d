import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findLensAddress } from "#bot/chain-access.js";
import { readCreditPerEth, readRiskyAccounts } from "#bot/liquidator-venue.js";
import { FormatError, MarketwrightError } from "#core/errors.js";
import { ecdsaScheme } from "#core/signing.js";
import {
  decodeBalances,
  decodeBalancesResponse,
  decodeIncomes,
  decodePositions,
  decodeUserTrade,
  decodeUserTrades,
} from "#exchange/decode-account.js";
import { decodeKlines } from "#exchange/decode-market-data.js";
import { decodeBuildResult, decodeOrder, decodeOrders } from "#exchange/decode-orders.js";
import { createInstruments, decodeRules } from "#exchange/decode-rules.js";
import { FrameDecoder } from "#exchange/frame-decoder.js";
import { OPERATIONS } from "#exchange/operations.js";
import { decodeInfo } from "#exchange/order-info.js";
import { OrderHasher } from "#exchange/order-signing.js";
import { readOutcome } from "#exchange/outcomes.js";
import { RestClient } from "#exchange/rest-client.js";
import { decodeAccountFrame, decodeMarketFrame } from "#exchange/stream-decoder.js";
import type { HttpResult } from "#exchange/transport.js";
import type { Action, QueryResponses } from "#exchange/venue.js";
import { parseWire } from "#exchange/wire-parse.js";
import { jsonText, oddChange, oddText, withChange } from "../support/odd-json.js";
import { sampledRuns } from "../support/sampled-runs.js";
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
const instruments = createInstruments(rules);
const context = {
  creditDecimals: rules.creditDecimals,
  instruments,
  hasher: new OrderHasher(rules.eip712.domainSeparator),
};
const [btc] = [...instruments.values()];
if (btc === undefined) throw new Error("no market");

const INCOME = {
  id: 9,
  type: "DEPOSIT",
  amount: "100.5",
  time: 1_700_000_000_000,
  marketId: "btcusdc",
};
const BAR = {
  time: 1_700_000_000_000,
  open: "2000",
  close: "2001",
  high: "2002",
  low: "1999",
  volume: "3.5",
};
const BOOK = {
  bids: [["2000.5", "0.1"]],
  asks: [["2000.6", "1"]],
  sequence: 12,
  ticker_id: "btcusdc",
  timestamp: 1_700_000_000_000,
};
const BUILT = {
  order: {
    perp: PERP,
    signer: PERP,
    paperAmount: "20000000000000000",
    creditAmount: "-40010000",
    info: INFO,
  },
  orderHash: HASH,
  packedOrder: "0x00",
  gasFeeQuotation: "",
};
const BALANCES = { balances: wireBalances(), positions: [wirePosition()] };
const STATE = {
  fundingRate: "-0.0001",
  nextFundingTime: 1_700_000_000_000,
  markPrice: "2000.1",
  indexPrice: "2000",
  lastTradePrice: "2000",
};
const TRADE = {
  id: 5,
  price: "2000.5",
  amount: "0.003",
  quoteAmount: "6",
  time: 7,
  isBuyerMaker: true,
  status: "CREATED",
};
const RISKY = [
  { account: PERP, isSafe: false, positions: [{ marketId: "btcusdc" }], risk: "1", netValue: "1" },
];
const REFUSAL = { code: 2016, codeText: "Invalid order", message: "no" };

/** Every kind of answer that the exchange gives; each reader is handed each of them, bent. */
const ANSWERED: readonly unknown[] = [
  wireExchangeInfo(),
  { serverTime: 1_700_000_000_000 },
  wireOrder(),
  [wireOrder(), wireOrder({ id: 2 })],
  [wireTrade()],
  [INCOME],
  [BAR],
  BOOK,
  BUILT,
  BALANCES,
  [wirePosition()],
  RISKY,
  { dealerLens: PERP },
  [TRADE],
  [{ marketId: "btcusdc", fundingRate: "0.0001", fundingTime: 1 }],
  { address: PERP, createdAt: 1_700_000_000_000 },
  REFUSAL,
];

const FRAMES: readonly unknown[] = [
  { event: "ORDER_UPDATE", order: wireOrder(), timestamp: 1_700_000_000_000 },
  { event: "TRADE_UPDATE", trade: wireTrade() },
  { event: "ACCOUNT_UPDATE", ...BALANCES },
  { event: "INCOME_UPDATE", incomes: [INCOME] },
  { event: "LIQUIDATE", account: PERP },
  { id: 7, result: null },
  { id: 7, code: 1111, message: "no" },
  { id: 7, error: { code: 2, msg: "no" } },
  ...[
    ["orderbook", { event: "snapshot", sequence: 10, bids: [["2000.5", "0.1"]], asks: [] }],
    [
      "orderbook",
      {
        event: "update",
        beginSequence: 11,
        endSequence: 12,
        bids: [["2000.5", "0"]],
        asks: [["2000.6", "1"]],
      },
    ],
    ["market", STATE],
    ["trades", TRADE],
    ["kline1M", [BAR]],
  ].map(([kind, data]) => ({ stream: `btcusdc@${String(kind)}`, data })),
];

/** A text that was one of these, and is not any more. */
function bent(records: readonly unknown[]): fc.Arbitrary<string> {
  const changed = fc
    .tuple(fc.constantFrom(...records), oddChange)
    .map(([record, change]) => jsonText(withChange(record, change)));
  const cut = fc
    .tuple(fc.constantFrom(...records), oddText)
    .map(([record, change]) => change(jsonText(record)));
  return fc.oneof(
    { weight: 4, arbitrary: changed },
    { weight: 1, arbitrary: cut },
    { weight: 1, arbitrary: fc.json() },
  );
}

/** Every decoder of the bot's, by its name. */
const DECODERS: Readonly<Record<string, (value: unknown) => unknown>> = {
  decodeBalances: (value) => decodeBalances(value, context),
  decodeBalancesResponse: (value) => decodeBalancesResponse(value, context, "balances"),
  decodeBuildResult,
  decodeIncomes: (value) => decodeIncomes(value, context),
  decodeKlines: (value) => decodeKlines(value, btc, "klines"),
  decodeOrder: (value) => decodeOrder(value, context),
  decodeOrders: (value) => decodeOrders(value, context, "orders"),
  decodePositions: (value) => decodePositions(value, context),
  decodeRules: (value) => createInstruments(decodeRules(value, ["btcusdc"])),
  decodeUserTrade: (value) => decodeUserTrade(value, context),
  decodeUserTrades: (value) => decodeUserTrades(value, context),
};

/** Decoders of frames, and of a part of an order: none reads an answer alone. */
const NOT_OF_ANSWERS: ReadonlySet<string> = new Set([
  decodeInfo.name,
  "decodeAccountFrame",
  "decodeMarketFrame",
]);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const RUNS = { numRuns: sampledRuns(250) };

describe("an odd answer of the exchange", () => {
  it.each(Object.entries(DECODERS))(
    "is refused with its field by %s, or read: nothing else is thrown",
    (_name, decode) => {
      fc.assert(
        fc.property(bent(ANSWERED).map(parsed), (value) => {
          try {
            decode(value);
          } catch (error) {
            expect(error).toBeInstanceOf(FormatError);
          }
        }),
        RUNS,
      );
    },
  );

  it("is tried on every decoder that there is", () => {
    const folder = new URL("../../src/exchange/", import.meta.url);
    const source = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => readFileSync(new URL(name, folder), "utf8"));
    const names = source.flatMap((text) =>
      [...text.matchAll(/^export function (decode\w+)/gm)].map(([, name = ""]) => name),
    );
    expect(names.filter((name) => !NOT_OF_ANSWERS.has(name)).sort()).toEqual(
      Object.keys(DECODERS).sort(),
    );
  });

  it.each(Object.values(OPERATIONS).map(({ name, answer }) => [name, answer] as const))(
    "is refused with its field by the client's reader of %s",
    (name, schema) => {
      fc.assert(
        fc.property(bent(ANSWERED).map(parsed), (value) => {
          try {
            parseWire(schema, value, name);
          } catch (error) {
            expect(error).toBeInstanceOf(FormatError);
          }
        }),
        { numRuns: sampledRuns(60) },
      );
    },
  );

  it("leaves an action of the bot with a fate, whichever it was", () => {
    const base = { actionId: 1, timestampMs: 1, marketId: "btcusdc" } as const;
    const order = {
      perp: PERP,
      signer: PERP,
      paperAmount: 20_000_000_000_000_000n,
      creditAmount: -40_010_000n,
      info: INFO,
    };
    const wanted = {
      side: "BUY",
      type: "LIMIT",
      ticks: 20005,
      lots: 20,
      timeInForce: "GTC",
      expirationMs: 0,
    } as const;
    const asks: Readonly<Record<keyof QueryResponses, true>> = {
      time: true,
      rules: true,
      openOrders: true,
      historyOrders: true,
      userTrades: true,
      incomes: true,
      balances: true,
      positions: true,
      bookSequence: true,
    };
    const actions: readonly Action[] = [
      { ...base, ...wanted, kind: "place", order, hash: HASH },
      { ...base, ...wanted, kind: "build" },
      { ...base, kind: "cancel", orderId: "7", hash: HASH },
      { ...base, kind: "cancel-all" },
      ...Object.keys(asks).map((ask) => ({ ...base, kind: "question", ask }) as Action),
    ];
    const status = fc.constantFrom(
      200,
      200,
      200,
      201,
      204,
      301,
      400,
      401,
      403,
      404,
      418,
      429,
      500,
      502,
      0,
      99,
      999,
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...actions),
        status,
        bent(ANSWERED),
        fc.option(fc.double()),
        (action, code, body, retryAfterMs) => {
          const answer: HttpResult = {
            ok: true,
            status: code,
            body,
            retryAfterMs: retryAfterMs ?? undefined,
          };
          const { result } = readOutcome(action, answer, context);
          expect(result).toBeTypeOf("string");
          // Only a status without a body, or a code, says what became of an order.
          if (action.kind === "cancel" && result === "cancelled")
            expect(code === 204 || body.trim() === "").toBe(true);
        },
      ),
      { numRuns: sampledRuns(1000) },
    );
  });

  it("rejects a command's question with a typed error, whichever it was", async () => {
    const signer = ecdsaScheme.signer(`0x${"11".repeat(32)}`);
    const questions: Readonly<Record<string, (client: RestClient) => Promise<unknown>>> = {
      time: (client) => client.time(),
      exchangeInfo: (client) => client.exchangeInfo(["btcusdc"]),
      orderbook: (client) => client.orderbook("btcusdc"),
      openOrders: (client) => client.openOrders(),
      historyOrders: (client) => client.historyOrders("btcusdc"),
      userTrades: (client) => client.userTrades("btcusdc"),
      incomes: (client) => client.incomes("btcusdc"),
      balances: (client) => client.balances(),
      positions: (client) => client.positions(),
      registerAccount: (client) => client.registerAccount(),
      accountCreatedAtMs: (client) => client.accountCreatedAtMs(),
      cancelAllOpenOrders: (client) => client.cancelAllOpenOrders(),
      cancelOrder: (client) => client.cancelOrder("btcusdc", "7"),
      "the price of ether": async (client) =>
        expect(await readCreditPerEth(client, 6)).toBeGreaterThan(0n),
      "the risky accounts": (client) => readRiskyAccounts(client),
      "the lens": (client) =>
        findLensAddress({ lens: undefined } as Parameters<typeof findLensAddress>[0], client),
    };
    const own = Object.getOwnPropertyNames(RestClient.prototype).filter(
      (name) => !["constructor", "call"].includes(name),
    );
    expect(
      own.filter((name) => !(name in questions)),
      "each method of the client is asked",
    ).toEqual([]);
    const asked = fc.constantFrom(...Object.keys(questions));
    // The rules are sound half of the time, so that what is asked by them is asked.
    await fc.assert(
      fc.asyncProperty(asked, fc.boolean(), bent(ANSWERED), async (name, hasRules, body) => {
        const client = new RestClient({
          transport: {
            request: ({ path }, done) => {
              const isRules =
                path === OPERATIONS.exchangeInfo.path &&
                hasRules &&
                name !== "exchangeInfo" &&
                name !== "the price of ether";
              done({
                ok: true,
                status: 200,
                body: isRules ? jsonText(wireExchangeInfo()) : body,
                retryAfterMs: undefined,
              });
            },
          },
          nowMs: () => 1_700_000_000_000,
          signer,
        });
        await questions[name]?.(client).catch((error: unknown) =>
          expect(error).toBeInstanceOf(MarketwrightError),
        );
      }),
      { numRuns: sampledRuns(600) },
    );
  });

  it("is nothing that a time could not be: every instant that is read can be written as a date", () => {
    const late = Number.MAX_SAFE_INTEGER;
    const readers = [
      () => parseWire(OPERATIONS.time.answer, { serverTime: late }, "time"),
      () => decodeOrder(wireOrder({ createdAt: late }), context),
      () => decodeUserTrade(wireTrade({ time: late }), context),
      () => decodeIncomes([{ ...INCOME, time: late }], context),
    ];
    for (const read of readers) expect(read).toThrow(FormatError);
  });
});

describe("an odd frame of a stream", () => {
  it("is one malformed event, whatever it holds", () => {
    fc.assert(
      fc.property(bent(FRAMES), (text) => {
        const frames = new FrameDecoder(context);
        const events = [
          ...frames.multiple(text),
          ...frames.account(text),
          ...frames.single("btcusdc@trades", text),
        ];
        for (const event of [...events, ...decodeAccountFrame(text), ...decodeMarketFrame(text)])
          expect(event.type).toBeTypeOf("string");
      }),
      { numRuns: sampledRuns(1000) },
    );
  });
});
