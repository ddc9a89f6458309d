import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  GlftExactQuotes,
  type GlftModel,
  glftApproximateQuotes,
  glftFillTerm,
  glftTerms,
} from "#strategies/glft-quotes.js";

/** The parameters of the paper's first figures, in ticks. */
const A: GlftModel = {
  sigma: 0.3,
  drift: 0,
  fillsPerSecond: 0.9,
  fillDecay: 0.3,
  riskAversion: 0.01,
  fillRiskAversion: 0.01,
  orderSize: 1,
};
const B: GlftModel = { ...A, sigma: 0.4 };

describe("the quotes of Guéant, Lehalle and Fernandez-Tapia", () => {
  it.each([
    [A, 0, 3.313045, 3.313045, 3.312915, 3.312915],
    [A, 1, 3.381168, 3.244919, 3.380781, 3.245049],
    [A, 5, 3.65348, 2.972522, 3.652244, 2.973586],
    [A, 10, 3.992933, 2.632802, 3.991574, 2.634257],
    [A, 20, 4.665542, 1.959199, 4.670232, 1.955599],
    [B, 0, 3.324458, 3.324458, 3.324226, 3.324226],
    [B, 5, 3.778746, 2.869957, 3.776665, 2.871787],
    [B, 10, 4.230704, 2.417367, 4.229104, 2.419348],
  ])(
    "are the published ones, exact and approximate (case %#)",
    (model, held, bid, ask, nearBid, nearAsk) => {
      const exact = new GlftExactQuotes(model, 30).at(held);
      const near = glftApproximateQuotes(model, held);
      expect([exact.bid, exact.ask].map((price) => price.toFixed(6))).toEqual(
        [bid, ask].map((price) => price.toFixed(6)),
      );
      expect([near.bid, near.ask].map((price) => price.toFixed(6))).toEqual(
        [nearBid, nearAsk].map((price) => price.toFixed(6)),
      );
    },
  );

  it("have hftbacktest's half spread and skew of the paper of 2017, to twelve digits", () => {
    const fitted: GlftModel = {
      sigma: 10.69,
      drift: 0,
      fillsPerSecond: 2.986162360812285,
      fillDecay: 0.04235741115084049,
      riskAversion: 0.05,
      fillRiskAversion: 0.05,
      orderSize: 1,
    };
    expect(glftFillTerm(fitted)).toBeCloseTo(15.590451013297573, 12);
    const { halfSpread, skew } = glftTerms(fitted);
    expect(halfSpread).toBeCloseTo(20.47208533844371, 12);
    expect(skew).toBeCloseTo(9.76326865029227, 12);
    const measured = glftTerms({ ...fitted, sigma: 10.725509539115974 });
    expect(measured.halfSpread).toBeCloseTo(20.488300921700834, 12);
    expect(measured.skew).toBeCloseTo(9.795699816806518, 12);
  });

  it("without fill-risk aversion are the limit of those with very little", () => {
    const careless = new GlftExactQuotes({ ...A, fillRiskAversion: 0 }, 20);
    const nearly = new GlftExactQuotes({ ...A, fillRiskAversion: 1e-9 }, 20);
    for (const held of [-20, -7, 0, 3, 19])
      expect(careless.at(held).ask).toBeCloseTo(nearly.at(held).ask, 6);
    expect(glftFillTerm({ ...A, fillRiskAversion: 0 })).toBe(1 / 0.3);
  });
});

const models = fc.record({
  sigma: fc.double({ min: 0, max: 20, noNaN: true }),
  drift: fc.double({ min: -1, max: 1, noNaN: true }),
  fillsPerSecond: fc.double({ min: 0.01, max: 10, noNaN: true }),
  fillDecay: fc.double({ min: 0.01, max: 3, noNaN: true }),
  riskAversion: fc.double({ min: 0.0001, max: 1, noNaN: true }),
  fillRiskAversion: fc.double({ min: 0, max: 1, noNaN: true }),
  orderSize: fc.double({ min: 0.1, max: 10, noNaN: true }),
});

