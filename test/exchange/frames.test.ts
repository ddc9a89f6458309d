import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createInstruments, decodeRules } from "#exchange/decode-rules.js";
import { FrameDecoder } from "#exchange/frame-decoder.js";
import { SyncedBook } from "#market/synced-book.js";
import {
  wireBalances,
  wireExchangeInfo,
  wireOrder,
  wirePosition,
  wireTrade,
} from "./wire-records.js";

const rules = decodeRules(wireExchangeInfo(), ["btcusdc"]);
const context = { creditDecimals: rules.creditDecimals, instruments: createInstruments(rules) };
const frames = new FrameDecoder(context);

const UPDATE = {
  event: "update",
  beginSequence: 11,
  endSequence: 12,
  bids: [
    ["2000.5", "0.100"],
    ["2000.4", "0"],
  ],
  asks: [["2000.6", "1"]],
};
const SNAPSHOT = { event: "snapshot", sequence: 10, bids: [["2000.5", "0.1"]], asks: [] };
const MARKET = {
  fundingRate: "-0.0001",
  nextFundingTime: 1_700_000_000_000,
  markPrice: "2000.1234567",
  indexPrice: "2000",
  lastTradePrice: "2000",
};
const TRADE = {
  id: 5,
  price: "2000.5",
  amount: "0.003",
  quoteAmount: "6.0015",
  time: 7,
  isBuyerMaker: true,
  status: "CREATED",
};

function wrapped(kind: string, data: unknown): string {
  return JSON.stringify({ stream: `btcusdc@${kind}`, data });
}

