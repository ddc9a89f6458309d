import { describe, expect, it } from "vitest";
import { ConfigError } from "#core/errors.js";
import { Instrument } from "#core/instrument.js";
import { seededRandom } from "#core/seeded-random.js";
import type { Side } from "#core/units.js";
import { VirtualClock } from "#core/virtual-clock.js";
import type { FlowOrderRef } from "#simulator/flow-market.js";
import { FundamentalPrice } from "#simulator/fundamental.js";
import { SyntheticFlow } from "#simulator/synthetic-flow.js";
import { type SyntheticOverrides, syntheticParams } from "#simulator/synthetic-params.js";
import { btcGrid } from "./capture-fixture.js";
import { EngineMarket } from "./engine-market.js";

const START_MS = 1_700_000_000_000;
const START_PRICE = 60_000;

function synthetic(
  seed: string,
  {
    preset = "lively",
    overrides = {},
    instrument = btcGrid,
    price = START_PRICE,
  }: Partial<{
    preset: "lively" | "quiet";
    overrides: SyntheticOverrides;
    instrument: Instrument;
    price: number;
  }> = {},
) {
  const clock = new VirtualClock(START_MS);
  const market = new EngineMarket(instrument.marketId, instrument, clock);
  const flow = new SyntheticFlow({
    params: syntheticParams(preset, overrides),
    seed,
    startPriceQuote: price,
  });
  flow.start(market, { clock, random: seededRandom("the exchange's own") });
  return { clock, market, flow };
}

/** Everything that a reader of the market can see, as text. */
async function transcript(seed: string, stepMs: number): Promise<string> {
  const { clock, market } = synthetic(seed);
  const books: string[] = [];
  for (let elapsed = 0; elapsed < 120_000; elapsed += stepMs) {
    await clock.runFor(stepMs);
    if ((elapsed + stepMs) % 6_000 === 0) books.push(JSON.stringify(market.depth(20)));
  }
  return JSON.stringify([market.trades, market.references, books]);
}

