import { afterEach, describe, expect, it } from "vitest";
import type { MarketTrader } from "#bot/market-trader.js";
import type { UsedReference } from "#bot/used-reference.js";
import { referenceInstant } from "#bot/used-reference.js";
import type { ReferenceReading } from "#reference/reference-snapshot.js";
import type { SourceFaults } from "#simulation/simulated-source.js";
import { REFERENCE_MARKET, ReferenceWorld } from "../simulation/references/reference-world.js";
import { type StoryOptions, storyPlan } from "../simulation/references/story-plan.js";

const MAX_AGE_MS = 1_500;
/** Time for cancels to reach the exchange. */
const GONE_MS = 400;
const BACK_MS = 1_000;

let world: ReferenceWorld;

afterEach(() => {
  world.stop();
  expect(world.oracle.violations, "the oracle's view of the story").toEqual([]);
});

/** A bot that has quoted both sides around its reference for some seconds. */
async function quoting(options: StoryOptions): Promise<void> {
  world = new ReferenceWorld(storyPlan({ maxAgeMs: MAX_AGE_MS, ...options }));
  world.start();
  await world.passes(5_000);
  expectQuoted();
}

function switchOn(at: number, faults: Partial<SourceFaults>): void {
  Object.assign(world.source(at).faults, faults);
}

function expectQuoted(): void {
  const { BUY, SELL } = world.openLots();
  expect([BUY > 0, SELL > 0], "quotes on both sides").toEqual([true, true]);
}

function expectGone(halt: string): void {
  expect(world.openLots()).toEqual({ BUY: 0, SELL: 0 });
  expect(halts()).toContain(halt);
}

function halts(): readonly string[] {
  return world.rig.bot.tradingGuards.haltsFor(REFERENCE_MARKET).map(({ name }) => name);
}

function reading(): ReferenceReading {
  const { context } = world.rig.bot;
  const { reference } = context.traders.get(REFERENCE_MARKET) as MarketTrader;
  return (reference as UsedReference).price.reading(referenceInstant(context));
}

function leftOut(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    reading().readings.flatMap(({ source, leftOut: why }) =>
      why === undefined ? [] : [[source, why]],
    ),
  );
}

describe("one of three sources fails: it is left out and named, and quotes stay", () => {
  const FAULTS: readonly (readonly [string, Partial<SourceFaults>, RegExp])[] = [
    ["is silent", { isSilent: true }, /^is \d+ ms old, allowed 1500 ms$/],
    ["is late", { lateMs: 3_000 }, /^is \d+ ms old, allowed 1500 ms$/],
    ["is crossed", { isCrossed: true }, /^is crossed \(bid .+ above ask .+\)$/],
    ["has one side", { isOneSided: true }, /^has no price on both sides$/],
    ["jumps alone", { jumpBps: 300 }, /^is more than 30 bps from the median$/],
    ["repeats an old price", { isOldPrice: true }, /^is \d+ ms old, allowed 1500 ms$/],
    ["has a clock that is behind", { clockOffsetMs: -6_000 }, /^is \d+ ms old, allowed 1500 ms$/],
  ];

  it.each(FAULTS)("a source %s", async (_name, faults, why) => {
    await quoting({ sources: 3 });
    switchOn(0, faults);
    await world.passes(MAX_AGE_MS + 2_000);
    expectQuoted();
    expect(leftOut()).toEqual({ "source-1": expect.stringMatching(why) });
    expect(reading().sources).toEqual(["source-2", "source-3"]);
    expect(halts()).toEqual([]);

    switchOn(0, { isSilent: false, lateMs: 0, isCrossed: false, isOneSided: false });
    switchOn(0, { jumpBps: 0, isOldPrice: false, clockOffsetMs: 0 });
    await world.passes(4_000);
    expect(leftOut()).toEqual({});
    expectQuoted();
  });
});

