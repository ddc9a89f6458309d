import { expect } from "vitest";
import { conforms } from "../conforms.js";
import { expectRecord } from "../tables.js";
import { trade, worlds } from "./world.js";

const world = worlds();
const EVERY_CHANGE = { streams: { bookIntervalMs: 0 } };
const BOOK = "btcusdc@orderbook";

conforms(
  "EV1",
  "exchange",
  "each change of an order is one ORDER_UPDATE with one whole order",
  async () => {
    const { alice, bob, clock } = await world();
    const stream = await alice.stream(alice.accountPath());
    const { id } = (await alice.place("BUY", "30000", "0.1")).json;
    await alice.place("BUY", "29999", "0.1");
    await bob.place("SELL", "30000", "0.1");
    await clock.runFor(3000);
    const updates = await stream.events("ORDER_UPDATE");
    for (const update of updates) {
      expect(Object.keys(update).sort()).toEqual(["event", "order", "timestamp"]);
      expect(Array.isArray(update.order)).toBe(false);
      expectRecord(update.order, update.order.averagePrice === undefined ? "order" : "tradedOrder");
    }
    expect(updates.filter(({ order }) => order.id === id).map(({ order }) => order.status)).toEqual(
      ["NEW", "PARTIAL_FILLED", "FILLED"],
    );
    expect(updates.at(-1)?.timestamp).toBe(clock.nowMs() - 1000);
  },
);

conforms(
  "EV2",
  "exchange",
  "a trade is told to both of its accounts at match and at settlement, as userTrades has it",
  async () => {
    const { alice, bob, clock } = await world();
    const [taker, maker] = [
      await alice.stream(alice.accountPath()),
      await bob.stream(bob.accountPath()),
    ];
    await trade(alice, bob, "BUY", "30000", "0.1");
    for (const [stream, trader] of [
      [taker, alice],
      [maker, bob],
    ] as const) {
      const [update, ...others] = await stream.events("TRADE_UPDATE");
      expect(Object.keys(update).sort()).toEqual(["event", "trade"]);
      expectRecord(update.trade, "userTrade");
      expect([update.trade.status, others]).toEqual(["CREATED", []]);
      expect(await trader.ask("/v1/userTrades", { marketId: "btcusdc" })).toEqual([update.trade]);
    }
    await clock.runFor(2000);
    for (const stream of [taker, maker])
      expect((await stream.events("TRADE_UPDATE")).map((update) => update.trade.status)).toEqual([
        "SETTLED",
      ]);
  },
);

conforms(
  "EV3",
  "exchange",
  "an update names the first and the last change that it gathers",
  async () => {
    const { alice, clock } = await world({ streams: { bookIntervalMs: 25 } });
    const stream = await alice.stream(`/single/${BOOK}`);
    const [{ sequence }] = await stream.take();
    for (const price of ["30000", "30001", "30002"]) await alice.place("BUY", price, "0.1");
    await clock.runFor(25);
    const updates = await stream.take();
    expect(updates).toMatchObject([
      { event: "update", beginSequence: sequence + 1, endSequence: sequence + 3 },
    ]);
    expect(Object.keys(updates[0]).sort()).toEqual([
      "asks",
      "beginSequence",
      "bids",
      "endSequence",
      "event",
    ]);
    expect((await alice.read("/v1/orderbook", { marketId: "btcusdc" })).json.sequence).toBe(
      sequence + 3,
    );
  },
);

/** Applies updates to a book, asserting that each continues its predecessor. */
function follow(
  book: Map<string, string>,
  sequence: number,
  frames: readonly {
    beginSequence: number;
    endSequence: number;
    bids: string[][];
    asks: string[][];
  }[],
): number {
  let last = sequence;
  for (const { beginSequence, endSequence, bids, asks } of frames) {
    expect(beginSequence).toBe(last + 1);
    for (const [side, levels] of [
      ["bid", bids],
      ["ask", asks],
    ] as const) {
      for (const [price, amount = ""] of levels) {
        if (amount === "0") book.delete(`${side} ${price}`);
        else book.set(`${side} ${price}`, amount);
      }
    }
    last = endSequence;
  }
  return last;
}

