import { describe, expect, it } from "vitest";
import { KLINE_INTERVALS } from "#exchange/parameters.js";
import { marked } from "./marked-market.js";
import { type ReferenceClient, START_MS, traders } from "./reference-client.js";
import { StreamReader } from "./stream-reader.js";

const MINUTE_MS = 60_000;
/** The first minute of the test world began ten seconds before it. */
const FIRST_MS = START_MS - 10_000;

function trade(
  maker: ReferenceClient,
  taker: ReferenceClient,
  price: string,
  amount: string,
): void {
  maker.place("SELL", price, amount);
  const answer = taker.place("BUY", price, amount, { timeInForce: "IOC" });
  expect(answer.status).toBe(200);
}

describe("GET /v1/klines", () => {
  it("aggregates the market's trades by matching time, though they settle in a later bar or fail", async () => {
    const { alice, bob, clock } = traders({ settlement: { delayMs: 90_000, failureRate: 1 } });
    trade(alice, bob, "30000", "0.1");
    trade(alice, bob, "30010", "0.2");
    trade(alice, bob, "29990", "0.3");
    await clock.runFor(MINUTE_MS);
    trade(alice, bob, "30005", "0.4");
    await clock.runFor(10 * MINUTE_MS);
    const klines = (interval: string) =>
      alice.raw("GET", "/v1/klines", { marketId: "btcusdc", interval }).json;
    expect(klines("1M")).toEqual([
      {
        time: FIRST_MS,
        open: "30000",
        close: "29990",
        high: "30010",
        low: "29990",
        volume: "0.6",
        quote_volume: "17999",
      },
      {
        time: FIRST_MS + MINUTE_MS,
        open: "30005",
        close: "30005",
        high: "30005",
        low: "30005",
        volume: "0.4",
        quote_volume: "12002",
      },
    ]);
    for (const interval of KLINE_INTERVALS.slice(1)) {
      const starts = { "1W": Date.UTC(2026, 5, 1), "1MO": Date.UTC(2026, 5, 1) } as Record<
        string,
        number
      >;
      expect(klines(interval)).toEqual([
        {
          time: starts[interval] ?? FIRST_MS,
          open: "30000",
          close: "30005",
          high: "30010",
          low: "29990",
          volume: "1",
          quote_volume: "30001",
        },
      ]);
    }
  });

  it("has startTime inclusive and endTime exclusive, by the bar's start, and limits of 1 to 500, 100 unless it is given", async () => {
    const { alice, bob, clock } = traders({ rateLimits: { common: 0, order: 0 } });
    for (let minute = 0; minute < 130; minute += 1) {
      trade(alice, bob, "30000", "0.001");
      await clock.runFor(MINUTE_MS);
    }
    const starts = (parameters: Record<string, string>) =>
      alice
        .raw("GET", "/v1/klines", { marketId: "btcusdc", interval: "1M", ...parameters })
        .json.map(({ time }: { time: number }) => (time - FIRST_MS) / MINUTE_MS);
    const at = (minute: number, more = 0) => String(FIRST_MS + minute * MINUTE_MS + more);
    expect(starts({})).toEqual([...Array(100).keys()].map((place) => place + 30));
    expect(starts({ limit: "500" })).toHaveLength(130);
    expect(starts({ startTime: at(3), endTime: at(6) })).toEqual([3, 4, 5]);
    expect(starts({ startTime: at(3, 1), endTime: at(6, 1) })).toEqual([4, 5, 6]);
    expect(starts({ startTime: at(3), limit: "2" })).toEqual([3, 4]);
    expect(starts({ endTime: at(6), limit: "2" })).toEqual([4, 5]);
    for (const wrong of [
      { limit: "501" },
      { limit: "0" },
      { limit: "-1" },
      { limit: "x" },
      { interval: "3M" },
      { interval: "" },
    ] as Record<string, string>[]) {
      expect(
        alice.raw("GET", "/v1/klines", { marketId: "btcusdc", interval: "1M", ...wrong }).json,
      ).toMatchObject({ code: 1111 });
    }
    expect(
      alice.raw("GET", "/v1/klines", {
        marketId: "btcusdc",
        interval: "1M",
        startTime: "5",
        endTime: "5",
      }).json,
    ).toMatchObject({
      code: 1113,
    });
    expect(
      alice.raw("GET", "/v1/klines", { marketId: "dogeusdc", interval: "1M" }).json,
    ).toMatchObject({ code: 1112 });
  });

  it("shows a minute without trades as no bar, or as the last close with volume 0 where the venue is told to", async () => {
    for (const emptyBars of ["omit", "repeat"] as const) {
      const { alice, bob, clock } = traders({ choices: { emptyBars } });
      trade(alice, bob, "30000", "0.1");
      await clock.runFor(3 * MINUTE_MS);
      const bars = alice.raw("GET", "/v1/klines", { marketId: "btcusdc", interval: "1M" }).json;
      expect(bars.map(({ volume }: { volume: string }) => volume)).toEqual(
        emptyBars === "omit" ? ["0.1"] : ["0.1", "0", "0", "0"],
      );
      if (emptyBars === "repeat") {
        expect(bars[3]).toEqual({
          time: FIRST_MS + 3 * MINUTE_MS,
          open: "30000",
          close: "30000",
          high: "30000",
          low: "30000",
          volume: "0",
          quote_volume: "0",
        });
      }
    }
  });

  it("keeps the configured number of bars of each interval", async () => {
    const { alice, bob, clock } = traders({
      rateLimits: { common: 0, order: 0 },
      retention: { candles: 500 },
    });
    for (let minute = 0; minute < 510; minute += 1) {
      trade(alice, bob, "30000", "0.001");
      await clock.runFor(MINUTE_MS);
    }
    const bars = (interval: string) =>
      alice.raw("GET", "/v1/klines", {
        marketId: "btcusdc",
        interval,
        startTime: "1",
        limit: "500",
      }).json;
    expect(bars("1M")).toHaveLength(500);
    expect(bars("1M")[0].time).toBe(FIRST_MS + 10 * MINUTE_MS);
    expect(bars("1D")).toMatchObject([{ volume: "0.51" }]);
  });
});

