import { afterEach, describe, expect, it } from "vitest";
import { seededRandom } from "#core/seeded-random.js";
import { ecdsaScheme } from "#core/signing.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { toDecimal } from "#exchange/decimal.js";
import { LocalBook } from "#exchange/local-book.js";
import { decodeAccountFrame, decodeMarketFrame } from "#exchange/stream-decoder.js";
import type { AccountEvent, MarketEvent } from "#exchange/stream-events.js";
import { ExchangeStreams } from "#exchange/streams.js";
import { ScriptedTransport } from "../scripted-transport.js";
import { wireBalances, wireOrder, wirePosition, wireTrade } from "../wire-records.js";
import { type Embedded, KEYS, startEmbedded } from "./embedded.js";

const MARKET = "btcusdc";
const signer = ecdsaScheme.signer(KEYS[0]);

let embedded: Embedded | undefined;
afterEach(async () => {
  await embedded?.close();
  embedded = undefined;
});

/** Streams whose other end is the test, in virtual time. */
function scripted() {
  const clock = new VirtualClock(1_700_000_000_000);
  const transport = new ScriptedTransport(clock);
  const streams = new ExchangeStreams({
    transport,
    runtime: { clock, random: seededRandom(1) },
    nowMs: () => clock.nowMs(),
    signer,
  });
  const told: MarketEvent[] = [];
  return { clock, transport, streams, told };
}

const update = (
  beginSequence: number,
  endSequence: number,
  bids: unknown[] = [],
  asks: unknown[] = [],
) => ({
  event: "update",
  beginSequence,
  endSequence,
  bids,
  asks,
});

describe("a book's stream", () => {
  it("is reported without a gap: a missing update voids the book, which is requested again", async () => {
    const { clock, transport, streams, told } = scripted();
    streams.orderbook$(MARKET).subscribe((event) => told.push(event));
    await clock.runFor(10);
    const { socket } = transport;
    expect(socket.path).toBe(`/v1/multiple?streams=${MARKET}@orderbook`);
    const say = async (data: unknown): Promise<void> => {
      socket.deliver(JSON.stringify({ stream: `${MARKET}@orderbook`, data }));
      await clock.runFor(1);
    };
    const followed = new LocalBook();
    await say(update(1, 2, [["1", "1"]]));
    await say({ event: "snapshot", sequence: 10, bids: [["2000", "1"]], asks: [["2001.5", "2"]] });
    await say(
      update(11, 12, [
        ["2000.0", "0"],
        ["1999", "3"],
      ]),
    );
    await say(update(14, 15, [["1", "1"]]));
    await say(update(16, 16, [["1", "1"]]));
    expect(told.map(({ type }) => type)).toEqual([
      "up",
      "book-snapshot",
      "book-update",
      "book-gap",
    ]);
    expect(told.at(-1)).toMatchObject({ expected: 13, received: 14 });
    expect(socket.received.map(({ text }) => JSON.parse(text).method)).toEqual([
      "UNSUBSCRIBE",
      "SUBSCRIBE",
    ]);
    for (const event of told.slice(0, 3)) followed.apply(event);
    expect(followed.sequence).toBe(12);
    expect(followed.bids().map(([price, amount]) => [String(price), String(amount)])).toEqual([
      ["1999", "3"],
    ]);
    followed.apply(told[3] as MarketEvent);
    expect([followed.sequence, followed.bids(), followed.asks()]).toEqual([undefined, [], []]);
    await say({ event: "snapshot", sequence: 20, bids: [], asks: [] });
    expect(told.at(-1)).toMatchObject({ type: "book-snapshot", sequence: 20 });
  });
});

describe("a frame", () => {
  it("of an unknown stream or event is told as it came; one that is wrong is told as that, and changes nothing", () => {
    expect(decodeMarketFrame('{"stream":"btcusdc@weather","data":{"rain":true}}')).toEqual([
      { type: "unknown", name: "btcusdc@weather", data: { rain: true } },
    ]);
    expect(decodeAccountFrame('{"event":"DEGEN_ACCOUNT_STATE_UPDATE","x":1}')).toMatchObject([
      { type: "unknown", name: "DEGEN_ACCOUNT_STATE_UPDATE" },
    ]);
    for (const text of [
      "",
      "[",
      "null",
      "7",
      '{"stream":"btcusdc@trades","data":{}}',
      '{"stream":"btcusdc@orderbook","data":{"event":"update"}}',
    ]) {
      expect(decodeMarketFrame(text), text).toMatchObject([{ type: "malformed" }]);
    }
    expect(decodeAccountFrame('{"event":"ORDER_UPDATE","order":[]}')).toMatchObject([
      { type: "malformed" },
    ]);
    expect(
      decodeAccountFrame(JSON.stringify({ event: "ORDER_UPDATE", order: wireOrder() })),
    ).toMatchObject([{ type: "order" }]);
    expect(decodeMarketFrame(`[${"[".repeat(200_000)}`)).toMatchObject([{ type: "malformed" }]);
    expect(decodeMarketFrame('{"id":1,"result":null}')).toEqual([]);
    expect(decodeMarketFrame('{"id":1,"code":1111,"message":"no"}')).toMatchObject([
      { type: "malformed" },
    ]);
  });

  it("keeps every digit of an id, exact decimals, fields and words that nobody documented", () => {
    const [event] = decodeAccountFrame(
      JSON.stringify({
        event: "ORDER_UPDATE",
        order: { ...wireOrder({ status: "RESTING" }), mood: "calm" },
        timestamp: 5,
      }).replace("275287091667264", "9223372036854775807"),
    );
    expect(event).toMatchObject({
      type: "order",
      timestamp: 5,
      order: {
        id: "9223372036854775807",
        status: "RESTING",
        price: toDecimal("2000.5"),
        extra: { mood: "calm" },
      },
    });
  });

  it.each([
    [
      { event: "TRADE_UPDATE", trade: wireTrade() },
      { type: "trade", trade: { commission: toDecimal("-0.004001") } },
    ],
    [
      {
        event: "ACCOUNT_UPDATE",
        balances: wireBalances(),
        positions: [{ ...wirePosition(), marketId: undefined, symbol: MARKET }],
      },
      { type: "balances", positions: [{ marketId: MARKET }] },
    ],
    [
      {
        event: "INCOME_UPDATE",
        incomes: [{ id: 1, type: "FUNDING_FEE", amount: "-1.5", time: 5 }],
      },
      { type: "incomes", incomes: [{ marketId: "" }] },
    ],
  ])("of the account is read: %j", (frame, expected) => {
    expect(decodeAccountFrame(JSON.stringify(frame))).toMatchObject([expected]);
  });
});

