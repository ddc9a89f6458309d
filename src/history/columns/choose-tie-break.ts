import { larger } from "../../core/bigints.js";
import { parquetSql, withReadErrors } from "../staging/decimal-places.js";
import type { DayManifest } from "../store/day-manifest.js";
import { type Duck, toBigInt } from "../store/duck.js";

/**
 * What tells whether a book's message or a trade of the same instant comes first: the place in the capture that both are of, else the local
 * stamp, else nothing. Where nothing does, the trade goes first: a level that falls by a trade that is only told afterwards would move a queue twice.
 */
export type TieBreak = "place" | "heard" | "trade";

/** Trades that are looked for among the book's places: two files that were numbered on their own have nearly all of them in common. */
const MOST_LOOKED_FOR = 100_000;

/** A day's Parquet file, and what it was made of. */
export interface TieBreakFile {
  readonly path: string;
  readonly sources: DayManifest["sources"];
}

/**
 * What orders a day's book and trades where their exchange stamps are equal. They are of one capture where both tell their places in one, which
 * lie among each other and of which none is in both: two files may each count their own lines, and say so.
 * @throws HistoryError naming a file that cannot be read
 */
export async function chooseTieBreak(
  duck: Duck,
  book: TieBreakFile,
  trades: TieBreakFile,
): Promise<TieBreak> {
  const asked = "SELECT min(seq) AS firstSeq, max(seq) AS lastSeq, count(recvNs) AS stamped FROM";
  const ofBook = await withReadErrors(book.path, () =>
    duck.row(`${asked} ${parquetSql(book.path)}`),
  );
  const ofTrades = await withReadErrors(trades.path, () =>
    duck.row(`${asked} ${parquetSql(trades.path)}`),
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