it("a source that jumps alone does not move the price beyond the two others", async () => {
  await quoting({ sources: 3 });
  const others = () => {
    const price = world.truePrice() * 10;
    return { least: price * (1 - 3 / 10_000), most: price * (1 + 3 / 10_000) };
  };
  switchOn(2, { jumpBps: -500 });
  for (let passed = 0; passed < 40; passed += 1) {
    await world.passes(50);
    const { least, most } = others();
    expect(reading().priceTicks).toBeGreaterThan(least);
    expect(reading().priceTicks).toBeLessThan(most);
  }
});

it("two sources of three fall silent: quotes leave once too few prices are young enough, and return within a second", async () => {
  await quoting({ sources: 3 });
  switchOn(0, { isSilent: true });
  switchOn(1, { isSilent: true });
  await world.passes(MAX_AGE_MS - 300);
  expectQuoted();
  await world.passes(300 + GONE_MS);
  expectGone("stale-reference");

  switchOn(0, { isSilent: false });
  await world.passes(100 + BACK_MS);
  expectQuoted();
});

it("two sources part: the market halts, and quotes return within a second after they agree", async () => {
  await quoting({ sources: 2 });
  switchOn(0, { jumpBps: 60 });
  await world.passes(200 + GONE_MS);
  expectGone("reference-disagrees");
  expect(reading().why).toMatch(/^its sources are more than 30 bps apart: source-1 .+, source-2 /);

  switchOn(0, { jumpBps: 0 });
  await world.passes(100 + BACK_MS);
  expectQuoted();
});

it("a connection breaks: the last price is void at once, and quotes return within a second with the next price", async () => {
  await quoting({ sources: 1 });
  world.source(0).breakConnection("connection reset");
  switchOn(0, { isSilent: true });
  await world.passes(GONE_MS);
  expectGone("stale-reference");
  expect(leftOut()).toEqual({ "source-1": "is down (connection reset)" });

  await world.passes(20_000);
  expect(world.openLots()).toEqual({ BUY: 0, SELL: 0 });
  switchOn(0, { isSilent: false });
  await world.passes(100 + BACK_MS);
  expectQuoted();
});

it("a source reconnects with the price of before: nothing is quoted until it sends a new one", async () => {
  await quoting({ sources: 1 });
  switchOn(0, { isOldPrice: true, isSilent: true });
  world.source(0).breakConnection("connection reset");
  await world.passes(3_000);
  switchOn(0, { isSilent: false });
  await world.passes(5_000);
  expectGone("stale-reference");

  switchOn(0, { isOldPrice: false });
  await world.passes(100 + BACK_MS);
  expectQuoted();
});

it("all sources are late: a price is as old as its own time says, however recently it was received", async () => {
  await quoting({ sources: 2 });
  for (const at of [0, 1]) switchOn(at, { lateMs: 4_000 });
  await world.passes(8_000);
  expectGone("stale-reference");

  for (const at of [0, 1]) switchOn(at, { lateMs: 0 });
  await world.passes(4_100 + BACK_MS);
  expectQuoted();
});

it("the machine's wall clock is stepped by 800 ms: prices are as old as before, and quotes stay", async () => {
  await quoting({ sources: 2 });
  for (const skewMs of [800, -800]) {
    world.machine.skewMs = skewMs;
    await world.passes(4_000);
    expectQuoted();
    expect(leftOut()).toEqual({});
    expect(reading().ageMs).toBeLessThan(300);
  }
});

it("the machine's wall clock is stepped by 8 s: the guard of the clock halts, the reference stays good, and quotes return with the clock", async () => {
  await quoting({ sources: 2 });
  world.machine.skewMs = -8_000;
  await world.passes(3_000);
  expectGone("clock-offset");
  expect(halts()).toEqual(["clock-offset"]);
  expect(reading().state).toBe("good");

  world.machine.skewMs = 0;
  await world.passes(100 + BACK_MS);
  expectQuoted();
});
