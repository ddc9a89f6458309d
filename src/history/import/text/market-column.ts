import { identifier } from "../../store/duck.js";

/** Names, in small letters, of columns with the market of a row. */
const NAMES: ReadonlySet<string> = new Set(
  "symbol market marketid market_id ticker ticker_id instrument instrument_id instrument_name instid pair product_id contract coin".split(
    " ",
  ),
);

/** The column with the market of each row; undefined if no column has such a name. */
export function marketColumn(names: readonly string[]): string | undefined {
  return names.find((name) => NAMES.has(name.toLowerCase()));
}

/**
 * SQL of the markets that a file holds.
 * @param table SQL of the file.
 * @param column of {@link marketColumn}
 */
export function marketsSql(table: string, column: string): string {
  return `SELECT DISTINCT ${marketSql(column)} AS symbol FROM ${table} WHERE ${marketSql(column)} IS NOT NULL`;
}

/** SQL of a row's market. */
export function marketSql(column: string): string {
  return `CAST(${identifier(column)} AS VARCHAR)`;
}
