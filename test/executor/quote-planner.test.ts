import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Plan } from "../../src/executor/plan.js";
import { planQuotes, type QuotesInput } from "../../src/executor/plan-quotes.js";
import { QuotePlanner } from "../../src/executor/quote-planner.js";
import type { WorkingOrder } from "../../src/executor/working-order.js";
import { ask, bid, order, quoteSettings, quotesInput } from "./fixtures.js";

const SETTINGS = (["POST_ONLY", "GTC", "GTT"] as const).flatMap((timeInForce) =>
  (["behind", "withhold"] as const).flatMap((onCross) =>
    [0, 2].map((priceTicks) =>
      quoteSettings({ timeInForce, onCross, tolerance: { priceTicks, sizeFraction: 0 } }),
    ),
  ),
);
const QUOTES = [
  [],
  [bid(0, 99), ask(0, 111)],
  [bid(0, 104), bid(1, 99), ask(0, 106)],
  [ask(0, 103)],
];
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
const FOREIGN = [undefined, 101].map((bestAskTicks) => ({
  touch: { bestBidTicks: undefined, bestAskTicks },
  openOrders: 1,
}));
const TOUCH = { bestBidTicks: 100, bestAskTicks: 110 };

const oneOf = <T>(values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const best = fc.option(fc.integer({ min: 97, max: 112 }), { nil: undefined });
/** What may change from one look to the next: little, as in a market. */
const change: fc.Arbitrary<Partial<QuotesInput>> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ touch: fc.record({ bestBidTicks: best, bestAskTicks: best }) }),
  },
  { weight: 2, arbitrary: fc.record({ quotes: oneOf(QUOTES) }) },
  { weight: 2, arbitrary: fc.record({ working: oneOf(WORKING) }) },
  {
    weight: 1,
    arbitrary: fc.record({ settings: oneOf(SETTINGS).map((settings) => ({ ...settings })) }),
  },
  { weight: 1, arbitrary: fc.record({ rules: oneOf(RULES) }) },
  { weight: 1, arbitrary: fc.record({ foreign: oneOf(FOREIGN) }) },
);
/** How far an order may come from one look to the next, most of it for one that is kept as well. */
const ADVANCES: readonly ((order: WorkingOrder) => WorkingOrder)[] = [
  (order) => ({ ...order }),
  (order) => ({ ...order, phase: "open", orderId: `id of ${order.hash}` }),
  (order) => ({ ...order, phase: "unknown", orderId: undefined }),
  (order) => ({ ...order, phase: "partly-filled", mayFillLots: 4 }),
  (order) => ({ ...order, phase: "cancelling" }),
  (order) => ({ ...order, mayFillLots: 0 }),
  // What an order never does, but its slot, which one of an earlier run is given; another of the same may stand in its place.
  (order) => ({ ...order, level: order.level === 0 ? -1 : 0 }),
  (order) => ({ ...order, hash: `${order.hash}'` }),
  (order) => ({ ...order, ticks: order.ticks + 3 }),
];
/** What changes without anything else: an order that comes on, and the tolerance as tokens go and come. */
const evolve: fc.Arbitrary<(input: QuotesInput) => QuotesInput> = fc.oneof(
  change.map((over) => (input: QuotesInput) => ({ ...input, ...over })),
  fc.tuple(fc.nat(2), oneOf(ADVANCES)).map(([which, advance]) => (input: QuotesInput) => {
    const working = input.working.map((order, at) => (at === which ? advance(order) : order));
    return { ...input, working };
  }),
  fc
    .record({ priceTicks: fc.nat(7), sizeFraction: oneOf([0, 0.3, 0.7]) })
    .map((tolerance) => (input: QuotesInput) => {
      return { ...input, settings: { ...input.settings, tolerance } };
    }),
);

/** A plan as it reads: of what is withheld, why is put in words when it is asked for. */
function read(plan: Plan): Plan {
  return {
    ...plan,
    withheld: plan.withheld.map(({ side, level, ticks, lots, why }) => ({
      side,
      level,
      ticks,
      lots,
      why,
    })),
  };
}

