import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { interleaved, median, slopeOf, trimmedMean } from "../../bench/rounds.js";
import { builtCommand } from "../support/built-command.js";
import { type Measured, measuredIn, runBench } from "./run-bench.js";

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
    const result = await interleaved({
      rounds: 3,
      ours: side("ours", [1_000, 8, 100, 6]),
      reference: side("reference", [1, 2, 1, 3]),
    });
    expect(order).toEqual([
      "ours",
      "reference",
      "reference",
      "ours",
      "ours",
      "reference",
      "reference",
      "ours",
    ]);
    // The quotients are 4, 100 and 2: one disturbed round moves nothing.
    expect(result).toEqual({ ours: 8, reference: 2, ratio: 4 });
  });

  it("take the middle of any values, in whatever order they came", () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1, maxLength: 30 }), (values) => {
        const middle = median(values);
        expect(values.filter((value) => value < middle).length).toBeLessThanOrEqual(
          values.length / 2,
        );
        expect(values.filter((value) => value > middle).length).toBeLessThanOrEqual(
          values.length / 2,
        );
      }),
    );
    expect(median([1, 4])).toBe(2.5);
    expect(() => median([])).toThrow(RangeError);
  });
});

describe("a round's figures", () => {
  it("leave out the slowest twentieth of a mean: one pause of the machine is nobody's cost", () => {
    const values = [...Array.from({ length: 19 }, () => 2), 1000];
    expect(trimmedMean(values)).toBe(2);
    expect(trimmedMean([3])).toBe(3);
    expect(() => trimmedMean([])).toThrow(RangeError);
  });

  it("find the slope of a straight line, whatever it stands on", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -50, max: 50 }),
        fc.integer({ min: -1000, max: 1000 }),
        fc.uniqueArray(fc.nat(1000), { minLength: 2, maxLength: 20 }),
        (slope, start, xs) => {
          expect(
            slopeOf(
              xs,
              xs.map((x) => start + slope * x),
            ),
          ).toBeCloseTo(slope, 6);
        },
      ),
    );
    expect(() => slopeOf([1, 1], [2, 3])).toThrow(RangeError);
    expect(() => slopeOf([1, 2], [2])).toThrow(RangeError);
  });
});

describe("the bench command", () => {
  // Benchmarks measure the build.
  beforeAll(() => void builtCommand());

  it("lists what it can measure, and refuses what it cannot, naming what it could", () => {
    const list = runBench("--json");
    expect(list.status).toBe(0);
    expect((JSON.parse(list.stdout) as { name: string }[]).map(({ name }) => name)).toContain(
      "sign",
    );
    const unknown = runBench("sign", "nothing-of-that-name");
    expect([unknown.status, unknown.stdout]).toEqual([2, ""]);
    expect(unknown.stderr).toMatch(/"nothing-of-that-name" is not understood; .*sign/);
  });

  it("says of what is measured against a program that is not there that it was not measured, which is no failure", () => {
    const said = runBench("against-hftbacktest", "--json");
    expect([said.status, said.stderr]).toEqual([0, ""]);
    expect(JSON.parse(said.stdout)).toEqual({
      name: "against-hftbacktest",
      unavailable: expect.stringContaining("hftbacktest"),
    });
    expect(runBench("against-hftbacktest").stdout).toMatch(/^against-hftbacktest: not measured: /);
  });

  it("prints one object for each name, in the order in which they were given", () => {
    const names = ["sign", "start-up"];
    const { status, stdout, stderr } = runBench(...names, "--json");
    expect([status, stderr]).toEqual([0, ""]);
    const lines = stdout.trimEnd().split("\n");
    const results = lines.map((line) => JSON.parse(line) as Measured);
    expect(results.map(({ name }) => name)).toEqual(names);
    for (const { ours, reference, ratio } of results)
      expect([ours > 0, reference > 0, ratio > 0]).toEqual([true, true, true]);
  });

  it("prints of one its measure and what it is measured against, and the ratio is ours over the reference", () => {
    const printed = runBench("confirm", "--json");
    const { details = {}, ...result } = measuredIn(printed, "confirm");
    expect(result).toEqual({
      name: "confirm",
      ours: expect.any(Number),
      reference: expect.any(Number),
      ratio: expect.any(Number),
      unit: expect.any(String),
      referenceIs: expect.any(String),
    });
    // The head, the markets, the balances, and of the unsafe ones the judgement and the costs.
    expect(details["calls of a confirmation"]).toBeLessThanOrEqual(5);
    expect(details["unsafe accounts"]).toBe(2);
  });
});
