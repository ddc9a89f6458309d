import { expect } from "vitest";
import { START_MS } from "../../simulator/reference-client.js";
import { conforms } from "../conforms.js";
import { expectRecord } from "../tables.js";
import { codes, WRONG_LIMITS } from "./refused-reads.js";
import { type Fields, type Trader, trade, worlds } from "./world.js";

const world = worlds();
const BTC = { marketId: "btcusdc" };
const INTERVALS = ["1M", "5M", "15M", "30M", "1H", "2H", "4H", "6H", "1D", "1W", "1MO"];
const MINUTE = 60_000;
/** The minute in which the worlds begin. */
const FIRST_MINUTE = START_MS - (START_MS % MINUTE);

/** The rules of candles, of trades and of the mark. */
async function candleRules(path: string, alice: Trader): Promise<void> {
  const bars = async (fields: Fields) =>
    (await alice.read(path, { ...BTC, interval: "1M", ...fields })).json.map(
      ({ time }: { time: number }) => (time - FIRST_MINUTE) / MINUTE,
    );
  const at = (minute: number, offset = 0) => String(FIRST_MINUTE + minute * MINUTE + offset);
  expect(await bars({ startTime: at(1), endTime: at(3) })).toEqual([1, 2]);
  expect(await bars({ startTime: at(1, 1), endTime: at(3, 1) })).toEqual([2, 3]);
  expect(await bars({ startTime: at(1), limit: "2" })).toEqual([1, 2]);
  expect(await bars({ endTime: at(3), limit: "2" })).toEqual([1, 2]);
  expect(
    await codes(alice, path, [
      ...WRONG_LIMITS,
      { ...BTC },
      { ...BTC, interval: "3M" },
      { ...BTC, interval: "1m" },
    ]),
  ).toEqual(Array.from({ length: WRONG_LIMITS.length + 3 }, () => 1111));
  expect(
    await codes(alice, path, [
      { ...BTC, interval: "1M", startTime: at(3), endTime: at(3) },
      { interval: "1M" },
      { marketId: "nope", interval: "1M" },
    ]),
  ).toEqual([1113, 1111, 1112]);
}

conforms("K1", "exchange", "a candle has its start and its five figures", async () => {
  const { alice, bob } = await world();
  for (const price of ["30000", "30200", "29900", "30100"])
    await trade(alice, bob, "BUY", price, "0.1");
  const bars = (await alice.read("/v1/klines", { ...BTC, interval: "1M" })).json;
  expectRecord(bars[0], "kline");
  const figures = {
    time: FIRST_MINUTE,
    open: "30000",
    close: "30100",
    high: "30200",
    low: "29900",
    volume: "0.4",
  };
  expect(bars).toEqual([{ ...figures, quote_volume: "12020" }]);
});

conforms(
  "K2",
  "exchange",
  "a match belongs to the candle of its own instant, though it settles in the next",
  async () => {
    const { alice, bob, clock } = await world({ settlement: { delayMs: 120_000 } });
    await clock.runUntil(FIRST_MINUTE + MINUTE - 1);
    await trade(alice, bob, "BUY", "30000", "0.1");
    const before = (await alice.read("/v1/klines", { ...BTC, interval: "1M" })).json;
    expect(before).toMatchObject([{ time: FIRST_MINUTE, volume: "0.1" }]);
    await clock.runFor(180_000);
    expect(await alice.ask("/v1/userTrades", BTC)).toMatchObject([{ status: "SETTLED" }]);
    const traded = (await alice.read("/v1/klines", { ...BTC, interval: "1M" })).json.filter(
      ({ volume }: { volume: string }) => volume !== "0",
    );
    expect(traded).toMatchObject([{ time: FIRST_MINUTE, volume: "0.1" }]);
  },
);

conforms(
  "P6",
  "exchange",
  "candles of all eleven intervals, their range half open, their limit and words checked",
  async () => {
    const { alice, bob, clock } = await world();
    for (let minute = 0; minute < 5; minute += 1) {
      await trade(alice, bob, "BUY", `${30_000 + minute}`, "0.1");
      await clock.runFor(MINUTE);
    }
    for (const interval of INTERVALS.slice(1)) {
      const bars = (await alice.read("/v1/klines", { ...BTC, interval })).json;
      expect([interval, bars[0]]).toEqual([
        interval,
        {
          time: FIRST_MINUTE,
          open: "30000",
          close: "30004",
          high: "30004",
          low: "30000",
          volume: "0.5",
          quote_volume: "15001",
        },
      ]);
    }
    await candleRules("/v1/klines", alice);
  },
);

conforms(
  "P6",
  "exchange",
  "a week begins on Monday and a month on its first day, by the clock of UTC",
  async () => {
    const { alice, bob, clock } = await world();
    // The wall alone moves: a month of timers would fire otherwise.
    const reach = (instant: number) => clock.stepWall(instant - clock.nowMs());
    const bars = async (interval: string) =>
      (await alice.read("/v1/klines", { ...BTC, interval })).json
        .filter(({ volume }: { volume: string }) => volume !== "0")
        .map(({ time }: { time: number }) => new Date(time).toISOString());
    reach(Date.UTC(2026, 5, 7, 23, 59, 59));
    await trade(alice, bob, "BUY", "30000", "0.1");
    reach(Date.UTC(2026, 5, 8));
    await trade(alice, bob, "BUY", "30000", "0.1");
    expect(await bars("1W")).toEqual(["2026-06-01T00:00:00.000Z", "2026-06-08T00:00:00.000Z"]);
    expect(await bars("1D")).toEqual(["2026-06-07T00:00:00.000Z", "2026-06-08T00:00:00.000Z"]);
    expect(await bars("6H")).toEqual(["2026-06-07T18:00:00.000Z", "2026-06-08T00:00:00.000Z"]);
    expect(await bars("1MO")).toEqual(["2026-06-01T00:00:00.000Z"]);
    reach(Date.UTC(2026, 6, 1));
    await trade(alice, bob, "BUY", "30000", "0.1");
    expect(await bars("1MO")).toEqual(["2026-06-01T00:00:00.000Z", "2026-07-01T00:00:00.000Z"]);
  },
);

conforms(
  "P7",
  "exchange",
  "mark candles follow the mark and not the trades, with the rules of candles",
  async () => {
    const { alice, bob, clock, setMark } = await world({}, { steadyMark: true });
    await trade(alice, bob, "BUY", "30500", "0.1");
    for (const mark of [30_010, 30_030, 30_020, 30_040, 30_050]) {
      setMark(mark);
      await clock.runFor(MINUTE);
    }
    const [bar] = (await alice.read("/v1/markPriceKlines", { ...BTC, interval: "1H" })).json;
    expectRecord(bar, "kline");
    expect(bar).toMatchObject({ high: "30050", close: "30050" });
    expect(Number(bar.low)).toBeLessThan(30_011);
    await candleRules("/v1/markPriceKlines", alice);
    for (const interval of INTERVALS)
      expect([
        interval,
        (await alice.read("/v1/markPriceKlines", { ...BTC, interval })).status,
      ]).toEqual([interval, 200]);
  },
);
