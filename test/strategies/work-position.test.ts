import { from, toArray } from "rxjs";
import { describe, expect, it } from "vitest";
import { ConfigError } from "#core/errors.js";
import type { MarketView } from "#market/view.js";
import type { Intent, TargetIntent } from "#strategies/intent.js";
import { workPosition } from "#strategies/work-position.js";
import { testContext, testView } from "./fixtures.js";

const FROM = 1_000_000;

function intentsOf(
  params: Readonly<Record<string, unknown>>,
  views: readonly Partial<MarketView>[],
): readonly Intent[] {
  const operator = workPosition.bind({ withinMs: 60_000, ...params })(testContext());
  let intents: readonly Intent[] = [];
  from(views.map((view, at) => testView({ sequence: at + 1, timeMs: FROM, ...view })))
    .pipe(operator, toArray())
    .subscribe((all) => {
      intents = all;
    });
  return intents;
}

/** The target of the first view. */
function firstTarget(
  params: Readonly<Record<string, unknown>>,
  view: Partial<MarketView> = {},
): TargetIntent {
  const [intent] = intentsOf(params, [view]);
  if (intent?.kind !== "target") throw new Error(`no target: ${JSON.stringify(intent)}`);
  return intent;
}

describe("the strategy that works a position", () => {
  it("buys up to a target above the position, and sells down to one below, also through zero", () => {
    expect(firstTarget({ targetBase: 1 })).toMatchObject({
      targetLots: 1_000,
      worstTicks: 10_050,
      deadlineMs: FROM + 60_000,
      schedule: { kind: "unwind", offerTicks: 9_999, keepLots: 800, sliceLots: 200 },
    });
    expect(firstTarget({ targetBase: -0.5 }, { positionLots: 500 })).toMatchObject({
      targetLots: -500,
      worstTicks: 9_950,
      schedule: { offerTicks: 10_001, keepLots: 800 },
    });
  });

  it("never asks for a price beyond the limit price or the slippage, whichever is tighter", () => {
    const worst = (params: Readonly<Record<string, unknown>>) =>
      firstTarget({ targetBase: 1, ...params }).worstTicks;
    expect(worst({ limitPriceQuote: 1000.1 })).toBe(10_001);
    expect(worst({ limitPriceQuote: 1000.19 })).toBe(10_001);
    expect(worst({ limitPriceQuote: 1020 })).toBe(10_200);
    expect(worst({ limitPriceQuote: 1020, maxSlippageBps: 10 })).toBe(10_010);
    const sold = (limitPriceQuote: number) =>
      firstTarget({ targetBase: -1, limitPriceQuote }).worstTicks;
    expect([sold(999.9), sold(999.81), sold(1000.3)]).toEqual([9_999, 9_999, 10_003]);
  });

  it("keeps its worst price when the market has moved away from the start", () => {
    const intents = intentsOf({ targetBase: 1 }, [
      {},
      { bids: [{ ticks: 10_999, lots: 1 }], asks: [{ ticks: 11_001, lots: 1 }], midTicks: 11_000 },
    ]);
    expect(intents.map((intent) => "worstTicks" in intent && intent.worstTicks)).toEqual([
      10_050, 10_050,
    ]);
  });

  it("takes nothing with taker never, and from the end of each slice on with behind", () => {
    const held = (taker: string, timeMs: number) => {
      const [, intent] = intentsOf({ targetBase: 1, taker }, [{}, { timeMs }]);
      return intent?.kind === "target" && intent.schedule.kind === "unwind"
        ? intent.schedule.parts[0]?.holdLots
        : undefined;
    };
    expect(held("behind", FROM + 10_000)).toEqual([800, 0]);
    expect(held("never", FROM + 10_000)).toEqual([1_000, 0]);
  });

  it.each([
    ["held already", { positionLots: 1_000 }, FROM],
    ["passed by another trade of the account", { positionLots: 1_500 }, FROM],
    ["out of time", { positionLots: 300 }, FROM + 60_000],
  ])("wants no order once its target is %s", (_title, view, timeMs) => {
    const intents = intentsOf({ targetBase: 1 }, [{}, { ...view, timeMs }]);
    expect(intents.at(-1)).toMatchObject({ kind: "quotes", quotes: [] });
  });

  it("says nothing new while its intent holds, and repeats it after the book was lost", () => {
    expect(intentsOf({ targetBase: 1 }, [{}, {}, {}])).toHaveLength(1);
    expect(intentsOf({ targetBase: 1 }, [{}, { cause: "start" }])).toHaveLength(2);
  });

  it.each([
    [{ targetBase: 0.0005 }, "targetBase"],
    [{ targetBase: 1, byMs: 5 }, "byMs"],
    [{ targetBase: 1, withinMs: undefined }, "byMs"],
    [{ targetBase: 1, style: "vwap" }, "style"],
    [{ targetBase: 1, participation: 0 }, "participation"],
  ])("refuses %j before it trades", (params, field) => {
    expect(() => intentsOf(params, [{}])).toThrow(ConfigError);
    expect(() => intentsOf(params, [{}])).toThrow(field);
  });
});
