import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seededRandom } from "#core/seeded-random.js";
import { computeMicroPriceTicks } from "#market/micro-price.js";
import type { Level } from "#market/readable-book.js";
import {
  type MicroPriceWindow,
  microPriceAdjustments,
  StoikovMicroPrice,
} from "#strategies/stoikov-micro-price.js";

const WINDOW: MicroPriceWindow = {
  imbalanceBuckets: 2,
  maxSpreadTicks: 1,
  windowMs: 1e9,
  sampleMs: 1000,
  refitMs: 1000,
  leastMoves: 10,
};

describe("the micro-price of a chain whose probabilities are known", () => {
  it("is the closed form of two mirrored states, to fifteen digits", () => {
    // From either state: stay 0.5, cross over 0.2 without a move; a move of one tick by 0.25 in the
    // state's direction and 0.05 against it; after a move the same state by 0.6.
    const counts = {
      states: 2,
      stay: Float64Array.of(0.5, 0.2, 0.2, 0.5),
      move: Float64Array.of(0.3 * 0.6, 0.3 * 0.4, 0.3 * 0.4, 0.3 * 0.6),
      movedTicks: Float64Array.of(-0.2, 0.2),
      begun: Float64Array.of(1, 1),
    };
    // By antisymmetry x = 0.2 + (0.5 - 0.2) x, and each term is r times the one before it, with
    // r = 0.3 (0.6 - 0.4) / (1 - 0.3).
    const first = 0.2 / 0.7;
    const ratio = 0.06 / 0.7;
    const six = (first * (1 - ratio ** 6)) / (1 - ratio);
    const found = microPriceAdjustments(counts);
    expect(found[1]).toBeCloseTo(six, 15);
    expect(found[0]).toBeCloseTo(-six, 15);
    // Six terms are the limit to a millionth.
    expect(six).toBeCloseTo(first / (1 - ratio), 6);
    expect(microPriceAdjustments(counts, 1)[1]).toBeCloseTo(first, 15);
  });

  it("is a martingale: the mean of the next micro-price is the present one", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 8, maxLength: 8 }), {
          minLength: 4,
          maxLength: 4,
        }),
        (rows) => {
          const states = 4;
          const [stay, move] = [new Float64Array(16), new Float64Array(16)];
          const [movedTicks, begun] = [new Float64Array(4), new Float64Array(4)];
          rows.forEach((row, from) => {
            row.forEach((count, at) => {
              (at < 4 ? stay : move)[from * 4 + (at % 4)] = count;
              begun[from] += count;
              // A move ends in an upper state by a tick up, in a lower one by a tick down.
              if (at >= 4) movedTicks[from] += count * (at >= 6 ? 1 : -1);
            });
          });
          // The chain's own drift, which a mirrored one has not, is taken out: the series would
          // grow with each term.
          const mirrored = (values: Float64Array, sign: number): void => {
            const copy = [...values];
            const size = values.length === 16 ? 4 : 1;
            for (let at = 0; at < values.length; at++) {
              const from = Math.floor(at / size);
              const to = at % size;
              const other = size === 1 ? 3 - from : (3 - from) * 4 + (3 - to);
              values[at] = (copy[at] + sign * copy[other]) / 2;
            }
          };
          mirrored(stay, 1);
          mirrored(move, 1);
          mirrored(movedTicks, -1);
          mirrored(begun, 1);
          const adjustment = microPriceAdjustments({ states, stay, move, movedTicks, begun }, 400);
          for (let from = 0; from < states; from++) {
            let mean = movedTicks[from] / begun[from];
            for (let to = 0; to < states; to++)
              mean += ((stay[from * 4 + to] + move[from * 4 + to]) / begun[from]) * adjustment[to];
            expect(mean).toBeCloseTo(adjustment[from], 9);
          }
          expect(adjustment[0]).toBeCloseTo(-adjustment[3], 9);
          expect(adjustment[1]).toBeCloseTo(-adjustment[2], 9);
        },
      ),
      { numRuns: 50 },
    );
  });

  it("is nothing for states that were never seen", () => {
    const none = {
      states: 2,
      stay: new Float64Array(4),
      move: new Float64Array(4),
      movedTicks: new Float64Array(2),
      begun: new Float64Array(2),
    };
    expect([...microPriceAdjustments(none)]).toEqual([0, 0]);
  });
});

/** The chain of the first test as a market: a touch of one tick, sampled once a second. */
function* market(
  seconds: number,
  seed: string,
): Generator<[bid: Level, ask: Level, timeMs: number]> {
  const random = seededRandom(seed);
  let [ticks, isHeavy] = [1000, true];
  for (let second = 0; second < seconds; second++) {
    yield [{ ticks, lots: isHeavy ? 80 : 20 }, { ticks: ticks + 1, lots: 50 }, second * 1000];
    const draw = random.uniform();
    if (draw < 0.5) continue;
    if (draw < 0.7) isHeavy = !isHeavy;
    else {
      ticks += draw < 0.95 === isHeavy ? 1 : -1;
      if (random.uniform() >= 0.6) isHeavy = !isHeavy;
    }
  }
}
const HEAVY: [Level, Level] = [
  { ticks: 1000, lots: 80 },
  { ticks: 1001, lots: 50 },
];
const LIGHT: [Level, Level] = [
  { ticks: 1000, lots: 20 },
  { ticks: 1001, lots: 50 },
];

