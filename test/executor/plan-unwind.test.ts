import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Side } from "#core/units.js";
import { TARGET_LEVEL } from "#executor/plan-target.js";
import { planUnwind, type UnwindInput } from "#executor/plan-unwind.js";
import { allowedLots, nextStepAtMs } from "#executor/unwind-schedule.js";
import { maxNewPositionLots, type WorkingOrder } from "#executor/working-order.js";
import type { TargetIntent, UnwindPart, UnwindSchedule } from "#strategies/intent.js";
import { ask, bid, order, quoteSettings, unanswered } from "./fixtures.js";

const T0 = 1_000_000;
/** 25 lots: offered for a second, then sold in three steps of a second. */
const part: UnwindPart = {
  takingFromMs: T0 + 1_000,
  stepMs: 1_000,
  holdLots: [25, 15, 5, 0],
  leftLots: 25,
  worstTicks: 90,
};
const schedule: Omit<UnwindSchedule, "parts"> = {
  kind: "unwind",
  offerTicks: 105,
  dustLots: 0,
  sliceLots: 1_000,
  everyMs: 500,
};

function intentOf(
  over: Partial<UnwindSchedule> = {},
  target: Partial<TargetIntent> = {},
): UnwindInput["intent"] {
  const reason = {
    fairTicks: 105,
    reservationTicks: 105,
    halfSpreadTicks: 0,
    terms: {},
    clamps: [],
  };
  return {
    kind: "target",
    marketId: "btcusdc",
    viewSequence: 1,
    targetLots: 0,
    worstTicks: 90,
    deadlineMs: T0 + 10_000,
    reason,
    ...target,
    schedule: { ...schedule, parts: [{ ...part, worstTicks: target.worstTicks ?? 90 }], ...over },
  };
}

/** A long position of 25 lots to sell, bid 100 and ask 110, without a quoting strategy. */
function unwindInput(over: Partial<UnwindInput> = {}): UnwindInput {
  return {
    intent: intentOf(),
    marketId: "btcusdc",
    positionLots: 25,
    working: [],
    rules: { minTicks: 1, maxTicks: 1_000, minLots: 1, maxLots: 1_000, maxOpenOrders: 100 },
    touch: { bestBidTicks: 100, bestAskTicks: 110 },
    foreign: { touch: { bestBidTicks: undefined, bestAskTicks: undefined }, openOrders: 0 },
    quotes: [],
    settings: quoteSettings({ onCross: "behind" }),
    reachTicks: 3,
    lastSliceAtMs: undefined,
    nowMs: T0,
    ...over,
  };
}

const inShort = (plan: ReturnType<typeof planUnwind>) =>
  plan.places.map(
    ({ side, lots, ticks, timeInForce }) => `${side} ${lots} @ ${ticks} ${timeInForce}`,
  );

describe("the trajectory of an unwind", () => {
  it("allows all lots until taking begins, and fewer from the start of each step on", () => {
    const at = [0, 999, 1_000, 1_999, 2_000, 3_000, 99_000].map((ms) =>
      allowedLots([part], T0 + ms),
    );
    expect(at).toEqual([25, 25, 15, 15, 5, 0, 0]);
    expect([0, 1_000, 2_999, 3_000].map((ms) => nextStepAtMs([part], T0 + ms))).toEqual([
      T0 + 1_000,
      T0 + 2_000,
      T0 + 3_000,
      undefined,
    ]);
  });

  it("of several positions is their sum", () => {
    const later = { ...part, takingFromMs: T0 + 1_500, holdLots: [8, 0] };
    expect([1_000, 1_500, 3_000].map((ms) => allowedLots([part, later], T0 + ms))).toEqual([
      23, 15, 0,
    ]);
    expect(nextStepAtMs([part, later], T0 + 1_000)).toBe(T0 + 1_500);
  });
});

