import { ConfigError } from "../../../core/errors.js";
import { HistoryError } from "../../history-errors.js";
import type { DayManifest } from "../../store/day-manifest.js";

/** A market's tick size and step size, as decimal strings. */
export interface Steps {
  readonly tickSize: string;
  readonly stepSize: string;
}

/**
 * Resolves the grid on which columns are counted: the caller's, else the exchange's from the time
 * of download or recording.
 * @throws ConfigError if neither is known; HistoryError if two days have different grids
 */
export function resolveSteps(
  market: string,
  days: readonly DayManifest[],
  given: Partial<Steps>,
): Steps {
  const { tickSize, stepSize } = given;
  if (tickSize !== undefined && stepSize !== undefined) return { tickSize, stepSize };
  const daysWithGrid = days.filter(({ grid }) => grid !== undefined);
  const [first] = daysWithGrid;
  if (first?.grid === undefined) {
    throw new ConfigError("no day of this market has its tick and step size", {
      field: tickSize === undefined ? "tickSize" : "stepSize",
      value: market,
      expected:
        "tickSize and stepSize as decimal strings, such as 0.1 and 0.001; imported files do not contain them",
    });
  }
  const other = daysWithGrid.find(
    ({ grid }) =>
      grid?.tickSize !== first.grid?.tickSize || grid?.stepSize !== first.grid?.stepSize,
  );
  if (other?.grid !== undefined) {
    throw new HistoryError(
      `${market}/${other.kind}/${other.day}.json`,
      "has another tick or step size than an earlier day",
      {
        value: `${other.grid.tickSize} and ${other.grid.stepSize}`,
        expected: `${first.grid.tickSize} and ${first.grid.stepSize} as on ${first.day}, or tickSize and stepSize that fit both days`,
      },
    );
  }
  return { tickSize: tickSize ?? first.grid.tickSize, stepSize: stepSize ?? first.grid.stepSize };
}
