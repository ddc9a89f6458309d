import { larger } from "../../core/bigints.js";
import { parquetSql, withReadErrors } from "../staging/decimal-places.js";
import type { DayManifest } from "../store/day-manifest.js";
import { type Duck, toBigInt } from "../store/duck.js";

/**
 * The rule that orders a book message and a trade of the same exchange stamp: their sequence
 * numbers in a shared capture, else the local stamps, else the trade first.
 *
 * The trade goes first because the other order would move a queue twice: once when the level falls,
 * and again at the trade that made it fall.
 */
export type TieBreak = "place" | "heard" | "trade";

/**
 * The most trades searched for among the book's sequence numbers. Two files that were numbered
 * separately have nearly all numbers in common, so a sample is enough.
 */
const MOST_LOOKED_FOR = 100_000;

/** A day's Parquet file and its sources. */
export interface TieBreakFile {
  readonly path: string;
  readonly sources: DayManifest["sources"];
}

/**
 * Chooses the rule that orders a day's book and trades where their exchange stamps are equal.
 *
 * Both belong to one capture if both carry sequence numbers, the numbers interleave and none occurs
 * in both. Otherwise two files may each number their own lines.
 * @throws HistoryError naming a file that cannot be read
 */
export async function chooseTieBreak(
  duck: Duck,
  book: TieBreakFile,
  trades: TieBreakFile,
): Promise<TieBreak> {
  const select = "SELECT min(seq) AS firstSeq, max(seq) AS lastSeq, count(recvNs) AS stamped FROM";
  const ofBook = await withReadErrors(book.path, () =>
    duck.row(`${select} ${parquetSql(book.path)}`),
  );
  const ofTrades = await withReadErrors(trades.path, () =>
    duck.row(`${select} ${parquetSql(trades.path)}`),
  );
  const from = larger(toBigInt(ofBook.firstSeq), toBigInt(ofTrades.firstSeq));
  const to = -larger(-toBigInt(ofBook.lastSeq), -toBigInt(ofTrades.lastSeq));
  const isCounted = [...book.sources, ...trades.sources].some(({ places }) => places === "counted");
  if (!isCounted && from <= to) {
    const some = `SELECT seq FROM ${parquetSql(trades.path)} WHERE seq BETWEEN ${from} AND ${to} LIMIT ${MOST_LOOKED_FOR}`;
    const { both } = await withReadErrors(book.path, () =>
      duck.row(`SELECT count(*) AS both FROM ${parquetSql(book.path)} WHERE seq IN (${some})`),
    );
    if (toBigInt(both) === 0n) return "place";
  }
  return toBigInt(ofBook.stamped) > 0n && toBigInt(ofTrades.stamped) > 0n ? "heard" : "trade";
}
