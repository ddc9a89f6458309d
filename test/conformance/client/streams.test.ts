import { verifyMessage } from "ethers";
import { expect } from "vitest";
import { createInstruments, decodeRules } from "#exchange/decode-rules.js";
import { FrameDecoder } from "#exchange/frame-decoder.js";
import { LocalBook } from "#exchange/local-book.js";
import { decodeAccountFrame, decodeMarketFrame } from "#exchange/stream-decoder.js";
import type { AccountEvent, MarketEvent } from "#exchange/stream-events.js";
import { KEYS, ReferenceClient } from "../../simulator/reference-client.js";
import { conforms } from "../conforms.js";
import { trade, worlds } from "../exchange/world.js";
import {
  BALANCES,
  EXCHANGE_INFO,
  INCOME,
  KLINE,
  MARKET_STATE,
  ORDER,
  POSITION,
  PUBLIC_TRADE,
  TRADED_ORDER,
  text,
  USER_TRADE,
} from "./examples.js";
import { overScriptedSockets } from "./scripted-streams.js";
import { connections, expectRead } from "./world.js";

const world = worlds();
const connected = connections();
const BOOK = "btcusdc@orderbook";

/** How the bot reads frames, on the example market's grid. */
function frames(): FrameDecoder {
  const rules = decodeRules(JSON.parse(text(EXCHANGE_INFO)), ["btcusdc"]);
  return new FrameDecoder({ creditDecimals: 6, instruments: createInstruments(rules) });
}

const bookFrame = (payload: object) => text({ stream: BOOK, data: payload });
const snapshot = (sequence: number) =>
  bookFrame({
    event: "snapshot",
    sequence,
    bids: [
      ["2000", "0.5"],
      ["1999", "1"],
    ],
    asks: [["2001", "0.25"]],
  });
const update = (
  beginSequence: number,
  endSequence: number,
  bids: string[][] = [],
  asks: string[][] = [],
) => bookFrame({ event: "update", beginSequence, endSequence, bids, asks });

conforms(
  "EV1",
  "client",
  "reads the one order of an ORDER_UPDATE, and finds fault with a list",
  () => {
    const frame = (order: unknown) =>
      text({ event: "ORDER_UPDATE", order, timestamp: 1_700_000_000_123 });
    const [event] = decodeAccountFrame(frame(TRADED_ORDER));
    if (event?.type !== "order") throw new Error("no order");
    expectRead(event.order, TRADED_ORDER, "tradedOrder");
    expect(event.timestamp).toBe(1_700_000_000_123);
    expect(decodeAccountFrame(frame([ORDER]))).toMatchObject([
      { type: "malformed", reason: expect.stringContaining("order") },
    ]);
    expect(frames().account(frame(ORDER))).toMatchObject([
      { type: "order-update", order: { ticks: 20_005, lots: 20 }, timestampMs: 1_700_000_000_123 },
    ]);
    expect(frames().account(frame([ORDER]))).toMatchObject([{ type: "malformed" }]);
  },
);

conforms("EV2", "client", "reads the trade of a TRADE_UPDATE with every field", () => {
  const frame = text({ event: "TRADE_UPDATE", trade: USER_TRADE });
  const [event] = decodeAccountFrame(frame);
  if (event?.type !== "trade") throw new Error("no trade");
  expectRead(event.trade, USER_TRADE, "userTrade");
  expect(frames().account(frame)).toMatchObject([
    {
      type: "trade-update",
      trade: { id: "11", side: "BUY", isMaker: true, ticks: 20_005, lots: 20, commission: -4001n },
    },
  ]);
});

conforms("EV3", "client", "reads both sequences of an update, and refuses one without them", () => {
  const whole = update(165851954, 165851988, [["2000", "0.75"]], [["2001", "0"]]);
  expect(decodeMarketFrame(whole)).toMatchObject([
    { type: "book-update", beginSequence: 165851954, endSequence: 165851988 },
  ]);
  expect(frames().multiple(whole)).toEqual([
    {
      type: "book-update",
      marketId: "btcusdc",
      beginSequence: 165851954,
      endSequence: 165851988,
      bids: [20_000, 750],
      asks: [20_010, 0],
    },
  ]);
  const levels = { bids: [], asks: [] };
  for (const sequences of [
    { sequence: 165851988 },
    { endSequence: 165851988 },
    { beginSequence: 165851954 },
  ]) {
    const part = bookFrame({ event: "update", ...sequences, ...levels });
    expect(decodeMarketFrame(part)).toMatchObject([{ type: "malformed" }]);
    expect(frames().multiple(part)).toMatchObject([{ type: "malformed" }]);
  }
});