describe("the exact quotes", () => {
  it("mirror each other: the ask of an inventory is the bid of its opposite, and of the opposite drift", () => {
    fc.assert(
      fc.property(
        models,
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: -40, max: 40 }),
        (model, bound, held) => {
          const quotes = new GlftExactQuotes(model, bound).at(held);
          const mirrored = new GlftExactQuotes({ ...model, drift: -model.drift }, bound).at(-held);
          const scale = Math.max(
            1,
            Math.abs(quotes.bid === Number.POSITIVE_INFINITY ? quotes.ask : quotes.bid),
          );
          if (Number.isFinite(quotes.ask))
            expect(Math.abs(quotes.ask - mirrored.bid) / scale).toBeLessThan(1e-7);
          else expect(mirrored.bid).toBe(quotes.ask);
        },
      ),
    );
  });

  it("solve the model's equations at every inventory, however unlikely it is", () => {
    fc.assert(
      fc.property(models, fc.integer({ min: 2, max: 30 }), (model, bound) => {
        const { sigma, drift, fillDecay, riskAversion, orderSize } = model;
        const quotes = new GlftExactQuotes(model, bound);
        const keep = glftFillTerm(model);
        const fills =
          model.fillsPerSecond * Math.exp(-(fillDecay + model.fillRiskAversion * orderSize) * keep);
        // Gains per second by a fill of either side less the cost of holding are equal at every
        // inventory.
        const rates: number[] = [];
        const sizes: number[] = [];
        for (let held = -bound; held <= bound; held++) {
          const { bid, ask } = quotes.at(held);
          const holding =
            ((fillDecay * riskAversion * sigma ** 2 * orderSize) / 2) * held ** 2 -
            fillDecay * drift * held;
          const gains =
            fills * (Math.exp(-fillDecay * (bid - keep)) + Math.exp(-fillDecay * (ask - keep)));
          rates.push(gains - holding);
          sizes.push(Math.abs(gains) + Math.abs(holding));
        }
        const scale = Math.max(...sizes);
        for (const rate of rates) expect(Math.abs(rate - rates[bound]) / scale).toBeLessThan(1e-9);
      }),
    );
  });

  it.each([1, 2, 7, 30, 200])(
    "follow half a sine wave over %i orders to either side for a constant price",
    (bound) => {
      const still = { ...A, sigma: 0, drift: 0 };
      const quotes = new GlftExactQuotes(still, bound);
      // The eigenvector of a path of n points: sin(pi i / (n + 1)).
      const amplitude = (held: number): number =>
        Math.sin((Math.PI * (held + bound + 1)) / (2 * bound + 2));
      for (let held = -bound; held < bound; held++) {
        const wanted =
          glftFillTerm(still) + Math.log(amplitude(held) / amplitude(held + 1)) / still.fillDecay;
        expect(Math.abs(quotes.at(held).bid - wanted)).toBeLessThan(1e-8);
      }
    },
  );

  it("quote no side that would exceed the bound, and keep the last quotes beyond it", () => {
    const quotes = new GlftExactQuotes(A, 5);
    expect(quotes.at(5).bid).toBe(Number.POSITIVE_INFINITY);
    expect(quotes.at(-5).ask).toBe(Number.POSITIVE_INFINITY);
    expect(quotes.at(8)).toEqual(quotes.at(5));
    expect(Number.isFinite(quotes.at(5).ask)).toBe(true);
  });

  it("lie between those of the whole inventories on either side", () => {
    const quotes = new GlftExactQuotes(A, 30);
    const between = quotes.at(2.25);
    expect(between.bid).toBeCloseTo(0.75 * quotes.at(2).bid + 0.25 * quotes.at(3).bid, 12);
    expect(between.ask).toBeCloseTo(0.75 * quotes.at(2).ask + 0.25 * quotes.at(3).ask, 12);
  });

  it("shift with the drift, towards the inventory that is worth holding", () => {
    const rising = { ...A, drift: 0.0009 };
    expect(glftTerms(rising).wantedInventory).toBeCloseTo(1, 12);
    const near = glftApproximateQuotes(rising, 1);
    expect(near.bid).toBeCloseTo(near.ask, 12);
    const exact = new GlftExactQuotes(rising, 60).at(1);
    expect(exact.bid).toBeCloseTo(exact.ask, 6);
  });
});