conforms(
  "EV4",
  "exchange",
  "a snapshot comes first, and contiguous updates of absolute amounts lead to the book that REST has",
  async () => {
    const { alice, bob, carol, clock } = await world({ streams: { bookIntervalMs: 25 } });
    await alice.place("BUY", "30000", "0.1");
    const stream = await alice.stream(`/single/${BOOK}`);
    const [snapshot, ...none] = await stream.take();
    expect(snapshot).toEqual({
      event: "snapshot",
      sequence: expect.any(Number),
      bids: [["30000", "0.1"]],
      asks: [],
    });
    expect(none).toEqual([]);
    const book = new Map([["bid 30000", "0.1"]]);
    await bob.place("BUY", "30000", "0.2");
    const { id } = (await alice.place("SELL", "30010", "0.5")).json;
    await clock.runFor(25);
    await alice.cancel(id);
    await carol.place("SELL", "30000", "0.25");
    await clock.runFor(25);
    await alice.place("SELL", "30020", "0.7");
    await clock.runFor(25);
    const frames = await stream.take();
    const last = follow(book, snapshot.sequence, frames);
    const rest = (await alice.read("/v1/orderbook", { marketId: "btcusdc" })).json;
    expect(last).toBe(rest.sequence);
    expect(book).toEqual(
      new Map([
        ["bid 30000", "0.05"],
        ["ask 30020", "0.7"],
      ]),
    );
    expect([rest.bids, rest.asks]).toEqual([[["30000", "0.05"]], [["30020", "0.7"]]]);
    expect(frames.flatMap(({ asks }) => asks)).toContainEqual(["30010", "0"]);
  },
);

conforms(
  "EV4",
  "exchange",
  "who subscribes again is given a snapshot that the next update continues",
  async () => {
    const { alice, clock } = await world({ streams: { bookIntervalMs: 25 } });
    const stream = await alice.stream(`/multiple?streams=${BOOK}`);
    await stream.take();
    await alice.place("BUY", "30000", "0.1");
    stream.send({ id: 1, method: "UNSUBSCRIBE", params: [BOOK] });
    stream.send({ id: 2, method: "SUBSCRIBE", params: [BOOK] });
    const snapshot = (await stream.take()).find((frame) => frame.data?.event === "snapshot").data;
    expect(snapshot.bids).toEqual([["30000", "0.1"]]);
    await alice.place("BUY", "30001", "0.1");
    await clock.runFor(25);
    expect(await stream.take()).toMatchObject([
      {
        stream: BOOK,
        data: { event: "update", beginSequence: snapshot.sequence + 1, bids: [["30001", "0.1"]] },
      },
    ]);
  },
);

conforms(
  "EV6",
  "exchange",
  "the account stream needs the account's own signature of account and timestamp, within the window",
  async () => {
    const { alice, bob, clock } = await world();
    await expect(alice.stream(`/single/account@${alice.address}`)).rejects.toThrow(/401.*1010/);
    await expect(
      alice.stream(alice.accountPath().replace(alice.address, bob.address)),
    ).rejects.toThrow(/1012/);
    await expect(
      alice.stream(alice.accountPath("", { timestamp: String(clock.nowMs() - 5001) })),
    ).rejects.toThrow(/1011/);
    await expect(alice.stream("/single/account@0x12?timestamp=1&signature=0x")).rejects.toThrow(
      /1110/,
    );
    const lower = alice.accountPath("", { account: alice.address.toLowerCase() });
    const stream = await alice.stream(lower);
    await alice.place("BUY", "30000", "0.1");
    expect((await stream.take()).map(({ event }) => event)).toEqual([
      "ORDER_UPDATE",
      "ACCOUNT_UPDATE",
    ]);
  },
);

conforms(
  "EV6",
  "exchange",
  "ACCOUNT_UPDATE is what GET balances answers, and INCOME_UPDATE what GET incomes lists",
  async () => {
    const { alice, bob, clock } = await world();
    const stream = await alice.stream(alice.accountPath());
    await trade(alice, bob, "BUY", "30000", "0.1");
    const [account] = (await stream.events("ACCOUNT_UPDATE")).slice(-1);
    // A connector of another author reads the market of a streamed position from `symbol`, which
    // REST does not have.
    const { balances, positions } = await alice.ask("/v1/balances");
    const named = positions.map((position: { marketId: string }) => ({
      ...position,
      symbol: position.marketId,
    }));
    expect(account).toEqual({ event: "ACCOUNT_UPDATE", balances, positions: named });
    await clock.runFor(2000);
    const incomes = (await stream.events("INCOME_UPDATE")).flatMap((update) => update.incomes);
    for (const income of incomes) expectRecord(income, "income");
    expect(incomes.map(({ type }) => type)).toEqual(["BUY", "TAKER_FEE"]);
    expect((await alice.ask("/v1/incomes", { marketId: "btcusdc" })).slice(-2)).toEqual(incomes);
  },
);

