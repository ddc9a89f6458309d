import { describe, expect, it } from "vitest";
import { ladderRungsFor } from "#bot/ladder-rungs.js";
import { seededRandom } from "#core/seeded-random.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { PriceTrend } from "#rehearsal/price-trend.js";
import { RungMeter } from "#rehearsal/rung-meter.js";
import { advanceTrack, createLadderTrack } from "#risk/ladder-track.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import { MARKET, makerFile, rehearseHere, runOf } from "./rehearsed-bots.js";

const TREND = "price-trend";

describe("the rungs of a rehearsal", () => {
  it("are all passed by a trend, and each is shown to do what its action promises", async () => {
    const bot = makerFile({
      risk: {
        maxDrawdownQuote: "300",
        onDrawdown: "flatten",
        ladder: {
          drawdown: [
            { fromQuote: "20", action: "warn" },
            { fromQuote: "60", action: "reduce" },
            { fromQuote: "150", action: "halt" },
          ],
        },
      },
    });
    const rehearsal = await rehearseHere(bot, [TREND], { marketMs: 300_000 });
    const { rungs, ...run } = runOf(rehearsal, TREND);
    expect(rungs.map(({ action, wasReached, worked }) => ({ action, wasReached, worked }))).toEqual(
      ["warn", "reduce", "halt", "flatten"].map((action) => ({
        action,
        wasReached: true,
        worked: true,
      })),
    );
    for (const { firedAfterMs = Number.NaN } of rungs) expect(firedAfterMs).toBeLessThan(10_000);
    expect(run.worstDrawdownScaled).toBeGreaterThan(300_000_000n);
    expect(run.halts.map(({ name }) => name)).toContain("drawdown");
    expect(runOf(rehearsal, "none").rungs.some(({ wasReached }) => wasReached)).toBe(false);
  });

  it("have failed if the loss stays beyond them and the bot never acts", () => {
    const exchange = new EmbeddedExchange(MARKET.config, {
      clock: new VirtualClock(0),
      random: seededRandom("rungs"),
    });
    const meter = new RungMeter(makerFile({ risk: { maxDrawdownQuote: "100" } }), 6, exchange);
    const sample = (atMs: number, equityQuote: number) =>
      meter.sample({
        atMs,
        equity: BigInt(equityQuote) * 1_000_000n,
        openOrders: [],
        positions: new Map(),
        isExchangeRunning: true,
        ladderTracks: [],
      });
    sample(0, 1_000);
    for (let atMs = 100; atMs <= 3_000; atMs += 100) sample(atMs, 850);
    expect(meter.rungs(3_000)).toMatchObject([{ wasReached: true, worked: undefined }]);
    expect(meter.rungs(30_000)).toMatchObject([
      { wasReached: true, worked: false, firedAfterMs: undefined },
    ]);
  });

  it("are not reached by a loss that lasts less than a second", () => {
    const exchange = new EmbeddedExchange(MARKET.config, {
      clock: new VirtualClock(0),
      random: seededRandom("rungs"),
    });
    const meter = new RungMeter(makerFile({ risk: { maxDrawdownQuote: "100" } }), 6, exchange);
    for (const [atMs, equity] of [
      [0, 1_000_000_000n],
      [100, 850_000_000n],
      [900, 850_000_000n],
      [1_000, 1_000_000_000n],
    ] as const)
      meter.sample({
        ...{ atMs, equity, openOrders: [], positions: new Map() },
        ...{ isExchangeRunning: true, ladderTracks: [] },
      });
    expect(meter.rungs(30_000)).toMatchObject([{ wasReached: false, worked: undefined }]);
  });

  it("have acted if the bot acts on a loss that is over before it counts as reached", () => {
    const exchange = new EmbeddedExchange(MARKET.config, {
      clock: new VirtualClock(0),
      random: seededRandom("rungs"),
    });
    const bot = makerFile({ risk: { maxDrawdownQuote: "100" } });
    const meter = new RungMeter(bot, 6, exchange);
    const track = createLadderTrack("drawdown", undefined, ladderRungsFor(bot, 6).drawdown);
    advanceTrack(track, 150_000_000n, () => "the loss", 100);
    for (let atMs = 0; atMs <= 10_000; atMs += 100)
      meter.sample({
        ...{ atMs, equity: 1_000_000_000n, openOrders: [], positions: new Map() },
        ...{ isExchangeRunning: true, ladderTracks: atMs < 100 ? [] : [track] },
      });
    expect(meter.rungs(30_000)).toMatchObject([
      { wasReached: false, firedAfterMs: 0, worked: true },
    ]);
  });

  it("have not acted if only a severer rung below them did, which makes them useless", () => {
    const exchange = new EmbeddedExchange(MARKET.config, {
      clock: new VirtualClock(0),
      random: seededRandom("rungs"),
    });
    const ladder = { drawdown: [{ fromQuote: "100", action: "flatten" }] };
    const bot = makerFile({ risk: { maxDrawdownQuote: "500", onDrawdown: "halt", ladder } });
    const meter = new RungMeter(bot, 6, exchange);
    const track = createLadderTrack("drawdown", undefined, ladderRungsFor(bot, 6).drawdown);
    advanceTrack(track, 150_000_000n, () => "the loss", 100);
    for (let atMs = 0; atMs <= 10_000; atMs += 100)
      meter.sample({
        ...{ atMs, equity: 1_000_000_000n, openOrders: [], positions: new Map() },
        ...{ isExchangeRunning: true, ladderTracks: [track] },
      });
    const [flatten, halt] = meter.rungs(30_000);
    expect(flatten?.firedAfterMs).toBe(0);
    expect(halt).toMatchObject({ firedAfterMs: undefined, worked: undefined });
  });
});

describe("the trend of a rehearsal", () => {
  const STEPS_A_SECOND = 4;
  const moves = (sign: 1 | -1, held: (step: number) => bigint, steps: number) => {
    const trend = new PriceTrend(sign, 1_000, STEPS_A_SECOND);
    return Array.from({ length: steps }, (_, step) => {
      const state = { loss: 0n, highestLoss: 500n, gapToLoss: undefined };
      return Math.sign(trend.next({ ...state, held: new Map([["btcusdc", held(step)]]) }) ?? 0);
    });
  };

  it("begins against the position that the account holds, so that it costs money", () => {
    expect(moves(1, () => 6_000n, 2)).toEqual([-1, -1]);
    expect(moves(-1, () => -6_000n, 2)).toEqual([1, 1]);
    expect(moves(-1, () => 0n, 2)).toEqual([-1, -1]);
  });

  it("turns once the account has gained by it for five seconds", () => {
    const all = moves(1, (step) => (step === 0 ? 0n : 6_000n), 22);
    expect(all.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 1));
    expect(all.slice(20)).toEqual([-1, -1]);
  });
});
