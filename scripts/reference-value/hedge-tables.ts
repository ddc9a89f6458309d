import { estimateMean, estimateVarianceRatio, standardDeviation } from "./estimates.js";
import { pairedDifferences, runsOfArm, seedsIn } from "./runs-by-arm.js";
import { estimateText, fixedText, tableText } from "./table-text.js";
import { HEDGE_ARMS } from "./value-arms.js";
import { captureOf } from "./value-captures.js";
import type { ValueAnswer } from "./value-pool.js";
import type { ValueRun } from "./value-run.js";

type Runs = readonly ValueRun[];

/** A row: its name, and the cell of a bot's runs beside those of the bot without a hedge. */
type Row = readonly [name: string, cell: (runs: Runs, bare: Runs) => string];

const MONEY_DIGITS = 2;
const BASE_DIGITS = 3;
/** Positions that last for milliseconds of two minutes. */
const MEAN_BASE_DIGITS = 6;

const ROWS: readonly Row[] = [
  meanRow("profit of both legs", "netProfit", MONEY_DIGITS),
  [
    "less that of no hedge",
    compared((profits, bare) =>
      estimateText(estimateMean(pairedDifferences(profits, bare)), MONEY_DIGITS),
    ),
  ],
  [
    "standard deviation",
    (runs) => fixedText(standardDeviation(runs.map(({ netProfit }) => netProfit)), MONEY_DIGITS),
  ],
  [
    "variance over that of no hedge",
    compared((profits, bare) => {
      const { ratio, from, to } = estimateVarianceRatio(profits, bare);
      return `${fixedText(ratio, 2)} (${fixedText(from, 2)} to ${fixedText(to, 2)})`;
    }),
  ],
  meanRow("drawdown", "drawdown", MONEY_DIGITS),
  [
    "worst drawdown of a seed",
    (runs) => fixedText(Math.max(...runs.map(({ drawdown }) => drawdown)), MONEY_DIGITS),
  ],
  meanRow("largest net position, BTC", "netLargestBase", BASE_DIGITS),
  meanRow("net position over time, BTC", "netMeanBase", MEAN_BASE_DIGITS),
  meanRow("hedges", "hedges", 1),
  meanRow("fees of hedges", "hedgeFees", MONEY_DIGITS),
  meanRow("fills", "fills", 1),
  meanRow("volume", "volumeQuote", 0),
];

/** The table of one market: the bots side by side. */
export function renderHedges(answers: readonly ValueAnswer[], market: string): string {
  const runs = HEDGE_ARMS.map((arm) => runsOfArm(answers, market, arm));
  const bare = runs[0] as Runs;
  return tableText(
    [market, ...HEDGE_ARMS.map(({ name }) => name)],
    ROWS.map(([name, cell]) => [name, ...runs.map((one) => cell(one, bare))]),
  );
}

/** The profit of the first seeds in one market. */
export function renderHedgedSeeds(
  answers: readonly ValueAnswer[],
  market: string,
  count: number,
): string {
  const rows = seedsIn(answers, market)
    .slice(0, count)
    .map((seed, at) => [
      `${seed}`,
      captureOf(seed),
      ...HEDGE_ARMS.map((arm) => {
        const { netProfit } = runsOfArm(answers, market, arm)[at] as ValueRun;
        return fixedText(netProfit, MONEY_DIGITS);
      }),
    ]);
  return tableText(["seed", "capture", ...HEDGE_ARMS.map(({ name }) => name)], rows);
}

function meanRow(name: string, figure: keyof ValueRun, digits: number): Row {
  return [name, (runs) => estimateText(estimateMean(runs.map((run) => run[figure])), digits)];
}

/** A cell that compares profits with those without a hedge; empty for the latter. */
function compared(
  text: (profits: readonly number[], bare: readonly number[]) => string,
): (runs: Runs, bare: Runs) => string {
  const profits = (runs: Runs) => runs.map(({ netProfit }) => netProfit);
  return (runs, bare) => (runs === bare ? "" : text(profits(runs), profits(bare)));
}