describe("market frames", () => {
  it("a book update, wrapped or raw, is flat pairs of ticks and lots", () => {
    const event = {
      type: "book-update",
      marketId: "btcusdc",
      beginSequence: 11,
      endSequence: 12,
      bids: [20005, 100, 20004, 0],
      asks: [20006, 1000],
    };
    expect(frames.multiple(wrapped("orderbook", UPDATE))).toEqual([event]);
    expect(frames.multiple(JSON.stringify({ data: UPDATE, stream: "btcusdc@orderbook" }))).toEqual([
      event,
    ]);
    expect(frames.single("btcusdc@orderbook", JSON.stringify(UPDATE))).toEqual([event]);
  });

  it("a snapshot has one sequence", () => {
    expect(frames.multiple(wrapped("orderbook", SNAPSHOT))).toEqual([
      { type: "book-snapshot", marketId: "btcusdc", sequence: 10, bids: [20005, 100], asks: [] },
    ]);
  });

  it("the market's state is credit units for prices, a float for the rate", () => {
    expect(frames.multiple(wrapped("market", MARKET))).toEqual([
      {
        type: "market-state",
        marketId: "btcusdc",
        mark: 2_000_123_456n,
        index: 2_000_000_000n,
        fundingRate: -0.0001,
        nextFundingMs: 1_700_000_000_000,
      },
    ]);
  });

  it.each(["1M", "1m", "1MO", "1mo", "6H"])(
    "candles of %s are bars on the grid, under the interval as REST spells it",
    (spelling) => {
      const bar = {
        time: 60_000,
        open: "2000.5",
        close: "2000.7",
        high: "2001.1",
        low: "1999.9",
        volume: "0.012",
      };
      const flat = {
        time: 120_000,
        open: "2000.7",
        close: "2000.7",
        high: "2000.7",
        low: "2000.7",
        volume: "0",
        trades: 0,
      };
      expect(frames.multiple(wrapped(`kline${spelling}`, [bar, flat]))).toEqual([
        {
          type: "kline",
          marketId: "btcusdc",
          interval: spelling.toUpperCase(),
          bars: [
            {
              startMs: 60_000,
              openTicks: 20005,
              closeTicks: 20007,
              highTicks: 20011,
              lowTicks: 19999,
              lots: 12,
            },
            {
              startMs: 120_000,
              openTicks: 20007,
              closeTicks: 20007,
              highTicks: 20007,
              lowTicks: 20007,
              lots: 0,
            },
          ],
        },
      ]);
      expect(frames.single(`btcusdc@kline${spelling}`, "[]")).toMatchObject([
        { type: "kline", bars: [] },
      ]);
    },
  );

  it.each([
    ["no list", {}],
    ["a price of zero", [{ time: 1, open: "0.00", close: "1", high: "1", low: "1", volume: "1" }]],
    ["a number for a price", [{ time: 1, open: 1, close: "1", high: "1", low: "1", volume: "1" }]],
    ["no volume", [{ time: 1, open: "1", close: "1", high: "1", low: "1" }]],
    ["a negative volume", [{ time: 1, open: "1", close: "1", high: "1", low: "1", volume: "-1" }]],
  ])("candles with %s are malformed", (_, data) => {
    expect(frames.multiple(wrapped("kline1M", data))).toMatchObject([{ type: "malformed" }]);
  });

  it("candles and trades of orders of a finer grid count on this one, never as more: dropped, neither paper fills nor a recording had them", () => {
    const bar = {
      time: 60_000,
      open: "2000.54",
      close: "2000.57",
      high: "2001.15",
      low: "0.01",
      volume: "0.0129",
    };
    expect(frames.multiple(wrapped("kline1M", [bar]))).toMatchObject([
      { bars: [{ openTicks: 20005, closeTicks: 20006, highTicks: 20012, lowTicks: 1, lots: 12 }] },
    ]);
    const trade = (change: object) =>
      frames.multiple(
        wrapped("trades", { ...TRADE, amount: "0.0039", price: "2000.55", ...change }),
      );
    expect(trade({})).toMatchObject([{ type: "public-trade", ticks: 20005, lots: 3 }]);
    expect(trade({ isBuyerMaker: false }), "where the book has the ask").toMatchObject([
      { ticks: 20006, lots: 3 },
    ]);
    expect(trade({ amount: "0.0009" })).toEqual([]);
    expect(trade({ price: "0.01" })).toEqual([]);
    expect(trade({ price: "0" })).toMatchObject([{ type: "malformed" }]);
  });

  it("a refused stream request is told, however the exchange words it", () => {
    const refusal = {
      id: 3,
      code: 1112,
      codeText: "Invalid market id",
      message: "there is no such market",
    };
    expect(frames.multiple(JSON.stringify(refusal))).toMatchObject([
      { type: "malformed", reason: expect.stringContaining("1112") },
    ]);
    expect(frames.multiple('{"id":3,"error":"no such stream"}')).toMatchObject([
      { type: "malformed" },
    ]);
    expect(frames.multiple('{"id":3,"result":null}')).toEqual([]);
  });

  it("a public trade keeps every digit of its id", () => {
    const trade = {
      type: "public-trade",
      marketId: "btcusdc",
      id: "5",
      ticks: 20005,
      lots: 3,
      timeMs: 7,
      isBuyerMaker: true,
    };
    expect(frames.multiple(wrapped("trades", TRADE))).toEqual([trade]);
    const long = wrapped("trades", TRADE).replace('"id":5', '"id":9007199254740993');
    expect(frames.multiple(long)).toEqual([{ ...trade, id: "9007199254740993" }]);
    const rawLong = JSON.stringify(TRADE).replace('"id":5', '"id":9007199254740993');
    expect(frames.single("btcusdc@trades", rawLong)).toEqual([
      { ...trade, id: "9007199254740993" },
    ]);
  });

  it.each([
    ["an acknowledgement", { id: 1, result: null }],
    ["a stream that we do not follow", { stream: "btcusdc@kline3m", data: {} }],
    ["a market that we do not know", { stream: "dogeusdc@orderbook", data: UPDATE }],
    ["a book event that is new", { stream: "btcusdc@orderbook", data: { event: "checksum" } }],
    ["a stream without a kind", { stream: "heartbeat", data: {} }],
  ])("%s is no event", (_, frame) => {
    expect(frames.multiple(JSON.stringify(frame))).toEqual([]);
  });

  it("a refused subscription does not pass unseen", () => {
    expect(frames.multiple('{"id":1,"error":{"code":1}}')).toMatchObject([
      { type: "malformed", where: "stream multiple" },
    ]);
  });
});

