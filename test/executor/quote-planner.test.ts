import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planQuotes, type QuotesInput } from "../../src/executor/plan-quotes.js";
import { QuotePlanner } from "../../src/executor/quote-planner.js";
import { ask, bid, order, quoteSettings, quotesInput } from "./fixtures.js";

const SETTINGS = (["POST_ONLY", "GTC", "GTT"] as const).flatMap((timeInForce) =>
  (["behind", "withhold"] as const).flatMap((onCross) =>
    [0, 2].map((priceTicks) => quoteSettings({ timeInForce, onCross, tolerance: { priceTicks, sizeFraction: 0 } })),
  ),
);
const QUOTES = [[], [bid(0, 99), ask(0, 111)], [bid(0, 104), bid(1, 99), ask(0, 106)], [ask(0, 103)]];
const WORKING = [
  [],
  [order("BUY", 0, 99), order("SELL", 0, 111)],
  [order("BUY", 0, 104), order("BUY", 1, 99), order("SELL", 0, 106, { phase: "cancelling" })],
  [order("BUY", 0, 98), order("SELL", 0, 112, { phase: "sent", orderId: undefined })],
  [
    order("BUY", 0, 99, { timeInForce: "GTT", expirationMs: 1_000_400 }),
    order("SELL", 0, 111, { timeInForce: "IOC", endDueMs: 1_000_300 }),
  ],
  [order("SELL", 0, 103, { phase: "intended", orderId: undefined })],
];
const RULES = [5, 100].map((maxOpenOrders) => ({ ...quotesInput().rules, maxOpenOrders }));
const FOREIGN = [undefined, 101].map((bestAskTicks) => ({ touch: { bestBidTicks: undefined, bestAskTicks }, openOrders: 1 }));
const TOUCH = { bestBidTicks: 100, bestAskTicks: 110 };

const oneOf = <T>(values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const best = fc.option(fc.integer({ min: 97, max: 112 }), { nil: undefined });
/** What may change from one look to the next: little, as in a market. */
const change: fc.Arbitrary<Partial<QuotesInput>> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ touch: fc.record({ bestBidTicks: best, bestAskTicks: best }) }) },
  { weight: 2, arbitrary: fc.record({ quotes: oneOf(QUOTES) }) },
  { weight: 2, arbitrary: fc.record({ working: oneOf(WORKING) }) },
  { weight: 1, arbitrary: fc.record({ settings: oneOf(SETTINGS).map((settings) => ({ ...settings })) }) },
  { weight: 1, arbitrary: fc.record({ rules: oneOf(RULES) }) },
  { weight: 1, arbitrary: fc.record({ foreign: oneOf(FOREIGN) }) },
);

describe("a planner of quotes", () => {
  it("says at every look what a plan made anew would say", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(change, fc.nat(200)), { minLength: 2, maxLength: 30 }), (changes) => {
        const planner = new QuotePlanner();
        let input = quotesInput({ quotes: QUOTES[1], working: WORKING[1], settings: quoteSettings({ onCross: "behind" }) });
        for (const [over, laterMs] of changes) {
          input = { ...input, ...over, nowMs: input.nowMs + laterMs };
          expect(planner.plan(input)).toEqual(planQuotes(input));
        }
      }),
      { numRuns: 600 },
    );
  });

  it("keeps the very plan while nothing that it depends on changes, so that nobody has to act on it again", () => {
    const planner = new QuotePlanner();
    const input = quotesInput({ quotes: QUOTES[1], working: WORKING[1], settings: quoteSettings({ onCross: "behind" }) });
    const plan = planner.plan(input);
    expect(planner.plan({ ...input, nowMs: input.nowMs + 100 })).toBe(plan);
    expect(planner.plan({ ...input, touch: { bestBidTicks: 104, bestAskTicks: 106 } })).toBe(plan);
    expect(planner.plan({ ...input, touch: { bestBidTicks: 111, bestAskTicks: 112 } })).not.toBe(plan);
  });

  // A bot that is told so leaves the plan as it is: a quote that should have moved, or an order that should have gone, would stand.
  it("says only of a plan that lasts that it does, and of a touch that it stands there too", () => {
    fc.assert(
      fc.property(
        fc.array(change, { minLength: 1, maxLength: 6 }),
        fc.record({ bestBidTicks: best, bestAskTicks: best }),
        fc.nat(5_000),
        (changes, touch, laterMs) => {
          const planner = new QuotePlanner();
          let input = quotesInput({ quotes: QUOTES[1], working: WORKING[1], settings: quoteSettings({ onCross: "behind" }) });
          for (const over of changes) input = { ...input, ...over };
          const plan = planner.plan(input);
          if (planner.isTimeless) expect(planQuotes({ ...input, nowMs: input.nowMs + laterMs })).toEqual(plan);
          if (planner.standsAt(touch)) expect(planQuotes({ ...input, touch })).toEqual(plan);
        },
      ),
      { numRuns: 600 },
    );
    const planner = new QuotePlanner();
    expect([planner.isTimeless, planner.standsAt(TOUCH)]).toEqual([false, false]);
    planner.plan(quotesInput({ quotes: QUOTES[1], working: WORKING[1], settings: quoteSettings({ onCross: "behind" }), touch: TOUCH }));
    expect([planner.isTimeless, planner.standsAt({ bestBidTicks: 104, bestAskTicks: 106 })]).toEqual([true, true]);
    planner.plan(quotesInput({ quotes: QUOTES[1], working: WORKING[4], touch: TOUCH }));
    expect(planner.isTimeless).toBe(false);
  });

  it("plans a cancel anew when the touch comes nearer to its order", () => {
    const planner = new QuotePlanner();
    const input = quotesInput({ quotes: [], working: WORKING[1], touch: TOUCH });
    expect(planner.plan(input).cancels.map(({ distanceTicks }) => distanceTicks)).toEqual([11, 11]);
    const nearer = planner.plan({ ...input, touch: { bestBidTicks: 100, bestAskTicks: 102 } });
    expect(nearer.cancels.map(({ distanceTicks }) => distanceTicks)).toEqual([3, 11]);
  });
});
