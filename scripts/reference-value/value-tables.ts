import { captureOf } from "./value-captures.js";
import type { ValueAnswer } from "./value-pool.js";
import { ARMS, type Arm, type ValueRun } from "./value-run.js";

type Figure = keyof ValueRun;

const FIGURES: readonly (readonly [Figure, name: string, digits: number])[] = [
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

/** A mean and half of its 95 % confidence interval. */
interface Estimate {
  readonly mean: number;
  readonly half: number;
}

/** The table of one market: each bot's mean by seed, and the differences paired by seed. */
export function renderMarket(answers: readonly ValueAnswer[], market: string): string {
  const runs = byArm(answers, market);
  const [first, ...others] = ARMS;
  const head = [
    market,
    ...ARMS.map((arm) => `\`${arm}\``),
    ...others.map((arm) => `\`${arm}\` less \`${first}\``),
  ];
  const rows = FIGURES.map(([figure, name, digits]) => {
    const values = (arm: Arm) => runs[arm].map((run) => run[figure]);
    return [
      name,
      ...ARMS.map((arm) => text(estimate(values(arm)), digits)),
      ...others.map((arm) => {
        const pairs = values(arm).map((value, at) => value - (values(first)[at] as number));
        return text(estimate(pairs), digits);
      }),
    ];
  });
  return table(head, rows);
}

/** The rows of single seeds in one market. */
export function renderSeeds(answers: readonly ValueAnswer[], market: string): string {
  const runs = byArm(answers, market);
  const head = [
    "seed",
    "capture",
    ...ARMS.flatMap((arm) =>
      ["profit", "markout at 1 s", "fills"].map((figure) => `\`${arm}\`: ${figure}`),
    ),
  ];
  const rows = seedsOf(answers, market).map((seed, at) => [
    `${seed}`,
    captureOf(seed),
    ...ARMS.flatMap((arm) => {
      const run = runs[arm][at] as ValueRun;
      return [fixed(run.profit, 2), fixed(run.markout1s, 2), `${run.fills}`];
    }),
  ]);
  return table(head, rows);
}

function seedsOf(answers: readonly ValueAnswer[], market: string): readonly number[] {
  const seeds = answers.filter(({ job }) => job.market.name === market).map(({ job }) => job.seed);
  return [...new Set(seeds)].sort((one, other) => one - other);
}

/** The runs in one market by bot, each in the order of the seeds. */
function byArm(
  answers: readonly ValueAnswer[],
  market: string,
): Readonly<Record<Arm, readonly ValueRun[]>> {
  const runsOf = (arm: Arm) =>
    answers
      .filter(({ job }) => job.market.name === market && job.arm === arm)
      .sort((one, other) => one.job.seed - other.job.seed)
      .map(({ run }) => run);
  return Object.fromEntries(ARMS.map((arm) => [arm, runsOf(arm)])) as Record<Arm, ValueRun[]>;
}

/** Quantiles of Student's t at 97.5 %, by degrees of freedom from 1 to 30. */
const STUDENT = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145,
  2.131, 2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048,
  2.045, 2.042,
] as const;
/** Of 49, for more than 30. */
const STUDENT_OF_49 = 2.01;

/** Seeds without a fill have no markout and are left out. */
function estimate(values: readonly number[]): Estimate {
  const known = values.filter((value) => !Number.isNaN(value));
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  const squares = known.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const quantile = STUDENT[known.length - 2] ?? STUDENT_OF_49;
  return { mean, half: quantile * Math.sqrt(squares / (known.length - 1) / known.length) };
}

function text({ mean, half }: Estimate, digits: number): string {
  return `${fixed(mean, digits)} ± ${fixed(half, digits)}`;
}

function fixed(value: number, digits: number): string {
  const written = value.toFixed(digits);
  return Number(written) === 0 ? (0).toFixed(digits) : written;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}
