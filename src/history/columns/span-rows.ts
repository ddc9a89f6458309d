import { DAY_MS, type MarketId } from "../../core/units.js";
import { type Day, toDay } from "../day.js";
import { GridError } from "../history-errors.js";
import type { HistoryKind } from "../kinds.js";
import { parquetSql, withReadErrors } from "../staging/decimal-places.js";
import type { DayManifest } from "../store/day-manifest.js";
import { Duck, type DuckLimits, pathSql } from "../store/duck.js";
import type { HistoryStore } from "../store/history-store.js";
import { isStamped, type LocalClock, localClock, localUsSql } from "./local-clock.js";
import { noDataError } from "./no-data-error.js";
import { type CountedColumn, countedColumn } from "./tape/decimal-columns.js";
import { msSpan, stampedDays } from "./tape-days.js";

/** The most files of one query. */
const MOST_FILES = 512;

/** A span of one kind of history. */
export interface SpanOptions {
  /** Whole microseconds of the exchange's clock; `toUs` is exclusive. */
  readonly fromUs: number;
  readonly toUs: number;
  /**
   * Whole microseconds from exchange stamp to local stamp for rows without a local stamp; 0 if
   * absent.
   */
  readonly baseLatencyUs?: number;
  readonly limits?: DuckLimits;
}

/** A decimal column that is read as whole numbers of a unit. */
export interface CountedInUnits {
  readonly column: string;
  readonly unit: string;
  /** The unit's name in errors, such as `tickSize`. */
  readonly field: string;
  readonly places: (decimals: DayManifest["decimals"]) => number;
  /** Rounds values that are not whole numbers of the unit down, instead of refusing them. */
  readonly rounds?: true;
}

/**
 * One row: the counted columns as texts of digits, since some exceed 2^53, and the other requested
 * columns.
 */
export type SpanRow = Readonly<Record<string, unknown>>;

/** The columns to read of each day. */
export interface SpanQuery {
  readonly kind: HistoryKind;
  readonly counted: readonly CountedInUnits[];
  /** SQL of further columns, by name; `localUs` is the SQL of the local stamp. */
  readonly more: (localUs: string) => Readonly<Record<string, string>>;
}

/**
 * The days of a span that the store has.
 * @throws ConfigError if it has none; HistoryError naming a file that is broken
 */
export function spanDays(
  store: HistoryStore,
  market: MarketId,
  kind: HistoryKind,
  { fromUs, toUs }: SpanOptions,
): readonly DayManifest[] {
  const [fromMs, toMs] = msSpan(fromUs, toUs);
  const days = store
    .days({ market, kind })
    .filter(
      ({ day }) => day >= toDay(Math.floor(fromMs / DAY_MS) * DAY_MS) && day <= toDay(toMs - 1),
    );
  if (days.length > 0) return days;
  throw noDataError(store, market, [kind], [fromMs, toMs]);
}

/**
 * Reads the rows of a span, ascending, in chunks.
 * @param days of {@link spanDays}.
 * @throws HistoryError naming file, row and value off the grid, or a file that is broken
 */
