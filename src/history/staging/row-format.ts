import { type DecimalGroup, hasColumn } from "../kinds.js";
import { type Duck, type Row, toBigInt } from "../store/duck.js";
import type { Series } from "../store/history-store.js";
import { type Decimals, decimalColumns } from "./decimal-places.js";

/** Rows at a source's beginning that show its format: as many as the database hands on at once. */
const SAMPLE_ROWS = 2048;
/** What the database says where a row is not written as the first ones are. */
export const OTHERWISE = "is not written as the first rows are";
/** SQL that fails so. */
export const OTHERWISE_SQL = `error('${OTHERWISE}')`;

/**
 * SQL of a row's place in the capture as it is staged, and where it is from: the row itself, its id,
 * or the number that it has once it is staged.
 */
export interface Place {
  readonly sql: string;
  readonly from: "row" | "id" | "number";
}

/** The place of a row that tells none. */
export const BY_NUMBER: Place = { sql: "CAST(seq AS BIGINT)", from: "number" };

/** How the rows of a source are written, as far as its first ones tell. */
export interface RowFormat {
  /** Places of the decimals without the zeros at their ends, and with them. */
  readonly needed: Decimals;
  readonly written: Decimals;
  readonly place: Place;
  readonly firstNs: bigint | undefined;
}

/** Infers the format from the first rows. @param select SQL that gives the kind's columns. */
export async function inferRowFormat(
  duck: Duck,
  { series, select }: { readonly series: Series; readonly select: string },
): Promise<RowFormat> {
  const decimals = decimalColumns(series.kind);
  const asked = decimals.flatMap(({ name }) => [
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
    ...asked,
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

/** Ids without a gap count the rows, which otherwise only one thread could. */
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