describe("GET /v1/markPriceKlines", () => {
  it("are bars of the mark, when set and at each second, without volume", async () => {
    const { alice, clock, setMark } = marked();
    setMark(30_100);
    setMark(29_900);
    setMark(30_050.5);
    await clock.runFor(2 * MINUTE_MS);
    const klines = (interval: string) =>
      alice.raw("GET", "/v1/markPriceKlines", { marketId: "btcusdc", interval }).json;
    const flat = {
      open: "30050.5",
      close: "30050.5",
      high: "30050.5",
      low: "30050.5",
      volume: "0",
      quote_volume: "0",
    };
    expect(klines("1M")).toEqual([
      {
        time: FIRST_MS,
        open: "30000",
        close: "30050.5",
        high: "30100",
        low: "29900",
        volume: "0",
        quote_volume: "0",
      },
      { time: FIRST_MS + MINUTE_MS, ...flat },
      { time: FIRST_MS + 2 * MINUTE_MS, ...flat },
    ]);
    expect(klines("1MO")).toMatchObject([
      { time: Date.UTC(2026, 5, 1), open: "30000", high: "30100" },
    ]);
  });
});

describe("GET /v1/offchainMarkPriceWithVolKlines", () => {
  it("are bars of the off-chain mark that @market publishes, with what was traded in each", async () => {
    const { exchange, alice, bob, clock, setMark } = marked();
    setMark(30_000);
    trade(alice, bob, "30000", "0.1");
    await clock.runFor(MINUTE_MS);
    setMark(30_100);
    await clock.runFor(MINUTE_MS);
    trade(alice, bob, "30050", "0.2");
    const published = new StreamReader(exchange, "/v1/single/btcusdc@market").take()[0]
      .offchainMarkPrice;
    const klines = (parameters: Record<string, string>) =>
      alice.raw("GET", "/v1/offchainMarkPriceWithVolKlines", {
        marketId: "btcusdc",
        interval: "1M",
        ...parameters,
      });
    expect(klines({}).json).toMatchObject([
      { time: FIRST_MS, open: "30000", close: "30000", volume: "0.1", quote_volume: "3000" },
      { time: FIRST_MS + MINUTE_MS, high: "30100", volume: "0", quote_volume: "0" },
      { time: FIRST_MS + 2 * MINUTE_MS, close: published, volume: "0.2", quote_volume: "6010" },
    ]);
    expect(klines({ interval: "1D" }).json).toMatchObject([
      { open: "30000", high: "30100", volume: "0.3", quote_volume: "9010" },
    ]);
    // The same rules as for every other candle.
    expect(klines({ startTime: String(FIRST_MS + 1), limit: "1" }).json).toMatchObject([
      { time: FIRST_MS + MINUTE_MS },
    ]);
    const wrong: Record<string, string>[] = [
      { limit: "501" },
      { interval: "3M" },
      { startTime: "5", endTime: "5" },
      { marketId: "nope" },
    ];
    expect(wrong.map((each) => klines(each).json.code)).toEqual([1111, 1111, 1113, 1112]);
  });
});

describe("GET /v1/platform/tradeVolume", () => {
  it("sums the traded quote in all and on each day of UTC, of one market or of all", async () => {
    const { alice, bob, clock } = traders({
      markets: { btcusdc: {}, ethusdc: {} },
      rateLimits: { common: 0, order: 0 },
    });
    const volume = (parameters: Record<string, string> = {}) =>
      alice.raw("GET", "/v1/platform/tradeVolume", parameters).json;
    expect(volume()).toEqual({ totalVolume: "0", dailyVolume: [] });
    trade(alice, bob, "30000", "0.1");
    alice.place("SELL", "2000", "0.5", { marketId: "ethusdc" });
    bob.place("BUY", "2000", "0.5", { marketId: "ethusdc" });
    await clock.runFor(24 * 60 * MINUTE_MS);
    trade(alice, bob, "30001", "0.1");
    const day = Math.floor(FIRST_MS / 86_400_000) * 86_400_000;
    expect(volume({ marketId: "btcusdc" })).toEqual({
      totalVolume: "6000.1",
      dailyVolume: [
        { t: day, v: "3000" },
        { t: day + 86_400_000, v: "3000.1" },
      ],
    });
    expect(volume()).toEqual({
      totalVolume: "7000.1",
      dailyVolume: [
        { t: day, v: "4000" },
        { t: day + 86_400_000, v: "3000.1" },
      ],
    });
    expect(volume({ marketId: "nope" })).toMatchObject({ code: 1112 });
  });
});

