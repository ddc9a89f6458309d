import { rmSync } from "node:fs";
import { nsToMs, toDay } from "../day.js";
import { syncAndHashFile } from "../file-hash.js";
import type { ShapedFile, TypedCsv } from "../import/formats/shape.js";
import { type TextSql, withValueErrors } from "../import/text/odd-values.js";
import { isPlainCsv } from "../import/text/plain-csv.js";
import { withRowNumbers } from "../import/text/row-numbers.js";
import { type DecimalGroup, hasColumn, isDecimal, layoutFor, type RowRule } from "../kinds.js";
import type { DayManifest } from "../store/day-manifest.js";
import { type Duck, toBigInt } from "../store/duck.js";
import type { Series } from "../store/history-store.js";
import { copyRows, type FileNote, noteText, type Written } from "../store/parquet-copy.js";
import {
  castSql,
  type Decimals,
  decimalColumns,
  inferDecimalPlaces,
  MOST_DIGITS,
  parquetSql,
  refuseBroken,
  withReadErrors,
} from "./decimal-places.js";
import { type LeftOutGaps, NO_GAPS } from "./left-out-gaps.js";
import type { LeftOutRow } from "./left-out-rows.js";
import { type Repaired, type RepairOptions, repairRows } from "./repair-rows.js";
import {
  BY_NUMBER,
  inferRowFormat,
  OTHERWISE,
  OTHERWISE_SQL,
  type Place,
  type RowFormat,
} from "./row-format.js";
import { countRepeats, measureAscent, type Repeats } from "./row-order.js";

/** Rows to be staged. */
interface RowsToStage {
  readonly series: Series;
  /** SQL of the kind's columns, decimals as text; a `seq` of null becomes the row's number. */
  readonly select: string;
  /**
   * The same with {@link ROW_NUMBER}, which is slower; repairs need it. Absent if the rows of
   * `select` are the file's, one for one in order.
   */
  readonly numbered?: string | undefined;
  /** The SQL for reading a plain CSV file. */
  readonly csv?: TypedCsv | undefined;
  /** The file's name in errors. */
  readonly file: string;
  /**
   * True if `seq` is the number of a message's first row. It is then not a line by which a row
   * could be found.
   */
  readonly isByMessage?: boolean | undefined;
  /** The rules of its rows, besides those of their kind. */
  readonly rules?: readonly RowRule[] | undefined;
  /** The source as written, to quote values that are not whole numbers. */
  readonly text?: TextSql | undefined;
  /** The path of the staged rows; an existing file is overwritten. */
  readonly path: string;
  readonly grid?: DayManifest["grid"];
  /** Permitted repairs of rows that would be refused; none if absent. */
  readonly repairs?: RepairOptions | undefined;
  /** Rows that are left out of the source already. */
  readonly leftOut?: readonly LeftOutRow[] | undefined;
  readonly messageRows?: ShapedFile["messageRows"];
}

/**
 * A source's rows, read and checked, as Parquet in the order of the source until {@link dropRows}.
 */
export interface StagedRows extends Written, Repaired, Repeats {
  readonly path: string;
  /**
   * The metadata of the file: it may become a day's file if that needs the same metadata. Undefined
   * if the file cannot be read as it is.
   */
  readonly note: string | undefined;
  readonly decimals: Decimals;
  /** SQL of the kind's columns. */
  readonly select: string;
  /** True if they are in the order of a day's file. */
  readonly isOrdered: boolean;
  /** True if their keys ascend too, so that none repeats; false for a kind without a key. */
  readonly isUnique: boolean;
  /** True if each row has its own sequence number in the capture. */
  readonly isPlaced: boolean;
  /** The unknown times because of omitted rows. */
  readonly gaps: LeftOutGaps;
  /** Of the file, which is synced to disk by then; undefined if it cannot become a day. */
  readonly sha256: string | undefined;
}

/** A file that is not plain usually shows it within this many bytes. */
const SAMPLE_BYTES = 16_384;
/**
 * Reads a source once, in its order, into a Parquet file. Decimals get as many places as its first
 * rows need.
 *
 * The result is exact. The bytes of a CSV file are searched meanwhile for one that is not plain.
 * For another source, every text is compared with the text of its decimal. A source with a row in
 * another format, such as with more places or an exponent, is measured as text and read again.
 * @throws HistoryError naming the file, with the first impossible row.
 */