describe("the synthetic flow", () => {
  it("is the same market, byte for byte, under the same seed and any time steps, and another under another seed", async () => {
    const [first, again, other] = [
      await transcript("1", 1_000),
      await transcript("1", 3_000),
      await transcript("2", 1_000),
    ];
    expect(first.length).toBeGreaterThan(10_000);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  it("opens two-sided at once, ten levels a side around the start price", () => {
    const { market } = synthetic("1");
    const { bids, asks } = market.depth(100);
    expect(Math.min(bids.length, asks.length)).toBeGreaterThanOrEqual(10);
    expect(market.references).toHaveLength(1);
    const midQuote = (((bids[0]?.ticks ?? 0) + (asks[0]?.ticks ?? 0)) / 2) * btcGrid.tickQuote;
    expect(Math.abs(midQuote / START_PRICE - 1)).toBeLessThan(0.0005);
  });

  it.each([
    ["1", "lively"],
    ["2", "lively"],
    ["3", "quiet"],
  ] as const)(
    "stays a market for an hour (seed %s, %s): two-sided, a spread of at least a tick, a mid near the index that neither sticks nor runs away",
    async (seed, preset) => {
      const { clock, market } = synthetic(seed, { preset });
      let stuck = 0;
      let longestStuck = 0;
      let lastMid = 0;
      let thinnest = Number.POSITIVE_INFINITY;
      for (let second = 0; second < 3_600; second += 1) {
        await clock.runFor(1_000);
        const { bids, asks } = market.depth(12);
        const [bid, ask] = [bids[0]?.ticks ?? Number.NaN, asks[0]?.ticks ?? Number.NaN];
        expect(ask - bid).toBeGreaterThanOrEqual(1);
        thinnest = Math.min(thinnest, bids.length, asks.length);
        const mid = (bid + ask) / 2;
        stuck = mid === lastMid ? stuck + 1 : 0;
        longestStuck = Math.max(longestStuck, stuck);
        lastMid = mid;
        const index = market.references.at(-1)?.indexTicks ?? Number.NaN;
        expect(Math.abs(mid / index - 1)).toBeLessThan(0.002);
        expect(Math.abs(mid * btcGrid.tickQuote - START_PRICE) / START_PRICE).toBeLessThan(0.03);
      }
      expect(thinnest).toBeGreaterThanOrEqual(2);
      expect(longestStuck).toBeLessThan(60);
      const takers = new Set(market.trades.map(({ taker }) => taker));
      expect(takers).toEqual(new Set(["noise", "momentum", "informed"]));
      const perSecond = market.calls / 3_600;
      if (preset === "quiet") expect(perSecond).toBeLessThan(6);
      else expect(perSecond).toBeGreaterThan(10);
    },
  );

  it.each(["1", "2", "3", "4", "5"])(
    "fills both sides of quotes four basis points from the mid within a minute (seed %s)",
    async (seed) => {
      const { clock, market } = synthetic(seed);
      const orders = new Map<Side, FlowOrderRef | null>();
      for (let second = 0; second < 60; second += 1) {
        const mid = ((market.bestBid() ?? 0) + (market.bestAsk() ?? 0)) / 2;
        for (const side of ["BUY", "SELL"] as const) {
          const resting = orders.get(side);
          const ticks = Math.round(mid * (side === "BUY" ? 0.9996 : 1.0004));
          // Like a bot, it leaves an order that is within its tolerance.
          if (resting && resting.openLots > 0 && Math.abs(resting.ticks - ticks) < 60) continue;
          if (resting) market.cancel(resting);
          orders.set(
            side,
            market.place({ agent: "maker", side, ticks, lots: 20, timeInForce: "POST_ONLY" }),
          );
        }
        await clock.runFor(1_000);
      }
      const filled = new Set(
        market.trades.filter(({ maker }) => maker === "maker").map(({ takerSide }) => takerSide),
      );
      expect(filled).toEqual(new Set(["BUY", "SELL"]));
    },
  );

  it("places its book again after it was swept", async () => {
    const { clock, market } = synthetic("1");
    await clock.runFor(10_000);
    market.place({
      agent: "whale",
      side: "BUY",
      ticks: 10_000_000,
      lots: 1_000_000_000,
      timeInForce: "IOC",
    });
    expect(market.bestAsk()).toBeUndefined();
    await clock.runFor(10_000);
    expect(market.depth(10).asks.length).toBeGreaterThanOrEqual(9);
    const index = market.references.at(-1)?.indexTicks ?? Number.NaN;
    expect(Math.abs((market.bestAsk() ?? 0) / index - 1)).toBeLessThan(0.001);
  });

  it("trades against a stale quote on the wrong side of the fundamental", async () => {
    const { clock, market } = synthetic("1");
    const stale = market.place({
      agent: "sleeper",
      side: "SELL",
      ticks: (market.bestBid() ?? 0) + 1,
      lots: 50,
      timeInForce: "POST_ONLY",
    });
    await clock.runFor(20_000);
    expect(stale?.openLots).toBe(0);
  });

  it("keeps the mark within its premium of the index, and both moving", async () => {
    const { clock, market } = synthetic("1", {
      overrides: { fundamental: { premiumBoundBps: 2 } },
    });
    await clock.runFor(600_000);
    for (const { indexTicks, markTicks } of market.references)
      expect(Math.abs(markTicks / indexTicks - 1)).toBeLessThanOrEqual(0.000_2 + 1e-12);
    expect(new Set(market.references.map(({ indexTicks }) => indexTicks)).size).toBeGreaterThan(
      500,
    );
    expect(
      new Set(
        market.references.map(({ indexTicks, markTicks }) => (markTicks / indexTicks).toFixed(9)),
      ).size,
    ).toBeGreaterThan(500);
  });

  it("works on a coarse grid too, where ten levels a basis point apart share ticks", async () => {
    const instrument = new Instrument({
      marketId: "dogeusdc",
      tickSize: "0.001",
      stepSize: "1",
      creditDecimals: 6,
      paperDecimals: 18,
    });
    const { clock, market } = synthetic("1", { instrument, price: 0.3 });
    for (let minute = 0; minute < 10; minute += 1) {
      await clock.runFor(60_000);
      const { bids, asks } = market.depth(20);
      expect(Math.min(bids.length, asks.length)).toBeGreaterThanOrEqual(5);
      expect((asks[0]?.ticks ?? 0) - (bids[0]?.ticks ?? 0)).toBeGreaterThanOrEqual(1);
    }
    expect(market.trades.length).toBeGreaterThan(100);
  });

  it("is not affected by a wall clock that steps, and stops on request", async () => {
    const { clock, market, flow } = synthetic("1");
    clock.stepWall(-3_600_000);
    await clock.runFor(30_000);
    const before = market.calls;
    expect(before).toBeGreaterThan(100);
    clock.stepWall(7_200_000);
    await clock.runFor(1_000);
    expect(market.calls - before).toBeLessThan(200);
    flow.stop();
    const stopped = market.calls;
    await clock.runFor(60_000);
    expect([market.calls, clock.pendingTimers]).toEqual([stopped, 0]);
  });

  it("refuses an invalid start price", () => {
    expect(() => synthetic("1", { price: 0 })).toThrow(ConfigError);
  });
});

describe("the fundamental", () => {
  const params = syntheticParams("lively").fundamental;

  it("has calm and busy times with a varying volatility, and the same volatility in the long run", () => {
    const moves = (volatilitySigma: number) => {
      const fundamental = new FundamentalPrice(
        "7",
        { ...params, reversionHalfLifeMs: 0, volatilitySigma, volatilityHalfLifeMs: 60_000 },
        100,
        0,
      );
      return Array.from({ length: 200 }, (_, minute) => {
        let squares = 0;
        for (let second = 1, before = fundamental.price; second <= 60; second += 1) {
          fundamental.advanceTo((minute * 60 + second) * 1_000);
          squares += Math.log(fundamental.price / before) ** 2;
          before = fundamental.price;
        }
        return squares / 60;
      });
    };
    const mean = (values: readonly number[]) =>
      values.reduce((sum, value) => sum + value, 0) / values.length;
    const [steady, wandering] = [moves(0), moves(0.5)];
    const spread = (values: readonly number[]) => Math.max(...values) / Math.min(...values);
    expect(spread(wandering)).toBeGreaterThan(3 * spread(steady));
    expect(Math.sqrt(mean(wandering)) * 10_000).toBeGreaterThan(
      0.85 * params.volatilityBpsPerSqrtSecond,
    );
    expect(Math.sqrt(mean(wandering)) * 10_000).toBeLessThan(
      1.15 * params.volatilityBpsPerSqrtSecond,
    );
  });

  it("follows one path, whatever the times of the calls", () => {
    const [often, seldom] = [
      new FundamentalPrice("7", params, 100, 0),
      new FundamentalPrice("7", params, 100, 0),
    ];
    for (let ms = 0; ms <= 600_000; ms += 50) often.advanceTo(ms);
    seldom.advanceTo(600_000);
    expect([seldom.price, seldom.markPrice]).toEqual([often.price, often.markPrice]);
  });

  it("moves by its configured volatility: the realised deviation over an hour of seconds is within a tenth of it", () => {
    const fundamental = new FundamentalPrice("7", { ...params, reversionHalfLifeMs: 0 }, 100, 0);
    let squares = 0;
    for (let second = 1, before = 100; second <= 3_600; second += 1) {
      fundamental.advanceTo(second * 1_000);
      squares += Math.log(fundamental.price / before) ** 2;
      before = fundamental.price;
    }
    const realisedBps = Math.sqrt(squares / 3_600) * 10_000;
    expect(Math.abs(realisedBps / params.volatilityBpsPerSqrtSecond - 1)).toBeLessThan(0.1);
  });

  it("comes back: over a simulated week it stays within its stationary band", () => {
    const fundamental = new FundamentalPrice("7", params, 100, 0);
    let farthestBps = 0;
    for (let minute = 1; minute <= 10_080; minute += 1) {
      fundamental.advanceTo(minute * 60_000);
      farthestBps = Math.max(farthestBps, Math.abs(Math.log(fundamental.price / 100)) * 10_000);
    }
    // Stationary deviation of a mean-reverting walk: volatility times the root of half the mean
    // life. Five such deviations are rare.
    const stationaryBps =
      params.volatilityBpsPerSqrtSecond *
      Math.sqrt(params.reversionHalfLifeMs / 1_000 / Math.LN2 / 2);
    expect(farthestBps).toBeGreaterThan(stationaryBps);
    expect(farthestBps).toBeLessThan(5 * stationaryBps);
  });

  it("jumps when configured to", () => {
    const quiet = new FundamentalPrice(
      "7",
      { ...params, volatilityBpsPerSqrtSecond: 0, jumpsPerHour: 0 },
      100,
      0,
    );
    const jumpy = new FundamentalPrice(
      "7",
      { ...params, volatilityBpsPerSqrtSecond: 0, jumpsPerHour: 20, jumpBps: 50 },
      100,
      0,
    );
    let moved = 0;
    for (let second = 1, before = 100; second <= 3_600; second += 1) {
      quiet.advanceTo(second * 1_000);
      jumpy.advanceTo(second * 1_000);
      moved += Math.abs(jumpy.price / before - 1) > 0.000_5 ? 1 : 0;
      before = jumpy.price;
    }
    expect(quiet.price).toBe(100);
    expect(moved).toBeGreaterThan(5);
    expect(moved).toBeLessThan(50);
  });
});
