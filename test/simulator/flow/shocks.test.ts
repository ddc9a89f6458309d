import { describe, expect, it } from "vitest";
import { ConfigError } from "#core/errors.js";
import { seededRandom } from "#core/seeded-random.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { parseFlowConfig } from "#simulator/flow-config.js";
import { FundamentalPrice } from "#simulator/fundamental.js";
import { type ShockParams, shocksShape } from "#simulator/shocks.js";
import { SyntheticFlow } from "#simulator/synthetic-flow.js";
import { syntheticParams } from "#simulator/synthetic-params.js";
import { btcGrid } from "./capture-fixture.js";
import { EngineMarket } from "./engine-market.js";

/** Only the shocks move this price. */
const still = {
  ...syntheticParams("quiet").fundamental,
  volatilityBpsPerSqrtSecond: 0,
  premiumBoundBps: 0,
  reversionHalfLifeMs: 0,
};

const shocks = (given: Partial<ShockParams> = {}): ShockParams => ({
  ...shocksShape.parse({}),
  ...given,
});

/** Every move of the price: elapsed milliseconds, and the move in basis points. */
function movesOf(
  seed: string,
  params: ShockParams,
  forMs: number,
): { atMs: number; bps: number }[] {
  const price = new FundamentalPrice(seed, still, 100, 0, params);
  const moves: { atMs: number; bps: number }[] = [];
  for (let atMs = 250, before = price.price; atMs <= forMs; atMs += 250) {
    price.advanceTo(atMs);
    if (price.price !== before) moves.push({ atMs, bps: (price.price / before - 1) * 10_000 });
    before = price.price;
  }
  return moves;
}

const HOUR_MS = 3_600_000;

describe("price shocks", () => {
  it("come first after the configured time, then at about the configured interval, each of the configured size", () => {
    const params = shocks({
      firstMs: 40_000,
      everyMs: 60_000,
      spread: 0.5,
      sizeBps: { min: 150, max: 160 },
    });
    const moves = movesOf("7", params, HOUR_MS);
    expect(moves[0]?.atMs).toBe(40_000);
    const waits = moves
      .slice(1)
      .map(({ atMs }, index) => atMs - (moves[index]?.atMs ?? Number.NaN));
    expect(waits.length).toBeGreaterThan(45);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(30_000 - 250);
    expect(Math.max(...waits)).toBeLessThanOrEqual(90_000 + 250);
    expect(
      Math.abs(waits.reduce((sum, wait) => sum + wait, 0) / waits.length - 60_000),
    ).toBeLessThan(8_000);
    for (const { bps } of moves) {
      expect(Math.abs(bps)).toBeGreaterThan(150 - 1e-6);
      expect(Math.abs(bps)).toBeLessThan(160 + 1e-6);
    }
  });

  it.each([
    ["up", (signs: number[]) => signs.every((sign) => sign === 1)],
    ["down", (signs: number[]) => signs.every((sign) => sign === -1)],
    [
      "alternate",
      (signs: number[]) =>
        signs.every((sign, index) => index === 0 || sign === -(signs[index - 1] ?? 0)),
    ],
    [
      "either",
      (signs: number[]) =>
        signs.filter((sign) => sign === 1).length > 10 &&
        signs.filter((sign) => sign === -1).length > 10,
    ],
  ] as const)("go the way that they are told to: %s", (direction, holds) => {
    const signs = movesOf(
      "7",
      shocks({ direction, everyMs: 60_000, sizeBps: { min: 10, max: 20 } }),
      HOUR_MS,
    ).map(({ bps }) => Math.sign(bps));
    expect(signs.length).toBeGreaterThan(40);
    expect(holds(signs)).toBe(true);
  });

  it("stay, or are half gone after the configured time", () => {
    const one = {
      firstMs: 10_000,
      everyMs: 0,
      direction: "up",
      sizeBps: { min: 400, max: 400 },
    } as const;
    expect(movesOf("7", shocks(one), HOUR_MS)).toHaveLength(1);
    const decaying = new FundamentalPrice(
      "7",
      still,
      100,
      0,
      shocks({ ...one, decayHalfLifeMs: 60_000 }),
    );
    const logAt = (ms: number): number => {
      decaying.advanceTo(ms);
      return Math.log(decaying.price / 100);
    };
    expect(logAt(10_000)).toBeCloseTo(Math.log(1.04), 12);
    expect(logAt(70_000)).toBeCloseTo(Math.log(1.04) / 2, 12);
    expect(logAt(130_000)).toBeCloseTo(Math.log(1.04) / 4, 12);
  });

  it("at most double the price, however many go the same way", () => {
    const price = new FundamentalPrice(
      "7",
      still,
      100,
      0,
      shocks({ direction: "up", everyMs: 1_000, sizeBps: { min: 900, max: 1_000 } }),
    );
    price.advanceTo(HOUR_MS);
    expect(price.price).toBeCloseTo(200, 9);
  });

  it("depend only on the seed, not on the times of the calls", () => {
    const params = shocks({ everyMs: 30_000 });
    const seldom = new FundamentalPrice("7", still, 100, 0, params);
    const often = new FundamentalPrice("7", still, 100, 0, params);
    for (let ms = 0; ms <= HOUR_MS; ms += 1_111) often.advanceTo(ms);
    seldom.advanceTo(HOUR_MS);
    often.advanceTo(HOUR_MS);
    expect(often.price).toBe(seldom.price);
    expect(movesOf("7", params, HOUR_MS)).toEqual(movesOf("7", params, HOUR_MS));
    expect(movesOf("8", params, HOUR_MS)).not.toEqual(movesOf("7", params, HOUR_MS));
  });

  it("leave the random walk unchanged: only the shock itself is added", () => {
    const walking = syntheticParams("lively").fundamental;
    const calm = new FundamentalPrice("7", walking, 100, 0);
    const shocked = new FundamentalPrice(
      "7",
      walking,
      100,
      0,
      shocks({ firstMs: 10_000, everyMs: 0, direction: "down", sizeBps: { min: 300, max: 300 } }),
    );
    for (let ms = 0; ms < 10_000; ms += 250) {
      calm.advanceTo(ms);
      shocked.advanceTo(ms);
      expect(shocked.price).toBe(calm.price);
    }
    for (let ms = 10_000; ms < 60_000; ms += 250) {
      calm.advanceTo(ms);
      shocked.advanceTo(ms);
      expect(shocked.price / calm.price).toBeCloseTo(0.97, 12);
    }
  });

  it("reach index and mark at their next reference, and the book follows within ten seconds, as deep as before", async () => {
    const clock = new VirtualClock(1_700_000_000_000);
    const market = new EngineMarket("btcusdc", btcGrid, clock);
    const params = syntheticParams("lively", {
      shocks: shocks({
        firstMs: 30_000,
        everyMs: 0,
        direction: "down",
        sizeBps: { min: 160, max: 160 },
      }),
    });
    const flow = new SyntheticFlow({ params, seed: "3", startPriceQuote: 60_000 });
    flow.start(market, { clock, random: seededRandom("unused") });
    await clock.runFor(29_900);
    const before = market.references.at(-1)?.markTicks ?? Number.NaN;
    const lotsOf = (count: number) => {
      const { bids, asks } = market.depth(count);
      return [bids, asks].map((levels) => levels.reduce((sum, { lots }) => sum + lots, 0));
    };
    const [bidLots = 0, askLots = 0] = lotsOf(100);
    await clock.runFor(1_200);
    const after = market.references.at(-1);
    expect((after?.markTicks ?? Number.NaN) / before - 1).toBeCloseTo(-0.016, 3);
    expect((after?.indexTicks ?? Number.NaN) / before - 1).toBeCloseTo(-0.016, 3);
    await clock.runFor(10_000);
    const mid = ((market.bestBid() ?? Number.NaN) + (market.bestAsk() ?? Number.NaN)) / 2;
    expect(Math.abs(mid / (market.references.at(-1)?.indexTicks ?? Number.NaN) - 1)).toBeLessThan(
      0.001,
    );
    const [bidLater = 0, askLater = 0] = lotsOf(100);
    expect(Math.min(bidLater / bidLots, askLater / askLots)).toBeGreaterThan(0.5);
    flow.stop();
  });
});

