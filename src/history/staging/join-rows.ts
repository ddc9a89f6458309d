import { layoutFor } from "../kinds.js";
import type { Series } from "../store/history-store.js";
import { type Decimals, decimalColumns, MOST_DIGITS, parquetSql } from "./decimal-places.js";

/**
 * SQL of rows to be added to a day, with `origin`, 1 for new rows, and `place`, which orders rows
 * that are equal in the order of a day.
 * @param fresh SQL of the new rows
 */
export function freshSql({ kind }: Series, fresh: string): string {
  // Without a key, the order of a day is enough, and no thread has to count the rows.
  const place = layoutFor(kind).key === undefined ? "0" : "row_number() OVER ()";
  return `SELECT *, 1 AS origin, ${place} AS place FROM (${fresh})`;
}

/**
 * SQL of the new and the existing rows, with enough decimal places for both.
 * @param heldPath of the day's Parquet file
 */
export function joinedSql(
  series: Series,
  fresh: string,
  heldPath: string,
  decimals: Decimals,
): string {
  const wider = decimalColumns(series.kind).map(
    ({ name, type }) => `CAST(${name} AS DECIMAL(${MOST_DIGITS},${decimals[type]})) AS ${name}`,
  );
  const replaced = wider.length === 0 ? "" : ` REPLACE (${wider.join(", ")})`;
  const held = `SELECT * EXCLUDE (file_row_number), 0 AS origin, file_row_number AS place FROM ${parquetSql(heldPath, "file_row_number = true")}`;
  return `SELECT *${replaced} FROM (${freshSql(series, fresh)}) UNION ALL BY NAME SELECT *${replaced} FROM (${held})`;
}

/**
 * SQL that keeps the newest record of each key, with the local stamp of any of them.
 * @param all SQL of {@link freshSql} or {@link joinedSql}
 */
export function deduplicateSql({ kind }: Series, all: string, key: readonly string[]): string {
  const by = key.join(", ");
  const stamped = layoutFor(kind).columns.some(({ name }) => name === "recvNs");
  const replaced = stamped ? ` REPLACE (max(recvNs) OVER (PARTITION BY ${by}) AS recvNs)` : "";
  return `SELECT *${replaced} FROM (${all}) QUALIFY row_number() OVER (PARTITION BY ${by} ORDER BY origin DESC, place) = 1`;
}

/**
 * SQL of the rows in the order and columns of a day.
 * @param all SQL of one of the functions above
 */
export function orderedSql({ kind }: Series, all: string): string {
  return `SELECT * EXCLUDE (origin, place) FROM (${all}) ORDER BY ${[...layoutFor(kind).order, "origin", "place"].join(", ")}`;
}
