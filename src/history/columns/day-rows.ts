import { GridError, HistoryError } from "../history-errors.js";
import { parquetSql, withReadErrors } from "../staging/decimal-places.js";
import type { DayManifest } from "../store/day-manifest.js";
import type { Duck, NumberChunk } from "../store/duck.js";
import type { HistoryStore } from "../store/history-store.js";
import type { TieBreak } from "./choose-tie-break.js";
import { type LocalClock, localUsSql } from "./local-clock.js";
import { countedColumn } from "./tape/decimal-columns.js";
import { MOST_LOTS } from "./tape/lots-column.js";
import { MOST_TICKS } from "./tape/tape.js";
import type { Steps } from "./tape/tape-grid.js";

/** Marks a value that a column cannot hold; every valid tick and lot is above it. */
const REFUSED = -2_147_483_648;

/** A reason to refuse a row, as SQL over the file's columns. */
interface UnstorableValue {
  readonly broken: string;
  readonly column: string;
  readonly why: string;
  readonly expected: string;
}

/**
 * The rows of a day's book or trades in order, as numbers. One row is current. `step` moves within
 * the fetched rows, `fill` fetches more.
 */
export class DayRows {
  readonly file: string;
  readonly #duck: Duck;
  readonly #refusals: readonly UnstorableValue[];
  readonly #chunks: AsyncGenerator<NumberChunk, void>;
  #chunk: NumberChunk | undefined;
  #at = 0;

  private constructor(
    duck: Duck,
    file: string,
    select: string,
    refusals: readonly UnstorableValue[],
  ) {
    this.#duck = duck;
    this.file = file;
    this.#refusals = refusals;
    this.#chunks = duck.numbers(select);
  }

  /** Opens the rows of a day of the store. */
  static of(
    store: HistoryStore,
    duck: Duck,
    manifest: DayManifest,
    steps: Steps,
    clock: LocalClock,
  ): DayRows {
    const file = store.dataPath(manifest, manifest.day);
    const price = countedColumn("price", manifest.decimals.price, steps.tickSize, "tickSize");
    const amount = countedColumn("amount", manifest.decimals.amount, steps.stepSize, "stepSize");
    const isBook = manifest.kind === "book";
    const refusals: UnstorableValue[] = [
      {
        broken: price.isOff,
        column: "price",
        why: "is off the grid",
        expected: `a whole multiple of the tick size ${steps.tickSize}`,
      },
      {
        // Deleting a level at an unstorable price is harmless: it was never stored. Snapshots of a
        // recording end that way, at the highest price of their own steps.
        broken: isBook
          ? `${price.count} > ${MOST_TICKS} AND amount <> 0`
          : `${price.count} > ${MOST_TICKS}`,
        column: "price",
        why: "has too many ticks",
        expected: `at most ${MOST_TICKS} ticks of ${steps.tickSize}; use a larger tick size if the market has one`,
      },
      {
        broken: amount.isOff,
        column: "amount",
        why: "is off the grid",
        expected: `a whole multiple of the step size ${steps.stepSize}`,
      },
      {
        broken: `${amount.count} > ${MOST_LOTS}`,
        column: "amount",
        why: "has too many lots",
        expected: `at most ${MOST_LOTS} lots of ${steps.stepSize}; use a larger step size if the market has one`,
      },
      ...(isBook
        ? []
        : [
            {
              broken: "isBuyerMaker IS NULL",
              column: "id",
              why: "is of a trade without the taker's side",
              expected: "the side of the taker for each trade",
            },
          ]),
    ];
    const broken = refusals.map((refusal) => `(${refusal.broken})`).join(" OR ");
    const [level, isSnapshot, isBid] = isBook
      ? ["level", "isSnapshot", "isBid"]
      : ["0", "false", "NOT isBuyerMaker"];
    const ticks = `least(${price.count}, ${MOST_TICKS})`;
    const select = [
      "CAST(timeNs // 1000 AS DOUBLE)",
      "CAST(timeNs % 1000 AS DOUBLE)",
      localUsSql(clock),
      "CAST(seq >> 32 AS DOUBLE)",
      "CAST(seq & 4294967295 AS DOUBLE)",
      `CAST(${level} AS DOUBLE)`,
      `CAST(${isSnapshot} AS DOUBLE)`,
      `CASE WHEN price IS NULL THEN 0.0 WHEN ${broken} THEN ${REFUSED}.0 WHEN ${isBid} THEN CAST(${ticks} AS DOUBLE) ELSE -CAST(${ticks} AS DOUBLE) END`,
      `CASE WHEN price IS NULL OR ${broken} THEN 0.0 ELSE CAST(${amount.count} AS DOUBLE) END`,
    ];
    return new DayRows(
      duck,
      file,
      `SELECT ${select.join(", ")} FROM ${parquetSql(file)}`,
      refusals,
    );
  }

