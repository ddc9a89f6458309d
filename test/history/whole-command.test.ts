import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HistoryStore } from "#history/history-store.js";
import { fileOf, query, scratchFolder, take } from "./scratch.js";

const START = Date.UTC(2025, 0, 12);
const DAY = 86_400_000;
const SERIES = { market: "btcusdt", kind: "trades" };
const HEAD = "id,price,amount,time,isBuyerMaker\n";
const trade = (id: number, day: number, price = 100): string =>
  `${id},${price},1,${START + day * DAY + id},false\n`;

class Stand {
  readonly #folder = scratchFolder();
  readonly store = new HistoryStore(join(this.#folder, "history"));

  async take(files: Readonly<Record<string, string>>, replace = false): Promise<void> {
    const paths = Object.entries(files).map(([name, content]) =>
      fileOf(this.#folder, name, content),
    );
    await take(this.store, paths, { replace });
  }

  /** All files of the series, hidden ones too. */
  get names(): readonly string[] {
    const folder = this.store.folder(SERIES);
    return existsSync(folder) ? readdirSync(folder).sort() : [];
  }

  async prices(): Promise<readonly string[]> {
    const rows = await query(
      this.store,
      `SELECT price::INTEGER::VARCHAR AS price FROM read_parquet('${this.store.folder(SERIES)}/*.parquet') ORDER BY id`,
    );
    return rows.map(({ price }) => String(price));
  }
}

describe("the files of one command", () => {
  it("are not stored at all if two of them contradict each other: half an import would look complete", async () => {
    const stand = new Stand();
    await expect(
      stand.take({
        "one.csv": HEAD + trade(1, 0) + trade(2, 0),
        "two.csv": HEAD + trade(2, 0, 105),
      }),
    ).rejects.toThrow(/two\.csv: trades of 2025-01-12: two records of id 2 differ/);
    expect(stand.names).toEqual([]);
  });

  it("are not stored if the last day of the last one contradicts the store, which does not change", async () => {
    const stand = new Stand();
    await stand.take({ "held.csv": HEAD + trade(30, 2, 100) });
    const before = stand.names;
    const month = HEAD + trade(10, 0) + trade(20, 1) + trade(30, 2, 105);
    await expect(
      stand.take({ "other.csv": HEAD + trade(5, 0), "month.csv": month }),
    ).rejects.toThrow(/two records of id 30 differ/);
    expect(stand.names).toEqual(before);
  });

  it("are not stored if two of them cover the same time, for a kind without keys", async () => {
    const quote = (ms: number, bid: string): string =>
      `${JSON.stringify({ time: START + ms, bid, bidAmount: "1", ask: "9", askAmount: "1" })}\n`;
    const stand = new Stand();
    await expect(
      stand.take({ "one.ndjson": quote(0, "1") + quote(9, "1"), "two.ndjson": quote(5, "2") }),
    ).rejects.toThrow(/two\.ndjson: the store already has bbo of 2025-01-12 from another source/);
    expect(stand.store.days({ market: "btcusdt", kind: "bbo" })).toEqual([]);
  });

  it("join each other on a shared day, and the stored day", async () => {
    const stand = new Stand();
    await stand.take({ "held.csv": HEAD + trade(1, 0, 101) });
    await stand.take({
      "one.csv": HEAD + trade(2, 0, 102),
      "two.csv": HEAD + trade(2, 0, 102) + trade(3, 0, 103),
    });
    expect(await stand.prices()).toEqual(["101", "102", "103"]);
    expect(stand.names).toEqual(["2025-01-12.json", "2025-01-12.parquet"]);
    await stand.store.verify(stand.store.days(SERIES)[0] as never);
    expect(stand.store.days(SERIES)[0]?.sources.map(({ name, rows }) => [name, rows])).toEqual([
      ["held.csv", 1],
      ["one.csv", 1],
      ["two.csv", 2],
    ]);
  });

  it("together replace a stored day, but not each other, with --replace", async () => {
    const stand = new Stand();
    await stand.take({ "held.csv": HEAD + trade(1, 0, 101) + trade(2, 0, 77) });
    await stand.take(
      { "one.csv": HEAD + trade(2, 0, 102), "two.csv": HEAD + trade(3, 0, 103) },
      true,
    );
    expect(await stand.prices()).toEqual(["102", "103"]);
  });
});