conforms(
  "EV4",
  "client",
  "applies absolute amounts after the snapshot, deletes at zero, and passes nothing on before one",
  async () => {
    const { clock, transport, market, followMarket } = overScriptedSockets();
    const book = new LocalBook();
    followMarket([BOOK]);
    await clock.runFor(10);
    transport.socket.deliver(update(3, 4, [["1", "1"]]));
    expect(market.map(({ type }) => type)).toEqual(["up"]);
    for (const frame of [
      snapshot(10),
      update(
        11,
        13,
        [
          ["2000", "0.75"],
          ["1999", "0"],
          ["5", "0"],
        ],
        [["2000.5", "1"]],
      ),
      update(14, 14, [], [["2000.5", "0.5"]]),
    ])
      transport.socket.deliver(frame);
    for (const event of market) book.apply(event);
    const levels = (side: ReturnType<LocalBook["bids"]>) => side.map((level) => level.map(String));
    expect([book.sequence, levels(book.bids()), levels(book.asks())]).toEqual([
      14,
      [["2000", "0.75"]],
      [
        ["2000.5", "0.5"],
        ["2001", "0.25"],
      ],
    ]);
  },
);

conforms(
  "EV4",
  "client",
  "drops the book at a gap and subscribes anew, and goes on from the next snapshot",
  async () => {
    const { clock, transport, market, followMarket, said } = overScriptedSockets();
    const book = new LocalBook();
    followMarket([BOOK]);
    await clock.runFor(10);
    transport.socket.deliver(snapshot(10));
    transport.socket.deliver(update(12, 12, [["2000", "9"]]));
    expect(market.at(-1)).toEqual({
      type: "book-gap",
      marketId: "btcusdc",
      expected: 11,
      received: 12,
    });
    for (const event of market) book.apply(event);
    expect([book.sequence, book.bids()]).toEqual([undefined, []]);
    await clock.runFor(1000);
    expect(
      said()
        .map((one) => JSON.parse(one))
        .map(({ method, params }) => [method, params]),
    ).toEqual([
      ["UNSUBSCRIBE", [BOOK]],
      ["SUBSCRIBE", [BOOK]],
    ]);
    const before = market.length;
    transport.socket.deliver(update(13, 13, [["2000", "8"]]));
    expect(market).toHaveLength(before);
    transport.socket.deliver(snapshot(20));
    transport.socket.deliver(update(21, 21, [["2000", "7"]]));
    expect(market.slice(before).map(({ type }) => type)).toEqual(["book-snapshot", "book-update"]);
  },
);

conforms(
  "EV4",
  "client",
  "follows the embedded exchange's book to the same levels as REST",
  async () => {
    const venue = await world({ streams: { bookIntervalMs: 25 } });
    const { client, streams } = await connected(venue);
    const book = new LocalBook();
    const following = streams.orderbook$("btcusdc").subscribe((event) => book.apply(event));
    while (book.sequence === undefined) await new Promise((resolve) => setImmediate(resolve));
    for (let count = 0; count < 20; count += 1) {
      await venue.alice.place(
        count % 3 === 0 ? "SELL" : "BUY",
        `${30_000 + ((count * 7) % 5) - (count % 3 === 0 ? 0 : 3)}`,
        "0.1",
      );
      if (count % 4 === 3) await venue.bob.place("SELL", "29990", "0.15");
      await venue.clock.runFor(10);
    }
    await venue.clock.runFor(25);
    const rest = await client.orderbook({ marketId: "btcusdc" });
    while (book.sequence !== rest.sequence) await new Promise((resolve) => setImmediate(resolve));
    const levels = (side: readonly (readonly unknown[])[]) =>
      side.map((level) => level.map(String));
    expect(levels(book.bids())).toEqual(levels(rest.bids));
    expect(levels(book.asks())).toEqual(levels(rest.asks));
    expect(rest.bids.length + rest.asks.length).toBeGreaterThan(2);
    following.unsubscribe();
  },
);

conforms(
  "EV6",
  "client",
  "signs the account stream as it signs a request, anew at every connect",
  async () => {
    const { clock, transport, account, followAccount } = overScriptedSockets();
    followAccount();
    await clock.runFor(10);
    const wallet = new ReferenceClient({} as never, () => 0, KEYS[0]).wallet;
    const check = (path: string) => {
      const { pathname, searchParams } = new URL(path, "ws://exchange");
      const message = `account=${pathname.split("@")[1]}&timestamp=${searchParams.get("timestamp")}`;
      expect(verifyMessage(message, searchParams.get("signature") ?? "")).toBe(wallet.address);
      return Number(searchParams.get("timestamp"));
    };
    const first = check(transport.socket.path);
    transport.socket.drop("the wire was cut");
    await clock.runFor(20_000);
    expect(check(transport.sockets[1]?.path ?? "")).toBeGreaterThan(first);
    expect(account.map(({ type }) => type).slice(0, 3)).toEqual(["up", "down", "up"]);
    followAccount({ marketId: "btcusdc" });
    expect(transport.socket.path).toMatch(/&marketId=btcusdc$/);
  },
);