describe("unwinding without a quoting strategy", () => {
  it("offers all lots at the reservation price, by an order that takes nothing", () => {
    const plan = planUnwind(unwindInput());
    expect([plan.state, plan.nextSliceAtMs, inShort(plan)]).toEqual([
      "offering",
      T0 + 1_000,
      ["SELL 25 @ 105 POST_ONLY"],
    ]);
    expect(
      inShort(planUnwind(unwindInput({ intent: intentOf({ offerTicks: 80 }) }))),
      "one tick behind the touch",
    ).toEqual(["SELL 25 @ 101 POST_ONLY"]);
    expect(
      inShort(planUnwind(unwindInput({ intent: intentOf({}, { worstTicks: 120 }) }))),
      "never below the worst price",
    ).toEqual(["SELL 25 @ 120 POST_ONLY"]);
    const short = unwindInput({
      positionLots: -25,
      intent: intentOf({ offerTicks: 104.5 }, { worstTicks: 120 }),
    });
    expect(inShort(planUnwind(short))).toEqual(["BUY 25 @ 104 POST_ONLY"]);
  });

  it("takes the lots above the trajectory, next to an offer of the rest", () => {
    const plan = planUnwind(unwindInput({ nowMs: T0 + 1_000 }));
    expect([plan.state, inShort(plan)]).toEqual([
      "working",
      ["SELL 10 @ 97 IOC", "SELL 15 @ 105 POST_ONLY"],
    ]);
    const last = planUnwind(unwindInput({ nowMs: T0 + 3_000 }));
    expect(inShort(last)).toEqual(["SELL 25 @ 97 IOC"]);
  });

  it("takes nothing while fills of the offer are ahead of the trajectory", () => {
    const plan = planUnwind(unwindInput({ nowMs: T0 + 1_000, positionLots: 15 }));
    expect([plan.state, inShort(plan)]).toEqual(["offering", ["SELL 15 @ 105 POST_ONLY"]]);
  });

  it("shrinks its offer before it takes: both together never exceed what remains", () => {
    const offer = order("SELL", 0, 105, { lots: 25, mayFillLots: 25 });
    const plan = planUnwind(unwindInput({ nowMs: T0 + 1_000, working: [offer] }));
    expect([plan.state, plan.cancels.map(({ hash }) => hash), plan.places]).toEqual([
      "clearing",
      [offer.hash],
      [],
    ]);
    const cancelling = order("SELL", 0, 105, { lots: 25, mayFillLots: 25, phase: "cancelling" });
    expect(planUnwind(unwindInput({ nowMs: T0 + 1_000, working: [cancelling] })).places).toEqual(
      [],
    );
  });

  it("sends one slice at a time, and counts one with an unknown outcome as filled", () => {
    const slice = unanswered("SELL", TARGET_LEVEL, 97, "unknown");
    const working = [{ ...slice, lots: 10, mayFillLots: 10, timeInForce: "IOC" }];
    const plan = planUnwind(unwindInput({ nowMs: T0 + 2_000, working }));
    expect([plan.state, plan.cancels, inShort(plan)]).toEqual([
      "waiting",
      [],
      ["SELL 5 @ 105 POST_ONLY"],
    ]);
    const resting = planUnwind(unwindInput({ nowMs: T0 + 1_000, lastSliceAtMs: T0 + 700 }));
    expect([resting.state, resting.nextSliceAtMs]).toEqual(["waiting", T0 + 1_200]);
  });

  it("offers the lots that are due while an own order stands in the way: they would rest nowhere", () => {
    // Another order of the account is the best bid, and must not be sold to.
    const foreign = { touch: { bestBidTicks: 100, bestAskTicks: undefined }, openOrders: 1 };
    const blocked = planUnwind(unwindInput({ nowMs: T0 + 3_000, foreign }));
    expect([blocked.state, blocked.withheld.length, inShort(blocked)]).toEqual([
      "waiting",
      1,
      ["SELL 25 @ 105 POST_ONLY"],
    ]);
    const between = { nowMs: T0 + 3_000, lastSliceAtMs: T0 + 2_700 };
    expect(inShort(planUnwind(unwindInput({ ...between, foreign })))).toEqual(inShort(blocked));
  });

  it("offers only what is not due between two immediate orders: the next need not wait for cancels", () => {
    const waiting = planUnwind(unwindInput({ nowMs: T0 + 1_000, lastSliceAtMs: T0 + 700 }));
    expect([waiting.state, waiting.nextSliceAtMs, waiting.withheld.length]).toEqual([
      "waiting",
      T0 + 1_200,
      0,
    ]);
    expect(inShort(waiting)).toEqual(["SELL 15 @ 105 POST_ONLY"]);
  });

  it("spends no cancel on a slice that is about to end, and cancels one whose end is lost", () => {
    const endDueMs = T0 + 1_000;
    const shown = order("SELL", TARGET_LEVEL, 97, { lots: 10, timeInForce: "IOC", endDueMs });
    const plan = planUnwind(unwindInput({ nowMs: endDueMs - 1, working: [shown] }));
    expect([plan.cancels, plan.waits.map(({ hash }) => hash)]).toEqual([[], [shown.hash]]);
    expect(
      planUnwind(unwindInput({ nowMs: endDueMs, working: [shown] })).cancels.map(
        ({ hash }) => hash,
      ),
    ).toEqual([shown.hash]);
  });

  it("continues past an offer with an unknown outcome, with the lots that it leaves", () => {
    const offer = { ...unanswered("SELL", 0, 105, "unknown"), lots: 20, mayFillLots: 20 };
    const plan = planUnwind(unwindInput({ nowMs: T0 + 2_000, working: [offer] }));
    expect(inShort(plan)).toEqual(["SELL 5 @ 97 IOC"]);
  });

  it("takes nothing while the touch is beyond the worst price or the other side is empty, and keeps offering within its bound", () => {
    const nowMs = T0 + 3_000;
    const beyond = planUnwind(
      unwindInput({ nowMs, intent: intentOf({ offerTicks: 95 }, { worstTicks: 102 }) }),
    );
    expect([beyond.state, beyond.nextSliceAtMs, inShort(beyond)]).toEqual([
      "waiting",
      nowMs,
      ["SELL 25 @ 102 POST_ONLY"],
    ]);
    const nobody = planUnwind(
      unwindInput({ nowMs, touch: { bestBidTicks: undefined, bestAskTicks: 110 } }),
    );
    expect([nobody.state, inShort(nobody)]).toEqual(["waiting", ["SELL 25 @ 105 POST_ONLY"]]);
    expect(nobody.withheld).toMatchObject([
      { lots: 25, why: "the other side of the book is empty" },
    ]);
  });

  it("needs only the opposite side of the book", () => {
    const touch = { bestBidTicks: 100, bestAskTicks: undefined };
    expect(inShort(planUnwind(unwindInput({ nowMs: T0 + 3_000, touch })))).toEqual([
      "SELL 25 @ 97 IOC",
    ]);
  });

  it("sells a remainder that would be dust with the slice before it, and leaves existing dust", () => {
    const rules = { ...unwindInput().rules, minLots: 6 };
    expect(inShort(planUnwind(unwindInput({ nowMs: T0 + 2_000, rules })))).toEqual([
      "SELL 25 @ 97 IOC",
    ]);
    expect(planUnwind(unwindInput({ positionLots: 5, rules })).state).toBe("dust");
    expect(
      planUnwind(unwindInput({ positionLots: 5, intent: intentOf({ dustLots: 5 }) })).state,
    ).toBe("dust");
    expect(planUnwind(unwindInput({ positionLots: 0 })).state).toBe("done");
  });

  it("sells a little less in a slice that would leave untradable dust", () => {
    const rules = { minTicks: 1, maxTicks: 1_000, minLots: 8, maxLots: 1_000, maxOpenOrders: 100 };
    const sold = (positionLots: number, dustLots = 0) => {
      const parts = [{ ...part, holdLots: [positionLots, 0], leftLots: positionLots }];
      return inShort(
        planUnwind(
          unwindInput({
            positionLots,
            rules,
            nowMs: T0 + 2_000,
            intent: intentOf({ parts, dustLots, sliceLots: 100 }),
          }),
        ),
      );
    };
    expect([sold(205), sold(105), sold(108), sold(99), sold(105, 20)]).toEqual([
      ["SELL 100 @ 97 IOC"],
      ["SELL 97 @ 97 IOC"],
      ["SELL 100 @ 97 IOC"],
      ["SELL 99 @ 97 IOC"],
      ["SELL 84 @ 97 IOC"],
    ]);
  });

  it("cancels everything at its deadline", () => {
    const offer = order("SELL", 0, 105);
    const plan = planUnwind(unwindInput({ nowMs: T0 + 10_000, working: [offer] }));
    expect([plan.state, plan.places, plan.cancels.map(({ hash }) => hash)]).toEqual([
      "expired",
      [],
      [offer.hash],
    ]);
  });
});

