import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { ConfigError } from "#core/errors.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { recordedDataFolder } from "#simulator/data-folder.js";
import { createOrderFlow, orderFlowFactory, parseFlowConfig } from "#simulator/flow-config.js";
import { ReplayFlow } from "#simulator/replay-flow.js";
import { SyntheticFlow } from "#simulator/synthetic-flow.js";
import { SYNTHETIC_PRESETS, syntheticParams } from "#simulator/synthetic-params.js";
import { bookLine, writeCapture } from "./capture-fixture.js";

const AT = ["markets", "btcusdc", "flow"];
const context = {
  marketId: "btcusdc",
  seed: 1,
  baseFolder: "/",
  restart: null,
  onReplayEnd: () => {},
};

describe("a market's flow setting", () => {
  it("fills in what was left out", () => {
    expect(parseFlowConfig({ kind: "synthetic", startPriceQuote: 60_000 })).toEqual({
      kind: "synthetic",
      startPriceQuote: 60_000,
      preset: "lively",
    });
    expect(parseFlowConfig({ kind: "replay", tag: "x" })).toEqual({
      kind: "replay",
      tag: "x",
      speed: 1,
      queue: "risk-averse",
    });
  });

  it("changes single parameters of a preset and leaves the rest", () => {
    const params = syntheticParams("quiet", {
      noise: { arrivalsPerSecond: 3 },
      referenceEveryMs: 500,
    });
    expect(params.noise).toEqual({ ...SYNTHETIC_PRESETS.quiet.noise, arrivalsPerSecond: 3 });
    expect(params.referenceEveryMs).toBe(500);
    expect(params.providers).toEqual(SYNTHETIC_PRESETS.quiet.providers);
  });

  it.each([
    ["an unknown flow", { kind: "synthetik" }, "markets.btcusdc.flow.kind"],
    ["no kind", {}, "markets.btcusdc.flow.kind"],
    ["no flow at all", null, "markets.btcusdc.flow.kind"],
    ["no start price", { kind: "synthetic" }, "markets.btcusdc.flow.startPriceQuote"],
    [
      "a start price of zero",
      { kind: "synthetic", startPriceQuote: 0 },
      "markets.btcusdc.flow.startPriceQuote",
    ],
    [
      "an unknown preset",
      { kind: "synthetic", startPriceQuote: 1, preset: "wild" },
      "markets.btcusdc.flow.preset",
    ],
    [
      "an unknown key of an agent",
      { kind: "synthetic", startPriceQuote: 1, noise: { rate: 1 } },
      "markets.btcusdc.flow.noise.rate",
    ],
    [
      "a negative rate",
      { kind: "synthetic", startPriceQuote: 1, noise: { arrivalsPerSecond: -1 } },
      "markets.btcusdc.flow.noise.arrivalsPerSecond",
    ],
    [
      "providers that never look",
      { kind: "synthetic", startPriceQuote: 1, providers: { looksPerSecond: 0 } },
      "markets.btcusdc.flow.providers.looksPerSecond",
    ],
    ["no tag", { kind: "replay" }, "markets.btcusdc.flow.tag"],
    ["a speed of zero", { kind: "replay", tag: "x", speed: 0 }, "markets.btcusdc.flow.speed"],
    [
      "a queue model that is none",
      { kind: "replay", tag: "x", queue: "power" },
      "markets.btcusdc.flow.queue",
    ],
    [
      "a time with a fraction",
      { kind: "replay", tag: "x", fromMs: 1.5 },
      "markets.btcusdc.flow.fromMs",
    ],
    ["a setting of nothing", { kind: "none", seed: 1 }, "markets.btcusdc.flow.seed"],
  ])("names the path of %s", (_, value, field) => {
    let caught: unknown;
    try {
      parseFlowConfig(value, AT);
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(ConfigError);
    expect((caught as ConfigError).field).toBe(field);
    expect((caught as ConfigError).expected).toBeTruthy();
  });

  it("makes the flow that it names", () => {
    expect(createOrderFlow(parseFlowConfig({ kind: "none" }), context)).toBeNull();
    expect(
      createOrderFlow(parseFlowConfig({ kind: "synthetic", startPriceQuote: 1 }), context),
    ).toBeInstanceOf(SyntheticFlow);
    const folder = dirname(
      dirname(writeCapture({ books: bookLine("snapshot", 1, 1, [], []) }).books),
    );
    expect(
      createOrderFlow(parseFlowConfig({ kind: "replay", tag: "tag", folder }), context),
    ).toBeInstanceOf(ReplayFlow);
    expect(() =>
      createOrderFlow(parseFlowConfig({ kind: "replay", tag: "tag", folder: "not-here" }), context),
    ).toThrow(/folder: .*"\/not-here"/);
  });

  it("checks every market's flow before any starts, and creates each again at every start", () => {
    const flows = orderFlowFactory(
      {
        seed: 1,
        markets: {
          a: { flow: { kind: "synthetic", startPriceQuote: 1 } },
          b: { flow: { kind: "none" } },
        },
      },
      context,
    );
    expect(flows("a", null)).toBeInstanceOf(SyntheticFlow);
    expect(flows("a", { startPriceQuote: 2 })).not.toBe(flows("a", null));
    expect(flows("b", null)).toBeNull();
    expect(flows("c", null)).toBeNull();
    const missing = { kind: "replay", tag: "not-recorded", folder: "/" };
    expect(() => orderFlowFactory({ seed: 1, markets: { a: { flow: missing } } }, context)).toThrow(
      /markets\.a\.flow\.folder: has no books/,
    );
    expect(() =>
      orderFlowFactory({ seed: 1, markets: { a: { flow: { kind: "replay" } } } }, context),
    ).toThrow(/markets\.a\.flow\.tag/);
  });

  it("looks for recorded data where the file says, else where the environment says, else beside the project", () => {
    expect(recordedDataFolder("data", "/etc/bots", { MARKETWRIGHT_DATA: "/elsewhere" })).toBe(
      "/etc/bots/data",
    );
    expect(recordedDataFolder("/data", "/etc/bots", {})).toBe("/data");
    expect(recordedDataFolder(undefined, "/etc/bots", { MARKETWRIGHT_DATA: "/elsewhere" })).toBe(
      "/elsewhere",
    );
    expect(recordedDataFolder(undefined, "/etc/bots", {})).toMatch(/\/shared\/data$/);
  });

  it.each([
    ["exchange.yaml", { btcusdc: "synthetic", ethusdc: "synthetic" }],
    ["liquidations-exchange.yaml", { btcusdc: "synthetic", ethusdc: "synthetic" }],
    ["replay-exchange.yaml", { btcusdc: "replay" }],
  ])("is valid in the example %s, the whole file by the exchange's own check", (name, kinds) => {
    const text = readFileSync(new URL(`../../../config/${name}`, import.meta.url), "utf8");
    const { markets } = parseExchangeConfig(parse(text));
    expect(
      Object.fromEntries(
        Object.entries(markets).map(([id, { flow }]) => [
          id,
          parseFlowConfig(flow, ["markets", id, "flow"]).kind,
        ]),
      ),
    ).toEqual(kinds);
  });
});
