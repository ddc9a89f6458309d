import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadSweepConfig } from "#backtest/sweep-config.js";
import { checkStrategies } from "#backtest/sweep-strategies.js";
import { ConfigError } from "#core/errors.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { openLog } from "#monitoring/log.js";
import { SWEEP, SweepStage } from "./sweep-stage.js";

const stage = new SweepStage();
beforeAll(() => stage.open(2));
afterAll(() => rmSync(stage.folder, { recursive: true, force: true }));

const load = (file: object) =>
  loadSweepConfig(stage.write("tried.yaml", { ...SWEEP, ...file }), {});
const said = (file: object): string => {
  try {
    load(file);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message;
  }
  return "nothing";
};

describe("a sweep's file", () => {
  it("sets values in the backtest's file and in the bot's, quantities to the digit", () => {
    const parameters = {
      "fills.queue": { values: ["power-2"] },
      "account.creditQuote": { values: [1e21] },
      "rules.markets.btcusdc.makerFeeRate": { values: [-0.0000001] },
      "markets.btcusdc.limits.maxPositionBase": { values: [0.3] },
      "markets.btcusdc.strategy": { values: ["ladder"] },
      "decide.everyMs": { values: [250] },
    };
    const { configs } = load({
      parameters: { ...parameters, "account.creditQuote": { values: [123456.000001] } },
    });
    const [config] = configs;
    expect(config?.fills.queue).toBe("power-2");
    expect(config?.account.creditQuote).toBe("123456.000001");
    expect(config?.rules.markets.btcusdc?.makerFeeRate).toBe(-100_000_000_000n);
    expect(config?.bot.markets.btcusdc?.limits.maxPositionBase).toBe("0.3");
    expect(config?.bot.decide.everyMs).toBe(250);
  });

  it("says in one message what is wrong, where, and what would be right", () => {
    const one = (path: string, parameter: object) => ({ parameters: { [path]: parameter } });
    expect(said({ method: "annealing" })).toMatch(
      /^method: is not one of the allowed values.*one of grid, random, sobol/,
    );
    expect(said({ method: "model" })).toMatch(/^method: is not one of the allowed values/);
    expect(said({ method: "sobol" })).toMatch(/^count: is missing.*such as 64/);
    expect(said({ count: 3 })).toMatch(/^count: cannot be set for a grid/);
    expect(said({ seed: 3 })).toMatch(/^seed: cannot be set for a grid/);
    expect(said({ objective: "luck" })).toMatch(
      /^objective: is not one of the allowed values.*profitOverDrawdown/,
    );
    expect(said({ parameters: {} })).toMatch(/^parameters: names nothing to vary/);
    expect(said(one("fills.orderLatencyMs", { min: 5, max: 5 }))).toMatch(
      /orderLatencyMs\.max: is not above min.*got 5.*above 5/,
    );
    expect(said(one("fills.orderLatencyMs", { min: 0, max: 5, scale: "log" }))).toMatch(
      /min: has no logarithm, which scale: log needs/,
    );
    expect(said(one("fills.orderLatencyMs", { min: 1, max: 5 }))).toMatch(
      /has no steps, but a grid needs them/,
    );
    expect(said(one("fills.orderLatencyMs", { min: 1, max: 5, step: 0.5, scale: "log" }))).toMatch(
      /step: does not increase a value/,
    );
    expect(said(one("fills.orderLatencyMs", { min: 1, max: 2.5, step: 1, integer: true }))).toMatch(
      /is not a whole number/,
    );
    expect(said(one("history.from", { values: [1] }))).toMatch(
      /^parameters.history.from: cannot be varied by a sweep/,
    );
    expect(said(one("markets.ethusdc.params.levels", { values: [1] }))).toMatch(
      /is not among the replayed markets.*got "ethusdc".*btcusdc/,
    );
    expect(said({ walkForward: { trainMs: 5 } })).toMatch(/^walkForward.testMs: is missing/);
    expect(said({ walkForward: { trainMs: 5000, testMs: 5000, stepMs: 4999 } })).toMatch(
      /^walkForward.stepMs: is shorter than testMs: .*twice.*got 4999.*at least 5000/,
    );
    expect(said({ backtest: "nothing.yaml" })).toMatch(/nothing.yaml does not exist/);
  });

  it("names the parameter and the point that the bot, the backtest or the strategy does not accept", async () => {
    const sweep = load({
      parameters: { "markets.btcusdc.params.halfSpreadBps": { values: [1, -1] } },
    });
    await expect(
      checkStrategies(sweep, openLog({ level: "silent", clock: createLiveRuntime().clock })),
    ).rejects.toThrow(
      /^parameters.markets.btcusdc.params.halfSpreadBps: cannot be set: .*; at point 1: .*halfSpreadBps -1/,
    );
    expect(said({ parameters: { "fills.orderLatenzyMs": { values: [1] } } })).toMatch(
      /^parameters.fills.orderLatenzyMs: cannot be set: .*unknown key/,
    );
    expect(said({ parameters: { "decide.everyMs.fast": { values: [1] } } })).toMatch(
      /passes through a value that is not a mapping/,
    );
  });

  it("names the point whose file of latencies is not there, before anything runs", () => {
    const parameters = { "fills.latencyFile": { values: ["nowhere.csv"] } };
    expect(said({ parameters })).toMatch(
      /parameters\.fills\.latencyFile: cannot be set: fills\.latencyFile: cannot be read \(got ".*nowhere\.csv"\); expected a CSV file; at point 0/,
    );
  });

  it("defaults to all cores of this machine, and to its own name", () => {
    const sweep = loadSweepConfig(join(stage.folder, "sweep.yaml"), {});
    expect(sweep.workers).toBeGreaterThan(0);
    expect([sweep.name, sweep.objective, sweep.points.length]).toEqual([
      "sweep",
      { figure: "profit", goal: "maximise" },
      6,
    ]);
  });
});