conforms(
  "EV6",
  "exchange",
  "marketId keeps orders and trades to one market, and others' events never come",
  async () => {
    const { alice, bob } = await world({ markets: { btcusdc: {}, ethusdc: {} } });
    const stream = await alice.stream(alice.accountPath("&marketId=ethusdc"));
    await alice.place("BUY", "30000", "0.1");
    await bob.place("BUY", "3000", "0.1", { marketId: "ethusdc" });
    expect((await stream.take()).map(({ event }) => event)).toEqual(["ACCOUNT_UPDATE"]);
    await alice.place("BUY", "3000", "0.1", { marketId: "ethusdc" });
    expect((await stream.take()).map(({ event }) => event)).toEqual([
      "ORDER_UPDATE",
      "ACCOUNT_UPDATE",
    ]);
    await expect(alice.stream(alice.accountPath("&marketId=nope"))).rejects.toThrow(/1112/);
  },
);

const MARKET_FIELDS = [
  "fundingRate",
  "markPrice",
  "indexPrice",
  "lastTradePrice",
  "liquidationPriceOff",
  "liquidationThreshold",
  "openInterest",
  "24hVolume",
  "price24HAgo",
];

conforms(
  "EV7",
  "exchange",
  "the market stream tells prices, funding, thresholds, open interest and the day's figures, each second",
  async () => {
    const { alice, bob, clock } = await world(
      { markets: { btcusdc: { liquidationThreshold: "0.03", liquidationPriceOff: "0.01" } } },
      { steadyMark: true },
    );
    const stream = await alice.stream("/single/btcusdc@market");
    expect(await stream.take()).toMatchObject([
      { markPrice: "30000", indexPrice: "30000", openInterest: "0" },
    ]);
    await trade(alice, bob, "BUY", "30100", "0.1");
    await trade(alice, bob, "BUY", "30200", "0.2");
    await clock.runFor(1000);
    const [state, ...others] = await stream.take();
    expect(others).toEqual([]);
    for (const field of MARKET_FIELDS)
      expect([field, state[field]]).toEqual([field, expect.stringMatching(/^-?\d+(\.\d+)?$/)]);
    expect(state).toMatchObject({
      lastTradePrice: "30200",
      liquidationThreshold: "0.03",
      liquidationPriceOff: "0.01",
      openInterest: "0.3",
      "24hVolume": "0.3",
    });
    expect(state.nextFundingTime).toBe(clock.nowMs() - (clock.nowMs() % 28_800_000) + 28_800_000);
    await clock.runFor(2000);
    expect(await stream.take()).toHaveLength(2);
  },
);

conforms("EV7", "exchange", "the trades stream tells every match as it is made", async () => {
  const { alice, bob, clock } = await world();
  const stream = await alice.stream("/single/btcusdc@trades");
  await trade(alice, bob, "SELL", "30000", "0.1");
  const trades = await stream.take();
  for (const one of trades) expectRecord(one, "publicTrade");
  expect(trades).toMatchObject([
    {
      price: "30000",
      amount: "0.1",
      quoteAmount: "3000",
      isBuyerMaker: true,
      status: "CREATED",
      time: clock.nowMs(),
    },
  ]);
});

conforms(
  "V2",
  "exchange",
  "no account event has `orders`, and no book update a single `sequence`",
  async () => {
    const { alice, bob, clock } = await world(EVERY_CHANGE);
    const account = await alice.stream(alice.accountPath());
    const book = await alice.stream(`/single/${BOOK}`);
    await trade(alice, bob, "BUY", "30000", "0.1");
    await clock.runFor(3000);
    const events = await account.take();
    expect(events.length).toBeGreaterThan(4);
    for (const event of events) expect(event).not.toHaveProperty("orders");
    const updates = (await book.take()).filter(({ event }) => event === "update");
    expect(updates.length).toBeGreaterThan(1);
    for (const update of updates) expect(update).not.toHaveProperty("sequence");
  },
);

conforms(
  "EV7",
  "exchange",
  "candles have a stream of their own for each interval, its name in either case",
  async () => {
    const { alice, bob, clock } = await world();
    const stream = await alice.stream("/multiple?streams=btcusdc@kline1M/btcusdc@kline1h");
    await stream.take();
    await trade(alice, bob, "BUY", "30000", "0.1");
    await trade(alice, bob, "BUY", "30100", "0.1");
    await clock.runFor(2000);
    const frames = (await stream.take()).filter(({ data }) => data.length > 0);
    expect(new Set(frames.map((frame) => frame.stream.toLowerCase()))).toEqual(
      new Set(["btcusdc@kline1m", "btcusdc@kline1h"]),
    );
    for (const { stream: name, data } of frames) {
      for (const bar of data) expectRecord(bar, "kline");
      const interval = name.toLowerCase().endsWith("1h") ? "1H" : "1M";
      const rest = (await alice.read("/v1/klines", { marketId: "btcusdc", interval })).json;
      if (frames.filter((frame) => frame.stream === name).at(-1)?.data === data)
        expect(data.at(-1)).toEqual(rest.at(-1));
    }
  },
);