describe("a kline stream", () => {
  /** Readers of these tests answer no pings. */
  const AT_ONCE = { streams: { klineIntervalMs: 0, pongTimeoutMs: 3_600_000 } };

  it("begins with the present bar, if any, and sends every change", async () => {
    const { exchange, alice, bob, clock } = traders(AT_ONCE);
    const early = new StreamReader(exchange, "/v1/single/btcusdc@kline1M");
    expect(early.take()).toEqual([[]]);
    trade(alice, bob, "30000", "0.1");
    const first = {
      time: FIRST_MS,
      open: "30000",
      close: "30000",
      high: "30000",
      low: "30000",
      volume: "0.1",
      quote_volume: "3000",
    };
    expect(early.take()).toEqual([[first]]);
    const late = new StreamReader(exchange, "/v1/single/btcusdc@kline1M");
    expect(late.take()).toEqual([[first]]);
    trade(alice, bob, "30001", "0.2");
    const second = {
      ...first,
      close: "30001",
      high: "30001",
      volume: "0.3",
      quote_volume: "9000.2",
    };
    expect([early.take(), late.take()]).toEqual([[[second]], [[second]]]);
    await clock.runFor(5 * MINUTE_MS);
    expect(early.take()).toEqual([]);
    trade(alice, bob, "30002", "0.1");
    expect(early.take(), "the last bar's last values, and the new one").toEqual([
      [
        second,
        {
          time: FIRST_MS + 5 * MINUTE_MS,
          open: "30002",
          close: "30002",
          high: "30002",
          low: "30002",
          volume: "0.1",
          quote_volume: "3000.2",
        },
      ],
    ]);
  });

  it("of every interval is taken in upper and in lower case, and wrapped under the name that was asked for", () => {
    const { exchange, alice, bob } = traders(AT_ONCE);
    const names = KLINE_INTERVALS.flatMap((interval) => [
      `btcusdc@kline${interval}`,
      `btcusdc@kline${interval.toLowerCase()}`,
    ]);
    const reader = new StreamReader(exchange, `/v1/multiple?streams=${names.join("/")}`);
    expect(reader.take().map(({ stream }) => stream)).toEqual(names);
    trade(alice, bob, "30000", "0.1");
    const sent = reader.take();
    expect(sent.map(({ stream }) => stream)).toEqual(names);
    expect(sent.map(({ data }) => data[0].volume)).toEqual(names.map(() => "0.1"));
  });

  it("combines the changes of an interval, and sends nothing while nothing trades", async () => {
    const { exchange, alice, bob, clock } = traders({ streams: { klineIntervalMs: 250 } });
    const reader = new StreamReader(exchange, "/v1/multiple");
    reader.connection.receive('{"id":1,"method":"SUBSCRIBE","params":["btcusdc@kline5m"]}');
    expect(reader.take()).toEqual([
      { id: 1, result: null },
      { stream: "btcusdc@kline5m", data: [] },
    ]);
    trade(alice, bob, "30000", "0.1");
    await clock.runFor(200);
    trade(alice, bob, "30000", "0.1");
    expect(reader.take()).toEqual([]);
    await clock.runFor(50);
    expect(reader.take()).toMatchObject([{ data: [{ volume: "0.2" }] }]);
    await clock.runFor(3000);
    expect(reader.take()).toEqual([]);
    trade(alice, bob, "30000", "0.1");
    reader.connection.receive('{"id":2,"method":"UNSUBSCRIBE","params":["btcusdc@kline5m"]}');
    await clock.runFor(3000);
    expect(reader.take()).toEqual([{ id: 2, result: null }]);
  });

  it("sends the bars of intervals without a trade as they begin, if the venue has them", async () => {
    const { exchange, alice, bob, clock } = traders({
      ...AT_ONCE,
      choices: { emptyBars: "repeat" },
    });
    const reader = new StreamReader(exchange, "/v1/single/btcusdc@kline1M");
    trade(alice, bob, "30000", "0.1");
    reader.take();
    await clock.runFor(2 * MINUTE_MS);
    const starts = reader
      .take()
      .map((bars) =>
        bars.map(({ time, volume }: { time: number; volume: string }) => [
          (time - FIRST_MS) / MINUTE_MS,
          volume,
        ]),
      );
    expect(starts).toEqual([
      [
        [0, "0.1"],
        [1, "0"],
      ],
      [
        [1, "0"],
        [2, "0"],
      ],
    ]);
  });
});
