import { concat, map, NEVER, type OperatorFunction, of, Subject, take, throwError } from "rxjs";
import { describe, expect, it } from "vitest";
import { ConfigError } from "#core/errors.js";
import type { MarketView } from "#market/view.js";
import { grid } from "#strategies/grid.js";
import type { Intent, QuotesIntent, TargetIntent } from "#strategies/intent.js";
import { ladder } from "#strategies/ladder.js";
import { ParamsChannel } from "#strategies/params-changes.js";
import { type QuotingParts, withQuotingParts } from "#strategies/quoting-parts.js";
import { testContext, testView } from "./fixtures.js";

/** Thursday, 8 August 2024, 12:00 UTC. */
const NOON_MS = 1_723_118_400_000;
const HOUR_MS = 3_600_000;
const LADDER = {
  halfSpreadTicks: 10,
  levels: 2,
  levelSpacingTicks: 10,
  sizeBase: 0.1,
  sizeSkew: false,
};

function run(parts: QuotingParts, views: readonly Partial<MarketView>[]): readonly Intent[] {
  const found: Intent[] = [];
  const strategy = ladder.bind({ ...LADDER, parts })(testContext());
  const all = views.map((view, at) => testView({ timeMs: NOON_MS, ...view, sequence: at + 1 }));
  of(...all)
    .pipe(strategy)
    .subscribe((intent) => found.push(intent));
  return found;
}

const prices = (intent: Intent | undefined): readonly number[] =>
  intent?.kind === "quotes" ? intent.quotes.map(({ ticks }) => ticks) : [];
const at = (hours: number): Partial<MarketView> => ({ timeMs: NOON_MS + hours * HOUR_MS });

describe("the schedule of a strategy", () => {
  it("rests no quote outside of the active hours, and quotes again when they begin", () => {
    const intents = run({ schedule: { activeHours: [{ from: "08:00", to: "13:00" }] } }, [
      at(0),
      at(1 - 1 / HOUR_MS),
      at(1),
      at(2),
      at(19.9),
      at(20),
    ]);
    expect(intents.map(prices)).toEqual([
      [9990, 9980, 10_010, 10_020],
      [],
      [9990, 9980, 10_010, 10_020],
    ]);
    expect(intents.map(({ viewSequence }) => viewSequence)).toEqual([1, 3, 6]);
    expect(intents[1]?.reason.clamps).toContain("quotes: outside of the active hours");
  });

  it("counts hours past midnight to the day on which they begin", () => {
    const hours: QuotingParts = {
      schedule: { activeHours: [{ days: ["thu"], from: "22:00", to: "02:00" }] },
    };
    // Thursday 21:59, 22:00, Friday 01:59, 02:00, 22:30, Thursday a week later 23:00.
    const intents = run(hours, [at(9.98), at(10), at(13.98), at(14), at(34.5), at(7 * 24 + 11)]);
    expect(intents.map((intent) => prices(intent).length)).toEqual([0, 4, 0, 4]);
  });

  it("keeps quotes off around a given time, to the millisecond", () => {
    const parts: QuotingParts = {
      schedule: { blackouts: [{ at: "2024-08-08T12:30:00Z", beforeMs: 60_000, afterMs: 300_000 }] },
    };
    const minutes = (value: number): Partial<MarketView> => at(value / 60);
    const intents = run(parts, [
      minutes(29 - 1 / 60_000),
      minutes(29),
      minutes(35 - 1 / 60_000),
      minutes(35),
    ]);
    expect(intents.map((intent) => [intent.viewSequence, prices(intent).length])).toEqual([
      [1, 4],
      [2, 0],
      [4, 4],
    ]);
    expect(intents[1]?.reason.clamps).toContain("quotes: blackout around 2024-08-08T12:30:00Z");
  });

  it("keeps only what reduces the position where the file says so, and follows the position", () => {
    const parts: QuotingParts = {
      schedule: { outside: "reduce", activeHours: [{ from: "00:00", to: "01:00" }] },
    };
    const intents = run(parts, [
      { positionLots: 150 },
      { positionLots: 30 },
      { positionLots: 0 },
      { positionLots: -40 },
    ]);
    expect(
      intents.map((intent) =>
        (intent as QuotesIntent).quotes.map(({ side, ticks, lots }) => [side, ticks, lots]),
      ),
    ).toEqual([
      [
        ["SELL", 10_010, 100],
        ["SELL", 10_020, 50],
      ],
      [["SELL", 10_010, 30]],
      [],
      [["BUY", 9990, 40]],
    ]);
  });

  it("widens before each funding, and not after it or before its time is known", () => {
    const parts: QuotingParts = {
      schedule: { beforeFunding: { withinMs: 60_000, widenFactor: 3 } },
    };
    const funding = (inMs: number): Partial<MarketView> => ({ nextFundingMs: NOON_MS + inMs });
    const intents = run(parts, [
      { nextFundingMs: 0 },
      funding(60_001),
      funding(60_000),
      funding(1),
      funding(0),
    ]);
    expect(intents.map(prices)).toEqual([
      [9990, 9980, 10_010, 10_020],
      [9970, 9940, 10_030, 10_060],
      [9990, 9980, 10_010, 10_020],
    ]);
    expect(intents[1]?.reason.terms.widenFactor).toBe(3);
  });
});

