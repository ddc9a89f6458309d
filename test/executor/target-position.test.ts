import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Side } from "#core/units.js";
import { planTarget, TARGET_LEVEL, type TargetInput } from "#executor/plan-target.js";
import type { WorkingOrder } from "#executor/working-order.js";
import type { SliceSchedule, TargetIntent } from "#strategies/intent.js";
import { order, unanswered } from "./fixtures.js";

const intent: TargetIntent & { readonly schedule: SliceSchedule } = {
  kind: "target",
  marketId: "btcusdc",
  viewSequence: 1,
  targetLots: 0,
  worstTicks: 90,
  schedule: { sliceLots: 10, everyMs: 1_000 },
  deadlineMs: 2_000_000,
  reason: { fairTicks: 105, reservationTicks: 105, halfSpreadTicks: 0, terms: {}, clamps: [] },
};

/** A long position of 25 lots to sell, bid 100 and ask 110. */
function targetInput(over: Partial<TargetInput> = {}): TargetInput {
  return {
    intent,
    positionLots: 25,
    working: [],
    rules: { minTicks: 1, maxTicks: 1_000, minLots: 1, maxLots: 1_000 },
    touch: { bestBidTicks: 100, bestAskTicks: 110 },
    foreignTouch: { bestBidTicks: undefined, bestAskTicks: undefined },
    reachTicks: 3,
    lastSliceAtMs: undefined,
    nowMs: 1_000_000,
    ...over,
  };
}

const slice = (side: Side, phase: "sent" | "unknown", over: Partial<WorkingOrder> = {}) => ({
  ...unanswered(side, TARGET_LEVEL, 97, phase),
  timeInForce: "IOC",
  ...over,
});

describe("working a position towards its target", () => {
  it("sells a slice at once, as an immediate order within the allowed reach beyond the touch", () => {
    const plan = planTarget(targetInput());
    expect(plan.state).toBe("working");
    expect(plan.places).toMatchObject([
      {
        side: "SELL",
        level: TARGET_LEVEL,
        ticks: 97,
        lots: 10,
        timeInForce: "IOC",
        expirationMs: 0,
      },
    ]);
    expect([plan.remainingLots, plan.nextSliceAtMs]).toEqual([-25, 1_001_000]);
  });

  it("never passes the worst price, and waits while the touch is beyond it", () => {
    expect(planTarget(targetInput({ intent: { ...intent, worstTicks: 99 } })).places).toMatchObject(
      [{ ticks: 99 }],
    );
    const beyond = planTarget(targetInput({ intent: { ...intent, worstTicks: 101 } }));
    expect([beyond.state, beyond.places]).toEqual(["waiting", []]);
    expect(beyond.withheld[0]?.why).toContain("worst price");
    expect(
      planTarget(targetInput({ touch: { bestBidTicks: undefined, bestAskTicks: 110 } })).state,
    ).toBe("waiting");
  });

  it("buys back a short with the mirrored bounds", () => {
    const plan = planTarget(
      targetInput({ positionLots: -4, intent: { ...intent, worstTicks: 112 } }),
    );
    expect(plan.places).toMatchObject([{ side: "BUY", ticks: 112, lots: 4 }]);
  });

  it("sends one slice at a time, each at its time", () => {
    const waiting = planTarget(targetInput({ lastSliceAtMs: 999_500 }));
    expect([waiting.state, waiting.places, waiting.nextSliceAtMs]).toEqual([
      "waiting",
      [],
      1_000_500,
    ]);
    expect(planTarget(targetInput({ lastSliceAtMs: 999_000 })).places).toHaveLength(1);
    for (const phase of ["sent", "unknown"] as const) {
      const underWay = planTarget(
        targetInput({ lastSliceAtMs: 0, working: [slice("SELL", phase)] }),
      );
      expect([underWay.state, underWay.places, underWay.cancels]).toEqual(["waiting", [], []]);
    }
  });

  it("cancels the market's quotes first: they could move the position meanwhile", () => {
    const working = [
      order("BUY", 0, 100),
      order("SELL", 0, 111),
      unanswered("BUY", 1, 99, "intended"),
      unanswered("BUY", 2, 98, "sent"),
    ];
    const plan = planTarget(targetInput({ working }));
    expect([plan.state, plan.places]).toEqual(["clearing", []]);
    expect(plan.cancels.map((cancel) => cancel.hash)).toEqual(["BUY-0@100", "SELL-0@111"]);
    expect(plan.withdrawals.map((one) => one.hash)).toEqual(["BUY-1@99"]);
    expect(plan.waits.map((one) => one.hash)).toEqual(["BUY-2@98"]);
  });

  it("continues past an order with an unknown outcome, and counts it as filled if it would help", () => {
    const unknown = unanswered("SELL", 0, 111, "unknown");
    const plan = planTarget(
      targetInput({ positionLots: 15, working: [{ ...unknown, lots: 10, mayFillLots: 10 }] }),
    );
    expect(plan.places).toMatchObject([{ side: "SELL", lots: 5 }]);
    const told = planTarget(
      targetInput({
        positionLots: 10,
        working: [
          order("SELL", 0, 100, { phase: "cancelling", mayFillLots: 0, unreportedLots: 10 }),
        ],
      }),
    );
    expect([told.state, told.places]).toEqual(["waiting", []]);
  });

  it("does not trade with the account itself: it stops a tick before an unknown own order or a manual one, or waits", () => {
    expect(
      planTarget(targetInput({ working: [unanswered("BUY", 0, 98, "unknown")] })).places,
    ).toMatchObject([{ ticks: 99 }]);
    expect(planTarget(targetInput({ working: [unanswered("BUY", 0, 100, "unknown")] })).state).toBe(
      "waiting",
    );
    expect(
      planTarget(targetInput({ foreignTouch: { bestBidTicks: 97, bestAskTicks: undefined } }))
        .places,
    ).toMatchObject([{ ticks: 98 }]);
  });

  it("leaves no remainder below the market's minimum: the slice before is a little smaller", () => {
    const rules = { minTicks: 1, maxTicks: 1_000, minLots: 5, maxLots: 1_000 };
    expect(planTarget(targetInput({ rules, positionLots: 12 })).places).toMatchObject([
      { lots: 7 },
    ]);
    expect(planTarget(targetInput({ rules, positionLots: 9 })).places).toMatchObject([{ lots: 9 }]);
    const dust = planTarget(targetInput({ rules, positionLots: 4 }));
    expect([dust.state, dust.remainingLots]).toEqual(["dust", -4]);
    const small = planTarget(
      targetInput({ rules, intent: { ...intent, schedule: { sliceLots: 4, everyMs: 0 } } }),
    );
    expect(small.withheld[0]?.why).toContain("less than the market's 5");
  });

  it("says when it is done, and when its time is over", () => {
    expect(planTarget(targetInput({ positionLots: 0 }))).toMatchObject({
      state: "done",
      remainingLots: 0,
      nextSliceAtMs: undefined,
    });
    expect(
      planTarget(targetInput({ positionLots: 0, working: [unanswered("BUY", 0, 90, "unknown")] }))
        .state,
    ).toBe("waiting");
    const late = planTarget(targetInput({ nowMs: 2_000_000, working: [order("BUY", 0, 100)] }));
    expect([late.state, late.remainingLots, late.places]).toEqual(["expired", -25, []]);
    expect(late.cancels).toHaveLength(1);
  });

  it("spends no cancel on an immediate order that is about to end, and cancels one whose end is lost", () => {
    const shown = slice("SELL", "sent", { phase: "open", orderId: "7", endDueMs: 1_000_001 });
    const plan = planTarget(targetInput({ working: [shown] }));
    expect([plan.state, plan.cancels, plan.places]).toEqual(["waiting", [], []]);
    expect(plan.waits.map(({ hash }) => hash)).toEqual([shown.hash]);
    const lost = planTarget(targetInput({ working: [shown], nowMs: 1_000_001 }));
    expect(lost.cancels).toMatchObject([{ orderId: "7" }]);
  });
});

