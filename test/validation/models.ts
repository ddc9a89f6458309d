import { optimalLiquidation } from "#strategies/almgren-chriss.js";
import {
  GlftExactQuotes,
  type GlftModel,
  glftApproximateQuotes,
  glftFillTerm,
  glftTerms,
} from "#strategies/glft-quotes.js";
import { logSolution } from "./finite-horizon.js";
import type { Comparison, PublishedNumbers } from "./published.js";

/** The parameter sets of the figures of the paper of 2013, in ticks and seconds. */
const SET_A: GlftModel = {
  sigma: 0.3,
  drift: 0,
  fillsPerSecond: 0.9,
  fillDecay: 0.3,
  riskAversion: 0.01,
  fillRiskAversion: 0.01,
  orderSize: 1,
};
const SET_B: GlftModel = { ...SET_A, sigma: 0.4 };

/** Set, inventory, exact bid and ask, bid and ask of the closed form. */
const GLFT_QUOTES: readonly (readonly ["a" | "b", number, string, string, string, string])[] = [
  ["a", 0, "3.313045", "3.313045", "3.312915", "3.312915"],
  ["a", 1, "3.381168", "3.244919", "3.380781", "3.245049"],
  ["a", 5, "3.653480", "2.972522", "3.652244", "2.973586"],
  ["a", 10, "3.992933", "2.632802", "3.991574", "2.634257"],
  ["a", 20, "4.665542", "1.959199", "4.670232", "1.955599"],
  ["b", 0, "3.324458", "3.324458", "3.324226", "3.324226"],
  ["b", 5, "3.778746", "2.869957", "3.776665", "2.871787"],
  ["b", 10, "4.230704", "2.417367", "4.229104", "2.419348"],
];

/** Quotes of Guéant, Lehalle and Fernandez-Tapia, exact and in closed form. */
export const glftQuotes: PublishedNumbers = {
  title: "Guéant, Lehalle and Fernandez-Tapia 2013: quotes",
  source:
    "O. Guéant, C.-A. Lehalle, J. Fernandez-Tapia, *Dealing with the inventory risk*, Mathematics and Financial Economics 7 (arXiv 1105.3115): parameters of its figures; the paper prints no table, theirs are computed independently (eigenvector and matrix exponential, inventories to 30)",
  how: "Ours: `GlftExactQuotes` and `glftApproximateQuotes` of `src/strategies/models/glft-quotes.ts`, distances from the mid in ticks. (a) sigma 0.3, A 0.9, k 0.3, gamma 0.01; (b) sigma 0.4. The last rows compare the exact quotes with those 600 s before the end, from a matrix exponential of our own.",
  isAvailable: true,
  compare() {
    const models = { a: SET_A, b: SET_B };
    const rows: Comparison[] = GLFT_QUOTES.flatMap(([set, held, bid, ask, nearBid, nearAsk]) => {
      const exact = new GlftExactQuotes(models[set], 30).at(held);
      const near = glftApproximateQuotes(models[set], held);
      return [
        { what: `(${set}) inventory ${held}, exact bid`, theirs: bid, ours: exact.bid },
        { what: `(${set}) inventory ${held}, exact ask`, theirs: ask, ours: exact.ask },
        { what: `(${set}) inventory ${held}, closed-form bid`, theirs: nearBid, ours: near.bid },
        { what: `(${set}) inventory ${held}, closed-form ask`, theirs: nearAsk, ours: near.ask },
      ];
    });
    const { sigma, fillsPerSecond, fillDecay, riskAversion } = SET_A;
    const eta = fillsPerSecond * (1 + riskAversion / fillDecay) ** -(1 + fillDecay / riskAversion);
    const far = logSolution({
      diagonal: (q) => ((fillDecay * riskAversion * sigma ** 2) / 2) * q * q,
      beside: eta,
      terminal: () => 1,
      horizon: 600,
      bound: 30,
    });
    const flat = new GlftExactQuotes(SET_A, 30);
    for (const held of [0, 5, 20]) {
      const bid = glftFillTerm(SET_A) + (far[30 + held] - far[31 + held]) / fillDecay;
      rows.push({
        what: `(a) inventory ${held}, bid 600 s before the end`,
        theirs: flat.at(held).bid.toFixed(6),
        ours: bid,
        within: 1e-6,
        because: "theirs: our own exact bid",
      });
    }
    return [
      ...rows,
      {
        what: "(a) closed form: slope per order",
        theirs: "0.0678658325",
        ours: glftTerms(SET_A).skew,
      },
    ];
  },
};