export async function stageRows(duck: Duck, staging: RowsToStage): Promise<StagedRows> {
  return withValueErrors(duck, staging.file, staging.text, () => staged(duck, staging));
}

async function staged(duck: Duck, staging: RowsToStage): Promise<StagedRows> {
  const { select, file, path, series } = staging;
  try {
    const { repairs } = staging;
    if (repairs !== undefined && (repairs.round === true || (repairs.maxDropped ?? 0) > 0))
      return await stagedRepaired(duck, staging, repairs);
    const format = await withReadErrors(file, () => inferRowFormat(duck, staging));
    const note = {
      ...series,
      day: format.firstNs === undefined ? undefined : toDay(nsToMs(format.firstNs)),
      grid: staging.grid,
    };
    const first = { ...note, decimals: format.needed };
    const isFirst = Object.values(format.written).every((places) => places <= MOST_DIGITS);
    const asFirst = isFirst
      ? ((await asPlain(duck, staging, first, format)) ??
        (await asText(duck, staging, first, format)))
      : undefined;
    if (asFirst !== undefined)
      return await lookedThrough(duck, staging, first, format.place, asFirst);
    const exact = { ...note, decimals: await inferDecimalPlaces(duck, series.kind, select, file) };
    const written = await withReadErrors(file, () =>
      copyRows(duck, castSql(series.kind, select, exact.decimals), path, exact),
    );
    return await lookedThrough(duck, staging, exact, BY_NUMBER, written);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
}

/** Stages rows that may be repaired: all are read as text. */
async function stagedRepaired(
  duck: Duck,
  staging: RowsToStage,
  repairs: RepairOptions,
): Promise<StagedRows> {
  const { series, file, path, grid } = staging;
  const numbered = staging.numbered ?? `FROM ${withRowNumbers(`(${staging.select})`)}`;
  const { table, select, decimals, rounded, dropped, gaps } = await repairRows(
    duck,
    { ...staging, numbered },
    repairs,
  );
  try {
    const note = { ...series, day: undefined, grid, decimals };
    const written = await withReadErrors(file, () => copyRows(duck, select, path, note));
    return {
      ...(await lookedThrough(duck, staging, note, BY_NUMBER, written)),
      rounded,
      dropped,
      gaps,
    };
  } finally {
    await duck.run(`DROP TABLE ${table}`);
  }
}

/** Deletes staged rows. */
export function dropRows({ path }: StagedRows): void {
  rmSync(path, { force: true });
}

/**
 * Writes a plain CSV file, read as numbers.
 * @returns undefined if it is not plain, or not known to be
 */
async function asPlain(
  duck: Duck,
  { series, csv, path, file }: RowsToStage,
  note: FileNote,
  { needed, place }: RowFormat,
): Promise<Written | undefined> {
  if (csv === undefined) return undefined;
  const groups = new Map(decimalColumns(series.kind).map(({ name, type }) => [name, type]));
  const decimals = Object.fromEntries(
    Object.entries(csv.decimals).map(([theirs, ours]) => [
      theirs,
      needed[groups.get(ours) ?? "rate"],
    ]),
  );
  const types = Object.fromEntries(
    Object.entries(decimals).map(([name, digits]) => [name, `DECIMAL(${MOST_DIGITS},${digits})`]),
  );
  const places = { ...decimals, ...Object.fromEntries(csv.whole.map((name) => [name, 0])) };
  const isPlain = (most?: number): Promise<boolean> =>
    withReadErrors(file, () => isPlainCsv(csv, places, most));
  if (!(await isPlain(SAMPLE_BYTES))) return undefined;
  const rows = rowsSql(series, csv.select(types), place, (name) => name);
  const [written, plain] = await Promise.allSettled([copyRows(duck, rows, path, note), isPlain()]);
  if (plain.status === "rejected") throw plain.reason;
  // Values that the database refuses are reported from the text.
  return plain.value && written.status === "fulfilled" ? written.value : undefined;
}

/**
 * Writes the rows in the format of the first ones.
 * @returns undefined if a row has another format
 */
async function asText(
  duck: Duck,
  { series, select, file, path }: RowsToStage,
  note: FileNote,
  { needed, written, place }: RowFormat,
): Promise<Written | undefined> {
  const typed = decimalColumns(series.kind).map(
    ({ name, type }) =>
      `TRY_CAST(${name} AS DECIMAL(${MOST_DIGITS},${needed[type]})) AS exact_${name}`,
  );
  const rows = rowsSql(
    series,
    `SELECT ${["*", ...typed].join(", ")} FROM (${select})`,
    place,
    (name, group) => {
      // A text with so many zeros that it does not fit is measured.
      const text = `CAST(TRY_CAST(exact_${name} AS DECIMAL(${MOST_DIGITS},${written[group]})) AS VARCHAR)`;
      // Trailing zeros may be omitted.
      return `CASE WHEN ${text} = ${name} THEN exact_${name} WHEN ${name} IS NULL THEN NULL WHEN starts_with(${text}, ${name}) THEN exact_${name} ELSE ${OTHERWISE_SQL} END`;
    },
  );
  try {
    return await copyRows(duck, rows, path, note);
  } catch (error) {
    if (error instanceof Error && error.message.includes(OTHERWISE)) return undefined;
    return withReadErrors(file, () => Promise.reject(error));
  }
}

/** SQL of the kind's columns as they are stored. @param decimal SQL of a decimal. */
function rowsSql(
  { kind }: Series,
  select: string,
  place: Place,
  decimal: (name: string, group: DecimalGroup) => string,
): string {
  const columns = layoutFor(kind).columns.map(({ name, type }) => {
    if (isDecimal(type)) return `${decimal(name, type)} AS ${name}`;
    if (name === "seq") return `${place.sql} AS seq`;
    return `CAST(${name} AS ${type === "integer" ? "BIGINT" : type === "flag" ? "BOOLEAN" : "VARCHAR"}) AS ${name}`;
  });
  return `SELECT ${columns.join(", ")} FROM (${select})`;
}

/** @throws HistoryError naming the file, for impossible rows */
async function lookedThrough(
  duck: Duck,
  staging: RowsToStage,
  note: FileNote,
  place: Place,
  written: Written,
): Promise<StagedRows> {
  const { series, path } = staging;
  const hasNumbers = hasColumn(series.kind, "seq") && place.from === "number";
  // The database checks the rows on a separate thread.
  const sha256 = hasNumbers ? undefined : syncAndHashFile(path);
  // It is awaited below, unless the rows are refused first.
  sha256?.catch(() => undefined);
  const scanned = await rowsLookedThrough(duck, staging, note, place, written);
  return { ...scanned, sha256: await sha256 };
}

async function rowsLookedThrough(
  duck: Duck,
  { series, file, path, isByMessage = false, rules = [] }: RowsToStage,
  note: FileNote,
  place: Place,
  written: Written,
): Promise<Omit<StagedRows, "sha256">> {
  const { order, key } = layoutFor(series.kind);
  const from = parquetSql(path);
  const isPlaced = hasColumn(series.kind, "seq") && place.from !== "id" && !isByMessage;
  await refuseBroken(duck, series.kind, { path, factsOf: written.factsOf }, file, isPlaced, rules);
  const isById = place.from === "id";
  const number = isById ? "file_row_number + 1" : "coalesce(seq, file_row_number + 1)";
  const numbered = `SELECT * EXCLUDE (file_row_number) REPLACE (${number} AS seq) FROM ${parquetSql(path, "file_row_number = true")}`;
  const hasNumbers = hasColumn(series.kind, "seq") && place.from === "number";
  const { ascends, isStrict } = await measureAscent(
    duck,
    hasNumbers ? `(${numbered})` : from,
    order.filter((name) => !(isById && name === "seq")),
    key,
  );
  const isDone = isById
    ? isStrict && toBigInt(written.lastId) - toBigInt(written.firstId) + 1n === BigInt(written.rows)
    : !hasNumbers;
  const isUnique = ascends && isStrict;
  return {
    ...written,
    path,
    isPlaced: !isById && written.factsOf("seq")?.nulls === 0,
    rounded: 0,
    dropped: 0,
    gaps: NO_GAPS,
    note: isDone ? noteText(note) : undefined,
    decimals: note.decimals,
    select: isDone ? `SELECT * FROM ${from}` : numbered,
    isOrdered: ascends,
    isUnique,
    ...(isUnique || key === undefined
      ? { repeated: 0, reused: undefined }
      : await countRepeats(duck, from, key)),
  };
}