export async function* spanRows(
  store: HistoryStore,
  market: MarketId,
  { fromUs, toUs, baseLatencyUs = 0, limits }: SpanOptions,
  { kind, counted, more }: SpanQuery,
  days: readonly DayManifest[],
): AsyncGenerator<readonly SpanRow[], void> {
  const duck = await Duck.open(store.spillFolder, limits);
  try {
    const stamped = isStamped(kind) ? stampedDays(store, market) : undefined;
    const clocks = new Map<Day, LocalClock>();
    const checkedNs = new Map<Day, string>();
    for (const manifest of days) {
      checkedNs.set(manifest.day, store.modifiedNs(manifest));
      await store.verify(manifest);
      clocks.set(
        manifest.day,
        await localClock(
          store,
          duck,
          stamped?.get(manifest.day) ?? [],
          BigInt(baseLatencyUs) * 1000n,
        ),
      );
    }
    const formOf = ({ day, decimals }: DayManifest): string =>
      `${JSON.stringify(decimals)} ${clocks.get(day)?.addedNs}`;
    for (const alike of stretches(days, formOf)) {
      const files = alike.map((manifest) => store.dataPath(manifest, manifest.day));
      const [{ day, decimals }] = alike;
      const columns = counted.map((each) => ({
        ...each,
        ...countedColumn(each.column, each.places(decimals), each.unit, each.field),
      }));
      await requireOnGrid(duck, files, columns);
      const selected = [
        ...columns.map(({ column, count }) => `CAST(${count} AS VARCHAR) AS ${column}`),
        ...Object.entries(more(localUsSql(clocks.get(day) as LocalClock))).map(
          ([name, sql]) => `${sql} AS ${name}`,
        ),
      ];
      const within = spanSql({ fromUs, toUs });
      const file =
        files.length === 1 ? store.dataPath(alike[0], day) : store.folder({ market, kind });
      const pages = duck.pages(
        `SELECT ${selected.join(", ")} FROM ${parquetsSql(files)} WHERE ${within}`,
      );
      try {
        for (;;) {
          const { value, done } = await withReadErrors(file, () => pages.next());
          if (done === true) break;
          yield value;
        }
      } finally {
        await pages.return();
      }
      // An import may have replaced a file after the check. Its rows then do not match the
      // manifest.
      for (const manifest of alike)
        if (store.modifiedNs(manifest) !== checkedNs.get(manifest.day))
          await store.verify(manifest);
    }
  } finally {
    duck.close();
  }
}

/**
 * Groups consecutive days that one query can read: opening a file costs more than reading its rows.
 */
function stretches(
  days: readonly DayManifest[],
  formOf: (day: DayManifest) => string,
): (readonly [DayManifest, ...DayManifest[]])[] {
  const found: [DayManifest, ...DayManifest[]][] = [];
  for (const day of days) {
    const last = found.at(-1);
    if (last !== undefined && last.length < MOST_FILES && formOf(last[0]) === formOf(day))
      last.push(day);
    else found.push([day]);
  }
  return found;
}

/** SQL of the condition that a row lies in a span. */
export function spanSql({ fromUs, toUs }: SpanOptions): string {
  return `timeNs >= ${BigInt(fromUs) * 1000n} AND timeNs < ${BigInt(toUs) * 1000n}`;
}

/** SQL of the rows of several files, one file after another. */
export function parquetsSql(files: readonly string[]): string {
  return `read_parquet([${files.map(pathSql).join(", ")}])`;
}

/**
 * @throws HistoryError naming the first file, row and value that is not a whole number of its unit
 */
async function requireOnGrid(
  duck: Duck,
  files: readonly string[],
  columns: readonly (CountedInUnits & CountedColumn)[],
): Promise<void> {
  const strict = columns.filter(({ rounds, isOff }) => rounds !== true && isOff !== "false");
  if (strict.length === 0) return;
  const anyOff = strict.map(({ isOff }) => `(${isOff})`).join(" OR ");
  const [found] = await withReadErrors(files[0] ?? "", () =>
    duck.rows(`SELECT 1 AS isOff FROM ${parquetsSql(files)} WHERE ${anyOff} LIMIT 1`),
  );
  if (found === undefined) return;
  for (const file of files) {
    for (const { column, isOff, unit } of strict) {
      const numbered = parquetSql(file, "file_row_number = true");
      const [off] = await withReadErrors(file, () =>
        duck.rows(
          `SELECT file_row_number + 1 AS place, CAST(${column} AS VARCHAR) AS value FROM ${numbered} WHERE ${isOff} LIMIT 1`,
        ),
      );
      if (off === undefined) continue;
      throw new GridError(file, `row ${String(off.place)}: ${column} is off the grid`, {
        value: off.value,
        expected: `a whole multiple of ${unit}`,
      });
    }
  }
}
