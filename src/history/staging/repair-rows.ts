import { BadRowsError, HistoryError } from "../history-errors.js";
import type { ShapedFile } from "../import/formats/shape.js";
import { ROW_NUMBER } from "../import/text/row-numbers.js";
import { type DecimalGroup, layoutFor, type RowRule } from "../kinds.js";
import { type Duck, identifier, literal, toBigInt } from "../store/duck.js";
import type { Series } from "../store/history-store.js";
import {
  castSql,
  type Decimals,
  decimalColumns,
  INSTANT_RULES,
  inferDecimalPlaces,
  isNumberSql,
  MOST_DIGITS,
  plainSql,
  tooLongSql,
  withReadErrors,
} from "./decimal-places.js";
import { type LeftOutGaps, leftOutFindings, leftOutGaps } from "./left-out-gaps.js";
import type { LeftOutRow } from "./left-out-rows.js";

/** The permitted repairs of rows that would otherwise be refused. */
export interface RepairOptions {
  /**
   * Rounds decimals of more than 15 digits to 15, the digits of any decimal that a double holds
   * exactly.
   */
  readonly round?: boolean | undefined;
  /** The most unusable rows that may be left out; 0 if absent. */
  readonly maxDropped?: number | undefined;
}

/** The repairs of a file's rows. */
export interface Repaired {
  /** The count of rounded numbers; a row may have several. */
  readonly rounded: number;
  /** The count of omitted rows. */
  readonly dropped: number;
}

/** Repaired rows; they exist until their table is dropped. */
interface RepairedRows extends Repaired {
  readonly table: string;
  readonly decimals: Decimals;
  /** SQL of the kind's columns, as they are stored. */
  readonly select: string;
  /** The unknown times because of omitted rows. */
  readonly gaps: LeftOutGaps;
}

/** Rows to be repaired. */
interface RowsToRepair {
  readonly series: Series;
  /** SQL of the kind's columns, decimals as text, and {@link ROW_NUMBER}. */
  readonly numbered: string;
  readonly file: string;
  readonly rules?: readonly RowRule[] | undefined;
  /** Rows that are left out of the file already. */
  readonly leftOut?: readonly LeftOutRow[] | undefined;
  readonly messageRows?: ShapedFile["messageRows"];
}

const FLOAT_DIGITS = 15;
const WIDE = `DECIMAL(38,${MOST_DIGITS})`;

/**
 * Reads a source into a table, with its decimals rounded if that is permitted.
 * @throws BadRowsError for unusable rows, if they may be left out; HistoryError naming the file, if
 * there are too many of them or the file cannot be read
 */
export async function repairRows(
  duck: Duck,
  options: RowsToRepair,
  { round = false, maxDropped = 0 }: RepairOptions,
): Promise<RepairedRows> {
  const { series, numbered, file, leftOut = [], messageRows } = options;
  const { kind } = series;
  const names = decimalColumns(kind).map(({ name }) => name);
  const table = duck.newTable();
  const originals = names.map((name) => `${name} AS ${originalOf(name)}`);
  const plain = names.map((name) => `${round ? roundedSql(name) : plainSql(name)} AS ${name}`);
  await withReadErrors(file, () =>
    duck.run(
      `CREATE TEMP TABLE ${table} AS SELECT *${replacing(plain)}${["", ...originals].join(", ")} FROM (${numbered})`,
    ),
  );
  try {
    if (maxDropped > 0) await refuseBad(duck, table, options, { round, maxDropped }, () => WIDE);
    const decimals = await inferDecimalPlaces(duck, kind, `SELECT * FROM ${table}`, file, round);
    // Rounded to the places that fit, an amount may become zero.
    if (maxDropped > 0 && round)
      await refuseBad(
        duck,
        table,
        options,
        { round, maxDropped },
        ({ type }) => `DECIMAL(${MOST_DIGITS},${decimals[type]})`,
      );
    return {
      table,
      decimals,
      select: castSql(kind, `SELECT * FROM ${table}`, decimals),
      dropped: leftOut.length,
      gaps: await leftOutGaps(duck, kind, `SELECT * FROM ${table}`, leftOut, messageRows),
      rounded: round ? await roundedIn(duck, file, table, kind, decimals) : 0,
    };
  } catch (error) {
    await duck.run(`DROP TABLE ${table}`);
    throw error;
  }
}

/**
 * @param typeOf the type in which a decimal is checked.
 * @throws BadRowsError for unusable rows, HistoryError if there are more than may be left out
 */
