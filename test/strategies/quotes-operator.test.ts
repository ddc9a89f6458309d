import fc from "fast-check";
import { of } from "rxjs";
import { describe, expect, it } from "vitest";
import type { MarketView } from "#market/view.js";
import {
  AvellanedaStoikovStep,
  avellanedaStoikov,
  avellanedaStoikovParams,
} from "#strategies/avellaneda-stoikov.js";
import { GlftStep, glft, glftParams } from "#strategies/glft.js";
import type { Intent, QuotesIntent } from "#strategies/intent.js";
import { createLadderStep, ladder, ladderParams } from "#strategies/ladder.js";
import {
  canKeepQuotes,
  type QuotingStep,
  quotesOperator,
  type StepInputs,
} from "#strategies/quotes-operator.js";
import { toQuotingBounds } from "#strategies/shape-quotes.js";
import type { Strategy } from "#strategies/strategy.js";
import { testContext, testInstrument, testView } from "./fixtures.js";

/** The fields of a market that may change at the next view. */
const change = fc.oneof(
  fc.constant({}),
  fc.record({ bidLots: fc.constantFrom(100, 30) }),
  fc.record({ bid: fc.constantFrom(999_900, 999_000) }),
  fc.record({ ask: fc.constantFrom(1_000_100, 1_001_200) }),
  fc.record({ positionLots: fc.constantFrom(0, 20, -60) }),
  fc.record({ maxPositionLots: fc.constantFrom(2000, 70, Number.POSITIVE_INFINITY) }),
);
const tradedHighTicks = fc.constantFrom(Number.NaN, 1_000_001, 1_000_002, 1_000_004);
const afterMs = fc.constantFrom(0, 50, 100, 1000);

/**
 * Views that each differ little from the one before. A tick is a hundredth of a basis point, so
 * that a little more risk moves a price.
 */
const views = fc
  .array(fc.record({ afterMs, change, tradedHighTicks }), { minLength: 40, maxLength: 40 })
  .map((steps) => {
    let timeMs = 1_000_000;
    let market = {
      bid: 999_900,
      ask: 1_000_100,
      bidLots: 100,
      positionLots: 0,
      maxPositionLots: 2000,
    };
    return steps.map(({ afterMs, change, tradedHighTicks }, at): MarketView => {
      timeMs += afterMs;
      market = { ...market, ...change };
      const { bid, bidLots, ...rest } = market;
      return testView({
        ...rest,
        bids: [{ ticks: bid, lots: bidLots }],
        tradedHighTicks,
        timeMs,
        sequence: at + 1,
      });
    });
  });

const sigma = fc.constantFrom(
  { sigmaTicks: 2 },
  { sigmaBps: 1.5 },
  { estimator: "ewma", windowMs: 1000, sampleMs: 50 },
  { estimator: "rolling", windowMs: 1000, sampleMs: 50 },
);
const intensity = fc.option(
  fc.record({
    estimator: fc.constantFrom("ewma", "rolling"),
    windowMs: fc.constant(1000),
    cellMs: fc.constant(100),
    depthTicks: fc.constant(4),
    refitMs: fc.constantFrom(0, 500),
    minCells: fc.constant(1),
    without: fc.constantFrom("given", "wait"),
  }),
  { nil: undefined },
);
const common = {
  sizeBase: fc.constant(0.02),
  levels: fc.integer({ min: 1, max: 3 }),
  targetPositionBase: fc.constantFrom(0, 0.02),
  refreshToleranceTicks: fc.constantFrom(0, 1, 3),
};
const makers = {
  ...common,
  riskAversion: fc.constantFrom(0.01, 0.5),
  kPerBps: fc.constant(0.3),
  aPerSecond: fc.constant(0.9),
  sigma,
  intensity,
};

function emitted(strategy: Strategy, params: object, given: readonly MarketView[]): Intent[] {
  const intents: Intent[] = [];
  of(...given)
    .pipe(strategy.bind(params)(testContext()))
    .subscribe((intent) => intents.push(intent));
  return intents;
}

