import { MarketwrightError } from "../../core/errors.js";
import { BadRowsError, DROP_BAD_ROWS_HINT, HistoryError } from "../history-errors.js";
import {
  type Column,
  type ColumnFacts,
  type DecimalGroup,
  type HistoryKind,
  isDecimal,
  layoutFor,
  type RowRule,
} from "../kinds.js";
import { type Duck, literal, pathSql, type Row, toBigInt } from "../store/duck.js";
import { plausibleTimes } from "./plausible-times.js";

/** The decimal places that each group of decimals of a file needs. */
export type Decimals = Readonly<Record<DecimalGroup, number>>;

/** The most digits of any decimal that an int64 holds. */
export const MOST_DIGITS = 18;
/** The option that imports numbers printed from binary floating point. */
const ROUND = "--round rounds numbers of more than 15 digits to 15";
const PLAIN = "-?[0-9]+([.][0-9]*)?";
const WITH_EXPONENT = "-?[0-9]+([.][0-9]+)?[eE]-?[0-9]+";

/**
 * The database's message for a JSON record with a field of another type, or for a line that is not
 * a record or has another number of columns.
 */
const BAD_RECORD = /^[^\n]*JSON transform error in file [^\n]*, in line (\d+): /;
const BAD_LINE = /Malformed JSON in file|Expected Number of Columns: \d+ Found: \d+/;

/** The rules for every row's instant. */
export const INSTANT_RULES: readonly RowRule[] = [
  {
    broken: "timeNs IS NULL",
    expected: "a time in every row",
    isRuledOut: (of) => of("timeNs")?.nulls === 0,
  },
  plausibleTimes(
    "timeNs",
    "ns",
    "times from 2009 to 2099, all in the unit of the file's shape or mapping",
  ),
];

/**
 * A decimal's text without an exponent, which some sources print for small numbers. A text with
 * more places than any file holds is left unchanged.
 */
export function plainSql(column: string): string {
  const exponent = `TRY_CAST(regexp_extract(${column}, '[eE](.*)', 1) AS INTEGER)`;
  const places = `length(rtrim(regexp_extract(${column}, '[.]([0-9]+)', 1), '0')) - ${exponent}`;
  return `CASE WHEN regexp_full_match(${column}, '${WITH_EXPONENT}') AND ${places} <= ${MOST_DIGITS} THEN coalesce(CAST(TRY_CAST(${column} AS DECIMAL(38,${MOST_DIGITS})) AS VARCHAR), ${column}) ELSE ${column} END`;
}

/**
 * Reads a source as text and returns the places that its decimals need.
 * @param select SQL of the kind's columns, decimals as text.
 * @param isRounded limits the places to those that fit beside the digits of the largest value.
 * @throws HistoryError naming the file, with a text that is not a decimal.
 */
export async function inferDecimalPlaces(
  duck: Duck,
  kind: HistoryKind,
  select: string,
  file: string,
  isRounded = false,
): Promise<Decimals> {
  const decimals = decimalColumns(kind);
  const selected = decimals.flatMap(({ name }) => [
    `max(${placesSql(name)}) AS places_${name}`,
    `max(${digitsSql(name)}) AS digits_${name}`,
    `any_value(${name}) FILTER (${name} IS NOT NULL AND NOT regexp_full_match(${name}, '${PLAIN}')) AS bad_${name}`,
  ]);
  const found = await withReadErrors(file, () =>
    duck.row(
      `SELECT ${["count(*)", ...selected].join(", ")} FROM (${withPlain(select, decimals)})`,
    ),
  );
  for (const { name } of decimals) {
    if (found[`bad_${name}`] === null) continue;
    const [row] = await withReadErrors(file, () =>
      duck.rows(
        `SELECT place, ${name} AS value FROM (SELECT row_number() OVER () AS place, ${plainSql(name)} AS ${name} FROM (${select})) WHERE NOT regexp_full_match(${name}, '${PLAIN}') LIMIT 1`,
      ),
    );
    const isNumber = new RegExp(`^(${WITH_EXPONENT})$`).test(String(row?.value));
    throw new HistoryError(
      file,
      `${name} ${isNumber ? "has too many digits" : "is not a decimal"} in row ${String(row?.place)}`,
      {
        value: row?.value,
        expected: isNumber
          ? `at most ${MOST_DIGITS} digits past the point; ${ROUND}`
          : `plain digits, such as "61800.30"; ${DROP_BAD_ROWS_HINT}`,
      },
    );
  }
  const most = (what: string, group: DecimalGroup): number =>
    Math.max(
      0,
      ...decimals
        .filter(({ type }) => type === group)
        .map(({ name }) => Number(found[`${what}_${name}`] ?? 0)),
    );
  for (const group of ["price", "amount", "rate"] as const) {
    const [digits, places] = [most("digits", group), most("places", group)];
    if (digits > MOST_DIGITS || (digits + places > MOST_DIGITS && !isRounded))
      throw await tooManyDigits(duck, kind, select, file, { group, digits, places });
  }
  const placesFor = (group: DecimalGroup): number =>
    Math.min(most("places", group), MOST_DIGITS - most("digits", group));
  return { price: placesFor("price"), amount: placesFor("amount"), rate: placesFor("rate") };
}

