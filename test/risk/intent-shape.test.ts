import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkIntent, type IntentContext } from "#risk/check-intent.js";
import type { Intent, Quote, QuotesIntent, TargetIntent } from "#strategies/intent.js";

const reason = {
  fairTicks: 100,
  reservationTicks: 100,
  halfSpreadTicks: 2,
  terms: {},
  clamps: ["bid 0: post-only"],
};

const quotes = (list: readonly Quote[], over: Partial<QuotesIntent> = {}): QuotesIntent => ({
  kind: "quotes",
  marketId: "btcusdc",
  viewSequence: 7,
  quotes: list,
  reason,
  ...over,
});

const target = (over: Partial<TargetIntent> = {}): TargetIntent => ({
  kind: "target",
  marketId: "btcusdc",
  viewSequence: 7,
  targetLots: 0,
  worstTicks: 90,
  schedule: { sliceLots: 10, everyMs: 100 },
  deadlineMs: 1_000,
  reason,
  ...over,
});

const context = (over: Partial<IntentContext> = {}): IntentContext => ({
  marketId: "btcusdc",
  rules: { minTicks: 10, maxTicks: 1_000, minLots: 1, maxLots: 100 },
  newestViewSequence: 7,
  lastAcceptedViewSequence: 5,
  positionLots: 0,
  amountOf: (lots) => String(lots / 10),
  ...over,
});

const bid = (level: number, ticks: number, lots: number): Quote => ({
  side: "BUY",
  level,
  ticks,
  lots,
});
const ask = (level: number, ticks: number, lots: number): Quote => ({
  side: "SELL",
  level,
  ticks,
  lots,
});

const refusalOf = (intent: unknown, over: Partial<IntentContext> = {}) => {
  const verdict = checkIntent(intent as Intent, context(over));
  return verdict.accepted ? "accepted" : verdict.refusal;
};

