import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HistoryStore } from "#history/history-store.js";
import { fileOf, query, scratchFolder, take } from "./scratch.js";

const DAY_MS = 86_400_000;
const TIME = Date.UTC(2025, 0, 12, 12);
const HEAD = "id,price,amount,time,isBuyerMaker\n";
const trade = (id: number, time: number, price = 5): string => `${id},${price},1,${time},true\n`;

async function imported(rows: string): Promise<{
  readonly findings: readonly string[];
  readonly rows: number;
  readonly store: HistoryStore;
}> {
  const folder = scratchFolder();
  const store = new HistoryStore(join(folder, "history"));
  const { files } = await take(store, [fileOf(folder, "trades.csv", HEAD + rows)]);
  const [held] = await query(
    store,
    `SELECT count(*) AS rows FROM read_parquet('${store.root}/btcusdt/trades/*.parquet')`,
  );
  return { findings: files[0]?.findings ?? [], rows: Number(held?.rows), store };
}

// Binance's spot archives have ids that occur again days later for another trade.
describe("A repeated id in a file", () => {
  it("for another trade on another day is reported as two trades, and both are kept", async () => {
    const { findings, rows, store } = await imported(
      trade(7, TIME) + trade(8, TIME + 1) + trade(7, TIME + DAY_MS, 6),
    );
    expect(rows).toBe(3);
    expect(findings).toEqual([
      "1 id is used for different trades on different days, such as id 7 on 2025-01-12 and 2025-01-13: all are kept",
    ]);
    expect(store.days({ market: "btcusdt", kind: "trades" }).map((day) => day.findings)).toEqual([
      findings,
      findings,
    ]);
  });

  it("for the same trade is reported as one record, and one is kept", async () => {
    const { findings, rows } = await imported(
      trade(7, TIME) + trade(8, TIME + 1) + trade(7, TIME) + trade(8, TIME + 1),
    );
    expect(rows).toBe(2);
    expect(findings).toEqual(["2 of its rows are duplicates: one of each is kept"]);
  });

  it("of both kinds is reported in both ways", async () => {
    const { findings, rows } = await imported(
      trade(7, TIME) + trade(7, TIME) + trade(7, TIME + DAY_MS) + trade(8, TIME + DAY_MS + 1),
    );
    expect(rows).toBe(3);
    expect(findings).toEqual([
      "1 id is used for different trades on different days, such as id 7 on 2025-01-12 and 2025-01-13: all are kept",
      "1 of its rows are duplicates: one of each is kept",
    ]);
  });

  // --replace would not help: the file contradicts itself.
  it("for another trade of the same day is refused, with advice on how to import such a file", async () => {
    await expect(imported(trade(7, TIME) + trade(7, TIME + 1, 6))).rejects.toThrow(
      /two records of id 7 differ .*the file itself has both: a mapping without id/,
    );
  });
});