describe("a planner of quotes", () => {
  it("says at every look what a plan made anew would say", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(evolve, fc.nat(200)), { minLength: 2, maxLength: 30 }),
        (changes) => {
          const planner = new QuotePlanner();
          let input = quotesInput({
            quotes: QUOTES[1],
            working: WORKING[1],
            settings: quoteSettings({ onCross: "behind" }),
          });
          for (const [evolved, laterMs] of changes) {
            input = { ...evolved(input), nowMs: input.nowMs + laterMs };
            expect(read(planner.plan(input))).toEqual(read(planQuotes(input)));
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it("keeps the very plan while nothing that it depends on changes, so that nobody has to act on it again", () => {
    const planner = new QuotePlanner();
    const input = quotesInput({
      quotes: QUOTES[1],
      working: WORKING[1],
      settings: quoteSettings({ onCross: "behind" }),
    });
    const plan = planner.plan(input);
    expect(planner.plan({ ...input, nowMs: input.nowMs + 100 })).toBe(plan);
    expect(planner.plan({ ...input, touch: { bestBidTicks: 104, bestAskTicks: 106 } })).toBe(plan);
    expect(planner.plan({ ...input, touch: { bestBidTicks: 111, bestAskTicks: 112 } })).not.toBe(
      plan,
    );
  });

  // Most changes of an order that stays are such: the exchange has taken it. And the tolerance is another at each look while tokens are short.
  it("keeps the very plan when an order that it keeps has come on, and under a tolerance by which all is as right as it was", () => {
    const planner = new QuotePlanner();
    const sent = [
      order("BUY", 0, 99, { phase: "sent", orderId: undefined }),
      order("SELL", 0, 111),
    ];
    const input = quotesInput({ quotes: QUOTES[1], working: sent });
    const plan = planner.plan(input);
    const open = { ...input, working: [order("BUY", 0, 99), sent[1] as WorkingOrder] };
    expect(planner.plan(open)).toBe(plan);
    const paced = {
      ...open,
      settings: { ...input.settings, tolerance: { priceTicks: 3, sizeFraction: 0.2 } },
    };
    expect(planner.plan(paced)).toBe(plan);
    const filled = [
      order("BUY", 0, 99, { phase: "partly-filled", mayFillLots: 9 }),
      sent[1] as WorkingOrder,
    ];
    expect(planner.plan({ ...paced, working: filled })).not.toBe(plan);
  });

  it("plans anew where an order that nothing may fill of any more has left, and keeps its slot no longer", () => {
    const planner = new QuotePlanner();
    const input = quotesInput({
      quotes: [ask(0, 103)],
      working: [order("SELL", 0, 103, { phase: "intended", mayFillLots: 0 })],
    });
    expect(planner.plan(input).places).toEqual([]);
    expect(
      planner.plan({ ...input, working: [order("SELL", 0, 103, { mayFillLots: 0 })] }).places,
    ).toMatchObject([{ ticks: 103 }]);
  });

  it("says of a quote that waits for its slot which order is in it, and how far that has come by then", () => {
    const planner = new QuotePlanner();
    const input = quotesInput({
      quotes: [bid(0, 98)],
      working: [order("BUY", 0, 99, { phase: "cancelling" })],
    });
    expect(read(planner.plan(input)).withheld).toEqual([
      {
        side: "BUY",
        level: 0,
        ticks: 98,
        lots: 10,
        why: "slot 0 is closed: BUY-0@99 may still fill (cancelling)",
      },
    ]);
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
          let input = quotesInput({
            quotes: QUOTES[1],
            working: WORKING[1],
            settings: quoteSettings({ onCross: "behind" }),
          });
          for (const over of changes) input = { ...input, ...over };
          const plan = planner.plan(input);
          if (planner.isTimeless)
            expect(read(planQuotes({ ...input, nowMs: input.nowMs + laterMs }))).toEqual(
              read(plan),
            );
          if (planner.standsAt(touch))
            expect(read(planQuotes({ ...input, touch }))).toEqual(read(plan));
        },
      ),
      { numRuns: 600 },
    );
    const planner = new QuotePlanner();
    expect([planner.isTimeless, planner.standsAt(TOUCH)]).toEqual([false, false]);
    planner.plan(
      quotesInput({
        quotes: QUOTES[1],
        working: WORKING[1],
        settings: quoteSettings({ onCross: "behind" }),
        touch: TOUCH,
      }),
    );
    expect([
      planner.isTimeless,
      planner.standsAt({ bestBidTicks: 104, bestAskTicks: 106 }),
    ]).toEqual([true, true]);
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
