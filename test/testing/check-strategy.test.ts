import { map } from "rxjs";
import { describe, expect, it } from "vitest";
import { quoteAround } from "#strategies/quote-around.js";
import type { Capture } from "#testing/capture.js";
import { checkStrategy } from "#testing/check-strategy.js";
import { generateCapture } from "#testing/generate-capture.js";
import { StrategyCheckError } from "#testing/strategy-finding.js";
import { CLOSE, SKEWED, spreadOf, strategyOf } from "./strategies.js";

const capture = generateCapture({ seconds: 10, seed: 3 });

/** A strategy around a price that it knows from the start. */
const around = (fairTicks: number) =>
  strategyOf(
    () => (view$) =>
      view$.pipe(map((view) => quoteAround(view, fairTicks, { halfSpreadBps: 5, sizeBase: 0.01 }))),
  );

describe("the check of a whole strategy", () => {
  it("passes a sound strategy, so that a trader can trust an empty list", async () => {
    const wrongParams = [{ halfSpreadBps: 0, skewBps: 0 }];
    const checked = { params: CLOSE, wrongParams, capture };
    expect(await checkStrategy({ ...checked, strategy: SKEWED })).toEqual([]);
    expect(await checkStrategy({ ...checked, strategy: () => SKEWED, cuts: 3 })).toEqual([]);
  });

  it("finds what a module keeps after its first run: the backtest is not what trades live", async () => {
    let seen = 0;
    const warming = spreadOf(() => (seen++ < 20 ? 10 : 5));
    expect(await checkStrategy({ strategy: warming, params: {}, capture })).toMatchObject([
      { check: "nondeterminism", viewSequence: expect.any(Number) },
    ]);
  });

  it("names a peak that a module keeps as state, so that no author searches for look-ahead", async () => {
    let peak = 0;
    const peaking = spreadOf((view) => {
      peak = Math.max(peak, view.midTicks);
      return 5 + (peak - view.midTicks) / view.midTicks;
    });
    const findings = await checkStrategy({ strategy: peaking, params: {}, capture });
    expect(findings.map(({ check }) => check)).toEqual(["nondeterminism"]);
  });

  it("names one use of the clock once, so that its author sees the cause and nothing else", async () => {
    const timed = spreadOf(() => 5 + (Date.now() % 997) / 1000 + Math.random());
    const findings = await checkStrategy({ strategy: timed, params: {}, capture });
    expect(findings.map(({ what }) => what.split(" (")[0])).toEqual([
      "Date is used",
      "Math.random is used",
    ]);
  });

  it("finds a use of the clock in the first run alone: a warm-up would start at any time", async () => {
    let startMs: number | undefined;
    const started = spreadOf(() => {
      startMs ??= Date.now();
      return startMs > 0 ? 5 : 6;
    });
    expect(await checkStrategy({ strategy: started, params: {}, capture })).toMatchObject([
      { what: expect.stringContaining("Date is used") },
    ]);
  });

  it("finds prices off the tick, with the first view: a bot would halt the market there", async () => {
    const half = strategyOf(
      () => (view$) =>
        view$.pipe(
          map((view) => quoteAround(view, view.midTicks, { halfSpreadBps: 5, sizeBase: 0.01 })),
          map((intent, at) => ({
            ...intent,
            quotes: intent.quotes.map((quote) => ({
              ...quote,
              ticks: Math.floor(quote.ticks) + (at < 5 ? 0 : 0.5),
            })),
          })),
        ),
    );
    const findings = await checkStrategy({ strategy: half, params: {}, capture });
    expect(findings).toMatchObject([
      {
        check: "invalid-intent",
        what: expect.stringMatching(/ticks is \d+\.5: expected a whole number of ticks from 1 to/),
        viewSequence: expect.any(Number),
      },
    ]);
  });

  it.each([
    ["at a view", spreadOf(() => Number.NaN)],
    [
      "at its start",
      strategyOf(() => {
        throw new Error("no file");
      }),
    ],
  ])("finds a strategy that fails %s, and does not fail itself", async (_when, strategy) => {
    const findings = await checkStrategy({ strategy, params: {}, capture });
    expect(findings.map(({ check }) => check)).toEqual(["failure"]);
  });

  it("finds a signal of the whole capture: its backtest knows prices that nobody knew", async () => {
    const strategy = (known: Capture) => {
      const ticks = [...known.messages()].map(({ rows }) => rows[0]?.ticks ?? 0);
      return around(ticks.reduce((sum, each) => sum + each, 0) / ticks.length);
    };
    const findings = await checkStrategy({ strategy, params: {}, capture, cuts: 3 });
    expect(findings).toMatchObject([
      { check: "look-ahead", what: expect.stringContaining("one differs at ") },
    ]);
    expect(new StrategyCheckError(findings).message.length).toBeLessThan(600);
  });
});
