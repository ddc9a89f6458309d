import { endText } from "../../src/backtest/sweep/results/end-text.js";
import type { SweepResult } from "../../src/backtest/sweep/results/sweep-json.js";
import { warningMark, warningText } from "../../src/backtest/sweep/results/warning-text.js";

export type { SweepResult };

/** A point as a row and as a line: its parameters and its results. */
export interface SweepRow {
  readonly index: number;
  readonly rank: number;
  readonly values: Readonly<Record<string, string | number | boolean>>;
  readonly objective: number | undefined;
  /**
   * How its runs ended before their history did, such as `halted`; empty where none of them did.
   */
  readonly ended: string;
  /**
   * The reason that makes a combination's figures less believable, with the number of windows;
   * empty where there is none.
   */
  readonly suspectMark: string;
  /** The reason itself. */
  readonly suspectReasons: string;
  /** Means over the windows; exact texts where there is one. */
  readonly figures: Readonly<Record<string, string>>;
}

/** The sweep that lies in the page. */
export function readSweep(): SweepResult {
  return JSON.parse(document.getElementById("sweep-data")?.textContent ?? "{}") as SweepResult;
}

/** Its points, by rank. */
export function toSweepRows({ points }: SweepResult): SweepRow[] {
  return points
    .map(({ index, rank, values, objective, runs }) => ({
      index,
      rank,
      values,
      objective: objective === null ? undefined : Number(objective),
      ended: endText(runs),
      suspectMark: warningMark(runs),
      suspectReasons: warningText(runs),
      figures: Object.fromEntries(
        Object.keys(runs[0]?.figures ?? {}).map((name) => [
          name,
          meanText(runs.map((run) => figureIn(run, name))),
        ]),
      ),
    }))
    .sort((a, b) => a.rank - b.rank);
}

function figureIn(
  run: SweepResult["points"][number]["runs"][number],
  name: string,
): string | number | null {
  return (run.figures as Record<string, string | number | null>)[name] ?? null;
}

function meanText(values: readonly (string | number | null)[]): string {
  if (values.some((value) => value === null)) return "none";
  if (values.length === 1) {
    const [only] = values;
    return typeof only === "number" ? String(Number(only.toPrecision(6))) : String(only);
  }
  return String(
    Number(
      (values.reduce<number>((sum, value) => sum + Number(value), 0) / values.length).toPrecision(
        9,
      ),
    ),
  );
}
