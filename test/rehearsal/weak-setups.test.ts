import { describe, expect, it } from "vitest";
import { MINUTE_MS } from "#core/units.js";
import { rehearseSetup, SOUND_SETUPS, WEAK_SETUPS } from "./setups.js";

const SEEDS = [1, 2];
const MARKET_MS = 3 * MINUTE_MS;

describe("a bad setup is found by the fault that hurts it", () => {
  it.each(WEAK_SETUPS)("$weakness of $file under $fault", async (setup) => {
    const faults = setup.fault === "none" ? (["frame-repeated"] as const) : [setup.fault];
    const { findings, runs } = await rehearseSetup(setup, {
      seeds: SEEDS,
      faults,
      marketMs: MARKET_MS,
      threads: 0,
    });
    const found = findings.find(({ id }) => id === setup.weakness);
    expect(found?.fault).toBe(setup.fault);
    const shown = runs.find(({ seed, fault }) => seed === found?.seed && fault === found.fault);
    expect(shown?.strikes).toBeGreaterThanOrEqual(setup.fault === "none" ? 0 : 1);
    // It differs from a sound bot in one point.
    const also = setup.weakness === "orders-never-expire" ? ["guard-absent"] : [];
    expect(findings.map(({ id }) => id)).toEqual([setup.weakness, ...also]);
  });
});

describe("a good setup is not blamed", () => {
  it.each(SOUND_SETUPS)("$file", async (setup) => {
    const isHedged = setup.file.includes("hedged");
    const { findings } = await rehearseSetup(setup, {
      seeds: SEEDS.slice(0, 1),
      faults: ["bot-killed", "price-trend", ...(isHedged ? (["reference-silent"] as const) : [])],
      marketMs: MARKET_MS,
      threads: 0,
    });
    expect(findings).toEqual([]);
  });
});
