import { MarketwrightError } from "../core/errors.js";
import { type Duck, literal, type Row, wholeOf } from "./duck.js";
import { HistoryError } from "./history-errors.js";
import { type Column, type DecimalGroup, type HistoryKind, isDecimal, layoutOf } from "./kinds.js";

/** Places after the point that each kind of decimal of a file needs. */
export type Decimals = Readonly<Record<DecimalGroup, number>>;

/** 18 digits are what an int64 holds of any decimal. */
export const MOST_DIGITS = 18;
const PLAIN = "-?[0-9]+([.][0-9]*)?";

/** A decimal's text without an exponent, which some sources print for small numbers. */
export function plainSql(column: string): string {
  return `CASE WHEN regexp_full_match(${column}, '-?[0-9]+([.][0-9]+)?[eE]-?[0-9]+') THEN CAST(CAST(${column} AS DECIMAL(38,18)) AS VARCHAR) ELSE ${column} END`;
}

/**
 * Reads a source as text for the places that its decimals need.
 * @param select SQL that gives the kind's columns, decimals as text.
 * @throws HistoryError naming the file, with a text that is no decimal.
 */
export async function measure(duck: Duck, kind: HistoryKind, select: string, file: string): Promise<Decimals> {
  const decimals = decimalsOf(kind);
  const asked = decimals.flatMap(({ name }) => [
    `max(length(rtrim(split_part(${name}, '.', 2), '0'))) AS places_${name}`,
    `any_value(${name}) FILTER (${name} IS NOT NULL AND NOT regexp_full_match(${name}, '${PLAIN}')) AS bad_${name}`,
  ]);
  const found = await reading(file, () => duck.row(`SELECT ${["count(*)", ...asked].join(", ")} FROM (${withPlain(select, decimals)})`));
  for (const { name } of decimals) {
    const value = found[`bad_${name}`];
    if (value !== null) throw new HistoryError(file, `${name} is no decimal`, { value, expected: 'plain digits, such as "61800.30"' });
  }
  const places = (group: DecimalGroup): number =>
    Math.max(0, ...decimals.filter(({ type }) => type === group).map(({ name }) => Number(found[`places_${name}`] ?? 0)));
  return { price: places("price"), amount: places("amount"), rate: places("rate") };
}

/** The columns of a kind that hold decimals. */
export function decimalsOf(kind: HistoryKind): readonly (Column & { readonly type: DecimalGroup })[] {
  return layoutOf(kind).columns.filter((column): column is Column & { readonly type: DecimalGroup } => isDecimal(column.type));
}

/** Refuses rows that cannot be. @param found counts as `total`, `timeless`, and `broken_0`, `at_0` and on of the kind's rules. @throws HistoryError naming the file */
export function refuseBroken(kind: HistoryKind, found: Row, file: string): void {
  if (wholeOf(found.timeless) > 0n) {
    throw new HistoryError(file, "has rows without a time", { value: Number(found.timeless), expected: "an instant in every row" });
  }
  for (const [index, { expected }] of layoutOf(kind).rules.entries()) {
    const count = wholeOf(found[`broken_${index}`]);
    if (count > 0n) {
      throw new HistoryError(file, `${count} of ${wholeOf(found.total)} rows cannot be, the first at ${String(found[`at_${index}`])} ns`, {
        expected,
      });
    }
  }
}

/** The columns of a kind from a source, decimals exact: physically int64, a count of the last place. */
export function castSql(kind: HistoryKind, select: string, decimals: Decimals): string {
  const { columns } = layoutOf(kind);
  const cast = columns.map(({ name, type }) => {
    if (isDecimal(type)) return `CAST(${name} AS DECIMAL(${MOST_DIGITS},${decimals[type]})) AS ${name}`;
    return `CAST(${name} AS ${type === "integer" ? "BIGINT" : type === "flag" ? "BOOLEAN" : "VARCHAR"}) AS ${name}`;
  });
  return `SELECT ${cast.join(", ")} FROM (${withPlain(
    select,
    columns.filter(({ type }) => isDecimal(type)),
  )})`;
}

/** Does what reads a file. @throws HistoryError naming the file, with what the database said in its first line */
export async function reading<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof MarketwrightError || !(cause instanceof Error)) throw cause;
    throw new HistoryError(file, `cannot be read: ${cause.message.split("\n")[0]}`, {
      expected: "a whole file of the shape that was named or recognised",
      cause,
    });
  }
}

/** SQL that reads a Parquet file. @param options further arguments of the database's reader. */
export function parquetSql(path: string, options?: string): string {
  return `read_parquet(${literal(path)}${options === undefined ? "" : `, ${options}`})`;
}

function withPlain(select: string, decimals: readonly { readonly name: string }[]): string {
  return decimals.length === 0
    ? select
    : `SELECT * REPLACE (${decimals.map(({ name }) => `${plainSql(name)} AS ${name}`).join(", ")}) FROM (${select})`;
}