/** SQL that is true if a text is a decimal. @param mayHaveExponent accepts exponents. */
export function isNumberSql(text: string, mayHaveExponent = false): string {
  return `coalesce(regexp_full_match(${text}, '${mayHaveExponent ? `${PLAIN}|${WITH_EXPONENT}` : PLAIN}'), false)`;
}

/**
 * SQL that is true if a decimal alone has more digits than any file holds.
 * @param isRounded as {@link inferDecimalPlaces} takes it.
 */
export function tooLongSql(text: string, isRounded: boolean): string {
  return `${digitsSql(text)}${isRounded ? "" : ` + ${placesSql(text)}`} > ${MOST_DIGITS}`;
}

/** The number of significant decimal places. @param text SQL of a decimal without an exponent. */
function placesSql(text: string): string {
  return `length(rtrim(split_part(${text}, '.', 2), '0'))`;
}

/** The number of significant digits before the point. */
function digitsSql(text: string): string {
  return `length(ltrim(split_part(${text}, '.', 1), '-0'))`;
}

/**
 * The error for a group with too many digits. All decimals of a group share one last place, so
 * often two rows only conflict together.
 */
async function tooManyDigits(
  duck: Duck,
  kind: HistoryKind,
  select: string,
  file: string,
  {
    group,
    digits,
    places,
  }: { readonly group: DecimalGroup; readonly digits: number; readonly places: number },
): Promise<HistoryError> {
  const names = decimalColumns(kind).flatMap(({ name, type }) => (type === group ? [name] : []));
  const texts = names
    .map(
      (name) => `SELECT place, ${literal(name)} AS name, ${plainSql(name)} AS value FROM numbered`,
    )
    .join(" UNION ALL ");
  const numbered = `WITH numbered AS (SELECT *, row_number() OVER () AS place FROM (${select}))`;
  const firstWith = async (condition: string): Promise<Row> =>
    (
      await withReadErrors(file, () =>
        duck.rows(`${numbered} SELECT * FROM (${texts}) WHERE ${condition} ORDER BY place LIMIT 1`),
      )
    )[0] ?? {};
  const large = await firstWith(`${digitsSql("value")} = ${digits}`);
  const fine = await firstWith(`${placesSql("value")} = ${places}`);
  const shown = (row: Row): string =>
    `${String(row.name)} ${String(row.value)} in row ${String(row.place)}`;
  const isOne = large.place === fine.place && large.name === fine.name;
  return new HistoryError(
    file,
    `needs ${digits} digits before and ${places} past the point for its ${group === "price" ? "prices" : `${group}s`}`,
    {
      value: isOne ? shown(large) : `${shown(large)}, ${shown(fine)}`,
      expected: `at most ${MOST_DIGITS} digits together, since all are counted in the file's smallest decimal place; ${ROUND}`,
    },
  );
}

/** The columns of a kind that hold decimals. */
export function decimalColumns(
  kind: HistoryKind,
): readonly (Column & { readonly type: DecimalGroup })[] {
  return layoutFor(kind).columns.filter(
    (column): column is Column & { readonly type: DecimalGroup } => isDecimal(column.type),
  );
}

/** Written rows, to be checked. */
interface TypedRows {
  /** Parquet in the order of the source. */
  readonly path: string;
  /** The facts that the database collected about a column while it wrote them. */
  readonly factsOf: (column: string) => ColumnFacts | undefined;
}

/**
 * Refuses impossible rows. The facts collected by the database exclude most of them without reading
 * a row, and the statistics of the file's row groups exclude most of the rest.
 * @param isPlaced true if rows may carry their own `seq` in a capture.
 * @param further rules beside those of the kind.
 * @throws HistoryError naming the file of the source, and the first such row by its number there
 * and its time
 */
