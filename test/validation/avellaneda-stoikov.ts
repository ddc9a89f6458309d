import {
  averageSpread,
  continuousSpread,
  exactSymmetric,
  momentsOf,
  simulate,
} from "./avellaneda-stoikov-simulation.js";
import { simulateStrategy } from "./avellaneda-stoikov-strategy.js";
import type { Comparison, PublishedNumbers } from "./published.js";

type Gamma = 0.1 | 0.01 | 1;

/**
 * Tables 1 to 3 of the paper (1,000 paths each): average spread; profit, its deviation, final
 * inventory's mean and deviation.
 */
const TABLES: readonly (readonly [Gamma, string, readonly string[], readonly string[]])[] = [
  [0.1, "1.49", ["65.0", "6.6", "0.08", "2.9"], ["68.4", "12.7", "0.26", "8.4"]],
  [0.01, "1.35", ["68.6", "8.7", "0.12", "5.1"], ["68.8", "12.8", "0.09", "8.7"]],
  [1, "3.02", ["31.4", "5.0", "0.02", "1.7"], ["44.0", "11.0", "0.00", "5.1"]],
];
const PAPER_PATHS = 1000;
const SOURCE =
  "M. Avellaneda, S. Stoikov, *High-frequency trading in a limit order book*, Quantitative Finance 8(3), 2008, 217-224, tables 1 to 3";

/** Three standard errors of the difference of two samples of 1,000 paths: the paper's and ours. */
const BOTH = 3 * Math.SQRT2;

/** The tables by the strategy itself, as a bot runs it. */
export const avellanedaStoikovTables: PublishedNumbers = {
  title: "Avellaneda and Stoikov 2008: the three tables",
  source: SOURCE,
  how: "Inventory strategy: the built-in `avellaneda-stoikov` (`src/strategies/avellaneda-stoikov.ts`) with the paper's parameters, called at each step. It quotes to a tick of 0.00001 and never meets its limits; 1,000 paths as in the paper. Symmetric strategy: the exact law at the average spread of our quotes. Conventions: in each step of 0.005 an ask fills with the chance lambda(distance) dt, a bid alike, both may. Fills are at the old mid, then it moves by sigma sqrt(dt) either way. The table's average spread is that over continuous time; over the 200 steps, from each step's beginning, it is a little wider. The mid is 1,000,000 instead of 100, because the strategy's unit is a basis point. There a basis point does not change with the mid, and the model does not use the level.",
  isAvailable: true,
  compare: () =>
    TABLES.flatMap(([gamma, spread, inventory, symmetric]): Comparison[] => {
      const paths = simulateStrategy(gamma, PAPER_PATHS, `strategy ${gamma}`);
      const [profit, held] = [momentsOf(paths.profit), momentsOf(paths.inventory)];
      const exact = exactSymmetric(gamma);
      const named = (what: string) => `gamma ${gamma}, ${what}`;
      const sampled = (what: string, theirs: string, ours: number, error: number): Comparison => ({
        what: named(what),
        theirs,
        ours,
        within: BOTH * error + halfDigit(theirs),
        because: "3 s.e. of two samples of 1,000",
      });
      const law = (what: string, theirs: string, ours: number, error: number): Comparison => ({
        what: named(what),
        theirs,
        ours,
        within: 3 * error + halfDigit(theirs),
        because: "3 s.e. of a sample of 1,000; ours is exact",
      });
      return [
        { what: named("average spread"), theirs: spread, ours: continuousSpread(gamma) },
        sampled("inventory: profit", inventory[0], profit.mean, profit.meanError),
        sampled("inventory: its deviation", inventory[1], profit.std, profit.stdError),
        sampled("inventory: final q", inventory[2], held.mean, held.meanError),
        sampled("inventory: its deviation", inventory[3], held.std, held.stdError),
        law("symmetric: profit", symmetric[0], exact.mean, exact.std / Math.sqrt(PAPER_PATHS)),
        law(
          "symmetric: its deviation",
          symmetric[1],
          exact.std,
          (exact.std / 2) * Math.sqrt((KURTOSIS[gamma] - 1) / PAPER_PATHS),
        ),
        law("symmetric: final q", symmetric[2], 0, exact.inventoryStd / Math.sqrt(PAPER_PATHS)),
        law(
          "symmetric: its deviation",
          symmetric[3],
          exact.inventoryStd,
          exact.inventoryStd / Math.sqrt(2 * PAPER_PATHS),
        ),
      ];
    }),
};

