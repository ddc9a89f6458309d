import { LEAST_INDEPENDENT_MOVES } from "../backtest/record/signal/signal-horizon.js";
import type { Report } from "../backtest/report/report-schema.js";
import type { SignalReport } from "../backtest/report/signal-schema.js";
import { alignedTable } from "./control/aligned-table.js";

type Horizon = SignalReport[number];
type Figures = NonNullable<Horizon["figures"]>;

/** Lines about the worth of a market's signal; none if its strategy predicted nothing. */
export function signalLines({ marketId, signal }: Report["markets"][number]): string[] {
  if (signal === undefined) return [];
  const column = (heading: string, text: (horizon: Horizon) => string, isNumeric = true) => ({
    heading,
    cells: signal.map(text),
    isNumeric,
  });
  const figure = (heading: string, text: (figures: Figures) => string, isNumeric = true) =>
    column(heading, ({ figures }) => (figures === null ? "" : text(figures)), isNumeric);
  const rows = alignedTable([
    column("horizon", ({ seconds }) => `${seconds} s`),
    column("predictions", ({ predictions }) => String(predictions)),
    column("independent moves", ({ independentMoves }) => String(independentMoves)),
    column(
      "slope",
      ({ figures }) => (figures === null ? "too short to tell" : intervalText(figures.slope)),
      false,
    ),
    figure("correlation", ({ correlation }) => correlation.toFixed(3)),
    figure("right direction, %", ({ hitRate }) => intervalText(hitRate, 100, 1), false),
    figure("predicted, bps", ({ predictedBps }) => predictedBps.toFixed(4)),
    figure("realised, bps", ({ realisedBps }) => intervalText(realisedBps, 1, 4), false),
  ]);
  return [
    `what the signal of ${marketId} was worth: realised against predicted moves of the mid, with 95 % intervals from ${LEAST_INDEPENDENT_MOVES} independent moves on`,
    ...rows.trimEnd().split("\n"),
  ];
}

function intervalText({ value, low, high }: Figures["slope"], scale = 1, decimals = 3): string {
  const text = (number: number): string =>
    (scale * number).toFixed(decimals).replace(/^-(?=[0.]*$)/, "");
  return `${text(value)} [${text(low)}, ${text(high)}]`;
}
