import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { HistoryStore } from "#history/history-store.js";
import { checkMapping } from "#history/mapping.js";
import { fileOf, query, scratchFolder, take } from "../scratch.js";
import { zipped } from "../zipped.js";

const S = 1672531436;
const ROWS = `${S},90.540000,1.10448420\n${S + 35},90.450000,1.00000000\n`;
const TRADES = checkMapping({
  kind: "trades",
  columns: { time: 0, price: 1, amount: "2" },
  timeUnit: "s",
});

async function held(
  name: string,
  content: string | Uint8Array,
  mapping = TRADES,
): Promise<unknown> {
  const folder = scratchFolder();
  const store = new HistoryStore(join(folder, "history"));
  await take(store, [fileOf(folder, name, content)], { mapping });
  return query(
    store,
    `SELECT timeNs // 1000000000 AS s, CAST(price AS DOUBLE) AS price, CAST(amount AS DOUBLE) AS amount FROM read_parquet('${store.root}/btcusdt/trades/*.parquet') ORDER BY timeNs`,
  );
}

// Kraken's archives, and those of freqtrade, have no header.
describe("Columns by position", () => {
  const rows = [
    { s: BigInt(S), price: 90.54, amount: 1.1044842 },
    { s: BigInt(S + 35), price: 90.45, amount: 1 },
  ];

  it.each([
    ["with commas", "t.csv", ROWS],
    ["with semicolons", "t.csv", ROWS.replaceAll(",", ";")],
    ["with tabs", "t.tsv", ROWS.replaceAll(",", "\t")],
    ["with bars", "t.txt", ROWS.replaceAll(",", "|")],
    ["with quotes", "t.csv", ROWS.replaceAll(/[^,\n]+/g, '"$&"')],
    ["with CR LF", "t.csv", ROWS.replaceAll("\n", "\r\n")],
    ["gzipped", "t.csv.gz", gzipSync(ROWS)],
    ["zipped", "t.zip", zipped(["t.csv", ROWS])],
    ["under a header", "t.csv", `when,px,qty\n${ROWS}`],
    ["under a header of places, as pandas writes it", "t.csv", `0,1,2\n${ROWS}`],
  ])("read a file without a header, from its first row on: %s", async (_what, name, content) => {
    expect(await held(name, content)).toEqual(rows);
  });

  it("read a first row whose values are equal, or look like positions", async () => {
    expect(await held("t.csv", `${S},1,2\n${S + 1},1,1\n`)).toEqual([
      { s: BigInt(S), price: 1, amount: 2 },
      { s: BigInt(S + 1), price: 1, amount: 1 },
    ]);
    expect(await held("t.csv", `${S},1,1\n`)).toEqual([{ s: BigInt(S), price: 1, amount: 1 }]);
  });

  it("are refused beyond the file's columns, and suggested if a mapping names columns of a file without a header", async () => {
    const far = checkMapping({
      kind: "trades",
      columns: { time: 0, price: 1, amount: 7 },
      timeUnit: "s",
    });
    await expect(held("t.csv", ROWS, far)).rejects.toThrow(
      /is not a column of .*"7".*one of 0, 1, 2/,
    );
    const named = checkMapping({
      kind: "trades",
      columns: { time: "ts", price: "px", amount: "qty" },
      timeUnit: "s",
    });
    await expect(held("t.csv", ROWS, named)).rejects.toThrow(
      /has no header: its first line holds numbers .*--columns time=0,price=1; this file has 0 to 2/,
    );
  });
});
