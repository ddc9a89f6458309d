import { type DecimalGroup, hasColumn } from "../kinds.js";
import { type Duck, type Row, toBigInt } from "../store/duck.js";
import type { Series } from "../store/history-store.js";
import { type Decimals, decimalColumns } from "./decimal-places.js";

/**
 * The rows at a source's beginning that show its format: as many as the database hands over at
 * once.
 */
const SAMPLE_ROWS = 2048;
/** The database's message for a row in another format than the first rows. */
export const OTHERWISE = "is not written as the first rows are";
/** SQL that fails with that message. */
export const OTHERWISE_SQL = `error('${OTHERWISE}')`;

/**
 * SQL of a row's sequence number in the capture as staged, and its origin: the row itself, its id,
 * or its number once staged.
 */
export interface Place {
  readonly sql: string;
  readonly from: "row" | "id" | "number";
}

/** The sequence number of a row that has none of its own. */
export const BY_NUMBER: Place = { sql: "CAST(seq AS BIGINT)", from: "number" };

/** The format of a source's rows, from its first rows. */
export interface RowFormat {
  /** Decimal places without trailing zeros, and with them. */
  readonly needed: Decimals;
  readonly written: Decimals;
  readonly place: Place;
  readonly firstNs: bigint | undefined;
}

/** Infers the format from the first rows. @param select SQL of the kind's columns. */
export async function inferRowFormat(
  duck: Duck,
  { series, select }: { readonly series: Series; readonly select: string },
): Promise<RowFormat> {
  const decimals = decimalColumns(series.kind);
  const selected = decimals.flatMap(({ name }) => [
    `max(length(rtrim(split_part(${name}, '.', 2), '0'))) AS needed_${name}`,
    `max(length(split_part(${name}, '.', 2))) AS written_${name}`,
  ]);
  const [told, id] = [
    hasColumn(series.kind, "seq") ? "count(seq)" : "0",
    hasColumn(series.kind, "id") ? "id" : "NULL",
  ];
  const counted = [
    "count(*) AS total",
    `${told} AS told`,
    "first(timeNs) AS firstNs",
    `min(${id}) AS firstId`,
    `max(${id}) AS lastId`,
    ...selected,
  ].join(", ");
  const found = await duck.row(
    `SELECT ${counted} FROM (SELECT * FROM (${select}) LIMIT ${SAMPLE_ROWS})`,
  );
  const most = (what: string, group: DecimalGroup): number =>
    Math.max(
      0,
      ...decimals
        .filter(({ type }) => type === group)
        .map(({ name }) => Number(found[`${what}_${name}`] ?? 0)),
    );
  const all = (what: string): Decimals => ({
    price: most(what, "price"),
    amount: most(what, "amount"),
    rate: most(what, "rate"),
  });
  return {
    needed: all("needed"),
    written: all("written"),
    place: placeOf(found),
    firstNs:
      found.firstNs === null || found.firstNs === undefined ? undefined : toBigInt(found.firstNs),
  };
}

/** Ids without a gap number the rows; otherwise a single thread would have to count them. */
function placeOf({ total, told, firstId, lastId }: Row): Place {
  if (toBigInt(told) === toBigInt(total))
    return { sql: `coalesce(CAST(seq AS BIGINT), ${OTHERWISE_SQL})`, from: "row" };
  const isCount =
    toBigInt(told) === 0n &&
    lastId !== null &&
    toBigInt(lastId) - toBigInt(firstId) + 1n === toBigInt(total);
  return isCount
    ? {
        sql: `CASE WHEN seq IS NULL THEN CAST(id AS BIGINT) - (${toBigInt(firstId)}) + 1 ELSE ${OTHERWISE_SQL} END`,
        from: "id",
      }
    : BY_NUMBER;
}