/** The output of a strategy that recomputes its quotes at every view. */
function computed<B extends StepInputs>(
  step: QuotingStep<B>,
  given: readonly MarketView[],
): QuotesIntent[] {
  const intents: QuotesIntent[] = [];
  for (const view of given) {
    const room = toQuotingBounds(view);
    const basis = step.observe(view);
    const next = step.quotes(room, basis);
    if (canKeepQuotes(intents.at(-1)?.quotes, next.quotes, room, step.toleranceTicks(basis)))
      continue;
    intents.push({
      kind: "quotes",
      marketId: view.marketId,
      viewSequence: view.sequence,
      quotes: next.quotes,
      reason: next.reason(),
    });
  }
  return intents;
}

describe("a quoting strategy that reuses its last quotes", () => {
  it("emits exactly the quotes of a Guéant-Lehalle-Fernandez-Tapia market maker that recomputes at every view", () => {
    const params = fc.record({
      ...makers,
      method: fc.constantFrom("exact", "closed-form"),
      inventoryOrders: fc.constantFrom(2, 30),
      driftBpsPerSecond: fc.constantFrom(0, 0.1),
    });
    fc.assert(
      fc.property(params, views, (held, given) => {
        expect(emitted(glft, held, given)).toEqual(
          computed(new GlftStep(glftParams.parse(held), testInstrument), given),
        );
      }),
      { numRuns: 150 },
    );
  });

  it("emits the quotes of the Avellaneda-Stoikov market maker, also while its horizon runs down", () => {
    const params = fc.record({
      ...makers,
      horizon: fc.constantFrom("rolling", "repeating"),
      horizonMs: fc.constant(700),
      variant: fc.constantFrom("paper", "normalised"),
    });
    fc.assert(
      fc.property(params, views, (held, given) => {
        const step = new AvellanedaStoikovStep(avellanedaStoikovParams.parse(held), testInstrument);
        expect(emitted(avellanedaStoikov, held, given)).toEqual(computed(step, given));
      }),
      { numRuns: 150 },
    );
  });

  it("emits the quotes of the ladder, by the mid and by the micro-price", () => {
    const params = fc.record({
      ...common,
      fair: fc.constantFrom("mid", "micro"),
      halfSpreadBps: fc.constantFrom(0.5, 4),
      priceSkewBps: fc.constantFrom(0, 20),
    });
    fc.assert(
      fc.property(params, views, (held, given) => {
        expect(emitted(ladder, held, given)).toEqual(
          computed(createLadderStep(ladderParams.parse(held), testInstrument), given),
        );
      }),
      { numRuns: 150 },
    );
  });

  it("computes nothing while no input of its quotes has changed, and everything if an input is NaN", () => {
    const asked: number[] = [];
    const intensity = {};
    const bases = [
      [1, 2],
      [1, 2],
      [1, 3],
      [1, 3, 0],
      [Number.NaN],
      [Number.NaN],
      [intensity],
      [intensity],
      [{}],
    ];
    let at = -1;
    const step: QuotingStep<StepInputs> = {
      observe: () => bases[++at],
      quotes: () => {
        asked.push(at);
        return {
          quotes: [],
          reason: () => ({
            fairTicks: 0,
            reservationTicks: 0,
            halfSpreadTicks: 0,
            terms: {},
            clamps: [],
          }),
        };
      },
      toleranceTicks: () => 0,
    };
    of(...bases.map((_, sequence) => testView({ sequence })))
      .pipe(quotesOperator(() => step))
      .subscribe();
    expect(asked).toEqual([0, 2, 3, 4, 5, 6, 8]);
  });

  it("recomputes its quotes when the touch, the position or its limit changes, whatever it has observed itself", () => {
    let asked = 0;
    const step: QuotingStep<StepInputs> = {
      observe: () => [],
      quotes: () => {
        asked++;
        return {
          quotes: [],
          reason: () => ({
            fairTicks: 0,
            reservationTicks: 0,
            halfSpreadTicks: 0,
            terms: {},
            clamps: [],
          }),
        };
      },
      toleranceTicks: () => 0,
    };
    const market = { bid: 9999, ask: 10_001, positionLots: 0, maxPositionLots: 100 };
    const moves = [
      {},
      {},
      { bid: 9998 },
      { ask: 10_002 },
      { positionLots: 5 },
      { maxPositionLots: 90 },
    ];
    let moved = market;
    const given = moves.map((move, sequence) => {
      moved = { ...moved, ...move };
      return testView({ ...moved, sequence });
    });
    of(...given)
      .pipe(quotesOperator(() => step))
      .subscribe();
    expect(asked).toBe(5);
  });
});