/** The half spread and skew that hftbacktest's notebook prints. */
export const hftbacktestQuotes: PublishedNumbers = {
  title: "hftbacktest: half spread and skew of its GLFT example",
  source:
    "nkaz001/hftbacktest, `examples/GLFT Market Making Model and Grid Trading.ipynb`, after O. Guéant, *Optimal market making*, Applied Mathematical Finance 24 (arXiv 1605.01862), (4.6) and (4.7)",
  how: "Ours: `glftTerms` with its A 2.986162360812285, k 0.04235741115084049, gamma and xi 0.05 and Delta 1. It prints the first two with sigma 10.69. The others are computed independently, two of them with its measured sigma of 10.725509539115974.",
  isAvailable: true,
  compare() {
    const fitted: GlftModel = {
      sigma: 10.69,
      drift: 0,
      fillsPerSecond: 2.986162360812285,
      fillDecay: 0.04235741115084049,
      riskAversion: 0.05,
      fillRiskAversion: 0.05,
      orderSize: 1,
    };
    const printed = glftTerms(fitted);
    const measured = glftTerms({ ...fitted, sigma: 10.725509539115974 });
    const close = { within: 1e-12, because: "to twelve digits after the point" };
    return [
      {
        what: "half spread, ticks",
        theirs: "20.47208533844371",
        ours: printed.halfSpread,
        ...close,
      },
      { what: "skew, ticks an order", theirs: "9.76326865029227", ours: printed.skew, ...close },
      { what: "c1", theirs: "15.590451013297573", ours: glftFillTerm(fitted), ...close },
      { what: "c2", theirs: "0.9133085734604556", ours: printed.skew / fitted.sigma, ...close },
      {
        what: "half spread at the measured sigma",
        theirs: "20.488300921700834",
        ours: measured.halfSpread,
        ...close,
      },
      {
        what: "skew at the measured sigma",
        theirs: "9.795699816806518",
        ours: measured.skew,
        ...close,
      },
    ];
  },
};

