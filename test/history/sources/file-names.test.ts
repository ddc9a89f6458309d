import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { HistoryStore } from "#history/history-store.js";
import { listHistory } from "#history/list-history.js";
import { openTape } from "../open-tape.js";
import { fileOf, query, scratchFolder, take } from "../scratch.js";

const TIME = 1723161600000;
const trades = (id: number): string =>
  `id,price,amount,time,isBuyerMaker\n${id},5.5,1,${TIME},true\n`;

// Read as patterns, these would import files of other markets beside them.
describe("a file whose name looks like a pattern", () => {
  it.each([
    "t*.csv",
    "**",
    "ta?.csv",
    "t[ab]b.csv",
    "t[!x]b.csv",
    "~tab.csv",
    "{tab,tbb}.csv",
    "it's.csv",
    "t\\b.csv",
    "t\\*.csv",
    "t\\[ab]?.csv",
    "t\\*.csv.gz",
    "tab.csv.gz",
    "tab.zst",
  ])("is read as that very file: %s", async (name) => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    for (const other of ["tab.csv", "tbb.csv"]) fileOf(folder, other, trades(1));
    const isPacked = name === "t\\*.csv.gz";
    await take(store, [fileOf(folder, name, isPacked ? gzipSync(trades(2)) : trades(2))]);
    expect(store.days({ market: "btcusdt", kind: "trades" })[0]?.sources[0]?.name).toBe(
      isPacked ? "t\\*.csv" : name,
    );
    const path = store.dataPath({ market: "btcusdt", kind: "trades" }, "2024-08-09");
    expect(await query(store, `SELECT id FROM read_parquet('${path}')`)).toEqual([{ id: 2n }]);
  });

  it("may also be a store's folder, and a replay reads from it", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "h[i]st*ry", "market=x"));
    await take(store, [fileOf(folder, "t.csv", trades(1))]);
    await take(store, [fileOf(folder, "u.csv", trades(2))]);
    expect(await listHistory(store, { verify: true })).toMatchObject([{ rows: 2, problems: [] }]);
    const tape = await openTape(store, "btcusdt", {
      tickSize: "0.1",
      stepSize: "1",
      fromUs: 0,
      toUs: 2e15,
    });
    expect(tape.messages).toBe(2);
  });
});