describe("account frames", () => {
  it("are told apart by their event", () => {
    // The specification promises the order alone: without a stamp it is news all the same.
    expect(
      frames.account(JSON.stringify({ event: "ORDER_UPDATE", order: wireOrder() })),
    ).toMatchObject([{ type: "order-update", order: { id: "275287091667264" } }]);
    const order = { event: "ORDER_UPDATE", order: wireOrder(), timestamp: 9 };
    expect(frames.account(JSON.stringify(order))).toMatchObject([
      { type: "order-update", timestampMs: 9, order: { id: "275287091667264" } },
    ]);
    const trade = { event: "TRADE_UPDATE", trade: wireTrade() };
    expect(frames.account(JSON.stringify(trade))).toMatchObject([
      { type: "trade-update", trade: { id: "11", lots: 20 } },
    ]);
    const account = {
      event: "ACCOUNT_UPDATE",
      balances: wireBalances(),
      positions: [wirePosition()],
    };
    expect(frames.account(JSON.stringify(account))).toMatchObject([
      {
        type: "account-update",
        balances: { netValue: 1_000_123_456n },
        positions: [{ lots: -500 }],
      },
    ]);
    const income = {
      event: "INCOME_UPDATE",
      incomes: [{ id: 1, type: "BUY", amount: "1", time: 2, marketId: "btcusdc" }],
    };
    expect(frames.account(JSON.stringify(income))).toMatchObject([
      { type: "income-update", incomes: [{ amount: 1_000_000n }] },
    ]);
  });

  it("an order id past 2^53 arrives whole", () => {
    const text = JSON.stringify({
      event: "ORDER_UPDATE",
      order: wireOrder(),
      timestamp: 9,
    }).replace("275287091667264", "9223372036854775807");
    expect(frames.account(text)).toMatchObject([{ order: { id: "9223372036854775807" } }]);
  });

  it("of another product, of an unknown market or of no event are no events", () => {
    expect(frames.account('{"event":"DEGEN_ACCOUNT_STATE_UPDATE","x":1}')).toEqual([]);
    expect(
      frames.account(
        JSON.stringify({
          event: "ORDER_UPDATE",
          order: wireOrder({ marketId: "dogeusdc" }),
          timestamp: 9,
        }),
      ),
    ).toEqual([]);
    expect(frames.account("{}")).toEqual([]);
  });
});

