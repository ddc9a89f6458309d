import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HistoryStore } from "#history/history-store.js";
import { checkMapping } from "#history/mapping.js";
import { fileOf, query, scratchFolder, take } from "./scratch.js";

const START = Date.UTC(2025, 0, 12);
const DAY = 86_400_000;
const mapping = checkMapping({
  kind: "trades",
  columns: { time: "t", price: "p", amount: "q", side: "s" },
});

/** Three trades a day, two days. */
const ROWS = [0, 1].flatMap((day) =>
  [1, 2, 3].map((second) => `${START + day * DAY + second * 1000},100.${second},1,buy\n`),
);
const textOf = (rows: readonly string[]): string => `t,p,q,s\n${rows.join("")}`;

class Stand {
  readonly #folder = scratchFolder();
  readonly store = new HistoryStore(join(this.#folder, "history"));

  async take(
    name: string,
    content: string,
    options: { readonly mapping?: typeof mapping; readonly replace?: boolean } = { mapping },
  ): Promise<this> {
    await take(this.store, [fileOf(this.#folder, name, content)], options);
    return this;
  }

  /** The prices in the order of a replay. */
  async inOrder(): Promise<string[]> {
    const rows = await query(
      this.store,
      `SELECT price::VARCHAR AS price FROM read_parquet('${this.store.root}/btcusdt/trades/*.parquet') ORDER BY timeNs, seq`,
    );
    return rows.map(({ price }) => price as string);
  }

  async trades(): Promise<number> {
    const [row] = await query(
      this.store,
      `SELECT count(*)::INTEGER AS trades FROM read_parquet('${this.store.root}/btcusdt/trades/*.parquet')`,
    );
    return row?.trades as number;
  }
}

describe("trades without ids", () => {
  it("are not imported again from a file with other row numbers, as a month's file has: they would consume queues twice", async () => {
    const stand = await new Stand().take("day2.csv", textOf(ROWS.slice(3)));
    await expect(stand.take("month.csv", textOf(ROWS))).rejects.toThrow(
      /month\.csv: the store already has trades of 2025-01-13 from another source, and without ids.*got "day2\.csv"/,
    );
    expect(await stand.trades()).toBe(3);
    await stand.take("month.csv", textOf(ROWS), { mapping, replace: true });
    expect(await stand.trades()).toBe(6);
    await expect(stand.take("day2.csv", textOf(ROWS.slice(4)))).rejects.toThrow(
      /two records of id 1 differ|without ids/,
    );
  });

  it("are not imported beside the same trades with ids, in either order", async () => {
    const withIds = `id,price,amount,time,isBuyerMaker\n${[901, 902, 903].map((id, at) => `${id},100.${at + 1},1,${START + (at + 1) * 1000},false\n`).join("")}`;
    const stand = await new Stand().take("none.csv", textOf(ROWS.slice(0, 3)));
    await expect(stand.take("ids.csv", withIds, {})).rejects.toThrow(/without ids/);
    const other = await new Stand().take("ids.csv", withIds, {});
    await expect(other.take("none.csv", textOf(ROWS.slice(0, 3)))).rejects.toThrow(/without ids/);
    expect(await other.trades()).toBe(3);
  });

  it("continue with a file that has grown, and with the next day's, and repeated rows count once", async () => {
    const stand = await new Stand().take("live.csv", textOf(ROWS.slice(0, 2)));
    await stand.take("live.csv", textOf(ROWS.slice(0, 3)));
    await stand.take("copy.csv", textOf(ROWS.slice(0, 3)));
    expect(await stand.trades()).toBe(3);
    await stand.take("day2.csv", textOf(ROWS.slice(3)));
    expect(await stand.trades()).toBe(6);
  });

  // A sweep of the book was once played from its worst price to its best, in reverse order.
  it("are read from the file's end if it begins with its newest row, so that equal stamps keep their order", async () => {
    const rows = Array.from(
      { length: 40_000 },
      (_, at) => `${START + Math.floor(at / 3)},${100 + (at % 3)}.5,1,buy\n`,
    );
    const forwards = await new Stand().take("up.csv", textOf(rows));
    const backwards = await new Stand().take("down.csv", textOf(rows.toReversed()));
    expect(await backwards.inOrder()).toEqual(await forwards.inOrder());
    expect((await backwards.inOrder()).slice(0, 4)).toEqual(["100.5", "101.5", "102.5", "100.5"]);
    expect(backwards.store.days({ market: "btcusdt", kind: "trades" })[0]?.findings).toContain(
      "its newest row comes first: it is read from its end",
    );
    expect(
      forwards.store.days({ market: "btcusdt", kind: "trades" })[0]?.findings.join(),
    ).not.toContain("newest");
  });
});
