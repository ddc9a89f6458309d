import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decideHedge, type HedgeSituation, smallestHedge } from "#hedge/decide-hedge.js";
import { advanceHedgeOrder, createHedgeOrder, type HedgeOrder } from "#hedge/hedge-order.js";
import type { HedgePlace } from "#hedge/hedge-venue.js";
import { CONTRACT, hedgePlace, lotsValue, orderReport } from "./hedge-records.js";

const TOUCH = { bidTicks: 600_000, askTicks: 600_010 };
const SETTINGS = {
  style: "taker",
  minClipLots: 1,
  maxUnhedgedLots: 20,
  maxUnhedgedMs: 5_000,
  maxSlippageBps: 20,
} as const;
const MAKER = { ...SETTINGS, style: "maker-then-taker" } as const;

function situation(more: Partial<HedgeSituation> = {}): HedgeSituation {
  return {
    contract: CONTRACT,
    settings: SETTINGS,
    touch: TOUCH,
    positionLots: 0,
    targetLots: 0,
    unhedgedForMs: 0,
    working: undefined,
    mayRest: true,
    ...more,
  };
}

const decide = (more: Partial<HedgeSituation>) => decideHedge(situation(more));

/** An order that rests at the bid. */
function resting(more: Partial<HedgePlace> = {}): HedgeOrder {
  const place = hedgePlace({ timeInForce: "POST_ONLY", ticks: TOUCH.bidTicks, ...more });
  const { lots, side } = place;
  const report = orderReport(0, true, { lots, side });
  return advanceHedgeOrder(createHedgeOrder(place, 0), { kind: "report", report });
}

const why = (more: Partial<HedgeSituation>) => {
  const step = decide(more);
  return step.step === "place" ? `place ${step.side} ${step.lots}` : `${step.step}: ${step.why}`;
};

describe("a hedge that takes", () => {
  it("buys and sells what is missing at once, at the worst price within the bound", () => {
    expect(decide({ targetLots: 10 })).toEqual({
      step: "place",
      side: "BUY",
      lots: 10,
      // The mid is 60,000.5; 0.2 % of it is 120.001.
      ticks: 601_205,
      timeInForce: "IOC",
      isReduceOnly: false,
    });
    expect(decide({ targetLots: -10 })).toMatchObject({
      side: "SELL",
      ticks: 598_805,
      timeInForce: "IOC",
    });
  });

  it("never pays more than the bound, on whichever grid", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2_000 }),
        fc.integer({ min: 0, max: 50 }),
        fc.double({ min: 0.01, max: 1_000, noNaN: true }),
        fc.boolean(),
        (bidTicks, spread, maxSlippageBps, isLong) => {
          const touch = { bidTicks, askTicks: bidTicks + spread };
          const settings = { ...SETTINGS, maxSlippageBps };
          const step = decide({ touch, settings, targetLots: isLong ? 5 : -5 });
          if (step.step !== "place") throw new Error("nothing was placed");
          const midTicks = bidTicks + spread / 2;
          const bound = (midTicks * maxSlippageBps) / 10_000;
          expect(Number.isInteger(step.ticks)).toBe(true);
          expect(step.ticks).toBeGreaterThanOrEqual(1);
          if (isLong) expect(step.ticks).toBeLessThanOrEqual(Math.max(1, midTicks + bound));
          else expect(step.ticks).toBeGreaterThanOrEqual(midTicks - bound);
          const gap = Math.abs(midTicks + (isLong ? bound : -bound) - step.ticks);
          expect(gap, "and not a tick less than it may").toBeLessThan(1);
        },
      ),
    );
  });

  it("trades at most the largest order at a time, and nothing below the smallest", () => {
    expect(why({ targetLots: 2_500 })).toBe("place BUY 1000");
    const settings = { ...SETTINGS, minClipLots: 5 };
    expect(why({ settings, targetLots: 4 })).toBe("nothing: less than the smallest hedge");
    expect(why({ settings, targetLots: 5 })).toBe("place BUY 5");
    const contract = { ...CONTRACT, minLots: 8 };
    expect(why({ contract, settings, targetLots: -7 })).toBe(
      "nothing: less than the smallest hedge",
    );
    expect(why({ targetLots: 0 })).toBe("nothing: hedged");
  });

  it("marks an order as reducing only if the position cannot change its sign", () => {
    const isReducing = (positionLots: number, targetLots: number) => {
      const step = decide({ positionLots, targetLots });
      return step.step === "place" && step.isReduceOnly;
    };
    expect(isReducing(10, 4)).toBe(true);
    expect(isReducing(10, 0)).toBe(true);
    expect(isReducing(10, -1)).toBe(false);
    expect(isReducing(-10, -3)).toBe(true);
    expect(isReducing(-10, -12)).toBe(false);
    expect(isReducing(0, 5)).toBe(false);
  });

  it("is worth the venue's smallest value at its own worst price, unless it only reduces", () => {
    // Two lots are worth exactly that at the bid, and less at the price of an order that sells.
    const contract = { ...CONTRACT, minNotional: lotsValue(TOUCH.bidTicks, 2) };
    expect(why({ contract, targetLots: -2 })).toBe("nothing: less than the smallest hedge");
    const step = decide({ contract, targetLots: -3 });
    if (step.step !== "place") throw new Error("nothing was placed");
    expect(lotsValue(step.ticks, step.lots)).toBeGreaterThanOrEqual(contract.minNotional);
    expect(why({ contract, positionLots: 2, targetLots: 1 })).toBe("place SELL 1");
    expect(smallestHedge(situation({ contract }), false)).toBe(3);
    expect(smallestHedge(situation({ contract }), true)).toBe(1);
  });
});