describe("the micro-price that is fitted online", () => {
  it("finds the adjustment of a market of known probabilities, and the opposite of its mirror", () => {
    const microPrice = new StoikovMicroPrice(WINDOW);
    for (const [bid, ask, timeMs] of market(40_000, "fit")) microPrice.observe(bid, ask, timeMs);
    const [heavy, light] = [
      microPrice.adjustmentTicks(...HEAVY),
      microPrice.adjustmentTicks(...LIGHT),
    ];
    // 0.3125 by the closed form; 12,000 moves leave an error of about 0.01.
    expect(Math.abs((heavy ?? 0) - 0.2 / 0.7 / (1 - 0.06 / 0.7))).toBeLessThan(0.02);
    expect(light).toBeCloseTo(-(heavy ?? 0), 12);
  });

  it("predicts nothing before it has seen enough moves, and nothing from a window without any", () => {
    const microPrice = new StoikovMicroPrice({ ...WINDOW, leastMoves: 50, windowMs: 120_000 });
    for (const [bid, ask, timeMs] of market(1000, "few")) {
      microPrice.observe(bid, ask, timeMs);
      if (microPrice.moves < 50) expect(microPrice.adjustmentTicks(...HEAVY)).toBeUndefined();
    }
    const calm = new StoikovMicroPrice({ ...WINDOW, windowMs: 60_000 });
    let endMs = 0;
    for (const [bid, ask, timeMs] of market(500, "then calm")) {
      calm.observe(bid, ask, timeMs);
      endMs = timeMs;
    }
    expect(calm.adjustmentTicks(...HEAVY)).toBeGreaterThan(0);
    for (let second = 1; second <= 70; second++) calm.observe(...HEAVY, endMs + second * 1000);
    // The jump of the last market to this touch has left the window as well.
    expect(calm.moves).toBe(0);
    expect(calm.adjustmentTicks(...HEAVY)).toBeUndefined();
  });

  it("uses no sample of the moment that it predicts: the past alone decides", () => {
    const views = [...market(3000, "past")];
    const whole = new StoikovMicroPrice({ ...WINDOW, windowMs: 600_000 });
    const predicted = views.map(([bid, ask, timeMs]) => {
      whole.observe(bid, ask, timeMs);
      return whole.adjustmentTicks(bid, ask);
    });
    // Cut anywhere, the predictions until there are the same.
    const cut = new StoikovMicroPrice({ ...WINDOW, windowMs: 600_000 });
    views.slice(0, 1717).forEach(([bid, ask, timeMs], at) => {
      cut.observe(bid, ask, timeMs);
      expect(cut.adjustmentTicks(bid, ask)).toBe(predicted[at]);
    });
  });

  it("stays between bid and ask, whatever the book did", () => {
    const level = fc.record({
      move: fc.integer({ min: -30, max: 30 }),
      spread: fc.integer({ min: 1, max: 9 }),
      bid: fc.integer({ min: 1, max: 1000 }),
      ask: fc.integer({ min: 1, max: 1000 }),
    });
    fc.assert(
      fc.property(fc.array(level, { minLength: 20, maxLength: 200 }), (steps) => {
        const microPrice = new StoikovMicroPrice({
          ...WINDOW,
          imbalanceBuckets: 5,
          maxSpreadTicks: 3,
        });
        let ticks = 10_000;
        steps.forEach(({ move, spread, bid, ask }, second) => {
          ticks += move;
          const touch: [Level, Level] = [
            { ticks, lots: bid },
            { ticks: ticks + spread, lots: ask },
          ];
          microPrice.observe(...touch, second * 1000);
          expect(Math.abs(microPrice.adjustmentTicks(...touch) ?? 0)).toBeLessThanOrEqual(
            spread / 2,
          );
        });
      }),
    );
  });

  it("starts anew after a pause or a clock that stepped back, instead of counting it as one move", () => {
    const microPrice = new StoikovMicroPrice(WINDOW);
    microPrice.observe(...HEAVY, 0);
    microPrice.observe({ ticks: 2000, lots: 1 }, { ticks: 2001, lots: 1 }, 3_600_000);
    expect(microPrice.moves).toBe(0);
    microPrice.observe(...HEAVY, 1000);
    expect(microPrice.moves).toBe(0);
    microPrice.observe({ ticks: 1001, lots: 1 }, { ticks: 1002, lots: 1 }, 2000);
    expect(microPrice.moves).toBe(1);
  });
});

describe("the weighted mid", () => {
  // The first rows of the notebook beside S. Stoikov's paper (github.com/sstoikov/microprice, BAC).
  it.each([
    [20, 471, 0.040733, 14.330407],
    [25, 148, 0.144509, 14.331445],
    [31, 95, 0.246032, 14.33246],
    [29, 92, 0.239669, 14.332397],
    [21, 65, 0.244186, 14.332442],
  ])(
    "of %i against %i at 14.33 and 14.34 has the published value",
    (bid, ask, imbalance, price) => {
      expect(bid / (bid + ask)).toBeCloseTo(imbalance, 6);
      const ticks = computeMicroPriceTicks({ ticks: 1433, lots: bid }, { ticks: 1434, lots: ask });
      expect(ticks / 100).toBeCloseTo(price, 6);
    },
  );
});