describe("several takeovers of a falling market", () => {
  /** Acquired at 110 and at 100, each sold in one step from T0 on, at most ten ticks below. */
  const older: UnwindPart = {
    takingFromMs: T0,
    stepMs: 10_000,
    holdLots: [10, 0],
    leftLots: 10,
    worstTicks: 100,
  };
  const newer: UnwindPart = {
    takingFromMs: T0,
    stepMs: 10_000,
    holdLots: [6, 0],
    leftLots: 6,
    worstTicks: 90,
  };
  const parts = [older, newer];
  const at = (
    bestBidTicks: number,
    over: Partial<UnwindSchedule> = {},
    most: Partial<UnwindInput> = {},
  ) =>
    planUnwind(
      unwindInput({
        positionLots: 16,
        intent: intentOf({ parts, offerTicks: bestBidTicks + 5, ...over }, { worstTicks: 90 }),
        touch: { bestBidTicks, bestAskTicks: bestBidTicks + 10 },
        ...most,
      }),
    );

  it("each slice is for the takeovers whose worst price allows the touch, within the tightest of their bounds", () => {
    expect(inShort(at(101))).toEqual(["SELL 16 @ 100 IOC"]);
    expect(inShort(at(99)), "the older waits at its bound, and does not hold up the newer").toEqual(
      ["SELL 6 @ 96 IOC", "SELL 10 @ 104 POST_ONLY"],
    );
    expect(at(99).state).toBe("working");
    const none = at(89);
    expect([none.state, inShort(none)]).toEqual([
      "waiting",
      ["SELL 6 @ 94 POST_ONLY", "SELL 10 @ 100 POST_ONLY"],
    ]);
  });

  it("those are worked by their own trajectory, as if the others did not exist", () => {
    const half = { ...newer, holdLots: [6, 2, 0] };
    expect(inShort(at(99, { parts: [older, half] }))).toEqual([
      "SELL 4 @ 96 IOC",
      "SELL 12 @ 104 POST_ONLY",
    ]);
    const untaken = { ...newer, takingFromMs: T0 + 1_000 };
    const plan = at(99, { parts: [older, untaken] });
    expect([plan.state, inShort(plan)], "of the older all is due, and nobody pays for it").toEqual([
      "offering",
      ["SELL 16 @ 104 POST_ONLY"],
    ]);
  });

  it("an order that only the newer takeover allows never exceeds its remaining lots, whatever is in flight", () => {
    const lost = {
      ...unanswered("SELL", TARGET_LEVEL, 96, "unknown"),
      lots: 6,
      mayFillLots: 6,
      timeInForce: "IOC",
    };
    expect(inShort(at(89, {}, { working: [lost] }))).toEqual(["SELL 10 @ 100 POST_ONLY"]);
    const comingDown = order("SELL", 1, 94, { lots: 6, mayFillLots: 6, phase: "cancelling" });
    expect(inShort(at(99, {}, { working: [comingDown] }))).toEqual(["SELL 10 @ 104 POST_ONLY"]);
    expect(at(99, {}, { working: [comingDown] }).state, "its slice waits for that").toBe(
      "clearing",
    );
    const forgotten = { ...comingDown, phase: "unknown" as const };
    expect(inShort(at(101, {}, { working: [forgotten] })), "the older bears the rest").toEqual([
      "SELL 10 @ 100 IOC",
    ]);
  });

  it("the same holds for shorts in a rising market", () => {
    const [first, second] = [
      { ...older, worstTicks: 100 },
      { ...newer, worstTicks: 110 },
    ];
    const plan = planUnwind(
      unwindInput({
        positionLots: -16,
        intent: intentOf({ parts: [first, second], offerTicks: 102 }, { worstTicks: 110 }),
        touch: { bestBidTicks: 98, bestAskTicks: 105 },
      }),
    );
    expect(inShort(plan)).toEqual(["BUY 6 @ 108 IOC", "BUY 10 @ 100 POST_ONLY"]);
  });
});