describe("a hedge that rests before it takes", () => {
  it("rests at the touch of its side and never takes there", () => {
    expect(decide({ settings: MAKER, targetLots: 10 })).toMatchObject({
      ticks: TOUCH.bidTicks,
      timeInForce: "POST_ONLY",
    });
    expect(decide({ settings: MAKER, targetLots: -10 })).toMatchObject({
      ticks: TOUCH.askTicks,
      timeInForce: "POST_ONLY",
    });
  });

  it.each([
    ["too much is unhedged", { targetLots: 21 }],
    ["it has been unhedged for too long", { targetLots: 10, unhedgedForMs: 5_001 }],
    ["the bot stops", { targetLots: 10, mayRest: false }],
  ])("takes when %s", (_when, more) => {
    expect(decide({ settings: MAKER, ...more })).toMatchObject({ timeInForce: "IOC" });
    expect(why({ settings: MAKER, ...more, working: resting() }), "and first cancels").toMatch(
      /^cancel: /,
    );
  });

  it("keeps its order while it is right, and cancels it when it is not", () => {
    const working = resting();
    const at = (more: Partial<HedgeSituation>) =>
      why({ settings: MAKER, working, targetLots: 10, ...more });
    expect(at({})).toBe("nothing: rests at the touch");
    expect(at({ targetLots: 9 })).toBe("cancel: is larger than needed");
    expect(at({ targetLots: 11 })).toBe("cancel: is smaller than needed");
    expect(at({ targetLots: 0 })).toBe("cancel: is not needed any more");
    expect(at({ targetLots: -4 })).toBe("cancel: is not needed any more");
    expect(at({ touch: { ...TOUCH, bidTicks: 600_001 } })).toBe("cancel: the touch has moved");
    expect(at({ touch: { ...TOUCH, askTicks: 600_011 } })).toBe("nothing: rests at the touch");
  });

  it("counts what of its order has filled", () => {
    const working = advanceHedgeOrder(resting(), { kind: "fill", lots: 4 });
    const settings = MAKER;
    expect(why({ settings, working, positionLots: 4, targetLots: 10 })).toBe(
      "nothing: rests at the touch",
    );
  });
});

describe("a hedge whose order may still fill", () => {
  const orders = fc
    .record({
      timeInForce: fc.constantFrom("IOC" as const, "POST_ONLY" as const, undefined),
      phase: fc.constantFrom("sent", "unknown", "open", "cancelling"),
      side: fc.constantFrom("BUY" as const, "SELL" as const),
    })
    .map((more) => ({ ...createHedgeOrder(hedgePlace(), 0), ...more }) as HedgeOrder);

  it("never sends a second one, whatever is missing", () => {
    fc.assert(
      fc.property(
        orders,
        fc.integer({ min: -50, max: 50 }),
        fc.integer({ min: -50, max: 50 }),
        fc.boolean(),
        fc.boolean(),
        fc.nat(9_000),
        (working, positionLots, targetLots, mayRest, isTaker, unhedgedForMs) => {
          const settings = isTaker ? SETTINGS : MAKER;
          const step = decide({
            working,
            positionLots,
            targetLots,
            mayRest,
            settings,
            unhedgedForMs,
          });
          expect(step.step).not.toBe("place");
          if (step.step === "cancel") expect(working.phase).toBe("open");
        },
      ),
    );
  });

  it("cancels an order of an earlier run, whose price it does not know", () => {
    const working = { ...resting(), timeInForce: undefined, ticks: undefined };
    expect(why({ working, targetLots: 10 })).toBe("cancel: an order of an earlier run");
  });
});
