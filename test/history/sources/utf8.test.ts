import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HistoryStore } from "#history/history-store.js";
import { fileOf, query, scratchFolder, take } from "../scratch.js";

const TIME = 1723161600000;
const TRADES = "id,price,amount,time,isBuyerMaker,status\n";
/** In Latin-1 an e with an accent, in UTF-8 the beginning of a character of three bytes. */
const STRAY = Buffer.from([0xe9]);

const rows = (count: number): string =>
  Array.from({ length: count }, (_, at) => `${at + 1},5.5,1,${TIME + at},true,sétt€led😀\n`).join(
    "",
  );
const tardis = (count: number): string =>
  `exchange,symbol,timestamp,local_timestamp,id,side,price,amount\n${Array.from({ length: count }, (_, at) => `b,B,${TIME + at}000,${TIME + at}001,${at},buy,5.5,1\n`).join("")}`;

describe("a text that is not UTF-8", () => {
  it.each([
    [
      "in its first rows",
      Buffer.concat([Buffer.from(`${TRADES}1,5.5,1,${TIME},true,`), STRAY, Buffer.from("t\n")]),
      2,
    ],
    [
      "far behind them",
      Buffer.concat([
        Buffer.from(`${TRADES}${rows(20_000)}20001,5.5,1,${TIME + 20_000},true,`),
        STRAY,
      ]),
      20_002,
    ],
    [
      "in a number",
      Buffer.concat([Buffer.from(`${TRADES}1`), STRAY, Buffer.from(`,5.5,1,${TIME},true,x\n`)]),
      2,
    ],
    // The database crashes here, and stops responding.
    [
      "in what tells the market",
      Buffer.concat([
        Buffer.from(`${tardis(30_000)}b,B`),
        STRAY,
        Buffer.from(`,${TIME}000,1,1,buy,5,1\n`),
      ]),
      30_002,
    ],
    [
      "of a capture",
      Buffer.concat([
        Buffer.from('{"id":1,"price":"5","amount":"1","status":"'),
        STRAY,
        Buffer.from(`","time":${TIME}}\n`),
      ]),
      1,
    ],
  ])(
    "is refused with its first stray byte, %s, and the store takes the next file",
    async (_where, content, line) => {
      const folder = scratchFolder();
      const store = new HistoryStore(join(folder, "history"));
      const offset = content.indexOf(STRAY, Math.max(0, content.length - 60));
      await expect(
        take(store, [fileOf(folder, "stray.txt", content)], {
          shape: _where === "in what tells the market" ? "tardis-trades" : "trades",
        }),
      ).rejects.toThrow(
        `stray.txt: is not UTF-8 in line ${line}, at byte ${offset} of the file (got "0x${content.toString("hex", offset, offset + 1)}"); expected text in UTF-8`,
      );
      expect(
        (await take(store, [fileOf(folder, "good.csv", TRADES + rows(3))])).files[0]?.rows,
      ).toBe(3);
    },
  );

  it("does no harm in unused columns of a CSV file, nor in their names", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const head = Buffer.concat([
      Buffer.from("id,price,amount,time,isBuyerMaker,b"),
      STRAY,
      Buffer.from("rse\n"),
    ]);
    const lines = [1, 2, 3].map((id) =>
      Buffer.concat([Buffer.from(`${id},5.5,1,${TIME + id},true,Gen`), STRAY, Buffer.from("ve\n")]),
    );
    await take(store, [fileOf(folder, "t.csv", Buffer.concat([head, ...lines]))]);
    const path = store.dataPath({ market: "btcusdt", kind: "trades" }, "2024-08-09");
    const read = await query(
      store,
      `SELECT id, price::VARCHAR AS price FROM read_parquet('${path}')`,
    );
    expect(read).toEqual([1n, 2n, 3n].map((id) => ({ id, price: "5.5" })));
  });

  it("is never the reported fault of a valid UTF-8 text, whatever else is wrong with it", async () => {
    const folder = scratchFolder();
    const wrong = fileOf(folder, "t.csv", `\ufeff${TRADES}${rows(12_000)}12001,5.5\n`);
    await expect(take(new HistoryStore(join(folder, "history")), [wrong])).rejects.toThrow(
      /t\.csv: cannot be read: .*Line: 12002/,
    );
  });
});