describe("no outcome overshoots", () => {
  it("whatever in-flight orders fill with the slice, the slice never takes the position past the target", () => {
    const under = fc.record({
      side: fc.constantFrom<Side>("BUY", "SELL"),
      ticks: fc.integer({ min: 80, max: 130 }),
      lots: fc.integer({ min: 1, max: 30 }),
      isTaken: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.integer({ min: -60, max: 60 }),
        fc.integer({ min: -40, max: 40 }),
        fc.array(under, { maxLength: 4 }),
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 20 }),
        (positionLots, targetLots, raw, minLots, sliceLots) => {
          const working = raw.map(({ side, ticks, lots, isTaken }, i) =>
            isTaken
              ? order(side, i, ticks, {
                  hash: `0x${i}`,
                  lots,
                  phase: "cancelling",
                  mayFillLots: 0,
                  unreportedLots: lots,
                })
              : {
                  ...unanswered(side, i, ticks, "unknown"),
                  hash: `0x${i}` as const,
                  lots,
                  mayFillLots: lots,
                },
          );
          const input = targetInput({
            positionLots,
            working,
            rules: { minTicks: 1, maxTicks: 1_000, minLots, maxLots: 15 },
            intent: {
              ...intent,
              targetLots,
              worstTicks: targetLots > positionLots ? 200 : 1,
              schedule: { sliceLots, everyMs: 0 },
            },
          });
          for (const { side, lots } of planTarget(input).places) {
            expect(lots).toBeLessThanOrEqual(Math.min(sliceLots, 15));
            expect(lots).toBeGreaterThanOrEqual(minLots);
            const sameSide = working.reduce(
              (sum, one) => (one.side === side ? sum + one.lots : sum),
              lots,
            );
            const reached = positionLots + (side === "BUY" ? sameSide : -sameSide);
            if (side === "BUY") expect(reached).toBeLessThanOrEqual(targetLots);
            else expect(reached).toBeGreaterThanOrEqual(targetLots);
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
