import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { interleaved, median, slopeOf, trimmedMean } from "../../bench/rounds.js";
import { builtCommand } from "../support/built-command.js";
import { PROJECT_ROOT } from "./checkout.js";

function bench(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(
    process.execPath,
    ["--expose-gc", "--import", "tsx", "--import", "./bench/built.mjs", "bench/run.ts", ...args],
    {
      cwd: PROJECT_ROOT,
      encoding: "utf8",
      env: { ...process.env, MARKETWRIGHT_BENCH: "tiny" },
    },
  );
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

/** The output of the command for one benchmark with `--json`. */
interface Measured {
  readonly name: string;
  readonly ours: number;
  readonly reference: number;
  readonly ratio: number;
  readonly details?: Readonly<Record<string, number>>;
}

describe("the bench command", () => {
  // Benchmarks measure the build.
  beforeAll(() => void builtCommand());

  it("lists what it can measure, and refuses what it cannot, naming what it could", () => {
    const list = bench("--json");
    expect(list.status).toBe(0);
    expect((JSON.parse(list.stdout) as { name: string }[]).map(({ name }) => name)).toContain(
      "sign",
    );
    const unknown = bench("sign", "nothing-of-that-name");
    expect([unknown.status, unknown.stdout]).toEqual([2, ""]);
    expect(unknown.stderr).toMatch(/"nothing-of-that-name" is not understood; .*sign/);
  });

  it("says of what is measured against a program that is not there that it was not measured, which is no failure", () => {
    const said = bench("against-hftbacktest", "--json");
    expect([said.status, said.stderr]).toEqual([0, ""]);
    expect(JSON.parse(said.stdout)).toEqual({
      name: "against-hftbacktest",
      unavailable: expect.stringContaining("hftbacktest"),
    });
    expect(bench("against-hftbacktest").stdout).toMatch(/^against-hftbacktest: not measured: /);
  });

  // Both measure the heap, and so have a process to themselves.
  it("measures the exchange in resting-order", () => {
    const { status, stdout, stderr } = bench("resting-order", "--json");
    expect([status, stderr]).toEqual([0, ""]);
    const { ours, reference, ratio } = JSON.parse(stdout) as Measured;
    expect([ours > 0, reference > 0, ratio > 0]).toEqual([true, true, true]);
  });

  it("has a bot act sixty times a minute, trade and be collected in memory", () => {
    const { status, stdout, stderr } = bench("memory", "--json");
    expect([status, stderr]).toEqual([0, ""]);
    const { details } = JSON.parse(stdout) as { details: Record<string, number> };
    expect(details["actions a minute"]).toBeGreaterThanOrEqual(50);
    expect(details["actions a minute"]).toBeLessThanOrEqual(80);
  });
});

describe("the bench command of several names", () => {
  const asked = [
    "sign",
    "tick-to-order",
    "tick-to-order-overhead",
    "tick-to-order-references",
    "exchange",
    "exchange-crowd",
    "fan-out",
    "turn",
    "confirm",
    "start-up",
    "cockpit-pages",
  ];
  let said: ReturnType<typeof bench>;
  const measured = (name: string): Measured => {
    const line = said.stdout.split("\n").find((text) => text.startsWith(`{"name":"${name}",`));
    if (line === undefined)
      throw new Error(`${name} was not measured: exit code ${said.status}, ${said.stderr}`);
    return JSON.parse(line) as Measured;
  };
  beforeAll(() => {
    builtCommand();
    said = bench(...asked, "liquidation-race", "--json");
  });

  it("prints one object for each, in the order in which they were asked for", () => {
    expect([said.status, said.stderr]).toEqual([0, ""]);
    const lines = said.stdout.trimEnd().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as Measured).name)).toEqual([
      ...asked,
      "liquidation-race",
    ]);
  });

  it("prints of one its measure and what it is measured against, and the ratio is ours over the reference", () => {
    expect(measured("sign")).toMatchObject({
      unit: "orders/s",
      referenceIs: expect.stringContaining("ethers"),
    });
    expect(Object.keys(measured("sign")).sort()).toEqual([
      "name",
      "ours",
      "ratio",
      "reference",
      "referenceIs",
      "unit",
    ]);
  });

  it.each(asked)("measures both sides in %s", (name) => {
    const { ours, reference, ratio } = measured(name);
    expect([ours > 0, reference > 0, ratio > 0]).toEqual([true, true, true]);
  });

  it.each(["tick-to-order", "tick-to-order-overhead"])(
    "leads frames to orders in %s, one each",
    (name) => {
      expect(measured(name)).toMatchObject({
        unit: "us a frame",
        referenceIs: expect.stringContaining("JSON.parse"),
      });
    },
  );

  it("compares a bot with references with the same bot without in tick-to-order-references", () => {
    expect(measured("tick-to-order-references")).toMatchObject({
      unit: "us a frame",
      referenceIs: expect.stringContaining("without references"),
    });
  });

  it("accounts for the whole way of a frame in tick-to-order-overhead", () => {
    const shares = Object.values(measured("tick-to-order-overhead").details ?? {});
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(100, 6);
  });

  it("has a bot that quotes take turns in turn", () => {
    expect(Object.values(measured("turn").details ?? {}).every((value) => value > 0)).toBe(true);
  });

  it("confirms the same accounts in batches as one by one in confirm", () => {
    const { details = {} } = measured("confirm");
    // The head, the markets, the balances, and of the unsafe ones the judgement and the costs.
    expect(details["calls of a confirmation"]).toBeLessThanOrEqual(5);
    expect(details["unsafe accounts"]).toBe(2);
  });

  it("has the liquidator race another one", () => {
    const { ours, reference, ratio } = measured("liquidation-race");
    expect([reference > 0, ratio]).toEqual([true, ours / reference]);
  });
});
