import type { BookSide } from "../../market/book/book-side.js";
import { OrderBook } from "../../market/book/order-book.js";
import { type HistoryKind, WHOLE_FROM_LEVEL } from "../kinds.js";
import { type Duck, type NumberChunk, toBigInt } from "../store/duck.js";
import { BookStateTimer } from "./book-state-timer.js";
import { parquetSql } from "./decimal-places.js";
import type { StagedRows } from "./stage-rows.js";

/**
 * Rows of a book that are played to see its best prices: enough to detect a misread book, in less
 * than a second.
 */
const MOST_ROWS = 500_000;
/**
 * A longer silence between two messages counts as this long: a file may hold several recordings.
 */
const MOST_SILENCE_US = 60_000_000;
const WHAT_TO_DO =
  "check that bids and asks are not swapped and that no update is missing; a backtest on it is worthless";

/**
 * The findings about a book, or best prices, that was one-sided, empty or crossed for most of its
 * time.
 */
export async function bookFindings(
  duck: Duck,
  kind: HistoryKind,
  rows: StagedRows,
): Promise<string[]> {
  const problem =
    kind === "book"
      ? await playedBook(duck, rows)
      : kind === "bbo"
        ? await bestPrices(duck, rows)
        : undefined;
  return problem === undefined ? [] : [`${problem}: ${WHAT_TO_DO}`];
}

/** True if no row of a book belongs to a snapshot. */
export async function hasNoSnapshot(duck: Duck, { path }: StagedRows): Promise<boolean> {
  return (
    toBigInt(
      (await duck.row(`SELECT count(*) FILTER (isSnapshot) AS shown FROM ${parquetSql(path)}`))
        .shown,
    ) === 0n
  );
}

async function bestPrices(duck: Duck, { path, rows }: StagedRows): Promise<string | undefined> {
  const bad = "bidAmount = 0 OR askAmount = 0 OR bid IS NULL OR ask IS NULL OR bid >= ask";
  const count = Number(
    toBigInt((await duck.row(`SELECT count(*) AS bad FROM ${parquetSql(path)} WHERE ${bad}`)).bad),
  );
  return 2 * count > rows
    ? `${count} of its ${rows} best prices are crossed or lack a side`
    : undefined;
}

async function playedBook(
  duck: Duck,
  { path, rows, isOrdered }: StagedRows,
): Promise<string | undefined> {
  const first = `SELECT * FROM ${parquetSql(path)} LIMIT ${MOST_ROWS}`;
  const numbers = ["timeNs // 1000", "seq", "isSnapshot", "level", "isBid", "price", "amount"].map(
    (sql) => `coalesce(CAST(${sql} AS DOUBLE), -1)`,
  );
  const book = new PlayedBook();
  for await (const chunk of duck.numbers(
    `SELECT ${numbers.join(", ")} FROM (${first})${isOrdered ? "" : " ORDER BY timeNs, seq, level"}`,
  ))
    book.play(chunk);
  return book.worthless(rows > MOST_ROWS ? `its first ${MOST_ROWS} rows` : "its time");
}

/**
 * A book rebuilt from rows, message by message. Its prices and amounts are the file's, without a
 * grid.
 */
class PlayedBook {
  readonly #book = new OrderBook();
  readonly #states = new BookStateTimer(0);
  /** Time with long silences shortened, from 0 at the first message. */
  #passedUs = 0;
  /**
   * Before a snapshot it may be the middle of a recording, and another file may have the missing
   * levels.
   */
  #hasBegun = false;
  #message:
    | {
        readonly atUs: number;
        readonly seq: number;
        readonly isWhole: boolean;
        readonly cleared: Set<BookSide>;
      }
    | undefined;

  play(chunk: NumberChunk): void {
    const { bids, asks } = this.#book;
    for (let row = 0; row < chunk.rows; row++) {
      const value = (column: number): number => chunk.at(column, row);
      const [atUs, seq, isSnapshot, level, isBid, price] = [
        value(0),
        value(1),
        value(2) === 1,
        value(3),
        value(4) === 1,
        value(5),
      ];
      const message = this.#messageOf(atUs, seq, isSnapshot && level === WHOLE_FROM_LEVEL);
      this.#hasBegun ||= isSnapshot;
      const side = isBid ? bids : asks;
      // A partial snapshot does not change a side that it does not contain.
      const shown = !isSnapshot ? [] : message.isWhole ? [bids, asks] : [side];
      for (const one of shown) {
        if (message.cleared.has(one)) continue;
        message.cleared.add(one);
        one.clear();
      }
      if (price > 0) {
        const amount = value(6);
        side.set(price, amount > 0 ? amount : 0);
      }
    }
  }

  worthless(of: string): string | undefined {
    this.#updateStates();
    return this.#states.explainUnusable(this.#passedUs, of);
  }

  /** @param isWhole true if the message, if it begins here, is a snapshot of the whole book */
  #messageOf(atUs: number, seq: number, isWhole: boolean) {
    const before = this.#message;
    if (before?.atUs === atUs && before.seq === seq) return before;
    this.#updateStates();
    if (before !== undefined && (this.#hasBegun || this.#hasBothSides))
      this.#passedUs += Math.min(MOST_SILENCE_US, Math.max(0, atUs - before.atUs));
    this.#message = { atUs, seq, isWhole, cleared: new Set() };
    return this.#message;
  }

  get #hasBothSides(): boolean {
    return this.#book.bids.levels > 0 && this.#book.asks.levels > 0;
  }

  #updateStates(): void {
    if (this.#message !== undefined)
      this.#states.touch(this.#passedUs, this.#book.bids.bestTicks, this.#book.asks.bestTicks);
  }
}
