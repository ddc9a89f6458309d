import { ruleErrorSql, type ValueRule } from "./value-rule.js";

/** Units of a mapped stamp; `iso` is a text of date and time, in UTC if it has no offset. */
export const TIME_UNITS = ["s", "ms", "us", "ns", "iso"] as const;

/** One of {@link TIME_UNITS}. */
type TimeUnit = (typeof TIME_UNITS)[number];

/** A unit in nanoseconds, as a power of ten. */
const NS_PLACES: Readonly<Record<Exclude<TimeUnit, "iso">, number>> = { s: 9, ms: 6, us: 3, ns: 0 };
const WORDS: Readonly<Record<TimeUnit, string>> = {
  s: 'seconds since 1970, such as "1723161600.5"',
  ms: 'milliseconds since 1970, such as "1723161600500"',
  us: 'microseconds since 1970, such as "1723161600500000"',
  ns: 'nanoseconds since 1970, such as "1723161600500000000"',
  iso: 'date and time, such as "2024-08-09T00:00:00.5Z"',
};

/** Names of other time zones are refused: their clocks repeat an hour each autumn. */
const ISO = "[-+0-9T :./]+(Z|UTC|GMT)?";
/**
 * An offset of fifteen hours or more, or with sixty minutes or sixty seconds or more. No time zone
 * has one, but the database accepts it.
 */
const NO_OFFSET = ":[0-9.]+[-+](1[5-9]|[2-9]|[0-9]{2}:?[6-9]|[0-9]{2}:?[0-9]{2}:?[6-9])";

const ruleOf = (unit: TimeUnit): ValueRule => ({
  type: `STAMP ${unit.toUpperCase()}`,
  isGoodSql: (text) => `(${text} IS NULL OR (${madeSql(text, unit)}) IS NOT NULL)`,
  isNot: () => "is not a valid time",
  expected: WORDS[unit],
});

/** The rules of mapped stamps. */
export const STAMP_RULES: readonly ValueRule[] = TIME_UNITS.map(ruleOf);

/**
 * SQL of an instant in nanoseconds, including fractions of its unit; an error for an invalid stamp.
 * @param column its name in the file.
 * @param text SQL of the text.
 */
export function stampSql(column: string, text: string, unit: TimeUnit): string {
  return `CASE WHEN ${text} IS NULL THEN NULL ELSE coalesce(${madeSql(text, unit)}, CAST(${ruleErrorSql(column, ruleOf(unit), text)} AS BIGINT)) END`;
}

/**
 * SQL of a number of units in nanoseconds; null for an invalid text. Digits with at most as many
 * decimal places as nanoseconds allow are read as whole numbers: a decimal of that many digits
 * takes the database a hundred times as long.
 * @param places of nanoseconds in a unit.
 */
function countedSql(text: string, places: number): string {
  const nsAUnit = 10 ** places;
  const [whole, fraction] = [
    `TRY_CAST(split_part(${text}, '.', 1) AS BIGINT)`,
    `split_part(${text}, '.', 2)`,
  ];
  const ns = `TRY_CAST(rpad(${fraction}, ${places}, '0') AS BIGINT)`;
  const isDigits = `CAST(${whole} AS VARCHAR) = ${text}`;
  const isWithPlaces = `length(${fraction}) <= ${places} AND CAST(${whole} AS VARCHAR) || '.' || substr(CAST(${nsAUnit} + ${ns} AS VARCHAR), 2, length(${fraction})) = ${text}`;
  const fits = `${whole} BETWEEN 0 AND ${(2n ** 63n - 1n) / BigInt(nsAUnit) - 1n}`;
  return `CASE WHEN ${fits} AND ${isDigits} THEN ${whole} * ${nsAUnit} WHEN ${fits} AND ${isWithPlaces} THEN ${whole} * ${nsAUnit} + ${ns} ELSE TRY_CAST(TRY_CAST(${text} AS DECIMAL(28,9)) * ${nsAUnit} AS BIGINT) END`;
}

/** SQL of the instant; null if there is none. */
function madeSql(text: string, unit: TimeUnit): string {
  if (unit !== "iso") return countedSql(text, NS_PLACES[unit]);
  // The database's instants are in microseconds, so finer digits are taken from the text.
  const past = `TRY_CAST(rpad(regexp_extract(${text}, ':[0-9]+[.][0-9]{6}([0-9]{1,3})', 1), 3, '0') AS BIGINT)`;
  const us = `CAST(epoch_us(TRY_CAST(${text} AS TIMESTAMPTZ)) AS HUGEINT)`;
  const isIso = `regexp_full_match(${text}, '${ISO}') AND NOT regexp_matches(${text}, '${NO_OFFSET}')`;
  return `CASE WHEN ${isIso} THEN TRY_CAST(${us} * 1000 + coalesce(${past}, 0) AS BIGINT) END`;
}
