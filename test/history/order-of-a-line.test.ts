import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HistoryStore } from "#history/history-store.js";
import { fileOf, query, scratchFolder, take } from "./scratch.js";

const TIME = Date.UTC(2025, 0, 12, 12);

/**
 * A seller who sweeps the book, in one line of a capture. The ids do not show the order, as on some
 * exchanges.
 */
const SWEEP: readonly (readonly [id: number, price: string])[] = [
  [90, "105"],
  [12, "104"],
  [57, "103"],
  [3, "101"],
];
const textOf = (trades: readonly (readonly [id: number, price: string])[], line = 7): string =>
  trades
    .map(
      ([id, price]) =>
        `${JSON.stringify({ id, price, amount: "1", time: TIME, isBuyerMaker: true, line })}\n`,
    )
    .join("");

class Stand {
  readonly #folder = scratchFolder();
  readonly store = new HistoryStore(join(this.#folder, "history"));

  async take(name: string, content: string): Promise<readonly string[]> {
    const { files } = await take(this.store, [fileOf(this.#folder, name, content)]);
    return files[0]?.days[0]?.findings ?? [];
  }

  async prices(): Promise<readonly unknown[]> {
    const rows = await query(
      this.store,
      `SELECT price::INTEGER AS price FROM read_parquet('${this.store.root}/btcusdt/trades/2025-01-12.parquet')`,
    );
    return rows.map(({ price }) => price);
  }
}

// By id the worst price of the sweep would print first, and the price would pass an order of ours
// in the middle before reaching it.
describe("trades in one line of a capture", () => {
  it("stay in the order of the file, in which they happened", async () => {
    const stand = new Stand();
    expect(await stand.take("sweep.ndjson", textOf(SWEEP))).toEqual([
      "ids do not ascend with time",
    ]);
    expect(await stand.prices()).toEqual([105, 104, 103, 101]);
  });

  it("stay so if the file has to be sorted by time", async () => {
    const stand = new Stand();
    const before = `${JSON.stringify({ id: 1, price: "110", amount: "1", time: TIME - 5000, isBuyerMaker: true, line: 2 })}\n`;
    await stand.take("late.ndjson", textOf(SWEEP) + before);
    expect(await stand.prices()).toEqual([110, 105, 104, 103, 101]);
  });

  it("stay so if some of them are stored already, or repeated", async () => {
    const stand = new Stand();
    await stand.take("some.ndjson", textOf(SWEEP.slice(0, 2)));
    await stand.take("all.ndjson", textOf(SWEEP));
    expect(await stand.prices()).toEqual([105, 104, 103, 101]);
    const twice = new Stand();
    await twice.take("twice.ndjson", textOf([...SWEEP, ...SWEEP.slice(1, 3)]));
    expect(await twice.prices()).toEqual([105, 104, 103, 101]);
  });

  it("stay so over the days of a longer file", async () => {
    const stand = new Stand();
    const days = [1, 2, 3].map((day) =>
      textOf([[1000 + day, "99"]], 100 + day).replace(
        String(TIME),
        String(TIME + day * 86_400_000),
      ),
    );
    await stand.take("days.ndjson", textOf(SWEEP) + days.join(""));
    expect(await stand.prices()).toEqual([105, 104, 103, 101]);
  });
});
