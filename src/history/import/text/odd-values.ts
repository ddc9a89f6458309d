import { BadRowsError } from "../../history-errors.js";
import { type Duck, identifier } from "../../store/duck.js";
import { SIDE_RULES } from "./sides.js";
import { STAMP_RULES } from "./stamps.js";
import { BREAKS_RULE, type ValueRule } from "./value-rule.js";
import { WHOLE_RULES } from "./whole-numbers.js";

/** SQL of a file with every field read as text. @param column to read. */
export type TextSql = (column: string) => string;

const RULES = new Map(
  [...WHOLE_RULES, ...SIDE_RULES, ...STAMP_RULES].map((rule): [string, ValueRule] => [
    rule.type,
    rule,
  ]),
);
const SAID = new RegExp(`("(?:[^"]|"")+") ${BREAKS_RULE} (${[...RULES.keys()].join("|")}): `);

/**
 * Runs work that reads a file.
 * @throws HistoryError naming the row and the text that broke a rule of its column; any other error
 * that `work` throws
 */
export async function withValueErrors<T>(
  duck: Duck,
  file: string,
  text: TextSql | undefined,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const [, quoted, type] = (error instanceof Error ? SAID.exec(error.message) : null) ?? [];
    const rule = RULES.get(type ?? "");
    if (text === undefined || quoted === undefined || rule === undefined) throw error;
    const column = quoted.slice(1, -1).replaceAll('""', '"');
    const sql = `SELECT place, value FROM (SELECT row_number() OVER () AS place, CAST(${identifier(column)} AS VARCHAR) AS value FROM ${text(column)}) WHERE NOT (${rule.isGoodSql("value")})`;
    const [row] = await duck.rows(`${sql} LIMIT 1`);
    if (row === undefined) throw error;
    throw new BadRowsError(
      file,
      `${column} ${rule.isNot(String(row.value ?? ""))} in row ${String(row.place)}`,
      { sql },
      {
        value: row.value ?? undefined,
        expected: rule.expected,
        cause: error,
      },
    );
  }
}
