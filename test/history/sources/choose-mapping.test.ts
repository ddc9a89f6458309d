import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { HistoryStore } from "#history/history-store.js";
import type { Imported, ImportOptions } from "#history/import-files.js";
import { checkMapping } from "#history/mapping.js";
import { fileOf, query, scratchFolder, take } from "../scratch.js";

const US = Date.UTC(2025, 0, 1, 3) * 1000;
/**
 * The lag of the recorder's clock, and the extra latency of the fastest message in one of the
 * files.
 */
const [BEHIND_US, SLOWER_US] = [900_000, 40_000];

const BOOK = [
  "exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount\n",
  `binance,BTCUSDT,${US},${US - BEHIND_US},true,bid,100,5\n`,
  `binance,BTCUSDT,${US},${US - BEHIND_US},true,ask,101,5\n`,
].join("");
const TRADES = `ts,heard,no,taker,px,sz\n${US},${US - BEHIND_US + SLOWER_US},1,buy,101,1\n`;
const COLUMNS = {
  time: "ts",
  recvTime: "heard",
  id: "no",
  side: "taker",
  price: "px",
  amount: "sz",
};
const trades = (more: object = {}) =>
  checkMapping({ kind: "trades", timeUnit: "us", columns: COLUMNS, ...more });

interface Capture {
  readonly imported: Imported;
  readonly store: HistoryStore;
}

async function capture(
  files: Readonly<Record<string, string>>,
  options: Partial<ImportOptions>,
): Promise<Capture> {
  const folder = scratchFolder();
  const store = new HistoryStore(join(folder, "history"));
  const paths = Object.entries(files).map(([name, text]) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    return fileOf(folder, name, text);
  });
  return { imported: await take(store, paths, options), store };
}

async function latencies({ store }: Capture): Promise<readonly unknown[]> {
  const rows = await query(
    store,
    `SELECT DISTINCT (recvNs - timeNs) // 1000 AS us FROM read_parquet('${store.root}/btcusdt/*/*.parquet', union_by_name = true) ORDER BY us`,
  );
  return rows.map(({ us }) => Number(us));
}

// Corrected separately, both files have a fastest message of zero latency: the bot received the
// trades 40 ms too early, relative to the book.
describe("files of one capture, one of which needs a mapping", () => {
  it("share the correction of their clock in one command if the others have a known shape", async () => {
    const both = await capture({ "book.csv": BOOK, "trades.csv": TRADES }, { mapping: trades() });
    expect(both.imported.files.map(({ kind }) => kind)).toEqual(["book", "trades"]);
    expect(both.imported.clock).toEqual([
      expect.objectContaining({ addedNs: BigInt(BEHIND_US) * 1000n }),
    ]);
    expect(await latencies(both)).toEqual([0, SLOWER_US]);
  });

  it("share it if the mapping names its files, also by a folder or an asterisk", async () => {
    for (const files of [["trades.csv"], ["tr*.csv"], ["x/trades.csv", "*/y/trades.csv"]]) {
      const both = await capture(
        { "x/y/trades.csv": TRADES, "book.csv": BOOK },
        { mapping: trades({ files }) },
      );
      expect(await latencies(both)).toEqual([0, SLOWER_US]);
    }
  });

  it("share it if several need mappings of different kinds", async () => {
    const quotes = `ts,heard,b,bs,a,as\n${US},${US - BEHIND_US - 7},100,1,101,1\n`;
    const columns = {
      time: "ts",
      recvTime: "heard",
      bid: "b",
      bidAmount: "bs",
      ask: "a",
      askAmount: "as",
    };
    const mappings = [
      trades({ files: ["trades*"] }),
      checkMapping({ kind: "bbo", timeUnit: "us", columns }),
    ];
    const all = await capture(
      { "trades.csv": TRADES, "quotes.csv": quotes, "book.csv": BOOK },
      { mappings },
    );
    expect(all.imported.files.map(({ kind }) => kind)).toEqual(["trades", "bbo", "book"]);
    expect(await latencies(all)).toEqual([0, 7, SLOWER_US + 7]);
  });

  it("are read by the mapping if they have its columns, in a known shape or not", async () => {
    const columns = { time: "timestamp", side: "side", price: "price", amount: "amount" };
    const mapping = checkMapping({ kind: "trades", timeUnit: "us", columns });
    const both = await capture(
      { "a.csv": BOOK, "b.csv": BOOK.replaceAll(`${US},`, `${US + 9_000_000},`) },
      { mapping },
    );
    expect(both.imported.files.map(({ kind }) => kind)).toEqual(["trades", "trades"]);
  });

  it("are refused if a column is misspelt, or if it is ambiguous which mapping reads a file", async () => {
    const wrong = trades({ columns: { ...COLUMNS, price: "pxx" } });
    await expect(
      capture({ "book.csv": BOOK, "trades.csv": TRADES }, { mapping: wrong }),
    ).rejects.toThrow(/is not a column of .*book\.csv/);
    await expect(capture({ "trades.csv": TRADES }, { mapping: wrong })).rejects.toThrow(/pxx/);
    const files = { "book.csv": BOOK, "trades.csv": TRADES };
    await expect(capture(files, { mappings: [trades(), trades()] })).rejects.toThrow(
      /mapping\.files: may be missing in only one mapping/,
    );
    const named = trades({ files: ["trades.csv"] });
    await expect(capture(files, { mappings: [named, trades({ files: ["t*"] })] })).rejects.toThrow(
      /trades\.csv matches two mappings/,
    );
    await expect(capture(files, { mapping: trades({ files: ["other.csv"] }) })).rejects.toThrow(
      /mapping\.files: matches no file of this command \(got "other\.csv"\); expected one of book\.csv, trades\.csv/,
    );
  });
});
