import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  log2Share,
  logShare,
  power2Share,
  power3Share,
  powerShare,
  probabilisticQueue,
  type ShareBehind,
} from "#core/probabilistic-queue.js";
import { riskAverseQueue } from "#core/queue-models.js";

const SHARES: readonly (readonly [string, ShareBehind])[] = [
  ["power", powerShare(1)],
  ["power squared", powerShare(2)],
  ["power of a fraction", powerShare(0.5)],
  ["power2", power2Share(3)],
  ["power3", power3Share(3)],
  ["log", logShare(0.001)],
  ["log2", log2Share(0.001)],
];
const lots = fc.nat(100_000);

describe.each(SHARES)("the share of cancels behind an order: %s", (name, share) => {
  const model = probabilisticQueue(name, share);

  it("is a probability, more with more behind and less with more ahead", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100_000 }),
        fc.integer({ min: 1, max: 100_000 }),
        fc.nat(1000),
        (front, back, more) => {
          const here = share(front, back);
          expect(here).toBeGreaterThanOrEqual(0);
          expect(here).toBeLessThanOrEqual(1);
          expect(share(front, back + more)).toBeGreaterThanOrEqual(here - 1e-12);
          expect(share(front + more, back)).toBeLessThanOrEqual(here + 1e-12);
        },
      ),
    );
  });

  it("takes every cancel from behind with nothing ahead, and from ahead with nothing behind", () => {
    const first = model.onAccept(0);
    expect(model.onDepth(model.onDepth(first, 0, 500), 500, 100).frontLots).toBe(0);
    expect(model.onDepth(model.onAccept(100), 100, 40).frontLots).toBe(40);
  });

  it("counts a trade once although the level's update for it comes after", () => {
    const traded = model.onTrade(model.onAccept(100), 60);
    expect(model.onDepth(traded, 100, 40)).toEqual({ frontLots: 40, tradedLots: 0 });
    // Strangers joined behind meanwhile: nothing was cancelled.
    expect(model.onDepth(traded, 100, 70).frontLots).toBe(40);
  });

  it("keeps a number of lots ahead whatever the recording says, and never more than the level shows", () => {
    fc.assert(
      fc.property(
        lots,
        fc.array(fc.tuple(fc.boolean(), lots), { maxLength: 40 }),
        (displayed, events) => {
          let place = model.onAccept(displayed);
          let shown = displayed;
          for (const [isTrade, amount] of events) {
            if (isTrade) {
              place = model.onTrade(place, amount);
              const filled = model.executableLots(place);
              expect(filled >= 0 && Number.isSafeInteger(filled)).toBe(true);
              if (filled > 0) expect(model.onTaken(place).frontLots).toBe(0);
              place = model.onTaken(place);
            } else {
              place = model.onDepth(place, shown, amount);
              shown = amount;
              expect(place.frontLots).toBeLessThanOrEqual(amount);
            }
            expect(Number.isFinite(place.frontLots)).toBe(true);
          }
        },
      ),
    );
  });

  it("is never behind the risk-averse queue", () => {
    fc.assert(
      fc.property(lots, fc.array(lots, { maxLength: 30 }), (displayed, depths) => {
        let [hopeful, careful] = [model.onAccept(displayed), riskAverseQueue.onAccept(displayed)];
        let shown = displayed;
        for (const depth of depths) {
          [hopeful, careful] = [
            model.onDepth(hopeful, shown, depth),
            riskAverseQueue.onDepth(careful, shown, depth),
          ];
          shown = depth;
          expect(hopeful.frontLots).toBeLessThanOrEqual(careful.frontLots + 1e-9);
        }
      }),
    );
  });
});

describe("a cancel in a queue with as much ahead as behind", () => {
  // 100 ahead and 100 behind; 60 are cancelled.
  const frontAfter = (share: ShareBehind) =>
    probabilisticQueue("", share).onDepth({ frontLots: 100, tradedLots: 0 }, 200, 140).frontLots;

  it("comes half from either side by the powers and the logarithm", () => {
    expect(frontAfter(powerShare(1))).toBe(70);
    expect(frontAfter(powerShare(3))).toBe(70);
    expect(frontAfter(logShare(1))).toBeCloseTo(70, 12);
  });

  it("comes by the formula of each of the others", () => {
    expect(frontAfter(power2Share(2))).toBeCloseTo(100 - 0.75 * 60, 12);
    expect(frontAfter(power3Share(3))).toBeCloseTo(100 - 0.125 * 60, 12);
    const behind = Math.log(101) / Math.log(201);
    expect(frontAfter(log2Share(1))).toBeCloseTo(100 - (1 - behind) * 60, 12);
  });

  it("takes from ahead what is no longer behind to be taken", () => {
    // 90 ahead, 10 behind, 60 cancelled: by the share 6 are behind and 54 ahead; by a share of
    // nearly one the 10 go, and 50 ahead.
    const place = { frontLots: 90, tradedLots: 0 };
    expect(probabilisticQueue("", powerShare(1)).onDepth(place, 100, 40).frontLots).toBeCloseTo(
      36,
      12,
    );
    expect(probabilisticQueue("", () => 0.99).onDepth(place, 100, 40).frontLots).toBeCloseTo(40, 9);
  });
});

describe("an order that a trade has reached", () => {
  const model = probabilisticQueue("power", powerShare(1));

  it("fills by the excess, half a lot counting as one", () => {
    expect(model.executableLots(model.onTrade({ frontLots: 30, tradedLots: 0 }, 50))).toBe(20);
    expect(model.executableLots({ frontLots: -0.4, tradedLots: 0 })).toBe(0);
    expect(model.executableLots({ frontLots: -0.5, tradedLots: 0 })).toBe(1);
  });

  it("keeps the fraction of a lot that filled nothing", () => {
    expect(model.onTaken({ frontLots: -0.4, tradedLots: 3 })).toEqual({
      frontLots: -0.4,
      tradedLots: 3,
    });
  });
});

it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
  "an exponent of %s is refused",
  (exponent) => {
    for (const make of [powerShare, power2Share, power3Share])
      expect(() => make(exponent)).toThrow("exponent");
  },
);
