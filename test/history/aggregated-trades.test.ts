import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HistoryStore } from "#history/history-store.js";
import { fileOf, query, scratchFolder, take } from "./scratch.js";

const START = Date.UTC(2025, 0, 12);
const MINUTE = 60_000;
const TRADES = "id,price,qty,quote_qty,time,is_buyer_maker\n";
const AGGREGATED =
  "agg_trade_id,price,quantity,first_trade_id,last_trade_id,transact_time,is_buyer_maker\n";

/** Ten trades, one per minute. */
const trades = (firstId: number, fromMs: number): string =>
  TRADES +
  Array.from(
    { length: 10 },
    (_, at) => `${firstId + at},100.5,1,100.5,${fromMs + at * MINUTE},true\n`,
  ).join("");
/** The same trades, aggregated in pairs. */
const aggregated = (firstId: number, fromMs: number): string =>
  AGGREGATED +
  Array.from(
    { length: 5 },
    (_, at) => `${firstId + at},100.5,2,1,2,${fromMs + 2 * at * MINUTE},true\n`,
  ).join("");

class Stand {
  readonly #folder = scratchFolder();
  readonly store = new HistoryStore(join(this.#folder, "history"));

  file(name: string, content: string): string {
    return fileOf(this.#folder, name, content);
  }

  async traded(): Promise<number> {
    const [row] = await query(
      this.store,
      `SELECT sum(amount)::INTEGER AS traded FROM read_parquet('${this.store.root}/btcusdt/trades/*.parquet')`,
    );
    return row?.traded as number;
  }
}

describe("Aggregated trades of an exchange", () => {
  it("do not join the single trades, nor vice versa: each trade would consume a queue twice", async () => {
    const stand = new Stand();
    const [one, other] = [
      stand.file("trades.csv", trades(5000, START)),
      stand.file("aggTrades.csv", aggregated(2000, START)),
    ];
    await take(stand.store, [one]);
    await expect(take(stand.store, [other])).rejects.toThrow(
      /aggTrades\.csv: the store already has trades of 2025-01-12 from another source with other ids for the same time.*ids 2000 to 2004, and 5000 to 5009 of trades\.csv/,
    );
    expect(await stand.traded()).toBe(10);
    await take(stand.store, [other], { replace: true });
    await expect(take(stand.store, [one])).rejects.toThrow(/other ids for the same time/);
    const both = new Stand();
    await expect(
      take(both.store, [
        both.file("t.csv", trades(5000, START)),
        both.file("a.csv", aggregated(2000, START)),
      ]),
    ).rejects.toThrow(/a\.csv: .*other ids for the same time/);
  });

  it("may follow where those end, and parts of one count join in any order, even nested", async () => {
    const stand = new Stand();
    await take(stand.store, [stand.file("first.csv", trades(5000, START))]);
    await take(stand.store, [stand.file("after.csv", aggregated(2000, START + 10 * MINUTE))]);
    expect(await stand.traded()).toBe(20);
    const parts = new Stand();
    await take(parts.store, [parts.file("middle.csv", trades(5010, START + 10 * MINUTE))]);
    const around = trades(5000, START) + trades(5020, START + 20 * MINUTE).slice(TRADES.length);
    await take(parts.store, [parts.file("around.csv", around)]);
    expect(await parts.traded()).toBe(30);
  });
});
