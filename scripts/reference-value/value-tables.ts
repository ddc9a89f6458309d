import { estimateMean } from "./estimates.js";
import { pairedDifferences, runsOfArm, seedsIn } from "./runs-by-arm.js";
import { estimateText, fixedText, tableText } from "./table-text.js";
import { type Arm, REFERENCE_ARMS } from "./value-arms.js";
import { captureOf } from "./value-captures.js";
import type { ValueAnswer } from "./value-pool.js";
import type { ValueRun } from "./value-run.js";

const FIGURES: readonly (readonly [keyof ValueRun, name: string, digits: number])[] = [
  ["profit", "profit", 2],
  ["spread", "of it spread", 2],
  ["inventory", "inventory", 2],
  ["fees", "fees", 2],
  ["other", "other parts", 2],
  ["markout1s", "markout at 1 s, bps", 2],
  ["markout10s", "markout at 10 s, bps", 2],
  ["fills", "fills", 1],
  ["volumeQuote", "volume", 0],
  ["largestBase", "largest position, BTC", 3],
];

/** The table of one market: each bot's mean by seed, and the differences paired by seed. */
export function renderMarket(answers: readonly ValueAnswer[], market: string): string {
  const [first, ...others] = REFERENCE_ARMS as [Arm, ...Arm[]];
  const head = [
    market,
    ...REFERENCE_ARMS.map(({ name }) => name),
    ...others.map(({ name }) => `${name} less ${first.name}`),
  ];
  const rows = FIGURES.map(([figure, name, digits]) => {
    const values = (arm: Arm) => runsOfArm(answers, market, arm).map((run) => run[figure]);
    return [
      name,
      ...REFERENCE_ARMS.map((arm) => estimateText(estimateMean(values(arm)), digits)),
      ...others.map((arm) =>
        estimateText(estimateMean(pairedDifferences(values(arm), values(first))), digits),
      ),
    ];
  });
  return tableText(head, rows);
}

/** The rows of single seeds in one market. */
export function renderSeeds(answers: readonly ValueAnswer[], market: string): string {
  const head = [
    "seed",
    "capture",
    ...REFERENCE_ARMS.flatMap(({ name }) =>
      ["profit", "markout at 1 s", "fills"].map((figure) => `${name}: ${figure}`),
    ),
  ];
  const rows = seedsIn(answers, market).map((seed, at) => [
    `${seed}`,
    captureOf(seed),
    ...REFERENCE_ARMS.flatMap((arm) => {
      const run = runsOfArm(answers, market, arm)[at] as ValueRun;
      return [fixedText(run.profit, 2), fixedText(run.markout1s, 2), `${run.fills}`];
    }),
  ]);
  return tableText(head, rows);
}
