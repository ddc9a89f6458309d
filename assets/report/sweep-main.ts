import { exact } from "../chart/axis-text.js";
import { offerThemes } from "../chart/theme.js";
import { type ParallelAxis, ParallelPlot } from "./parallel-plot.js";
import { readSweep, type SweepResult, type SweepRow, toSweepRows } from "./sweep-data.js";
import { SweepTable } from "./sweep-table.js";

const TICKS = 5;
const [LEAST_DIGITS, MOST_DIGITS] = [3, 15];

offerThemes();
const sweep = readSweep();
const rows = toSweepRows(sweep);
const plotHost = document.getElementById("parallel");
const tableHost = document.getElementById("points-table");
if (plotHost !== null && tableHost !== null) {
  const choose = (index: number): void => {
    plot.choose(index);
    table.choose(index);
  };
  const table = new SweepTable(tableHost, rows, choose);
  const axes = [...sweep.parameters.map(parameterAxis), objectiveAxis()];
  const plot = new ParallelPlot(plotHost, axes, rows, {
    onFilter: (passes) => table.filter(passes),
    onChoose: choose,
  });
  choose(sweep.best);
}

function parameterAxis({ path, scale, values }: SweepResult["parameters"][number]): ParallelAxis {
  if (scale === "list") {
    const last = Math.max(1, values.length - 1);
    return {
      name: path,
      shareOf: (row) => values.indexOf(row.values[path] ?? "") / last,
      ticks: values.map((value, at) => ({ share: at / last, text: String(value) })),
    };
  }
  const [min, max] = [Number(values[0]), Number(values[1])];
  const [low, span] = scale === "log" ? [Math.log(min), Math.log(max / min)] : [min, max - min];
  const at = (share: number): number =>
    scale === "log" ? Math.exp(low + share * span) : low + share * span;
  const shareOf = (value: number): number =>
    ((scale === "log" ? Math.log(value) : value) - low) / span;
  return {
    name: path,
    shareOf: (row) => shareOf(Number(row.values[path])),
    ticks: rows.every(({ values }) => Number.isInteger(values[path]))
      ? wholeTicks(min, max, shareOf)
      : ticksOf(at),
  };
}

function objectiveAxis(): ParallelAxis {
  const known = rows.flatMap(({ objective }) => objective ?? []);
  const min = known.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
  const max = known.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  const span = max - min;
  const shareOf = (value: number): number => (span === 0 ? 0.5 : (value - min) / span);
  return {
    name: sweep.objective.figure,
    shareOf: ({ objective }: SweepRow) =>
      objective === undefined ? undefined : shareOf(objective),
    ticks:
      known.length === 0
        ? []
        : span === 0
          ? [{ share: 0.5, text: rounded(min, MOST_DIGITS) }]
          : ticksOf((share) => min + share * span),
  };
}

/** Of whole numbers only such: all of a few, else about as many as of any range. */
function wholeTicks(
  min: number,
  max: number,
  shareOf: (value: number) => number,
): ParallelAxis["ticks"] {
  const step = Math.max(1, Math.ceil((max - min) / (2 * TICKS)));
  const ticks: { share: number; text: string }[] = [];
  for (let value = min; value <= max; value += step)
    ticks.push({ share: shareOf(value), text: exact(String(value)) });
  return ticks;
}

/** Numbers with as few digits as distinguish them. */
function ticksOf(at: (share: number) => number): ParallelAxis["ticks"] {
  const shares = Array.from({ length: TICKS }, (_, index) => index / (TICKS - 1));
  let digits = LEAST_DIGITS;
  const texts = (): string[] => shares.map((share) => rounded(at(share), digits));
  while (digits < MOST_DIGITS && new Set(texts()).size < TICKS) digits += 1;
  return texts().map((text, index) => ({ share: shares[index] as number, text }));
}

function rounded(value: number, digits: number): string {
  return exact(String(Number(value.toPrecision(digits))));
}