describe("streams of the embedded exchange", () => {
  it("carry the market, its book, trades and candles, and the account's own events", async () => {
    embedded = await startEmbedded();
    const maker = await embedded.trader(KEYS[0]);
    const taker = await embedded.trader(KEYS[1]);
    const market: MarketEvent[] = [];
    const account: AccountEvent[] = [];
    const names = ["orderbook", "market", "trades", "kline1M"].map((kind) => `${MARKET}@${kind}`);
    taker.streams.market$(names).subscribe((event) => market.push(event));
    const until = async (holds: () => boolean): Promise<void> => {
      for (let turn = 0; turn < 1000 && !holds(); turn += 1)
        await new Promise((resolve) => setTimeout(resolve, 10));
    };
    await until(() => market.some(({ type }) => type === "book-snapshot"));
    taker.streams.account$().subscribe((event) => {
      account.push(event);
      if (event.type !== "up") return;
      void maker.client
        .place({ marketId: MARKET, side: "SELL", amount: "0.01", price: "30000" })
        .then(() =>
          taker.client.place({ marketId: MARKET, side: "BUY", amount: "0.01", price: "30000" }),
        );
    });
    const kinds = ["up", "order", "trade", "balances", "incomes"];
    await until(() => kinds.every((type) => account.some((event) => event.type === type)));
    const wanted = ["up", "book-snapshot", "book-update", "trade", "market", "klines"];
    const bars = (): MarketEvent | undefined =>
      market.find((event) => event.type === "klines" && event.klines.length > 0);
    await until(
      () =>
        bars() !== undefined && wanted.every((type) => market.some((event) => event.type === type)),
    );
    expect(wanted.filter((type) => !market.some((event) => event.type === type))).toEqual([]);
    expect(
      market.filter(
        ({ type }) => type === "malformed" || type === "unknown" || type === "book-gap",
      ),
    ).toEqual([]);
    expect(bars()).toMatchObject({ interval: "1M", klines: [{ close: toDecimal("30000") }] });
    expect(account.filter(({ type }) => type === "malformed" || type === "unknown")).toEqual([]);
    expect(new Set(account.map(({ type }) => type))).toEqual(new Set(kinds));
  });

  it("tell of a name that the exchange does not know, and carry the others all the same", async () => {
    embedded = await startEmbedded();
    const { streams } = await embedded.connect();
    const told: MarketEvent[] = [];
    const isTold = new Promise<void>((resolve) => {
      streams
        .market$([`${MARKET}@orderbook`, "nope@orderbook", `${MARKET}@weather`])
        .subscribe((event) => {
          told.push(event);
          const count = (type: MarketEvent["type"]) =>
            told.filter((one) => one.type === type).length;
          if (count("book-snapshot") === 1 && count("malformed") === 2) resolve();
        });
    });
    await isTold;
    const reasons = told.flatMap((event) => (event.type === "malformed" ? [event.reason] : []));
    expect(reasons).toEqual([
      expect.stringContaining("unknown stream nope@orderbook: unknown market nope"),
      expect.stringContaining(`unknown stream ${MARKET}@weather`),
    ]);
    // If no name is known, the connection is rejected, and reported as closed.
    const ends: MarketEvent[] = [];
    await new Promise<void>((resolve) => {
      streams.market$(["nope@orderbook"]).subscribe((event) => {
        ends.push(event);
        if (event.type === "down") resolve();
      });
    });
    expect(ends).toMatchObject([{ type: "down", reason: expect.stringContaining("400") }]);
  });

  it("needs a key for the account's, and between 1 and 50 names for a market's", async () => {
    embedded = await startEmbedded();
    const { streams } = await embedded.connect();
    expect(() => streams.account$()).toThrow(/needs a key/);
    expect(() => streams.market$([])).toThrow(/1 to 50/);
    expect(() =>
      streams.market$(Array.from({ length: 51 }, (_, index) => `m${index}@trades`)),
    ).toThrow(/1 to 50/);
  });
});
