import { describe, expect, it } from "vitest";
import { createQueueModel, isQueueModelName } from "#core/queue-model-names.js";

/** Lots left ahead of 100 when 60 of 100 + 300 are cancelled. */
const frontAfter = (name: string, lotBase = 1) =>
  createQueueModel(name, lotBase).onDepth({ frontLots: 100, tradedLots: 0 }, 400, 340).frontLots;

describe("a queue model's name", () => {
  it.each([
    ["risk-averse", 100],
    ["power-1", 100 - 60 * 0.25],
    ["power-2", 100 - 60 * 0.1],
    ["power2-2", 100 - 60 * (1 - 0.75 ** 2)],
    ["power3-3", 100 - 60 * 0.25 ** 3],
    ["power-0.5", 100 - 60 * (1 / (1 + Math.sqrt(3)))],
    ["log", 100 - 60 * (Math.log(101) / (Math.log(101) + Math.log(301)))],
    ["log2", 100 - 60 * (1 - Math.log(301) / Math.log(401))],
  ])("%s is the model of its formula", (name, left) => {
    expect(isQueueModelName(name)).toBe(true);
    expect(createQueueModel(name, 1).name).toBe(name);
    expect(frontAfter(name)).toBeCloseTo(left, 9);
  });

  it("that is a logarithm counts in base", () => {
    const [front, behind] = [Math.log1p(0.1), Math.log1p(0.3)];
    expect(frontAfter("log", 0.001)).toBeCloseTo(100 - 60 * (front / (front + behind)), 9);
  });

  it.each([
    "",
    "power",
    "power-",
    "power-0",
    "power-101",
    "power-1e3",
    "power4-1",
    "Risk-Averse",
    "constructor-1",
  ])("is not %j", (name) => {
    expect(isQueueModelName(name)).toBe(false);
    expect(() => createQueueModel(name, 1)).toThrow("power-2");
  });
});
