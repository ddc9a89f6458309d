import type { HistoryKind } from "../kinds.js";
import { type Duck, toBigInt } from "../store/duck.js";
import { parquetSql } from "./decimal-places.js";
import { repairFindings } from "./repair-rows.js";
import type { StagedRows } from "./stage-rows.js";
import { bookFindings } from "./staged-book.js";

/** The findings about a file's rows alone, also stored with the days. */
export async function stagedFindings(
  duck: Duck,
  kind: HistoryKind,
  rows: StagedRows,
): Promise<string[]> {
  return [
    ...(await orderFindings(duck, kind, rows)),
    ...(await bookFindings(duck, kind, rows)),
    ...reusedFindings(kind, rows),
    ...repairFindings(rows),
  ];
}

/**
 * The findings about a book whose updates are reordered: the last one of a level is valid. A
 * requested snapshot may be older than messages received before it.
 */
async function orderFindings(
  duck: Duck,
  kind: HistoryKind,
  { isOrdered, path }: StagedRows,
): Promise<string[]> {
  if (kind !== "book" || isOrdered) return [];
  const updates = `SELECT timeNs, lag(timeNs) OVER () AS before FROM ${parquetSql(path)} WHERE NOT isSnapshot`;
  const back = toBigInt(
    (await duck.row(`SELECT count(*) AS back FROM (${updates}) WHERE timeNs < before`)).back,
  );
  return back === 0n
    ? []
    : [`${back} updates have an earlier time than the one before them: they are sorted by time`];
}

/** The findings about ids that identify more than one record. */
function reusedFindings(kind: HistoryKind, { reused }: StagedRows): string[] {
  if (reused === undefined) return [];
  const { ids, example } = reused;
  return [
    `${ids === 1 ? "1 id is" : `${ids} ids are`} used for different ${kind} on different days, such as ${example}: all are kept`,
  ];
}
