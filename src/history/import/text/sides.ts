import { identifier } from "../../store/duck.js";
import { ruleErrorSql, type ValueRule } from "./value-rule.js";

/** Words for a side, in small letters, each with whether it sells. */
type Words = Readonly<Record<string, boolean | undefined>>;

/** Who took, as sources print it; `unknown` stands for a side that a source does not know. */
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
/** A flag as the database reads one; that of a book's snapshot or of a maker. */
const FLAG: ValueRule = {
  type: "FLAG",
  isGoodSql: (text) => `(${text} IS NULL OR TRY_CAST(${text} AS BOOLEAN) IS NOT NULL)`,
  isNot: () => "is neither true nor false",
  expected: "true or false",
};

/** The rules of sides and flags. */
export const SIDE_RULES: readonly ValueRule[] = [TAKER, LEVEL_SIDE, FLAG];

/** SQL of isBuyerMaker from the side that took; null where the source does not know, an error for any other word. @param column its name in the file. @param text SQL of the text. */
export function takerSql(column: string, text: string): string {
  return sideSql(column, text, TAKER, TAKERS, (isSell) => isSell);
}

/** SQL of isBid from a book's side; an error for any other word. @param column its name in the file. @param text SQL of the text. */
export function bidSql(column: string, text: string): string {
  return sideSql(column, text, LEVEL_SIDE, LEVELS, (isSell) =>
    isSell === undefined ? undefined : !isSell,
  );
}

/** SQL of a flag from a text; an error for what is none. */
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

/** What a field that holds a flag is read as. */
export const FLAG_TYPE = "BOOLEAN";

/** SQL of a table with its flags, which are read as text, as such. */
export function flagsSql(table: string, fields: Readonly<Record<string, string>>): string {
  const flags = Object.entries(fields).filter(([, type]) => type === FLAG_TYPE);
  if (flags.length === 0) return table;
  const replaced = flags.map(
    ([name]) => `${flagSql(name, identifier(name))} AS ${identifier(name)}`,
  );
  return `(SELECT * REPLACE (${replaced.join(", ")}) FROM ${table})`;
}