  /**
   * Fetches the first or the next rows.
   * @returns false at the end.
   * @throws HistoryError when the file cannot be read
   */
  async fill(): Promise<boolean> {
    const next = await withReadErrors(this.file, () => this.#chunks.next());
    this.#chunk = next.done === true ? undefined : next.value;
    this.#at = 0;
    return this.#chunk !== undefined;
  }

  /** Moves to the next fetched row. @returns false if more rows have to be fetched */
  step(): boolean {
    this.#at += 1;
    return this.#at < (this.#chunk?.rows ?? 0);
  }

  /** Drops the rows that are not fetched yet. */
  async close(): Promise<void> {
    await this.#chunks.return();
  }

  /** True if a row is current. The getters below describe that row. */
  get hasRow(): boolean {
    return this.#chunk !== undefined;
  }
  get us(): number {
    return this.#value(0);
  }
  /** Nanoseconds within the microsecond. */
  get ns(): number {
    return this.#value(1);
  }
  get localUs(): number {
    return this.#value(2);
  }
  get seqHigh(): number {
    return this.#value(3);
  }
  get seqLow(): number {
    return this.#value(4);
  }
  get level(): number {
    return this.#value(5);
  }
  get isSnapshot(): boolean {
    return this.#value(6) === 1;
  }
  /**
   * Price in ticks, negative for an ask; 0 for a message without levels. A value that cannot be
   * held is refused: see {@link refusalError}.
   */
  get signedTicks(): number {
    return this.#value(7);
  }
  get lots(): number {
    return this.#value(8);
  }
  get isRefused(): boolean {
    return this.#value(7) === REFUSED;
  }

  /** True if this book row comes before the current row of the trades. */
  isBefore(trades: DayRows, order: TieBreak): boolean {
    const apart = this.us - trades.us || this.ns - trades.ns;
    if (apart !== 0) return apart < 0;
    if (order === "place")
      return (this.seqHigh - trades.seqHigh || this.seqLow - trades.seqLow) <= 0;
    return order === "heard" && this.localUs < trades.localUs;
  }

  /** The error for the first row that cannot be held, with its row number and value. */
  async refusalError(): Promise<HistoryError> {
    for (const { broken, column, why, expected } of this.#refusals) {
      const [row] = await withReadErrors(this.file, () =>
        this.#duck.rows(
          `SELECT file_row_number + 1 AS place, CAST(${column} AS VARCHAR) AS value FROM ${parquetSql(this.file, "file_row_number = true")} WHERE price IS NOT NULL AND (${broken}) LIMIT 1`,
        ),
      );
      if (row === undefined) continue;
      const Refused = column === "id" ? HistoryError : GridError;
      return new Refused(this.file, `row ${String(row.place)}: ${column} ${why}`, {
        value: row.value,
        expected,
      });
    }
    return new HistoryError(this.file, "has an invalid row", {
      expected: "a file that has not changed since it was opened",
    });
  }

  #value(column: number): number {
    return (this.#chunk as NumberChunk).at(column, this.#at);
  }
}
