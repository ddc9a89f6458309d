import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HistoryStore } from "#history/history-store.js";
import { listHistory } from "#history/list-history.js";
import { checkMapping } from "#history/mapping.js";
import { fileOf, query, scratchFolder, take } from "./scratch.js";

const HEAD = "symbol,timestamp,local_timestamp,is_snapshot,side,price,amount";
const STAMPS = "BTC,1736640000000000,1736640000000010";
const bookOf = (rows: readonly (readonly [price: string, amount: string])[]): string =>
  `${HEAD}\n${rows.map(([price, amount]) => `${STAMPS},false,bid,${price},${amount}\n`).join("")}`;

/** Imports a book of these levels. @returns its amounts in the store */
async function amountsOf(
  levels: readonly (readonly [price: string, amount: string])[],
): Promise<readonly unknown[]> {
  const folder = scratchFolder();
  const store = new HistoryStore(join(folder, "history"));
  await take(store, [fileOf(folder, "book.csv", bookOf(levels))]).catch(async (error: unknown) => {
    expect(await listHistory(store, { verify: true })).toEqual([]);
    throw error;
  });
  const rows = await query(
    store,
    `SELECT amount::DECIMAL(38,18)::VARCHAR AS amount FROM read_parquet('${store.root}/btcusdt/book/*.parquet') ORDER BY level`,
  );
  return rows.map(({ amount }) => amount);
}

describe("numbers of many digits", () => {
  it("are kept to the last of 18, in one number or in two of one file", async () => {
    expect(await amountsOf([["5", "0.123456789012345678"]])).toEqual(["0.123456789012345678"]);
    expect(
      await amountsOf([
        ["5", "1234567890"],
        ["4", "0.00000001"],
      ]),
    ).toEqual(["1234567890.000000000000000000", "0.000000010000000000"]);
  });

  it("are kept if they are written with an exponent", async () => {
    expect(
      await amountsOf([
        ["5", "1e-18"],
        ["4", "1.23456789e-10"],
        ["3", "0.5"],
      ]),
    ).toEqual(["0.000000000000000001", "0.000000000123456789", "0.500000000000000000"]);
  });

  it.each([
    ["would be nothing, which deletes the level", "1e-20"],
    ["would be rounded", "1.23456789e-15"],
    ["would be cut off", "1.5e-18"],
  ])(
    "are refused with row and value if an exponent needs more, since the amount %s",
    async (_what, amount) => {
      await expect(
        amountsOf([
          ["5", "1"],
          ["4", amount],
        ]),
      ).rejects.toThrow(
        `amount has too many digits in row 2 (got "${amount}"); expected at most 18 digits past the point`,
      );
    },
  );

  it("are refused with the two rows that do not fit together, not only with a valid one", async () => {
    await expect(
      amountsOf([
        ["5", "1"],
        ["4", "0.000000000000000001"],
        ["3", "025.5"],
      ]),
    ).rejects.toThrow(
      'book.csv: needs 2 digits before and 18 past the point for its amounts (got "amount 025.5 in row 3, amount 0.000000000000000001 in row 2"); expected at most 18 digits together',
    );
    await expect(amountsOf([["1234567890123456789", "1"]])).rejects.toThrow(
      'needs 19 digits before and 0 past the point for its prices (got "price 1234567890123456789 in row 1")',
    );
  });

  it("are refused with both counts of places if the stored day has others, and that day does not change", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const mapping = checkMapping({
      kind: "trades",
      columns: { id: "i", time: "t", price: "p", amount: "q", side: "s" },
    });
    const csv = (name: string, id: number, amount: string): string =>
      fileOf(folder, name, `i,t,p,q,s\n${id},${1736640000000 + id},100.5,${amount},buy\n`);
    await take(store, [csv("large.csv", 1, "12345678901")], { mapping });
    await expect(take(store, [csv("fine.csv", 2, "0.12345678")], { mapping })).rejects.toThrow(
      /fine\.csv: trades of 2025-01-12 need too many digits together with the stored ones \(got "12345678901 with the decimal places of both, 1 of prices and 8 of amounts/,
    );
    expect(store.days({ market: "btcusdt", kind: "trades" })).toMatchObject([
      { rows: 1, decimals: { amount: 0 } },
    ]);
  });
});

describe("candles of the mark by a mapping", () => {
  it("need no volume, since the mark has none", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const path = fileOf(
      folder,
      "marks.csv",
      "ts,o,h,l,c\n1736640000,1,2,0.5,1.5\n1736640060,1.5,1.5,1.5,1.5\n",
    );
    const columns = { time: "ts", open: "o", high: "h", low: "l", close: "c" };
    await take(store, [path], {
      mapping: checkMapping({ kind: "mark-klines", columns, timeUnit: "s" }),
    });
    const rows = await query(
      store,
      `SELECT high::VARCHAR AS high, volume FROM read_parquet('${store.root}/btcusdt/mark-klines-1M/*.parquet')`,
    );
    expect(rows).toEqual([
      { high: "2.0", volume: null },
      { high: "1.5", volume: null },
    ]);
    expect(() => checkMapping({ kind: "klines", columns, timeUnit: "s" })).toThrow(
      /volume: is missing/,
    );
  });
});
