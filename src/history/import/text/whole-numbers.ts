import { identifier } from "../../store/duck.js";
import { ruleErrorSql, type ValueRule } from "./value-rule.js";

/**
 * The types of whole numbers, with the largest storable value: a stamp is stored in nanoseconds. An
 * INSTANT is in milliseconds or microseconds; an ID may be written as text.
 */
const MOST: Readonly<Record<string, bigint>> = {
  BIGINT: 2n ** 63n - 1n,
  ID: 2n ** 63n - 1n,
  MILLISECONDS: (2n ** 63n - 1n) / 1_000_000n,
  MICROSECONDS: (2n ** 63n - 1n) / 1000n,
  INSTANT: (2n ** 63n - 1n) / 1000n,
};
/**
 * The text of a whole number as some programs print it: with a sign, spaces around it, or a point
 * followed only by zeros.
 */
const WHOLE = " *[+-]?[0-9]+([.]0*)? *";

/** The rules of whole numbers. */
export const WHOLE_RULES: readonly ValueRule[] = Object.keys(MOST).map((type) => ({
  type,
  isGoodSql: (text) => `(${text} IS NULL OR ${isWholeSql(text, type)})`,
  isNot: (value) =>
    new RegExp(`^${WHOLE}$`).test(value) ? "is too large" : "is not a whole number",
  expected: expectedOf(type),
}));

/** The largest whole number of a type that can be stored. */
export function mostOf(type: string): bigint {
  return MOST[type] as bigint;
}

/** True if a field of such a type holds whole numbers. */
export function isWhole(type: string): boolean {
  return Object.hasOwn(MOST, type);
}

/**
 * SQL that is true if a text is a whole number that can be stored. The database itself would round
 * other numbers.
 * @param text SQL of the text.
 */
export function isWholeSql(text: string, type = "BIGINT"): string {
  const whole = `TRY_CAST(${text} AS BIGINT)`;
  return `coalesce((${isDigitsSql(text, whole, type)}) OR (${isSpeltSql(text, whole, type)}), false)`;
}

/**
 * SQL of the whole number in a text; an error if it is not one, null without a text.
 * @param column its name in the file.
 * @param whole SQL of the database's conversion.
 */
export function wholeSql(
  text: string,
  column: string,
  type = "BIGINT",
  whole = `TRY_CAST(${text} AS BIGINT)`,
): string {
  return `CASE WHEN ${isDigitsSql(text, whole, type)} THEN ${whole} WHEN ${text} IS NULL THEN NULL WHEN ${isSpeltSql(text, whole, type)} THEN ${whole} ELSE CAST(${ruleErrorSql(column, { type }, text)} AS BIGINT) END`;
}

/** SQL of a table with its whole numbers converted from text. */
export function wholesSql(table: string, fields: Readonly<Record<string, string>>): string {
  const wholes = Object.entries(fields).filter(([, type]) => isWhole(type));
  if (wholes.length === 0) return table;
  const madeOf = (name: string): string => identifier(`${name} as a number`);
  // Converted once per row here; the database does not share the expression.
  const made = wholes.map(([name]) => `TRY_CAST(${identifier(name)} AS BIGINT) AS ${madeOf(name)}`);
  const replaced = wholes.map(
    ([name, type]) =>
      `${wholeSql(identifier(name), name, type, madeOf(name))} AS ${identifier(name)}`,
  );
  const left = wholes.map(([name]) => madeOf(name));
  return `(SELECT * EXCLUDE (${left.join(", ")}) REPLACE (${replaced.join(", ")}) FROM (SELECT *, ${made.join(", ")} FROM ${table}))`;
}

/** Nearly every text is plain digits, and checking only those takes a third of the time. */
function isDigitsSql(text: string, whole: string, type: string): string {
  return `CAST(${whole} AS VARCHAR) = ${text} AND ${fitsSql(whole, type)}`;
}

function isSpeltSql(text: string, whole: string, type: string): string {
  return `regexp_full_match(${text}, '${WHOLE}') AND ${fitsSql(whole, type)}`;
}

function fitsSql(whole: string, type: string): string {
  const most = mostOf(type);
  return `${whole} BETWEEN -${most} AND ${most}`;
}

function expectedOf(type: string): string {
  switch (type) {
    case "MILLISECONDS":
      return 'whole milliseconds since 1970, such as "1723075200000"';
    case "MICROSECONDS":
      return 'whole microseconds since 1970, such as "1723075200000000"';
    case "INSTANT":
      return 'whole milliseconds or microseconds since 1970, such as "1723075200000"';
    default:
      return 'digits without an exponent, such as "1723075200000", below 2^63';
  }
}