export async function refuseBroken(
  duck: Duck,
  kind: HistoryKind,
  typed: TypedRows,
  file: string,
  isPlaced: boolean,
  further: readonly RowRule[] = [],
): Promise<void> {
  const { path, factsOf } = typed;
  const { rules, columns } = layoutFor(kind);
  const place = isPlaced ? "seq" : "NULL";
  const all = [...INSTANT_RULES, ...rules, ...further].filter(
    ({ isRuledOut }) => isRuledOut?.(factsOf) !== true,
  );
  if (all.length === 0) return;
  const counts = all.map(
    ({ broken }, index) =>
      `(SELECT count(*) FROM ${parquetSql(path)} WHERE ${broken}) AS rule_${index}`,
  );
  const found = await duck.row(`SELECT ${counts.join(", ")}`);
  for (const [index, { broken, expected }] of all.entries()) {
    const total = found[`rule_${index}`];
    if (toBigInt(total) === 0n) continue;
    const rows = parquetSql(path, "file_row_number = true");
    const read = await duck.row(`SELECT count(*) AS total FROM ${rows}`);
    // The file's own sequence number of a row is its place in a capture, not necessarily its line
    // in this file.
    const named = columns
      .filter(({ name }) => new RegExp(`\\b${name}\\b`).test(broken))
      .map(({ name }) => name);
    const shown = named.map((name) => `CAST(${name} AS VARCHAR) AS shown_${name}`);
    const first = await duck.row(
      `SELECT ${["file_row_number + 1 AS row", `${place} AS place`, "timeNs", ...shown].join(", ")} FROM ${rows} WHERE ${broken} ORDER BY file_row_number LIMIT 1`,
    );
    const line = first.place === null ? "" : ` (line ${String(first.place)} of its capture)`;
    const at = first.timeNs === null ? "" : `, at ${String(first.timeNs)} ns`;
    throw new HistoryError(
      file,
      `${toBigInt(total)} of ${toBigInt(read.total)} rows are invalid, the first is row ${String(first.row)}${line}${at}`,
      {
        value: named
          .map((name) => `${name} ${String(first[`shown_${name}`] ?? "missing")}`)
          .join(", "),
        expected: `${expected}; --drop-bad-rows ${toBigInt(total)} skips them`,
      },
    );
  }
}

/**
 * SQL of the columns of a kind from a source, with exact decimals: each is an int64 count of the
 * last place.
 */
export function castSql(kind: HistoryKind, select: string, decimals: Decimals): string {
  const { columns } = layoutFor(kind);
  const cast = columns.map(({ name, type }) => {
    if (isDecimal(type))
      return `CAST(${name} AS DECIMAL(${MOST_DIGITS},${decimals[type]})) AS ${name}`;
    return `CAST(${name} AS ${type === "integer" ? "BIGINT" : type === "flag" ? "BOOLEAN" : "VARCHAR"}) AS ${name}`;
  });
  return `SELECT ${cast.join(", ")} FROM (${withPlain(
    select,
    columns.filter(({ type }) => isDecimal(type)),
  )})`;
}

/**
 * Runs work that reads a file.
 * @throws HistoryError naming the file, with the database's message
 */
export async function withReadErrors<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof MarketwrightError || !(cause instanceof Error)) throw cause;
    const lines = cause.message.split("\n");
    // For a CSV file the database names the line first, then prints it with the reason.
    const text = lines.slice(0, lines[0]?.includes("CSV Error") === true ? 3 : 1).join("; ");
    const detail = { expected: "a complete file of the given or detected shape", cause };
    const row = BAD_RECORD.exec(cause.message)?.[1];
    if (row !== undefined)
      throw new BadRowsError(
        file,
        `cannot be read: ${text}`,
        { rows: [{ row: Number(row) }] },
        detail,
      );
    const expected = BAD_LINE.test(cause.message)
      ? `${detail.expected}; ${DROP_BAD_ROWS_HINT}`
      : detail.expected;
    throw new HistoryError(file, `cannot be read: ${text}`, { ...detail, expected });
  }
}

/** SQL that reads a Parquet file. @param options further arguments of the database's reader. */
export function parquetSql(path: string, options?: string): string {
  return `read_parquet(${pathSql(path)}${options === undefined ? "" : `, ${options}`})`;
}

function withPlain(select: string, decimals: readonly { readonly name: string }[]): string {
  return decimals.length === 0
    ? select
    : `SELECT * REPLACE (${decimals.map(({ name }) => `${plainSql(name)} AS ${name}`).join(", ")}) FROM (${select})`;
}