describe("a spread that follows volatility", () => {
  const sigmaBps = (sigma: number, rest: object = {}): QuotingParts => ({
    volatilitySpread: { normalBps: 2, sigma: { sigmaBps: sigma }, ...rest },
  });

  it("is the strategy's own at normal volatility, and never nearer below it", () => {
    expect(run(sigmaBps(2), [{}]).map(prices)).toEqual([[9990, 9980, 10_010, 10_020]]);
    expect(run(sigmaBps(0.1), [{}]).map(prices)).toEqual([[9990, 9980, 10_010, 10_020]]);
  });

  it("grows with volatility around the strategy's own centre, up to the most", () => {
    expect(run(sigmaBps(5), [{}]).map(prices)).toEqual([[9975, 9950, 10_025, 10_050]]);
    expect(run(sigmaBps(50), [{}]).map(prices)).toEqual([[9960, 9920, 10_040, 10_080]]);
    // The centre leans by the inventory: 2 bps of 10,000 ticks at a full position.
    const found: Intent[] = [];
    of(testView({ positionLots: 2000 }))
      .pipe(
        ladder.bind({ ...LADDER, levels: 1, priceSkewBps: 2, parts: sigmaBps(4) })(testContext()),
      )
      .subscribe((intent) => found.push(intent));
    // The ladder's bid of 9988 and ask of 10,008 around 9998, doubled.
    expect(prices(found[0]).at(-1)).toBe(10_018);
  });

  it("moves quotes only for a change of the given share", () => {
    const estimated: QuotingParts = {
      volatilitySpread: {
        normalBps: 1,
        maxFactor: 20,
        stepFraction: 0.5,
        sigma: { estimator: "ewma", windowMs: 60_000, sampleMs: 1000, initialBps: 1 },
      },
    };
    const fine: QuotingParts = {
      volatilitySpread: { ...estimated.volatilitySpread, stepFraction: 0, normalBps: 1 },
    };
    // A mid that goes to and fro by up to 6 ticks a second.
    const views = Array.from({ length: 120 }, (_, second) => {
      const shift = (second * second) % 7;
      return {
        timeMs: NOON_MS + second * 1000,
        bids: [{ ticks: 9999 + shift, lots: 100 }],
        asks: [{ ticks: 10_001 + shift, lots: 100 }],
        midTicks: 10_000 + shift,
      };
    });
    const factors = (parts: QuotingParts): ReadonlySet<number> =>
      new Set(run(parts, views).map(({ reason }) => reason.terms.widenFactor ?? 1));
    expect(factors(estimated).size).toBeLessThanOrEqual(4);
    expect(factors(fine).size).toBeGreaterThan(10);
  });
});