conforms(
  "EV6",
  "client",
  "reads ACCOUNT_UPDATE, also one whose positions name a symbol, and INCOME_UPDATE",
  () => {
    const { marketId: symbol, ...rest } = POSITION;
    const [event] = decodeAccountFrame(
      text({
        event: "ACCOUNT_UPDATE",
        balances: BALANCES,
        positions: [POSITION, { ...rest, symbol }],
      }),
    );
    if (event?.type !== "balances") throw new Error("no balances");
    expectRead(event.balances, BALANCES, "balances");
    for (const position of event.positions) expectRead(position, POSITION, "position");
    const [incomes] = decodeAccountFrame(text({ event: "INCOME_UPDATE", incomes: [INCOME] }));
    if (incomes?.type !== "incomes") throw new Error("no incomes");
    expectRead(incomes.incomes[0] ?? {}, INCOME, "income");
  },
);

conforms(
  "EV6",
  "client",
  "follows its account at the embedded exchange through a trade and its settlement",
  async () => {
    const venue = await world();
    const { streams } = await connected(venue);
    const seen: AccountEvent[] = [];
    const following = streams.account$().subscribe((event) => seen.push(event));
    while (seen.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await trade(venue.alice, venue.bob, "BUY", "30000", "0.1");
    await venue.clock.runFor(2000);
    while (seen.at(-1)?.type !== "balances" || !seen.some(({ type }) => type === "incomes"))
      await new Promise((resolve) => setImmediate(resolve));
    expect(seen.filter(({ type }) => type !== "balances").map(({ type }) => type)).toEqual([
      "up",
      "order",
      "order",
      "trade",
      "order",
      "trade",
      "incomes",
    ]);
    expect(seen.some(({ type }) => type === "malformed" || type === "unknown")).toBe(false);
    following.unsubscribe();
  },
);

conforms(
  "EV7",
  "client",
  "reads the market's figures, trades and candles, each of its stream",
  () => {
    const [state] = decodeMarketFrame(text({ stream: "btcusdc@market", data: MARKET_STATE }));
    if (state?.type !== "market") throw new Error("no market");
    for (const [field, value] of Object.entries(MARKET_STATE))
      expect([field, String(state.figures[field as keyof typeof MARKET_STATE])]).toEqual([
        field,
        String(value),
      ]);
    const [one] = decodeMarketFrame(text({ stream: "btcusdc@trades", data: PUBLIC_TRADE }));
    if (one?.type !== "trade") throw new Error("no trade");
    expectRead(one.trade, PUBLIC_TRADE, "publicTrade");
    for (const [stream, interval] of [
      ["btcusdc@kline1M", "1M"],
      ["btcusdc@kline1mo", "1MO"],
    ] as const) {
      const [candles] = decodeMarketFrame(text({ stream, data: [KLINE] }));
      if (candles?.type !== "klines") throw new Error("no candles");
      expect([candles.marketId, candles.interval]).toEqual(["btcusdc", interval]);
      expectRead(candles.klines[0] ?? {}, KLINE, "kline");
    }
  },
);

conforms("EV7", "client", "reads all three from the embedded exchange", async () => {
  const venue = await world({}, { steadyMark: true });
  const { streams } = await connected(venue);
  const seen: MarketEvent[] = [];
  const following = streams
    .market$(["btcusdc@market", "btcusdc@trades", "btcusdc@kline1M"])
    .subscribe((event) => seen.push(event));
  while (seen.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await trade(venue.alice, venue.bob, "BUY", "30000", "0.1");
  await venue.clock.runFor(3000);
  while (!["market", "trade", "klines"].every((type) => seen.some((event) => event.type === type)))
    await new Promise((resolve) => setImmediate(resolve));
  expect(seen.some(({ type }) => type === "malformed" || type === "unknown")).toBe(false);
  const state = seen.filter((event) => event.type === "market").at(-1);
  expect(state?.type === "market" ? String(state.figures.markPrice) : "").toBe("30000");
  following.unsubscribe();
});

conforms(
  "V2",
  "client",
  "takes neither a list of orders nor a book update of one sequence for what it was",
  () => {
    for (const decode of [decodeAccountFrame, (frame: string) => frames().account(frame)]) {
      expect(
        decode(text({ event: "ORDER_UPDATE", orders: [ORDER], timestamp: 1_700_000_000_000 })),
      ).toMatchObject([{ type: "malformed" }]);
    }
    const old = bookFrame({ event: "update", sequence: 11, bids: [["2000", "1"]], asks: [] });
    for (const decode of [decodeMarketFrame, (frame: string) => frames().multiple(frame)])
      expect(decode(old)).toMatchObject([{ type: "malformed" }]);
  },
);
