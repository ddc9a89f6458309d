import type { Day } from "../day.js";
import { GridError } from "../history-errors.js";
import { familyFor, layoutFor } from "../kinds.js";
import { parquetSql, withReadErrors } from "../staging/decimal-places.js";
import type { DayManifest } from "../store/day-manifest.js";
import { Duck } from "../store/duck.js";
import type { HistoryStore } from "../store/history-store.js";
import { countedColumn } from "./tape/decimal-columns.js";
import type { Steps } from "./tape/tape-grid.js";

/** The most days that the error names. */
const NAMED_DAYS = 3;

/**
 * Runs work that reads days on a grid. If one day is off the grid and another is not, the market's
 * tick or step changed between them, and the error says so.
 * @param days to be read.
 * @throws GridError naming the days; any other error that `work` throws
 */
export async function withGridDiagnosis<T>(
  store: HistoryStore,
  days: readonly DayManifest[],
  steps: Steps,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GridError)) throw error;
    const { on, off } = await daysOnGrid(store, days, steps);
    if (on.length === 0 || off.length === 0) throw error;
    throw new GridError(
      error.file,
      `is off the grid on ${named(off)}, but on the grid on ${named(on)}: the market's tick or step size changed`,
      {
        value: error.value,
        expected: `${error.expected}; run each period separately (history.from, history.to) with its own sizes`,
        cause: error,
      },
    );
  }
}

/**
 * Splits days into those whose prices and amounts are all whole multiples of the steps, and the
 * others.
 */
async function daysOnGrid(
  store: HistoryStore,
  days: readonly DayManifest[],
  { tickSize, stepSize }: Steps,
): Promise<{ readonly on: readonly Day[]; readonly off: readonly Day[] }> {
  const [on, off] = [new Set<Day>(), new Set<Day>()];
  const duck = await Duck.open(store.spillFolder);
  try {
    for (const manifest of days) {
      const file = store.dataPath(manifest, manifest.day);
      const { price, amount } = manifest.decimals;
      // The volume of a candle is rounded.
      const isCandle = familyFor(manifest.kind) === "klines";
      const broken = layoutFor(manifest.kind).columns.flatMap(({ name, type }) => {
        if (type === "price") return [countedColumn(name, price, tickSize, "tickSize").isOff];
        return type === "amount" && !isCandle
          ? [countedColumn(name, amount, stepSize, "stepSize").isOff]
          : [];
      });
      const found = await withReadErrors(file, () =>
        duck.rows(`SELECT 1 AS off FROM ${parquetSql(file)} WHERE ${broken.join(" OR ")} LIMIT 1`),
      );
      (found.length > 0 ? off : on).add(manifest.day);
    }
  } finally {
    duck.close();
  }
  return { on: [...on].filter((day) => !off.has(day)).sort(), off: [...off].sort() };
}

function named(days: readonly Day[]): string {
  const more = days.length - NAMED_DAYS;
  return [...days.slice(0, NAMED_DAYS), ...(more > 0 ? [`${more} more days`] : [])].join(", ");
}
