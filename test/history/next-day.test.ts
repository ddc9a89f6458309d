import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HistoryStore } from "#history/history-store.js";
import { finalBook } from "../support/final-book.js";
import { openTape } from "./open-tape.js";
import { fileOf, query, scratchFolder, take } from "./scratch.js";

/** Microseconds. */
const MIDNIGHT = Date.UTC(2025, 0, 13) * 1000;

type Row = readonly [atUs: number, heardUs: number, ...rest: readonly (string | number)[]];
const textOf = (columns: string, rows: readonly Row[]): string =>
  `exchange,symbol,timestamp,local_timestamp,${columns}\n${rows.map(([at, heard, ...rest]) => `x,A,${[MIDNIGHT + at, MIDNIGHT + heard, ...rest].join(",")}\n`).join("")}`;
const book = (rows: readonly Row[]): string => textOf("is_snapshot,side,price,amount", rows);
const trades = (rows: readonly Row[]): string => textOf("id,side,price,amount", rows);

const FIRST = book([
  [-5_000_000, -4_990_000, "true", "bid", 100, 1],
  [-5_000_000, -4_990_000, "true", "ask", 101, 1],
  [-10_200, -100, "false", "bid", 99, 3],
]);
/**
 * The file of the second day as Tardis cuts it: received after midnight, though it happened before.
 */
const SECOND = book([
  [-10_200, 50, "true", "bid", 100, 1],
  [-10_200, 50, "true", "ask", 101, 4],
  [-9_900, 300, "false", "bid", 98, 4],
  [1_000, 9_000, "false", "bid", 98, 5],
]);

class Stand {
  readonly #folder = scratchFolder();
  readonly store = new HistoryStore(join(this.#folder, "history"));

  async take(name: string, content: string): Promise<this> {
    await take(this.store, [fileOf(this.#folder, name, content)]);
    return this;
  }
}

describe("the next day's file of a recorder that cuts days by its own clock", () => {
  it("continues the day before, in the order of reception where exchange stamps are equal", async () => {
    const { store } = await (await new Stand().take("day1.csv", FIRST)).take("day2.csv", SECOND);
    const tape = await openTape(store, "btcusdt", {
      fromUs: 0,
      toUs: 4e15,
      tickSize: "1",
      stepSize: "1",
    });
    expect([...tape.exchangeUs].map((us) => us - MIDNIGHT)).toEqual([
      -5_000_000, -10_200, -10_200, -9_900, 1_000,
    ]);
    expect([...tape.localUs].map((us) => us - MIDNIGHT)).toEqual([
      -4_990_000, -100, 50, 300, 9_000,
    ]);
    // The later snapshot is the whole book: the bid at 99 is older.
    expect(finalBook(tape)).toEqual([
      [100, 1],
      [98, 5],
      [-101, 4],
    ]);
  });

  it("is refused if it was received at the same time as the other, since the two would interleave", async () => {
    const stand = await new Stand().take("day1.csv", FIRST);
    const meanwhile = book([[-100_000, -2_000, "false", "bid", 99, 7]]);
    await expect(stand.take("other.csv", meanwhile)).rejects.toThrow(
      /other\.csv: the store already has book of 2025-01-12 from another source/,
    );
  });

  it("must come after the day before: a file received before the existing rows is refused", async () => {
    const stand = await new Stand().take("day2.csv", SECOND);
    await expect(stand.take("day1.csv", FIRST)).rejects.toThrow(
      /the store already has .* from another source/,
    );
  });

  it("imports trades without integer ids, each exactly once", async () => {
    const stand = await new Stand().take(
      "day1.csv",
      trades([
        [-50_000, -40_000, "a1", "buy", 101, 1],
        [-10_200, -100, "a2", "sell", 100, 1],
      ]),
    );
    await stand.take(
      "day2.csv",
      trades([
        [-10_250, 100, "a3", "sell", 100, 2],
        [500, 9_000, "a4", "buy", 101, 1],
      ]),
    );
    const { store } = stand;
    const rows = await query(
      store,
      `SELECT timeNs // 1000 - ${MIDNIGHT} AS at, amount::INTEGER AS amount FROM read_parquet('${store.root}/btcusdt/trades/*.parquet') ORDER BY timeNs`,
    );
    expect(rows).toEqual([
      { at: -50_000n, amount: 1 },
      { at: -10_250n, amount: 2 },
      { at: -10_200n, amount: 1 },
      { at: 500n, amount: 1 },
    ]);
  });
});
