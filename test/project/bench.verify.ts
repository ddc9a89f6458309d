import { beforeAll, describe, expect, it } from "vitest";
import { builtCommand } from "../support/built-command.js";
import { type Measured, measuredIn, runBench } from "./run-bench.js";

describe("the bench command", () => {
  // Benchmarks measure the build.
  beforeAll(() => void builtCommand());

  // Both measure the heap, and so have a process to themselves.
  it("measures the exchange in resting-order", () => {
    const { status, stdout, stderr } = runBench("resting-order", "--json");
    expect([status, stderr]).toEqual([0, ""]);
    const { ours, reference, ratio } = JSON.parse(stdout) as Measured;
    expect([ours > 0, reference > 0, ratio > 0]).toEqual([true, true, true]);
  });

  it("has a bot act sixty times a minute, trade and be collected in memory", () => {
    const { status, stdout, stderr } = runBench("memory", "--json");
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
  let said: ReturnType<typeof runBench>;
  const measured = (name: string): Measured => measuredIn(said, name);
  beforeAll(() => {
    builtCommand();
    said = runBench(...asked, "liquidation-race", "--json");
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
