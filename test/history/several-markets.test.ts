import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Duck } from "#history/duck.js";
import { HistoryStore } from "#history/history-store.js";
import { checkMapping } from "#history/mapping.js";
import { fileOf, query, scratchFolder, take } from "./scratch.js";

const TIME = Date.UTC(2025, 0, 12, 12);
const columns = { time: "ts", side: "side", price: "px", amount: "qty" };
/** Two markets in alternating rows, each message of a book in two rows. */
const ROWS = ["BTC", "ETH", "BTC", "ETH"].map((symbol, at) => ({
  symbol,
  ts: TIME + Math.floor(at / 2),
  side: "buy",
  px: symbol === "BTC" ? 100 : 3,
  qty: at + 1,
}));
const csv = (name: string, rows = ROWS): string =>
  `ts,side,px,qty,${name}\n${rows.map(({ ts, side, px, qty, symbol }) => `${ts},${side},${px},${qty},${symbol}\n`).join("")}`;

class Stand {
  readonly folder = scratchFolder();
  readonly store = new HistoryStore(join(this.folder, "history"));

  async take(file: string, symbol?: string, kind = "trades"): Promise<void> {
    const mapping = checkMapping({ kind, columns });
    await take(this.store, [file], { mapping, ...(symbol === undefined ? {} : { symbol }) });
  }

  async prices(kind = "trades"): Promise<string> {
    const rows = await query(
      this.store,
      `SELECT price::VARCHAR AS price FROM read_parquet('${this.store.root}/btcusdt/${kind}/*.parquet')`,
    );
    return rows.map(({ price }) => price).join();
  }
}

// The trades of all markets once became those of one: its price jumped from 100 to 3 and back with
// every row.
describe("a mapped file with the market of each row", () => {
  it.each(["symbol", "Symbol", "instId", "ticker", "coin"])(
    "is refused if it holds several and none is named: %s",
    async (name) => {
      const stand = new Stand();
      const file = fileOf(stand.folder, "all.csv", csv(name));
      await expect(stand.take(file)).rejects.toThrow(
        /all\.csv has several markets \(got "BTC, ETH"\); expected --symbol/,
      );
      await expect(stand.take(file, "SOL")).rejects.toThrow(/does not have this market/);
      await stand.take(file, "BTC");
      expect(await stand.prices()).toBe("100,100");
    },
  );

  it("is refused if the column of markets has an unknown name, instead of reading all rows as the requested market", async () => {
    const stand = new Stand();
    const file = fileOf(stand.folder, "all.csv", csv("asset_code"));
    await expect(stand.take(file, "BTC")).rejects.toThrow(
      /all\.csv has no known column with the market of each row \(got "BTC"\); expected a column symbol, market/,
    );
    expect(stand.store.series()).toEqual([]);
  });

  it("is imported if it has only one market", async () => {
    const stand = new Stand();
    await stand.take(
      fileOf(
        stand.folder,
        "one.csv",
        csv(
          "symbol",
          ROWS.filter(({ symbol }) => symbol === "BTC"),
        ),
      ),
    );
    expect(await stand.prices()).toBe("100,100");
  });

  it("is refused too if it has a known shape plus such a column, as several files joined into one have", async () => {
    const stand = new Stand();
    const rows = ROWS.map(
      ({ ts, px, symbol }, at) => `${at},${px},1,1,${ts},true,${symbol}\n`,
    ).join("");
    const file = fileOf(
      stand.folder,
      "all.csv",
      `id,price,qty,quote_qty,time,is_buyer_maker,symbol\n${rows}`,
    );
    await expect(take(stand.store, [file])).rejects.toThrow(/all\.csv has several markets/);
    await expect(take(stand.store, [file], { symbol: "BTC" })).rejects.toThrow(
      /all\.csv: has several markets.*a file of this shape with one market/,
    );
  });

  it("is read in this way from JSON records, Parquet, and books, whose messages end where another market's begin", async () => {
    const json = new Stand();
    const records = fileOf(
      json.folder,
      "all.ndjson",
      ROWS.map((row) => `${JSON.stringify(row)}\n`).join(""),
    );
    await expect(json.take(records)).rejects.toThrow(/has several markets/);
    await json.take(records, "ETH");
    expect(await json.prices()).toBe("3,3");
    const parquet = new Stand();
    const path = join(parquet.folder, "all.parquet");
    const duck = await Duck.open(parquet.store.spillFolder);
    try {
      await duck.run(`COPY (SELECT * FROM read_json('${records}')) TO '${path}' (FORMAT parquet)`);
    } finally {
      duck.close();
    }
    await expect(parquet.take(path)).rejects.toThrow(/has several markets/);
    await parquet.take(path, "BTC");
    expect(await parquet.prices()).toBe("100,100");
    const book = new Stand();
    await book.take(fileOf(book.folder, "book.csv", csv("symbol")), "BTC", "book");
    expect(await book.prices("book")).toBe("100,100");
  });
});
