import { describe, expect, it } from "vitest";
import { MarketReference, type MarketReferenceOptions } from "#reference/market-reference.js";
import type { ReferenceUpdate } from "#reference/reference-update.js";

const source = (name: string, weight = 1) => ({
  source: name,
  weight,
  maxAgeMs: 1000,
  multiplier: 1,
});

const create = (options: Partial<MarketReferenceOptions> = {}) =>
  new MarketReference(
    {
      sources: [source("a"), source("b"), source("c")],
      combine: "median",
      maxDeviationBps: 50,
      maxFromMidBps: 500,
      minSources: 2,
      ...options,
    },
    0.5,
  );

const price = (name: string, mid: number, extra: object = {}): ReferenceUpdate => ({
  type: "price",
  source: name,
  bid: mid - 0.1,
  ask: mid + 0.1,
  heldMs: 0,
  ...extra,
});

/** Both clocks at the same figure. */
const at = (ms: number) => ({ monotonicMs: ms, exchangeMs: ms });

const leftOut = (reference: MarketReference, ms: number) =>
  Object.fromEntries(
    reference.reading(at(ms)).readings.map((one) => [one.source, one.leftOut ?? "counts"]),
  );

describe("a market's reference price", () => {
  it("is in the market's ticks, and names the sources that count and the age of the oldest", () => {
    const reference = create();
    reference.note(price("a", 100), 0);
    reference.note(price("c", 101), 400);
    expect(reference.state(at(500))).toBe("disagreeing");
    reference.note(price("c", 100.2), 450);
    expect(reference.state(at(500))).toBe("good");
    const snapshot = reference.price(at(500));
    expect(snapshot.priceTicks).toBeCloseTo(200.2, 9);
    expect(snapshot).toMatchObject({ ageMs: 500, basisBps: 0, sources: ["a", "c"] });
    expect(snapshot.fairTicks).toBe(snapshot.priceTicks);
  });

  it("ignores messages of other sources", () => {
    expect(create().note(price("x", 100), 0)).toBe(false);
  });

  it("counts a source by the factor of its unit", () => {
    const reference = create({
      sources: [{ ...source("a"), multiplier: 0.001 }],
      minSources: 1,
    });
    reference.note(price("a", 100_000), 0);
    expect(reference.price(at(0)).priceTicks).toBeCloseTo(200, 9);
  });

  it("leaves out a source that is silent for longer than its age, and says how long", () => {
    const reference = create();
    for (const name of ["a", "b", "c"]) reference.note(price(name, 100), 0);
    reference.note(price("b", 100), 900);
    reference.note(price("c", 100), 900);
    expect(reference.price(at(1000)).sources).toEqual(["a", "b", "c"]);
    expect(reference.price(at(1001)).sources).toEqual(["b", "c"]);
    expect(leftOut(reference, 1001).a).toBe("is 1001 ms old, allowed 1000 ms");
  });

  it("is stale once too few sources are left, without a message that says so", () => {
    const reference = create();
    for (const name of ["a", "b", "c"]) reference.note(price(name, 100), 0);
    expect(reference.state(at(1000))).toBe("good");
    expect(reference.state(at(1000.5))).toBe("stale");
    expect(reference.price(at(1000.5))).toMatchObject({ priceTicks: Number.NaN, sources: [] });
    expect(reference.reading(at(1001)).why).toBe(
      "0 of its sources count, 2 needed: a is 1001 ms old, allowed 1000 ms; " +
        "b is 1001 ms old, allowed 1000 ms; c is 1001 ms old, allowed 1000 ms",
    );
  });

  it("counts the time for which the conflation held a price", () => {
    const reference = create({ minSources: 1 });
    reference.note(price("a", 100, { heldMs: 20 }), 0);
    expect(reference.state(at(980))).toBe("good");
    expect(reference.state(at(981))).toBe("stale");
  });

  it("does not take an old price of a source that came back for a new one", () => {
    const reference = create({ minSources: 1 });
    reference.note(price("a", 100, { timeMs: 0 }), 0);
    expect(reference.state(at(0))).toBe("good");
    reference.note({ type: "down", source: "a", reason: "connection lost" }, 100);
    expect(leftOut(reference, 100).a).toBe("is down (connection lost)");
    reference.note(price("a", 100, { timeMs: 0 }), 5000);
    expect(reference.state(at(5000))).toBe("stale");
    expect(leftOut(reference, 5000).a).toBe("is 5000 ms old, allowed 1000 ms");
    reference.note(price("a", 100, { timeMs: 4900 }), 5001);
    expect(reference.state(at(5001))).toBe("good");
  });

  it("is not kept fresh by a source whose clock is ahead", () => {
    const reference = create({ minSources: 1 });
    reference.note(price("a", 100, { timeMs: 9_000 }), 0);
    expect(reference.state(at(0))).toBe("good");
    expect(reference.state(at(1001))).toBe("stale");
  });

  it("does not change when this machine's clock steps: ages are of the monotonic clock", () => {
    const reference = create({ minSources: 1 });
    reference.note(price("a", 100, { timeMs: 1_000_000 }), 0);
    expect(reference.state({ monotonicMs: 500, exchangeMs: 1_000_500 })).toBe("good");
  });

  it("leaves out a crossed source, and one without two sides", () => {
    const reference = create({ minSources: 1 });
    reference.note({ type: "price", source: "a", bid: 101, ask: 100, heldMs: 0 }, 0);
    reference.note({ type: "price", source: "b", bid: Number.NaN, ask: 100, heldMs: 0 }, 0);
    reference.note({ type: "price", source: "c", bid: 0, ask: 100, heldMs: 0 }, 0);
    expect(leftOut(reference, 0)).toEqual({
      a: "is crossed (bid 101 above ask 100)",
      b: "has no price on both sides",
      c: "has no price on both sides",
    });
  });

  it("is starting, not stale, before it was good for the first time", () => {
    const reference = create({ minSources: 1 });
    expect(reference.state(at(0))).toBe("starting");
    expect(leftOut(reference, 0).a).toBe("has sent no price yet");
    reference.note(price("a", 100), 10);
    expect(reference.state(at(10))).toBe("good");
    expect(reference.state(at(5000))).toBe("stale");
  });

  it("names a source that jumps alone, and both of two that part", () => {
    const reference = create();
    reference.note(price("a", 100), 0);
    reference.note(price("b", 100), 0);
    reference.note(price("c", 130), 0);
    expect(leftOut(reference, 0)).toEqual({
      a: "counts",
      b: "counts",
      c: "is more than 50 bps from the median",
    });
    reference.note({ type: "down", source: "a", reason: "gone" }, 1);
    expect(reference.state(at(1))).toBe("disagreeing");
    expect(reference.reading(at(1)).why).toBe(
      "its sources are more than 50 bps apart: b 100, c 130",
    );
    expect(leftOut(reference, 1).b).toBe("disagrees with the others");
  });

  it("adds the basis, and freezes it while the book or the price is not good", () => {
    const reference = create({
      minSources: 1,
      basis: { halfLifeMs: 1000, maxBasisBps: 20 },
    });
    reference.note(price("a", 100), 0);
    reference.observeMid(200.2, at(0));
    expect(reference.price(at(0)).basisBps).toBeCloseTo(10, 6);
    expect(reference.price(at(0)).fairTicks).toBeCloseTo(200.2, 6);
    expect(reference.reading(at(0)).isBasisFrozen).toBe(false);
    reference.observeMid(undefined, at(100));
    expect(reference.reading(at(100)).isBasisFrozen).toBe(true);
    reference.observeMid(300, at(2000));
    expect(reference.reading(at(2000))).toMatchObject({ state: "stale", isBasisFrozen: true });
    expect(reference.basisBps).toBeCloseTo(10, 6);
  });

  it("is not believed far from the exchange's own mid, where a symbol or a unit is wrong", () => {
    const reference = create({ minSources: 1, sources: [source("a")] });
    reference.note(price("a", 100), 0);
    reference.observeMid(200, at(0));
    expect(reference.state(at(0))).toBe("good");
    reference.note(price("a", 0.1, { bid: 0.1, ask: 0.1 }), 1);
    reference.observeMid(200, at(1));
    expect(reference.state(at(1))).toBe("disagreeing");
    expect(reference.price(at(1))).toMatchObject({ fairTicks: Number.NaN, sources: [] });
    expect(reference.reading(at(1)).why).toMatch(
      /^the price 0\.1 is 9990 bps from this exchange's mid 100, allowed 500 bps: a wrong symbol/,
    );
    reference.note(price("a", 104), 2);
    expect(reference.state(at(2))).toBe("good");
    // The book of the exchange itself jumps, and comes back.
    reference.observeMid(240, at(3));
    expect(reference.state(at(3))).toBe("disagreeing");
    reference.observeMid(210, at(4));
    expect(reference.state(at(4))).toBe("good");
  });

  it("leaves out a source with a meaningless mid: its book is nearly empty", () => {
    const reference = create({ minSources: 1 });
    reference.note({ type: "price", source: "a", bid: 1, ask: 199, heldMs: 0 }, 0);
    expect(leftOut(reference, 0).a).toBe("has a half spread of 9900 bps, allowed 50 bps");
  });

  it("leaves out a source whose clock is far ahead: its time would never say that a price is old", () => {
    const reference = create({ minSources: 1 });
    reference.note(price("a", 100, { timeMs: 3_600_000 }), 0);
    expect(leftOut(reference, 0).a).toBe(
      "is 3600000 ms ahead of the exchange's clock, allowed 10000 ms",
    );
  });
});
