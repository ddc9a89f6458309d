import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { interleaved, median } from "../../bench/rounds.js";
import { PROJECT_ROOT } from "./checkout.js";

function bench(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, ["--import", "tsx", "bench/run.ts", ...args], { cwd: PROJECT_ROOT, encoding: "utf8" });
}

describe("interleaved rounds", () => {
  it("measure both sides alternately, drop the first round and give medians", async () => {
    const order: string[] = [];
    const side = (name: string, values: readonly number[]) => {
      let round = 0;
      return (): number => {
        order.push(name);
        round += 1;
        return values[round - 1] ?? Number.NaN;
      };
    };
    const result = await interleaved({ rounds: 3, ours: side("ours", [1_000, 8, 100, 6]), reference: side("reference", [1, 2, 1, 3]) });
    expect(order).toEqual(["ours", "reference", "reference", "ours", "ours", "reference", "reference", "ours"]);
    // The quotients are 4, 100 and 2: one disturbed round moves nothing.
    expect(result).toEqual({ ours: 8, reference: 2, ratio: 4 });
  });

  it("take the middle of any values, in whatever order they came", () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1, maxLength: 30 }), (values) => {
        const middle = median(values);
        expect(values.filter((value) => value < middle).length).toBeLessThanOrEqual(values.length / 2);
        expect(values.filter((value) => value > middle).length).toBeLessThanOrEqual(values.length / 2);
      }),
    );
    expect(median([1, 4])).toBe(2.5);
    expect(() => median([])).toThrow(RangeError);
  });
});

describe("the bench command", () => {
  it("lists what it can measure, and refuses what it cannot, naming what it could", () => {
    const list = bench("--json");
    expect(list.status).toBe(0);
    expect((JSON.parse(list.stdout) as { name: string }[]).map(({ name }) => name)).toContain("sign");
    const unknown = bench("nothing-of-that-name");
    expect([unknown.status, unknown.stdout]).toEqual([2, ""]);
    expect(unknown.stderr).toContain("sign");
  });

  it("prints one object for one name, and its ratio is ours over the reference", () => {
    const { status, stdout } = bench("sign", "--json");
    expect(status).toBe(0);
    const result = JSON.parse(stdout) as Record<string, unknown>;
    expect(result).toMatchObject({ name: "sign", unit: "orders/s", ours: expect.any(Number), reference: expect.any(Number) });
    expect(Object.keys(result).sort()).toEqual(["name", "ours", "ratio", "reference", "referenceIs", "unit"]);
    expect(result.ratio).toBeGreaterThan(0);
  });
});