async function refuseBad(
  duck: Duck,
  table: string,
  { series: { kind }, file, rules = [], leftOut = [] }: RowsToRepair,
  { round, maxDropped }: Required<RepairOptions>,
  typeOf: (column: { readonly type: DecimalGroup }) => string,
): Promise<void> {
  const decimals = decimalColumns(kind);
  // Texts that are not decimals are excluded before the places of the others are measured.
  const unread = decimals.map(
    ({ name }) =>
      `${name} IS NOT NULL AND (NOT ${isNumberSql(name)} OR ${tooLongSql(name, round)})`,
  );
  const isUnread = ["false", ...unread.map((sql) => `coalesce(${sql}, false)`)].join(" OR ");
  const typed = `SELECT *${replacing(decimals.map((column) => `TRY_CAST(${column.name} AS ${typeOf(column)}) AS ${column.name}`))}, ${isUnread} AS isUnread FROM ${table}`;
  const broken = [...INSTANT_RULES, ...layoutFor(kind).rules, ...rules].map(
    (rule) => `coalesce(${rule.broken}, false)`,
  );
  const bad = `SELECT ${ROW_NUMBER} AS rowNumber, ${kind === "book" ? "bool_or(isSnapshot)" : "NULL"} AS isSnapshot FROM (${typed}) WHERE isUnread OR ${broken.join(" OR ")} GROUP BY 1`;
  const count = async (sql: string): Promise<number> =>
    Number(toBigInt((await withReadErrors(file, () => duck.row(sql))).total));
  const found = await count(`SELECT count(*) AS total FROM (${bad})`);
  if (found === 0) return;
  const dropped = found + leftOut.length;
  const total =
    (await count(`SELECT count(DISTINCT ${ROW_NUMBER}) AS total FROM ${table}`)) + leftOut.length;
  const summary = `${dropped} of ${total} rows are invalid`;
  if (dropped > maxDropped)
    throw new HistoryError(file, `${summary}, more than --drop-bad-rows allows`, {
      value: maxDropped,
      expected: `--drop-bad-rows ${dropped}, or a file without invalid rows`,
    });
  const rows = (await duck.rows(`${bad} ORDER BY rowNumber`)).map(({ rowNumber, isSnapshot }) => ({
    row: Number(rowNumber),
    isSnapshot: typeof isSnapshot === "boolean" ? isSnapshot : undefined,
  }));
  throw new BadRowsError(file, summary, { rows }, { expected: "a file without invalid rows" });
}

/** The import's findings about repairs, also stored with the days. */
export function repairFindings({
  rounded,
  dropped,
  gaps,
}: Repaired & Pick<RepairedRows, "gaps">): string[] {
  return [
    ...(rounded === 0 ? [] : [`${rounded} of its file's numbers were rounded (--round)`]),
    ...(dropped === 0
      ? []
      : [`${dropped} invalid rows of its file were left out (--drop-bad-rows)`]),
    ...leftOutFindings(gaps),
  ];
}

/** SQL that replaces columns. @param columns SQL of each, with its name */
function replacing(columns: readonly string[]): string {
  return columns.length === 0 ? "" : ` REPLACE (${columns.join(", ")})`;
}

async function roundedIn(
  duck: Duck,
  file: string,
  table: string,
  kind: string,
  decimals: Decimals,
): Promise<number> {
  const counts = decimalColumns(kind).map(({ name, type }) => {
    const stored = `TRY_CAST(${name} AS DECIMAL(${MOST_DIGITS},${decimals[type]}))`;
    return `count(*) FILTER (TRY_CAST(${plainSql(originalOf(name))} AS ${WIDE}) IS DISTINCT FROM CAST(${stored} AS ${WIDE}))`;
  });
  const { rounded } = await withReadErrors(file, () =>
    duck.row(`SELECT ${counts.join(" + ")} AS rounded FROM ${table}`),
  );
  return Number(rounded);
}

function originalOf(name: string): string {
  return identifier(`${name} as written`);
}

/**
 * SQL of a decimal's text with at most as many digits as a double holds; other text is unchanged.
 */
function roundedSql(name: string): string {
  const text = plainSql(name);
  const digits = `length(ltrim(regexp_replace(split_part(lower(${text}), 'e', 1), '[^0-9]', '', 'g'), '0'))`;
  const rounded = `CAST(TRY_CAST(format(${literal(`{:.${FLOAT_DIGITS}g}`)}, TRY_CAST(${text} AS DOUBLE)) AS ${WIDE}) AS VARCHAR)`;
  return `CASE WHEN ${isNumberSql(text, true)} AND (${digits} > ${FLOAT_DIGITS} OR NOT ${isNumberSql(text)}) THEN coalesce(${rounded}, ${text}) ELSE ${text} END`;
}
