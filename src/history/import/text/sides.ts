import { identifier } from "../../store/duck.js";
import { ruleErrorSql, type ValueRule } from "./value-rule.js";

/** Words for a side, in small letters; true for a seller. */
type Words = Readonly<Record<string, boolean | undefined>>;

/** The taker's side, as sources print it; `unknown` means that the source does not know it. */
const TAKERS: Words = {
  buy: false,
  b: false,
  bid: false,
  sell: true,
  s: true,
  ask: true,
  a: true,
  unknown: undefined,
};
const LEVELS: Words = { bid: false, buy: false, b: false, ask: true, sell: true, a: true, s: true };

const ruleOf = (type: string, isNot: string, words: Words): ValueRule => ({
  type,
  isGoodSql: (text) =>
    `coalesce(lower(${text}) IN (${Object.keys(words).map((word) => `'${word}'`)}), false)`,
  isNot: () => isNot,
  expected: `one of ${Object.keys(words).join(", ")}`,
});

const TAKER = ruleOf("TAKER", "is neither buy nor sell", TAKERS);
const LEVEL_SIDE = ruleOf("LEVEL SIDE", "is neither bid nor ask", LEVELS);
/** A flag as the database reads it, for a book's snapshot or a maker. */
const FLAG: ValueRule = {
  type: "FLAG",
  isGoodSql: (text) => `(${text} IS NULL OR TRY_CAST(${text} AS BOOLEAN) IS NOT NULL)`,
  isNot: () => "is neither true nor false",
  expected: "true or false",
};

/** The rules of sides and flags. */
export const SIDE_RULES: readonly ValueRule[] = [TAKER, LEVEL_SIDE, FLAG];

/**
 * SQL of isBuyerMaker from the taker's side; null if the source does not know it, an error for any
 * other word.
 * @param column its name in the file.
 * @param text SQL of the text.
 */
export function takerSql(column: string, text: string): string {
  return sideSql(column, text, TAKER, TAKERS, (isSell) => isSell);
}

/**
 * SQL of isBid from a book's side; an error for any other word.
 * @param column its name in the file.
 * @param text SQL of the text.
 */
export function bidSql(column: string, text: string): string {
  return sideSql(column, text, LEVEL_SIDE, LEVELS, (isSell) =>
    isSell === undefined ? undefined : !isSell,
  );
}

/** SQL of a flag from a text; an error for an invalid flag. */
export function flagSql(column: string, text: string): string {
  return `CASE WHEN ${text} IS NULL THEN NULL ELSE coalesce(TRY_CAST(${text} AS BOOLEAN), CAST(${ruleErrorSql(column, FLAG, text)} AS BOOLEAN)) END`;
}

function sideSql(
  column: string,
  text: string,
  rule: ValueRule,
  words: Words,
  of: (isSell: boolean | undefined) => boolean | undefined,
): string {
  const cases = Object.entries(words).map(
    ([word, isSell]) => `WHEN '${word}' THEN ${of(isSell) ?? "NULL"}`,
  );
  return `CASE lower(${text}) ${cases.join(" ")} ELSE CAST(${ruleErrorSql(column, rule, text)} AS BOOLEAN) END`;
}

/** The type of a field that holds a flag. */
export const FLAG_TYPE = "BOOLEAN";

/** SQL of a table with its flags converted from text. */
export function flagsSql(table: string, fields: Readonly<Record<string, string>>): string {
  const flags = Object.entries(fields).filter(([, type]) => type === FLAG_TYPE);
  if (flags.length === 0) return table;
  const replaced = flags.map(
    ([name]) => `${flagSql(name, identifier(name))} AS ${identifier(name)}`,
  );
  return `(SELECT * REPLACE (${replaced.join(", ")}) FROM ${table})`;
}