describe("a malformed frame moves nothing and never throws", () => {
  const onlyMalformed = (events: readonly { readonly type: string }[]): void => {
    expect(events).toHaveLength(1);
    expect(events[0]?.type).toBe("malformed");
  };

  it.each([
    ["no sequence", { ...UPDATE, endSequence: undefined }],
    ["a sequence as text", { ...UPDATE, endSequence: "12" }],
    ["a sequence past 2^53", { ...UPDATE, beginSequence: 2 ** 53, endSequence: 2 ** 53 }],
    ["a sequence that is no integer", { ...UPDATE, beginSequence: 1.5 }],
    ["a negative sequence", { ...SNAPSHOT, sequence: -1 }],
    ["sequences that run backwards", { ...UPDATE, beginSequence: 13 }],
    ["no asks", { ...UPDATE, asks: undefined }],
    ["levels that are an object", { ...UPDATE, bids: {} }],
    [
      "one bad level among good ones",
      {
        ...UPDATE,
        asks: [
          ["2000.6", "1"],
          ["-5", "1"],
        ],
      },
    ],
    ["a price as a number", { ...UPDATE, bids: [[2000.5, "1"]] }],
    ["a price off the grid", { ...UPDATE, bids: [["2000.55", "1"]] }],
    ["an amount of 10^30", { ...UPDATE, bids: [["2000.5", "1000000000000000000000000000000"]] }],
    ["an exponent", { ...UPDATE, bids: [["2e3", "1"]] }],
    ["no event", { ...UPDATE, event: undefined }],
    ["a list for a payload", [UPDATE]],
    ["null for a payload", null],
  ])("a book frame with %s", (_, data) => {
    onlyMalformed(frames.multiple(wrapped("orderbook", data)));
  });

  it.each(["snapshot", "update"] as const)(
    "a %s with amounts between the market's steps counts them as the next whole ones: a market whose step was made coarser had no book",
    (event) => {
      const data = {
        ...(event === "update" ? UPDATE : SNAPSHOT),
        bids: [["2000.5", "0.1005"]],
        asks: [["2000.6", "0.00000001"]],
      };
      expect(frames.multiple(wrapped("orderbook", data))).toMatchObject([
        { bids: [20005, 101], asks: [20006, 1], isRounded: true },
      ]);
      const whole = { ...data, bids: [["2000.5", "0.100"]], asks: [["2000.6", "0"]] };
      expect(frames.multiple(wrapped("orderbook", whole))[0]).not.toHaveProperty("isRounded");
    },
  );

  it("a snapshot with prices between the ticks, and what follows on it, is the finer book on this grid: bids down, asks up, amounts summed", () => {
    const hundredths = fc.record({
      isBid: fc.boolean(),
      off: fc.integer({ min: 1, max: 60 }),
      lots: fc.nat(3),
    });
    const message = fc.array(hundredths, { maxLength: 6 });
    fc.assert(
      fc.property(message, fc.array(message, { maxLength: 8 }), (first, updates) => {
        const reader = new FrameDecoder(context);
        const book = new SyncedBook("btcusdc");
        const finer = { bids: new Map<number, number>(), asks: new Map<number, number>() };
        const between = { isBid: true, off: 5, lots: 1 };
        for (const [at, levels] of [[...first, between], ...updates].entries()) {
          const sides: Record<"bids" | "asks", string[][]> = { bids: [], asks: [] };
          for (const { isBid, off, lots } of levels) {
            const side = isBid ? "bids" : "asks";
            const price = isBid ? 200_050 - off : 200_050 + off;
            finer[side].set(price, lots);
            sides[side].push([(price / 100).toFixed(2), `0.00${lots}`]);
          }
          const sequences =
            at === 0
              ? { event: "snapshot", sequence: 0 }
              : { event: "update", beginSequence: at, endSequence: at };
          const [event] = reader.multiple(wrapped("orderbook", { ...sequences, ...sides }));
          if (event?.type !== "book-snapshot" && event?.type !== "book-update")
            throw new Error(JSON.stringify(event));
          requireSoundBook(event);
          expect(book.apply(event, at)).toBe("applied");
          if (at % 3 === 1) reader.setContext(context);
        }
        const onGrid = (side: Map<number, number>, to: (ticks: number) => number) => {
          const sums = new Map<number, number>();
          for (const [price, lots] of side)
            if (lots > 0) sums.set(to(price / 10), (sums.get(to(price / 10)) ?? 0) + lots);
          return [...sums].sort(([one], [other]) => one - other).flat();
        };
        const { bids, asks } = book.entries();
        expect(asks).toEqual(onGrid(finer.asks, Math.ceil));
        expect(
          bids
            .flatMap((ticks, at) => (at % 2 === 0 ? [[ticks, bids[at + 1]]] : []))
            .reverse()
            .flat(),
        ).toEqual(onGrid(finer.bids, Math.floor));
      }),
    );
  });

  it("a price between ticks that the last snapshot had not is malformed, so that the book is taken anew", () => {
    const reader = new FrameDecoder(context);
    reader.multiple(wrapped("orderbook", SNAPSHOT));
    const update = (amount: string) =>
      reader.multiple(wrapped("orderbook", { ...UPDATE, bids: [["2000.55", amount]] }));
    onlyMalformed(update("1"));
    reader.multiple(wrapped("orderbook", { ...SNAPSHOT, bids: [["2000.55", "1"]] }));
    expect(update("2")).toMatchObject([{ type: "book-update", bids: [20005, 2000] }]);
    reader.multiple(wrapped("orderbook", SNAPSHOT));
    onlyMalformed(update("1"));
  });

  it.each([
    "",
    "{",
    "null",
    "[]",
    "1",
    '"x"',
    "undefined",
    "NaN",
    '{"stream":"btcusdc@orderbook","data":{"event":"update"',
    "\u0000",
  ])("the text %j", (text) => {
    onlyMalformed(frames.multiple(text));
    onlyMalformed(frames.account(text));
  });

  it("any frame cut off anywhere", () => {
    const texts = [
      wrapped("orderbook", UPDATE),
      wrapped("market", MARKET),
      wrapped("trades", TRADE),
    ];
    for (const text of texts)
      for (let end = 0; end < text.length; end += 1)
        onlyMalformed(frames.multiple(text.slice(0, end)));
    const account = JSON.stringify({ event: "ORDER_UPDATE", order: wireOrder(), timestamp: 9 });
    for (let end = 0; end < account.length; end += 1)
      onlyMalformed(frames.account(account.slice(0, end)));
  });

  it("ten megabytes are refused before they are parsed, as deep nesting is when they are", () => {
    const huge = wrapped("orderbook", {
      ...UPDATE,
      bids: Array.from({ length: 500_000 }, () => ["2000.5", "0.1"]),
    });
    expect(huge.length).toBeGreaterThan(8 * 1024 * 1024);
    expect(frames.multiple(huge)).toEqual([
      {
        type: "malformed",
        where: "stream multiple",
        reason: expect.stringMatching(/above the limit of 8388608/),
      },
    ]);
    const deep = `${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}`;
    onlyMalformed(frames.multiple(deep));
    onlyMalformed(frames.account(`{"event":"ORDER_UPDATE","order":${deep},"timestamp":1}`));
    expect(new FrameDecoder({ ...context, maxFrameBytes: 10 }).account("{}         ")).toHaveLength(
      1,
    );
  });

  it("whatever value stands in for a field", () => {
    const odd = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(null, -1, 1e308, 2 ** 53, "NaN", "-0", "1e999", "__proto__", {}, [], [[]]),
    );
    const bases = [
      { decode: (data: unknown) => frames.multiple(wrapped("orderbook", data)), base: UPDATE },
      { decode: (data: unknown) => frames.multiple(wrapped("orderbook", data)), base: SNAPSHOT },
      { decode: (data: unknown) => frames.multiple(wrapped("market", data)), base: MARKET },
      { decode: (data: unknown) => frames.multiple(wrapped("trades", data)), base: TRADE },
      { decode: account, base: { event: "ORDER_UPDATE", order: wireOrder(), timestamp: 9 } },
      { decode: account, base: { event: "TRADE_UPDATE", trade: wireTrade() } },
      {
        decode: account,
        base: { event: "ACCOUNT_UPDATE", balances: wireBalances(), positions: [wirePosition()] },
      },
    ];
    fc.assert(
      fc.property(fc.constantFrom(...bases), fc.nat(), odd, ({ decode, base }, pick, value) => {
        const paths = pathsOf(base);
        const events = decode(replaced(base, paths[pick % paths.length] as string[], value));
        expect(events.length).toBeLessThanOrEqual(1);
        for (const event of events)
          if (event.type === "book-update" || event.type === "book-snapshot")
            requireSoundBook(event);
      }),
      { numRuns: 3000 },
    );
  });

  it("whatever text arrives", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        for (const events of [
          frames.multiple(text),
          frames.account(text),
          frames.single("btcusdc@orderbook", text),
        ]) {
          for (const { type } of events) expect(type).toBe("malformed");
        }
      }),
      { numRuns: 500 },
    );
  });
});

function account(data: unknown) {
  return frames.account(JSON.stringify(data));
}

/** Fails for a frame that would corrupt a book. */
function requireSoundBook({
  bids,
  asks,
}: {
  readonly bids: readonly number[];
  readonly asks: readonly number[];
}): void {
  for (const flat of [bids, asks]) {
    expect(flat.length % 2).toBe(0);
    for (const [index, value] of flat.entries()) {
      expect(Number.isSafeInteger(value)).toBe(true);
      expect(value).toBeGreaterThanOrEqual(index % 2 === 0 ? 1 : 0);
    }
  }
}

function pathsOf(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [path];
  return [
    ...(path.length > 0 ? [path] : []),
    ...Object.entries(value).flatMap(([key, member]) => pathsOf(member, [...path, key])),
  ];
}

function replaced(base: object, path: readonly string[], value: unknown): unknown {
  const copy = structuredClone(base) as Record<string, unknown>;
  let at = copy;
  for (const key of path.slice(0, -1)) at = at[key] as Record<string, unknown>;
  at[path.at(-1) as string] = value;
  return copy;
}