/**
 * Measured kurtosis of the symmetric strategy's profit: it is fat-tailed, so that its deviation is
 * known less well.
 */
const KURTOSIS: Readonly<Record<Gamma, number>> = { 0.1: 5.5, 0.01: 5.5, 1: 3.9 };

function halfDigit(printed: string): number {
  return 0.5 * 10 ** -(printed.length - printed.indexOf(".") - 1);
}

/**
 * Spread over steps, chance of a fill, and the law of the symmetric strategy: mean, deviation and
 * inventory's deviation.
 */
const LAW: readonly (readonly [Gamma, string, string, string, string, string])[] = [
  [0.1, "1.491770", "0.22866", "68.2228", "13.4558", "8.3994"],
  [0.01, "1.349009", "0.25451", "68.6661", "13.6775", "8.7117"],
  [1, "3.031651", "0.07205", "43.6853", "10.7332", "5.1714"],
];

/** The exact law of the symmetric strategy. */
export const symmetricLaw: PublishedNumbers = {
  title: "Avellaneda and Stoikov 2008: the exact law of the symmetric strategy",
  source: `${SOURCE}: the same simulation; theirs are computed independently`,
  how: "Ours: 200 coin tosses a side of chance p = A exp(-k d) dt at the distance d, half of the average over the steps of our quotes' spread. Mean 2 n p d; variance 2 n p (1 - p) d^2 + sigma^2 dt 2 p (1 - p) n (n + 1) / 2, since fills come before the move.",
  isAvailable: true,
  compare: () =>
    LAW.flatMap(([gamma, spread, chance, mean, std, inventoryStd]): Comparison[] => {
      const exact = exactSymmetric(gamma);
      const named = (what: string) => `gamma ${gamma}, ${what}`;
      return [
        {
          what: named("average spread over the steps"),
          theirs: spread,
          ours: averageSpread(gamma),
        },
        { what: named("chance of a fill"), theirs: chance, ours: exact.chance },
        { what: named("mean profit"), theirs: mean, ours: exact.mean },
        { what: named("its deviation"), theirs: std, ours: exact.std },
        { what: named("deviation of final q"), theirs: inventoryStd, ours: exact.inventoryStd },
      ];
    }),
};

/** From 200,000 paths, computed independently: mean profit, its deviation, deviation of final q. */
const MANY: readonly (readonly [Gamma, readonly string[]])[] = [
  [0.1, ["64.8865", "6.528", "2.920"]],
  [0.01, ["68.3823", "8.943", "5.216"]],
  [1, ["31.4561", "4.843", "1.637"]],
];

/** Both strategies by their formulas over many paths. */
export function manyPaths(paths: number): PublishedNumbers {
  return {
    title: `Avellaneda and Stoikov 2008: ${paths.toLocaleString("en-GB")} paths`,
    source: `${SOURCE}: the same simulation; theirs are computed independently, the inventory strategy from 200,000 paths, the symmetric one exactly`,
    how: "Ours: `avellanedaStoikovQuotes` of `src/strategies/models/avellaneda-stoikov-quotes.ts`, from fixed seeds.",
    isAvailable: true,
    compare: () => {
      const because = `4 s.e. of ${paths.toLocaleString("en-GB")} paths and theirs`;
      const rows = (
        gamma: Gamma,
        strategy: "inventory" | "symmetric",
        theirs: readonly string[],
        theirPaths: number,
      ): Comparison[] => {
        const sample = simulate(strategy, gamma, paths, `${strategy} ${gamma}`);
        const [profit, held] = [momentsOf(sample.profit), momentsOf(sample.inventory)];
        const errors = 4 * Math.sqrt(1 + paths / theirPaths);
        const row = (what: string, printed: string, ours: number, error: number): Comparison => ({
          what: `gamma ${gamma}, ${strategy}: ${what}`,
          theirs: printed,
          ours,
          within: errors * error,
          because,
        });
        return [
          row("mean profit", theirs[0], profit.mean, profit.meanError),
          row("its deviation", theirs[1], profit.std, profit.stdError),
          row("deviation of final q", theirs[2], held.std, held.stdError),
        ];
      };
      return [
        ...MANY.flatMap(([gamma, theirs]) => rows(gamma, "inventory", theirs, 200_000)),
        ...LAW.flatMap(([gamma, , , ...theirs]) =>
          rows(gamma, "symmetric", theirs, Number.POSITIVE_INFINITY),
        ),
      ];
    },
  };
}