/** Values and depths of Cartea, Jaimungal and Penalva's maker. */
export const carteaJaimungalPenalva: PublishedNumbers = {
  title: "Cartea, Jaimungal and Penalva: values and depths",
  source:
    "Á. Cartea, S. Jaimungal, J. Penalva, *Algorithmic and High-Frequency Trading*, chapter 10, as in mbt_gym's `BaselineAgents.py`; theirs are computed independently. T 1, phi 0.01, alpha 0.001, inventories to 100",
  how: "Ours: h = ln(omega) / kappa with omega the matrix exponential of `test/validation/finite-horizon.ts`, bid depth 1 / kappa - h(q + 1) + h(q). The last rows are the same maker at T 20 beside `GlftExactQuotes` of `src/strategies/models/glft-quotes.ts` at gamma sigma^2 = 2 phi and xi 0: far from the end the two models are equal.",
  isAvailable: true,
  compare() {
    const bound = 100;
    const solve = (lambda: number, kappa: number, horizon: number, phi = 0.01, alpha = 0.001) => {
      const logs = logSolution({
        diagonal: (q) => phi * kappa * q * q,
        beside: lambda / Math.E,
        terminal: (q) => Math.exp(-alpha * kappa * q * q),
        horizon,
        bound,
      });
      const h = (q: number) => logs[bound + q] / kappa;
      return {
        h,
        bid: (q: number) => 1 / kappa - h(q + 1) + h(q),
        ask: (q: number) => 1 / kappa - h(q - 1) + h(q),
      };
    };
    const rows: Comparison[] = (
      [
        [140, 1.5, ["68.255835", "0.672137", "0.726824", "0.617442"]],
        [100, 1, ["73.225863", "1.007188", "1.079052", "0.935317"]],
      ] as const
    ).flatMap(([lambda, kappa, [value, bid, longBid, longAsk]]) => {
      const { h, ...depths } = solve(lambda, kappa, 1);
      const named = (what: string) => `lambda ${lambda}, kappa ${kappa}: ${what}`;
      return [
        { what: named("h(0, 0)"), theirs: value, ours: h(0) },
        { what: named("bid at 0"), theirs: bid, ours: depths.bid(0) },
        { what: named("bid at +5"), theirs: longBid, ours: depths.bid(5) },
        { what: named("ask at +5"), theirs: longAsk, ours: depths.ask(5) },
      ];
    });
    const carefree = solve(140, 1.5, 1, 0, 0);
    rows.push({
      what: "phi and alpha 0: h(0, 0), the limit 2 lambda T / (e kappa)",
      theirs: ((2 * 140) / (Math.E * 1.5)).toFixed(6),
      ours: carefree.h(0),
    });
    const far = solve(100, 1, 20);
    const exact = new GlftExactQuotes(
      {
        sigma: Math.sqrt(2),
        drift: 0,
        fillsPerSecond: 100,
        fillDecay: 1,
        riskAversion: 0.01,
        fillRiskAversion: 0,
        orderSize: 1,
      },
      bound,
    );
    for (const held of [0, 5, -20]) {
      rows.push({
        what: `T 20, lambda 100, kappa 1: bid at ${held}`,
        theirs: exact.at(held).bid.toFixed(6),
        ours: far.bid(held),
        within: 1e-6,
        because: "theirs: our own exact bid",
      });
    }
    return rows;
  },
};

/** lambda, kappa, holdings at the end of days 1 to 4, expected cost and its deviation. */
const LIQUIDATIONS: readonly (readonly [number, string, readonly string[], string, string])[] = [
  [1e-7, "0.1946", ["757882", "544564", "351940", "172689"], "670057", "961623"],
  [1e-6, "0.6071", ["541956", "289854", "147897", "62142"], "911227", "603431"],
  [2e-6, "0.8463", ["428599", "182933", "76296", "27643"], "1140715", "449368"],
];

/** The trajectories of Almgren and Chriss. */
export const almgrenChriss: PublishedNumbers = {
  title: "Almgren and Chriss 2000: a million shares in five days",
  source:
    "R. Almgren, N. Chriss, *Optimal execution of portfolio transactions*, Journal of Risk 3(2): the example's inputs; theirs are computed independently, but the naive limit of 662,500, which the DROP library's page prints too",
  how: "Ours: `optimalLiquidation` of `src/strategies/models/almgren-chriss.ts`, which plans the sale of positions that a liquidation brought. sigma 0.95, eta 2.5e-6, gamma 2.5e-7, epsilon 0.0625.",
  isAvailable: true,
  compare() {
    const problem = {
      size: 1e6,
      horizon: 5,
      intervals: 5,
      sigma: 0.95,
      permanentImpact: 2.5e-7,
      temporaryImpact: 2.5e-6,
      fixedCost: 0.0625,
    };
    const rows: Comparison[] = LIQUIDATIONS.flatMap(
      ([riskAversion, kappa, holdings, cost, deviation]) => {
        const found = optimalLiquidation({ ...problem, riskAversion });
        const named = (what: string) => `lambda ${riskAversion.toExponential()}: ${what}`;
        return [
          { what: named("kappa, a day"), theirs: kappa, ours: found.kappa },
          ...holdings.map((theirs, day) => ({
            what: named(`held after day ${day + 1}`),
            theirs,
            ours: found.holdings[day + 1],
          })),
          { what: named("expected cost"), theirs: cost, ours: found.expectedCost },
          { what: named("its deviation"), theirs: deviation, ours: Math.sqrt(found.costVariance) },
        ];
      },
    );
    return [
      ...rows,
      {
        what: "lambda 0: expected cost",
        theirs: "662500",
        ours: optimalLiquidation({ ...problem, riskAversion: 0 }).expectedCost,
      },
    ];
  },
};
