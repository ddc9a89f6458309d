import { describe, expect, it } from "vitest";
import { FillRate } from "#bot/fill-rate.js";

const MINUTE = 60_000;
const START = 5_000;

function filled(...atMs: readonly number[]): FillRate {
  const rate = new FillRate();
  for (const ms of atMs) rate.note(START + ms);
  return rate;
}

describe("fills per minute", () => {
  it("are those of a minute at least, however short the run", () => {
    expect(filled().perMinute(START, START)).toBe(0);
    expect(filled(0, 100, 200).perMinute(START + 1_000, START)).toBe(3);
  });

  it("are averaged over the run, and then over the last five minutes of it", () => {
    const rate = filled(0, 30_000, 90_000, 119_000);
    expect(rate.perMinute(START + 2 * MINUTE, START)).toBeCloseTo(1.5, 10);
    expect(rate.perMinute(START + 5 * MINUTE + 60_000, START)).toBeCloseTo(0.4, 10);
    expect(rate.perMinute(START + 60 * MINUTE, START)).toBe(0);
    expect(rate.count).toBe(4);
  });

  it("count every fill, and keep the times of a bounded number", () => {
    const rate = new FillRate();
    for (let fill = 0; fill < 25_000; fill++) rate.note(START + fill);
    expect(rate.count).toBe(25_000);
    const perMinute = rate.perMinute(START + 5 * MINUTE, START);
    expect(perMinute).toBeGreaterThanOrEqual(2_000);
    expect(perMinute).toBeLessThanOrEqual(5_000);
  });
});