describe("the check of an intent", () => {
  it("passes a valid one unchanged", () => {
    const sound = quotes([bid(0, 98, 5), ask(0, 102, 5), bid(1, 97, 5)]);
    expect(checkIntent(sound, context())).toEqual({ accepted: true, intent: sound });
    expect(checkIntent(quotes([]), context())).toMatchObject({ accepted: true });
    const unwinding = target();
    expect(checkIntent(unwinding, context())).toEqual({ accepted: true, intent: unwinding });
  });

  it("drops an answer to an older view than the last accepted one: the market has moved on", () => {
    expect(refusalOf(quotes([], { viewSequence: 4 }))).toBe("older-view");
    expect(refusalOf(quotes([], { viewSequence: 5 }))).toBe("accepted");
    expect(refusalOf(quotes([], { viewSequence: 8 }))).toBe("unknown-view");
    expect(refusalOf(quotes([], { viewSequence: Number.NaN }))).toBe("unknown-view");
  });

  it.each([
    ["another market", quotes([], { marketId: "ethusdc" }), "wrong-market"],
    ["a price that is no tick", quotes([bid(0, 98.5, 5)]), "bad-price"],
    ["a price of NaN", quotes([bid(0, Number.NaN, 5)]), "bad-price"],
    ["a price below the filter", quotes([bid(0, 9, 5)]), "bad-price"],
    ["a price above the filter", quotes([ask(0, 1_001, 5)]), "bad-price"],
    ["a negative size", quotes([bid(0, 98, -5)]), "bad-size"],
    ["a size of nothing", quotes([bid(0, 98, 0)]), "bad-size"],
    ["a size of Infinity", quotes([bid(0, 98, Number.POSITIVE_INFINITY)]), "bad-size"],
    ["two orders in one slot", quotes([bid(0, 98, 5), bid(0, 97, 5)]), "duplicate-level"],
    ["a negative level", quotes([bid(-1, 98, 5)]), "bad-level"],
    ["the level of the slices", quotes([bid(1_000, 98, 5)]), "bad-level"],
    ["quotes that cross themselves", quotes([bid(0, 102, 5), ask(1, 102, 5)]), "crossed-quotes"],
    [
      "a side that is none",
      quotes([{ side: "LONG", level: 0, ticks: 98, lots: 5 } as unknown as Quote]),
      "malformed",
    ],
    ["a quote that is null", quotes([null as unknown as Quote]), "malformed"],
    ["quotes that are no list", quotes("all" as unknown as Quote[]), "malformed"],
    [
      "no reason",
      quotes([], { reason: undefined as unknown as QuotesIntent["reason"] }),
      "malformed",
    ],
    ["nothing", undefined, "malformed"],
    [
      "a kind that throws when it is read",
      {
        get kind(): never {
          throw new Error("no kind yet");
        },
      } as unknown as Intent,
      "malformed",
    ],
    ["another kind", { kind: "hope" }, "malformed"],
    ["half a target", target({ targetLots: 0.5 }), "bad-size"],
    ["no price bound", target({ worstTicks: Number.POSITIVE_INFINITY }), "bad-price"],
    ["slices of nothing", target({ schedule: { sliceLots: 0, everyMs: 100 } }), "bad-schedule"],
    ["a negative pace", target({ schedule: { sliceLots: 1, everyMs: -1 } }), "bad-schedule"],
    [
      "no schedule",
      target({ schedule: null as unknown as TargetIntent["schedule"] }),
      "bad-schedule",
    ],
    ["no deadline", target({ deadlineMs: Number.NaN }), "bad-schedule"],
  ])("refuses %s", (_, intent, refusal) => {
    expect(refusalOf(intent)).toBe(refusal);
  });

  const isBroken = (intent: unknown) => {
    const verdict = checkIntent(intent as Intent, context());
    return !verdict.accepted && verdict.isBroken;
  };

  it.each([
    ["a price of NaN", quotes([bid(0, Number.NaN, 5)])],
    ["a price between two ticks", quotes([bid(0, 98.5, 5)])],
    ["half a lot", quotes([bid(0, 98, 0.5)])],
    ["an endless size", quotes([bid(0, 98, Number.POSITIVE_INFINITY)])],
    ["a size in words", quotes([bid(0, 98, "5" as unknown as number)])],
    ["half a level", quotes([bid(0.5, 98, 5)])],
    ["a view of NaN", quotes([], { viewSequence: Number.NaN })],
    ["half a target", target({ targetLots: 0.5 })],
    ["a target with no bound", target({ worstTicks: Number.NaN })],
    ["half a slice", target({ schedule: { sliceLots: 0.5, everyMs: 100 } })],
    ["a pace of NaN", target({ schedule: { sliceLots: 1, everyMs: Number.NaN } })],
    ["a deadline of NaN", target({ deadlineMs: Number.NaN })],
    ["no schedule", target({ schedule: null as unknown as TargetIntent["schedule"] })],
    ["no quotes", quotes(undefined as unknown as Quote[])],
    ["nothing", undefined],
  ])("reports %s as broken: such a strategy is not called again", (_, intent) => {
    expect(isBroken(intent)).toBe(true);
  });

  it.each([
    ["a price out of bounds", quotes([bid(0, 9, 5)])],
    ["a size of nothing", quotes([bid(0, 98, 0)])],
    ["crossed quotes", quotes([bid(0, 102, 5), ask(0, 102, 5)])],
    ["an older view", quotes([], { viewSequence: 4 })],
    ["slices of nothing", target({ schedule: { sliceLots: 0, everyMs: 100 } })],
  ])("refuses %s once: the next intent may be valid", (_, intent) => {
    expect(refusalOf(intent)).not.toBe("accepted");
    expect(isBroken(intent)).toBe(false);
  });

  it("refuses a market that the exchange does not know", () => {
    expect(refusalOf(quotes([]), { rules: undefined })).toBe("unknown-market");
  });

  it("cuts sizes to the order limit and to the remaining position limit, innermost first, and reports it", () => {
    const verdict = checkIntent(
      quotes([bid(1, 97, 8), bid(0, 98, 30), ask(0, 102, 30), bid(2, 96, 8)]),
      context({ maxOrderLots: 20, maxPositionLots: 40, positionLots: 15 }),
    );
    if (!verdict.accepted) throw new Error(verdict.why);
    const { intent } = verdict;
    expect(intent.quotes).toEqual([bid(0, 98, 20), ask(0, 102, 20), bid(1, 97, 5)]);
    expect(intent.reason.clamps).toEqual([
      "bid 0: post-only",
      "BUY 0: order size 3 -> 2 base",
      "SELL 0: order size 3 -> 2 base",
      "BUY 1: max position 0.8 -> 0.5 base",
      "BUY 2: max position 0.8 -> 0 base",
    ]);
    expect(verdict.clips?.map(({ limit }) => limit)).toEqual([
      "order-size",
      "order-size",
      "position",
      "position",
    ]);
  });

  it("cuts a target to the position limit, but lets one reduce a position that is over it", () => {
    const clipped = (targetLots: number, positionLots: number) => {
      const verdict = checkIntent(
        target({ targetLots, schedule: { sliceLots: 50, everyMs: 1 } }),
        context({ maxPositionLots: 40, maxOrderLots: 20, positionLots }),
      );
      return verdict.accepted
        ? [verdict.intent.targetLots, verdict.intent.schedule.sliceLots]
        : verdict.refusal;
    };
    expect(clipped(100, 0)).toEqual([40, 20]);
    expect(clipped(-100, 0)).toEqual([-40, 20]);
    expect(clipped(60, 80)).toEqual([60, 20]);
    expect(clipped(90, 80)).toEqual([40, 20]);
    expect(clipped(-60, 80)).toEqual([-40, 20]);
  });

  it("never accepts more than the limits, and never throws, whatever a strategy hands over", () => {
    const wild = fc.record({
      side: fc.constantFrom("BUY", "SELL", "buy", 1),
      level: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.double(), fc.constant(undefined)),
      ticks: fc.oneof(fc.integer({ min: 5, max: 1_005 }), fc.double()),
      lots: fc.oneof(fc.integer({ min: -2, max: 200 }), fc.double()),
    });
    fc.assert(
      fc.property(
        fc.array(wild, { maxLength: 6 }),
        fc.integer({ min: -50, max: 50 }),
        (raw, positionLots) => {
          const verdict = checkIntent(
            quotes(raw as unknown as Quote[]),
            context({ maxOrderLots: 20, maxPositionLots: 40, positionLots }),
          );
          if (!verdict.accepted) return;
          for (const side of ["BUY", "SELL"] as const) {
            const lots = verdict.intent.quotes
              .filter((quote) => quote.side === side)
              .reduce((sum, quote) => sum + quote.lots, 0);
            expect(lots).toBeLessThanOrEqual(
              side === "BUY" ? Math.max(0, 40 - positionLots) : Math.max(0, 40 + positionLots),
            );
          }
          for (const quote of verdict.intent.quotes) expect(quote.lots).toBeLessThanOrEqual(20);
        },
      ),
    );
  });

  it("does not throw for any value", () => {
    fc.assert(
      fc.property(fc.anything(), (anything) => {
        expect(checkIntent(anything as Intent, context()).accepted).toBe(false);
      }),
    );
  });
});
