import { readFileSync } from "node:fs";
import { interval, map, switchMap, tap } from "rxjs";
import { beforeAll, describe, expect, it } from "vitest";
import type { MarketView } from "#market/view.js";
import { quoteAround } from "#strategies/quote-around.js";
import type { Capture } from "#testing/capture.js";
import { findAcceptedParams } from "#testing/find-accepted-params.js";
import { findInvalidIntents } from "#testing/find-invalid-intents.js";
import { findLookAhead } from "#testing/find-look-ahead.js";
import { findNondeterminism } from "#testing/find-nondeterminism.js";
import { generateCapture } from "#testing/generate-capture.js";
import { recordViews } from "#testing/record-views.js";
import { assertNoFindings, StrategyCheckError } from "#testing/strategy-finding.js";
import { CLOSE, SKEWED, spreadOf, strategyOf } from "./strategies.js";

const capture = generateCapture({ seconds: 10, seed: 3 });
let views: readonly MarketView[];

beforeAll(async () => {
  views = await recordViews({ capture });
});

/** A strategy whose prices are half a tick off from a view on. */
const offTickFrom = (view: number) =>
  strategyOf(
    () => (view$) =>
      view$.pipe(
        map((each) => quoteAround(each, each.midTicks, { halfSpreadBps: 5, sizeBase: 0.01 })),
        map((intent, at) => ({
          ...intent,
          quotes: intent.quotes.map((quote) => ({
            ...quote,
            ticks: Math.floor(quote.ticks) + (at < view ? 0 : 0.5),
          })),
        })),
      ),
  );

/** A strategy around the mean of all mids that its data has. */
const meanOf = (mids: readonly number[]) => {
  const fair = mids.reduce((sum, mid) => sum + mid, 0) / mids.length;
  return strategyOf(
    () => (view$) =>
      view$.pipe(map((view) => quoteAround(view, fair, { halfSpreadBps: 5, sizeBase: 0.01 }))),
  );
};

describe("a check for look-ahead", () => {
  it("passes a strategy that uses what it was given, and one that waits for its timers", async () => {
    expect(await findLookAhead({ strategy: SKEWED, params: CLOSE, views })).toEqual([]);
    const timed = strategyOf(
      ({ scheduler }) =>
        (view$) =>
          view$.pipe(
            switchMap((view) => interval(7, scheduler).pipe(map(() => view))),
            map((view) => quoteAround(view, view.midTicks, { halfSpreadBps: 5, sizeBase: 0.01 })),
          ),
    );
    expect(await findLookAhead({ strategy: timed, params: {}, views })).toEqual([]);
  });

  it("finds a signal that was computed of all views, with the first view that it changes", async () => {
    const strategy = (known: readonly MarketView[]) =>
      meanOf(known.map(({ midTicks }) => midTicks));
    const findings = await findLookAhead({ strategy, params: {}, views, cuts: 5 });
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({
      check: "look-ahead",
      what: expect.stringContaining("one differs at 4 of 5 cutoffs"),
      viewSequence: views[0]?.sequence,
      wanted: expect.stringContaining('"kind":"quotes"'),
    });
    expect(findings[0]?.found).not.toBe(findings[0]?.wanted);
  });

  it("names what a module keeps, not look-ahead: its author would search in the wrong place", async () => {
    const seen = new Map<number, number>();
    const remembering = spreadOf((view) => {
      seen.set(view.sequence, view.midTicks);
      return 5 + (seen.get(view.sequence + 3) === undefined ? 0 : 1);
    });
    expect(await findLookAhead({ strategy: remembering, params: {}, views })).toMatchObject([
      { check: "nondeterminism", what: expect.stringContaining("a variable of the module") },
    ]);
  });

  it("finds in backtests of a capture what was computed of its later messages", async () => {
    const strategy = (known: Capture) =>
      meanOf([...known.messages()].map(({ rows }) => rows[0]?.ticks ?? 0));
    const options = { params: {}, capture, cuts: 3 };
    expect(await findLookAhead({ ...options, strategy })).not.toEqual([]);
    expect(await findLookAhead({ ...options, params: CLOSE, strategy: SKEWED })).toEqual([]);
  });

  it("refuses to pass without a single decision", async () => {
    const silent = strategyOf(() => (view$) => view$.pipe(switchMap(() => [])));
    await expect(findLookAhead({ strategy: silent, params: {}, capture })).rejects.toThrow(
      "nothing would be checked",
    );
  });
});

