import type { SignalReport } from "#backtest/signal-schema.js";
import { labelOf, type StrategyResult } from "./try-strategies.js";

type Horizon = SignalReport[number];
type Interval = NonNullable<Horizon["figures"]>["slope"];

const HEAD = [
  "capture",
  "strategy",
  "horizon",
  "predictions",
  "independent moves",
  "slope",
  "right direction, %",
  "predicted, bps",
  "realised, bps",
];

/** A row for each horizon of each result whose strategy predicted the mid. */
export function signalTable(results: readonly StrategyResult[]): string {
  const rows = results.flatMap((result) => {
    const signal = result.report?.markets[0]?.signal ?? [];
    return signal.map((horizon, at) => [
      at === 0 ? result.capture.name : "",
      at === 0 ? labelOf(result) : "",
      ...cellsOf(horizon),
    ]);
  });
  return [
    `| ${HEAD.join(" | ")} |`,
    `|${HEAD.map((_, at) => (at < 2 ? "---|" : "---:|")).join("")}`,
    ...rows.map((cells) => `| ${cells.join(" | ")} |`),
  ].join("\n");
}

function cellsOf({ seconds, predictions, independentMoves, figures }: Horizon): readonly string[] {
  const counts = [`${seconds} s`, `${predictions}`, `${independentMoves}`];
  if (figures === null) return [...counts, "too short to tell", "", "", ""];
  const { slope, hitRate, predictedBps, realisedBps } = figures;
  return [
    ...counts,
    intervalText(slope, 2),
    intervalText(scaled(hitRate, 100), 0),
    predictedBps.toFixed(3),
    intervalText(realisedBps, 3),
  ];
}

function scaled({ value, low, high }: Interval, factor: number): Interval {
  return { value: factor * value, low: factor * low, high: factor * high };
}

function intervalText({ value, low, high }: Interval, decimals: number): string {
  return `${value.toFixed(decimals)} (${low.toFixed(decimals)} to ${high.toFixed(decimals)})`;
}