describe("unwinding beside a strategy's quotes", () => {
  const quotes = [bid(0, 99), ask(0, 111, 8), bid(1, 98), ask(1, 112, 8), ask(2, 113, 8)];

  it("keeps the reducing quotes, and cancels those that would add", () => {
    const working = [order("BUY", 0, 99), order("SELL", 0, 111, { lots: 8, mayFillLots: 8 })];
    const plan = planUnwind(unwindInput({ quotes, working }));
    expect(plan.cancels.map(({ hash }) => hash)).toEqual(["BUY-0@99"]);
    expect(plan.keeps.map(({ hash }) => hash)).toEqual(["SELL-0@111"]);
    expect(inShort(plan)).toEqual(["SELL 8 @ 112 POST_ONLY", "SELL 8 @ 113 POST_ONLY"]);
  });

  it("cuts them, the outermost first, to the trajectory, and takes the remainder", () => {
    const plan = planUnwind(unwindInput({ quotes, nowMs: T0 + 1_000 }));
    expect(inShort(plan)).toEqual([
      "SELL 10 @ 97 IOC",
      "SELL 8 @ 111 POST_ONLY",
      "SELL 7 @ 112 POST_ONLY",
    ]);
  });
});

describe("with any working orders", () => {
  const phases = ["intended", "sent", "unknown", "open", "partly-filled", "cancelling"] as const;
  const orders = fc.array(
    fc.record({
      side: fc.constantFrom<Side>("BUY", "SELL"),
      level: fc.constantFrom(0, 1, 2, TARGET_LEVEL),
      ticks: fc.integer({ min: 90, max: 120 }),
      lots: fc.integer({ min: 1, max: 12 }),
      phase: fc.constantFrom(...phases),
    }),
    { maxLength: 6 },
  );

  it("an unwind never overshoots, never crosses the account's own orders, never passes its bound, and is deterministic", () => {
    fc.assert(
      fc.property(
        orders,
        fc.integer({ min: -40, max: 40 }),
        fc.integer({ min: 0, max: 4_000 }),
        fc.boolean(),
        fc.integer({ min: 85, max: 125 }),
        (held, positionLots, afterMs, isJoint, worstTicks) => {
          const working: WorkingOrder[] = held.map(({ side, level, ticks, lots, phase }, at) => {
            const hash = `order ${at}` as `0x${string}`;
            const orderId =
              phase === "open" || phase === "partly-filled" || phase === "cancelling"
                ? `${at}`
                : undefined;
            return order(side, level, ticks, {
              hash,
              lots,
              mayFillLots: phase === "intended" ? 0 : lots,
              phase,
              orderId,
            });
          });
          const quotes = isJoint ? [bid(0, 99), ask(0, 111), ask(1, 112), bid(1, 97)] : [];
          const input = unwindInput({
            working,
            positionLots,
            quotes,
            nowMs: T0 + afterMs,
            intent: intentOf({}, { worstTicks }),
          });
          const plan = planUnwind(input);
          expect(planUnwind(input)).toEqual(plan);
          const reducing = positionLots > 0 ? "SELL" : "BUY";
          const underWay = working.reduce(
            (sum, one) => sum + (one.side === reducing ? maxNewPositionLots(one) : 0),
            0,
          );
          const placed = plan.places.reduce((sum, { lots }) => sum + lots, 0);
          for (const place of plan.places) {
            expect(place.side).toBe(reducing);
            const isQuote = isJoint && place.level !== TARGET_LEVEL;
            if (!isQuote)
              expect(
                place.side === "SELL" ? place.ticks >= worstTicks : place.ticks <= worstTicks,
              ).toBe(true);
            for (const own of working) {
              if (own.side === place.side || own.mayFillLots === 0) continue;
              expect(
                place.side === "SELL" ? place.ticks > own.ticks : place.ticks < own.ticks,
              ).toBe(true);
            }
          }
          if (placed > 0) expect(placed + underWay).toBeLessThanOrEqual(Math.abs(positionLots));
          expect(
            plan.places.filter(({ level }) => level === TARGET_LEVEL).length,
          ).toBeLessThanOrEqual(1);
        },
      ),
    );
  });
});