describe("a check for non-determinism", () => {
  it("passes a strategy that draws from its context", async () => {
    const drawing = strategyOf(
      ({ random }) =>
        (view$) =>
          view$.pipe(
            map((view) =>
              quoteAround(view, view.midTicks, {
                halfSpreadBps: 5 + random.uniform(),
                sizeBase: 0.01,
              }),
            ),
          ),
    );
    expect(await findNondeterminism({ strategy: drawing, params: {}, views })).toEqual([]);
  });

  it.each([
    ["Date", () => Date.now() % 1],
    ["Date", () => new Date().getMilliseconds() / 1000],
    ["performance.now", () => performance.now() % 1e-9],
    ["Math.random", () => Math.random()],
    ["crypto.randomUUID", () => crypto.randomUUID().length],
    ["readFileSync", () => readFileSync(import.meta.filename).length],
    ["setTimeout", () => clearTimeout(setTimeout(() => {}, 1)) ?? 1],
  ])("names %s and its line, which no backtest repeats", async (name, use) => {
    const strategy = spreadOf(() => 5 + use());
    const findings = await findNondeterminism({ strategy, params: {}, views });
    const found = findings.find(({ what }) => what.startsWith(`${name} is used`));
    expect(found?.what).toMatch(/find-faults\.test\.ts:\d+/);
  });

  it("names a timer of RxJS without the scheduler of the context", async () => {
    const timed = strategyOf(
      () => (view$) =>
        view$.pipe(
          switchMap((view) => interval(1).pipe(map(() => view))),
          map((view) => quoteAround(view, view.midTicks, { halfSpreadBps: 5, sizeBase: 0.01 })),
        ),
    );
    const findings = await findNondeterminism({ strategy: timed, params: {}, views });
    expect(findings.map(({ what }) => what).join()).toContain("setInterval is used");
  });

  it("finds state that outlives a run, with both answers", async () => {
    let calls = 0;
    const strategy = spreadOf(() => 5 + calls++ / 100);
    const [finding] = await findNondeterminism({ strategy, params: {}, views });
    expect(finding).toMatchObject({ check: "nondeterminism", viewSequence: views[0]?.sequence });
    expect(finding?.wanted).not.toBe(finding?.found);
  });

  it("leaves the machine's functions as they were, and does not note other code's uses", async () => {
    const originals = [Date, Date.now, Math.random, setTimeout, fetch];
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += Date.now() > 0 ? 1 : 0;
    }, 0);
    const findings = await findNondeterminism({ strategy: SKEWED, params: CLOSE, views });
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(0);
    expect(findings).toEqual([]);
    expect([Date, Date.now, Math.random, setTimeout, fetch]).toEqual(originals);
  });
});

describe("the other checks", () => {
  it("find intents that a bot would refuse, and a strategy that fails on the way", async () => {
    const crossed = strategyOf(
      () => (view$) =>
        view$.pipe(
          map((view) => quoteAround(view, view.midTicks, { halfSpreadBps: 5, sizeBase: 0.01 })),
          map((intent) => ({
            ...intent,
            quotes: intent.quotes.map((quote) => ({ ...quote, ticks: 600_000 })),
          })),
        ),
    );
    const [finding] = await findInvalidIntents({ strategy: crossed, params: {}, views });
    expect(finding?.what).toContain("the bid at 600000 is not below the ask");
    const writing = strategyOf(
      () => (view$) =>
        view$.pipe(
          tap((view) => (view.bids as unknown[]).pop()),
          map((view) => quoteAround(view, view.midTicks, { halfSpreadBps: 5, sizeBase: 0.01 })),
        ),
    );
    expect(await findInvalidIntents({ strategy: writing, params: {}, views })).toMatchObject([
      { check: "failure", what: expect.stringContaining("Cannot delete property") },
    ]);
  });

  it("find wrong parameters that are accepted, or refused without their name", () => {
    const wrongParams = [{}, { halfSpreadBps: 0, skewBps: 1 }, { halfSpreadBps: 1, skewBps: 1 }];
    const findings = findAcceptedParams({ strategy: SKEWED, wrongParams });
    expect(findings.map(({ what }) => what)).toEqual([
      '{"halfSpreadBps":1,"skewBps":1} is accepted',
    ]);
    const throwing = strategyOf(() => {
      throw new TypeError("bad");
    });
    expect(findAcceptedParams({ strategy: throwing, wrongParams: [{}] })).toMatchObject([
      { what: expect.stringContaining("is not refused, but throws: ") },
    ]);
  });

  it("count the intents that are refused for one reason: a flood hides the second reason", async () => {
    const offTick = offTickFrom(0);
    expect(await findInvalidIntents({ strategy: offTick, params: {}, views })).toMatchObject([
      {
        what: expect.stringMatching(
          `expected a whole number of ticks from 1 to \\d+; ${views.length - 1} more intents likewise`,
        ),
        viewSequence: views[0]?.sequence,
      },
    ]);
  });

  it("become a failed assertion of a test runner, with what was wanted and found", async () => {
    let calls = 0;
    const strategy = spreadOf(() => 5 + calls++ / 100);
    const findings = await findNondeterminism({ strategy, params: {}, views });
    const error = new StrategyCheckError(findings);
    expect(error).toMatchObject({
      code: "ERR_ASSERTION",
      expected: findings[0]?.wanted,
      actual: findings[0]?.found,
    });
    expect(() => assertNoFindings(findings)).toThrow(/nondeterminism at view \d+: a second run/);
  });
});
