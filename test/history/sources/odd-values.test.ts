import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HistoryStore } from "#history/history-store.js";
import { listHistory } from "#history/list-history.js";
import { checkMapping } from "#history/mapping.js";
import { fileOf, query, scratchFolder, take } from "../scratch.js";

const TIME = 1723161600000;
const TRADES = {
  kind: "trades",
  columns: { time: "ts", recvTime: "heard", price: "px", amount: "qty", side: "taker" },
};
const HEAD = "ts,heard,px,qty,taker\n";
const GOOD = `${TIME},${TIME},5,1,buy\n`;
const BOOK_L2 = "exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount\n";

// In a file of a million rows the error has to name the row.
describe("an invalid value of a column", () => {
  it.each([
    [
      "a stamp",
      TRADES,
      "t.csv",
      `${HEAD}${GOOD}soon,${TIME},5,1,buy\n`,
      'ts is not a valid time in row 2 (got "soon"); expected milliseconds',
    ],
    [
      "a stamp with a space within",
      TRADES,
      "t.csv",
      `${HEAD}${GOOD}17 23,${TIME},5,1,buy\n`,
      'ts is not a valid time in row 2 (got "17 23")',
    ],
    [
      "a local stamp",
      TRADES,
      "t.csv",
      `${HEAD}${GOOD}${GOOD}${TIME},x,5,1,buy\n`,
      'heard is not a valid time in row 3 (got "x")',
    ],
    [
      "a stamp too large",
      TRADES,
      "t.csv",
      `${HEAD}99999999999999999999,,5,1,buy\n`,
      'ts is not a valid time in row 1 (got "99999999999999999999")',
    ],
    [
      "a date",
      { ...TRADES, timeUnit: "iso", recvTimeUnit: "ms" },
      "t.csv",
      `${HEAD}2024-08-09T00:00:00Z,,5,1,buy\n2024-13-09,,5,1,buy\n`,
      'ts is not a valid time in row 2 (got "2024-13-09"); expected date and time',
    ],
    [
      "a side",
      TRADES,
      "t.csv",
      `${HEAD}${GOOD}${TIME},,5,1,left\n`,
      'taker is neither buy nor sell in row 2 (got "left"); expected one of buy',
    ],
    [
      "a side that is missing",
      TRADES,
      "t.csv",
      `${HEAD}${GOOD}${TIME},,5,1,\n`,
      "taker is neither buy nor sell in row 2; expected one of",
    ],
    [
      "a side of a JSON record",
      TRADES,
      "t.ndjson",
      `{"ts":${TIME},"px":"5","qty":"1","taker":"buy"}\n{"ts":${TIME},"px":"5","qty":"1","taker":"left"}\n`,
      'taker is neither buy nor sell in row 2 (got "left")',
    ],
    [
      "a flag",
      {
        kind: "trades",
        columns: { time: "ts", price: "px", amount: "qty", isBuyerMaker: 'it\'s "m"' },
      },
      "t.ndjson",
      `{"ts":${TIME},"px":"5","qty":"1","it's \\"m\\"":"perhaps"}\n`,
      `it's "m" is neither true nor false in row 1 (got "perhaps")`,
    ],
    [
      "a side of a level",
      { kind: "book", columns: { time: "ts", price: "px", amount: "qty", side: "s" } },
      "b.csv",
      `ts,px,qty,s\n${TIME},5,1,bid\n${TIME},6,1,above\n`,
      's is neither bid nor ask in row 2 (got "above")',
    ],
    [
      "Tardis's side",
      undefined,
      "l2.csv",
      `${BOOK_L2}b,X,${TIME}000,${TIME}000,true,bid,5,1\nb,X,${TIME}000,${TIME}000,true,left,6,1\n`,
      'side is neither bid nor ask in row 2 (got "left")',
    ],
  ] as const)("is refused by row and value: %s", async (_what, wish, name, content, said) => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const options = wish === undefined ? {} : { mapping: checkMapping(wish) };
    await expect(take(store, [fileOf(folder, name, content)], options)).rejects.toThrow(said);
    expect(await listHistory(store, { verify: true })).toEqual([]);
  });

  it("is refused in a Parquet file too, with its row", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const path = join(folder, "t.parquet");
    await query(
      store,
      `COPY (SELECT ${TIME} + i AS ts, NULL AS heard, 5.5 AS px, 1 AS qty, CASE i WHEN 7 THEN 'left' ELSE 'sell' END AS taker FROM range(20) t(i)) TO '${path}'`,
    );
    await expect(take(store, [path], { mapping: checkMapping(TRADES) })).rejects.toThrow(
      'taker is neither buy nor sell in row 8 (got "left")',
    );
  });
});

describe("a mapped stamp", () => {
  it.each([
    ["iso", "2024-08-09T00:00:00.123456789Z", "1723161600123456789"],
    ["iso", "2024-08-09 02:00:00.1234567+02:00", "1723161600123456700"],
    ["iso", "2024-08-09 00:00:01", "1723161601000000000"],
    ["iso", "2024-08-09", "1723161600000000000"],
    ["s", "1723161600.123456789", "1723161600123456789"],
    ["ms", "1723161600000.25", "1723161600000250000"],
    ["us", "1723161600000000", "1723161600000000000"],
    ["ns", "1723161600000000007", "1723161600000000007"],
  ] as const)("counts to the nanosecond, in %s: %s", async (timeUnit, written, ns) => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const mapping = checkMapping({ ...TRADES, timeUnit });
    await take(store, [fileOf(folder, "t.csv", `${HEAD}${written},,5,1,buy\n`)], { mapping });
    const path = store.dataPath({ market: "btcusdt", kind: "trades" }, "2024-08-09");
    expect(await query(store, `SELECT timeNs FROM read_parquet('${path}')`)).toEqual([
      { timeNs: BigInt(ns) },
    ]);
  });
});

// Hyperliquid writes the taker's side as B or A, in its trades as in its books.
describe("A side by its first letter", () => {
  const columns = { time: "ts", price: "px", amount: "qty", side: "side" };
  const sides = ["B", "b", "S", "s", "A", "a", "Bid", "ASK", "buy", "SELL"];
  const isBuy = sides.map((side) => side.toLowerCase().startsWith("b"));
  const csv = `ts,px,qty,side\n${sides.map((side, at) => `${TIME + at},5,1,${side}\n`).join("")}`;
  const ndjson = sides
    .map((side, at) => `{"ts":${TIME + at},"px":"5","qty":"1","side":"${side}"}\n`)
    .join("");

  it.each([
    ["trades", "t.csv", csv],
    ["trades", "t.ndjson", ndjson],
    ["book", "b.csv", csv],
    ["book", "b.ndjson", ndjson],
  ])("is read alike in trades and books: %s of %s", async (kind, name, content) => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    await take(store, [fileOf(folder, name, content)], {
      mapping: checkMapping({ kind, columns }),
    });
    const column = kind === "book" ? "isBid" : "NOT isBuyerMaker";
    const rows = await query(
      store,
      `SELECT ${column} AS isBuy FROM read_parquet('${store.root}/btcusdt/${kind}/*.parquet') ORDER BY timeNs`,
    );
    expect(rows.map((row) => row.isBuy)).toEqual(isBuy);
  });
});