describe("an unwind that keeps lots for later", () => {
  const kept = (keepLots: number, over: Partial<UnwindInput> = {}) =>
    planUnwind(unwindInput({ intent: intentOf({ keepLots }), ...over }));

  it("offers only the lots above those it keeps", () => {
    expect(inShort(kept(20))).toEqual(["SELL 5 @ 105 POST_ONLY"]);
    expect(inShort(kept(25))).toEqual([]);
  });

  it("takes what is due even if it keeps as much", () => {
    expect(inShort(kept(25, { nowMs: T0 + 1_000 }))[0]).toMatch(/^SELL 10 @ \d+ IOC$/);
  });

  it("waits for a quote that may fill before it takes, so that both never exceed the lots", () => {
    const resting = order("SELL", 0, 110, { hash: "0x1", lots: 10 });
    const plan = kept(15, { working: [resting], nowMs: T0 + 1_000 });
    expect(inShort(plan)).toEqual([]);
    expect(plan.cancels.map(({ hash }) => hash)).toEqual(["0x1"]);
    expect(plan.state).toBe("clearing");
  });

  it("builds a position up as it takes one down, never beyond the lots or the worst price", () => {
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.integer({ min: -40, max: 40 }),
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: -15, max: 15 }),
        fc.nat(12),
        (isBuy, positionLots, leftLots, hold, bound, resting) => {
          const sign = isBuy ? 1 : -1;
          const side: Side = isBuy ? "BUY" : "SELL";
          const worstTicks = 105 + sign * bound;
          const holdLots = Math.min(hold, leftLots);
          const keepLots = Math.floor(holdLots / 2);
          const intent = intentOf(
            {
              keepLots,
              offerTicks: isBuy ? 100 : 110,
              parts: [
                {
                  takingFromMs: T0 + 9_000,
                  stepMs: 1,
                  holdLots: [holdLots, 0],
                  leftLots,
                  worstTicks,
                },
              ],
            },
            { targetLots: positionLots + sign * leftLots, worstTicks },
          );
          const working =
            resting === 0 ? [] : [order(side, 0, isBuy ? 100 : 110, { lots: resting })];
          const plan = planUnwind(unwindInput({ intent, positionLots, working }));
          const placed = plan.places.reduce((sum, { lots }) => sum + lots, 0);
          for (const place of plan.places) {
            expect(place.side).toBe(side);
            expect(sign * (worstTicks - place.ticks)).toBeGreaterThanOrEqual(0);
          }
          if (placed > 0) expect(placed + resting).toBeLessThanOrEqual(leftLots - keepLots);
        },
      ),
    );
  });

  it("sends slices of the market's smallest order where the schedule's are below it", () => {
    const rules = { ...unwindInput().rules, minLots: 4 };
    const plan = planUnwind(
      unwindInput({ rules, intent: intentOf({ sliceLots: 1 }), nowMs: T0 + 1_000 }),
    );
    expect(inShort(plan)[0]).toMatch(/^SELL 4 @ /);
  });
});