describe("parts around an operator of one's own", () => {
  const target = (targetLots: number): TargetIntent => ({
    kind: "target",
    marketId: "ethusdc",
    viewSequence: 1,
    targetLots,
    worstTicks: 9000,
    schedule: { sliceLots: 10, everyMs: 1000 },
    deadlineMs: NOON_MS + HOUR_MS,
    reason: { fairTicks: 1, reservationTicks: 1, halfSpreadTicks: 1, terms: {}, clamps: [] },
  });
  const closed = (outside: "cancel" | "reduce"): QuotingParts => ({
    schedule: { outside, activeHours: [{ from: "00:00", to: "01:00" }] },
  });
  const answers = (
    operator: OperatorFunction<MarketView, Intent>,
    parts: QuotingParts,
    positionLots = 0,
  ): readonly Intent[] => {
    const found: Intent[] = [];
    of(testView({ timeMs: NOON_MS, positionLots }), testView({ timeMs: NOON_MS + 1, positionLots }))
      .pipe(withQuotingParts(operator, parts))
      .subscribe((intent) => found.push(intent));
    return found;
  };

  it("stop a target outside of the hours, unless it reduces the position and may", () => {
    const once = (lots: number) => (view$: Parameters<OperatorFunction<MarketView, Intent>>[0]) =>
      concat(
        view$.pipe(
          take(1),
          map(() => target(lots)),
        ),
        NEVER,
      );
    expect(answers(once(0), closed("cancel"), 100)).toMatchObject([{ kind: "quotes", quotes: [] }]);
    expect(answers(once(0), closed("reduce"), 100)).toMatchObject([{ kind: "target" }]);
    expect(answers(once(-50), closed("reduce"), 100)).toMatchObject([{ quotes: [] }]);
    expect(answers(once(150), closed("reduce"), 100)).toMatchObject([{ quotes: [] }]);
    // Emitted once: the second view changes nothing.
    expect(answers(once(50), { schedule: {} }, 100)).toHaveLength(1);
  });

  it("end with it, and fail with it, so that the bot notices", () => {
    const view$ = new Subject<MarketView>();
    const seen: string[] = [];
    const own: OperatorFunction<MarketView, Intent> = (source$) =>
      source$.pipe(
        take(1),
        map(() => target(0)),
      );
    view$.pipe(withQuotingParts(own, { schedule: {} })).subscribe({
      next: () => seen.push("intent"),
      complete: () => seen.push("ended"),
    });
    view$.next(testView());
    expect(seen).toEqual(["intent", "ended"]);
    let failure: unknown;
    of(testView())
      .pipe(withQuotingParts(() => throwError(() => new Error("no price")), { schedule: {} }))
      .subscribe({ error: (error: unknown) => (failure = error) });
    expect(failure).toEqual(new Error("no price"));
  });

  it("are refused by name where they make no sense", () => {
    const refused = (parts: object): string => {
      try {
        ladder.bind({ ...LADDER, parts }, { at: ["markets", "btcusdc", "params"] });
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigError);
        return (error as Error).message;
      }
      return "accepted";
    };
    const place = "markets.btcusdc.params.parts.";
    expect(refused({ schedule: { activeHours: [{ from: "8:00", to: "09:00" }] } })).toContain(
      `${place}schedule.activeHours.0.from`,
    );
    expect(refused({ schedule: { activeHours: [{ from: "08:00", to: "08:00" }] } })).toContain(
      "is the same as from",
    );
    expect(refused({ schedule: { blackouts: [{ at: "tomorrow", afterMs: 1 }] } })).toContain(
      `${place}schedule.blackouts.0.at: is not a time`,
    );
    expect(refused({ schedule: { blackouts: [{ at: "2024-02-30", afterMs: 1 }] } })).toContain(
      "is not a time",
    );
    expect(refused({ schedule: { blackouts: [{ at: "2024-02-28" }] } })).toContain("no length");
    expect(refused({ schedul: {} })).toContain(`${place}schedul`);
    expect(refused({ volatilitySpread: {} })).toContain(`${place}volatilitySpread.normalBps`);
    expect(refused({ volatilitySpread: { normalBps: 1, maxFactor: 1 } })).toContain("maxFactor");
  });

  it("do not move the fixed prices of a grid, but may close it", () => {
    const params = { lowerPrice: 900, upperPrice: 1100, cells: 10, sizeBase: 0.1 };
    expect(() => grid.bind({ ...params, parts: { volatilitySpread: { normalBps: 1 } } })).toThrow(
      /parts\.volatilitySpread: does not go with a strategy whose prices are fixed/,
    );
    expect(() => grid.bind({ ...params, parts: closed("reduce") })).not.toThrow();
  });
});

describe("a change of a running strategy's parts", () => {
  it("applies at the next view, and its preview changes nothing", () => {
    const channel = new ParamsChannel();
    const bound = ladder.bind({
      ...LADDER,
      parts: { volatilitySpread: { normalBps: 2, sigma: { sigmaBps: 4 } } },
    });
    const view$ = new Subject<MarketView>();
    const found: Intent[] = [];
    view$.pipe(bound(testContext(), channel)).subscribe((intent) => found.push(intent));
    view$.next(testView());
    expect(prices(found.at(-1))).toEqual([9980, 9960, 10_020, 10_040]);
    const changed = bound.rebind?.({
      ...LADDER,
      halfSpreadTicks: 5,
      levels: 1,
      parts: { volatilitySpread: { normalBps: 1, sigma: { sigmaBps: 4 } } },
    });
    const preview = channel.preview?.(changed?.params, testView());
    expect(prices(preview)).toEqual([9980, 10_020]);
    expect(found).toHaveLength(1);
    channel.apply(changed?.params);
    view$.next(testView({ sequence: 2 }));
    expect(prices(found.at(-1))).toEqual([9980, 10_020]);
    // Parts alone: the strategy's own parameters are as before.
    const calmer = bound.rebind?.({
      ...LADDER,
      halfSpreadTicks: 5,
      levels: 1,
      parts: { volatilitySpread: { normalBps: 4, sigma: { sigmaBps: 4 } } },
    });
    expect(prices(channel.preview?.(calmer?.params, testView()))).toEqual([9995, 10_005]);
    channel.apply(calmer?.params);
    view$.next(testView({ sequence: 3 }));
    expect(prices(found.at(-1))).toEqual([9995, 10_005]);
  });
});