describe("the setting of shocks", () => {
  const refusal = (given: unknown): ConfigError => {
    try {
      parseFlowConfig({ kind: "synthetic", startPriceQuote: 1, shocks: given }, [
        "markets",
        "btcusdc",
        "flow",
      ]);
    } catch (error) {
      if (error instanceof ConfigError) return error;
      throw error;
    }
    throw new Error("was taken");
  };

  it("is off if left out, and has defaults if written empty", () => {
    expect(syntheticParams("lively").shocks).toBeNull();
    expect(syntheticParams("quiet").shocks).toBeNull();
    expect(parseFlowConfig({ kind: "synthetic", startPriceQuote: 1, shocks: {} })).toMatchObject({
      shocks: {
        firstMs: 30_000,
        everyMs: 120_000,
        spread: 0.25,
        sizeBps: { min: 100, max: 200 },
        direction: "either",
        decayHalfLifeMs: 0,
      },
    });
  });

  it.each([
    ["a negative wait", { firstMs: -1 }, "firstMs", /at least 0|0 or more|from 0/],
    ["shocks without a pause", { everyMs: 999 }, "everyMs", /at least 1000/],
    ["a spread above one", { spread: 1.5 }, "spread", /1/],
    [
      "a size of nothing",
      { sizeBps: { min: 0, max: 10 } },
      "sizeBps.min",
      /above 0|positive|more than 0/,
    ],
    ["a size that empties the market", { sizeBps: { min: 1, max: 6_000 } }, "sizeBps.max", /5000/],
    ["sizes the wrong way round", { sizeBps: { min: 20, max: 10 } }, "sizeBps.min", /at most max/],
    ["one size alone", { sizeBps: { min: 20 } }, "sizeBps.max", /./],
    ["another direction", { direction: "sideways" }, "direction", /alternate/],
    ["a decay below nothing", { decayHalfLifeMs: -5 }, "decayHalfLifeMs", /0/],
    ["an unknown key", { size: 5 }, "size", /sizeBps/],
  ])("names the path of %s and what would be right", (_, given, field, expected) => {
    const error = refusal(given);
    expect(error.field).toBe(`markets.btcusdc.flow.shocks.${field}`);
    expect(error.expected).toMatch(expected);
  });
});
