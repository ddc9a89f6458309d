import { appendFileSync, existsSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { HistoryStore } from "#history/history-store.js";
import { checkMapping } from "#history/mapping.js";
import { fileOf, query, scratchFolder, take } from "./scratch.js";

const TIME = Date.UTC(2025, 0, 12, 12);
const HEAD = "id,price,amount,time,isBuyerMaker";
const row = (id: number, isBuyerMaker = "false"): string =>
  `${id},100.5,1,${TIME + id},${isBuyerMaker}`;

class Stand {
  readonly folder = scratchFolder();
  readonly store = new HistoryStore(join(this.folder, "history"));

  file(content: string | Uint8Array, name = "t.csv"): string {
    return fileOf(this.folder, name, content);
  }

  async isMaker(): Promise<unknown> {
    const [first] = await query(
      this.store,
      `SELECT isBuyerMaker FROM read_parquet('${this.store.root}/btcusdt/trades/*.parquet')`,
    );
    return first?.isBuyerMaker;
  }
}

// The database reads any number except 0 as true. A -1 for a seller once reversed the trades of a
// day.
describe("the flag that the buyer was the maker of a trade", () => {
  const record = (flag: string): string =>
    `{"id":1,"price":"1","amount":"1","time":${TIME},"isBuyerMaker":${flag}}\n`;

  it.each(["-1", "2", "0.5", '"BUY"', '""'])(
    "is true or false in a JSON record, and not %s",
    async (flag) => {
      const stand = new Stand();
      const said = /isBuyerMaker is neither true nor false in row 2/;
      await expect(
        take(stand.store, [stand.file(record("true") + record(flag), "t.ndjson")]),
      ).rejects.toThrow(said);
    },
  );

  it.each(["-1", "2", "on", "BUY"])("is true or false in a CSV file, and not %s", async (flag) => {
    const stand = new Stand();
    const said = new RegExp(
      `isBuyerMaker is neither true nor false in row 2 \\(got "${flag}"\\); expected true or false`,
    );
    await expect(
      take(stand.store, [stand.file(`${HEAD}\n${row(1)}\n${row(2, flag)}\n`)]),
    ).rejects.toThrow(said);
  });

  it.each([
    ["true", true],
    ["false", false],
    ["1", true],
    ["0", false],
    ['"True"', true],
    ["null", null],
  ])("is read from %s", async (flag, isMaker) => {
    const json = new Stand();
    await take(json.store, [json.file(record(flag), "t.ndjson")]);
    expect(await json.isMaker()).toBe(isMaker);
    const csv = new Stand();
    await take(csv.store, [csv.file(`${HEAD}\n${row(1, flag === "null" ? "" : flag)}\n`)]);
    expect(await csv.isMaker()).toBe(isMaker);
  });
});

describe("a line longer than the database's buffer", () => {
  // The last line was once omitted without a warning. The zeros that a power failure leaves at a
  // file's end are such a line.
  it.each([
    ["of zeros, of which nobody knows what stood there", "\0".repeat(3_000_000)],
    ["of a record", `${row(9)},${"x".repeat(3_000_000)}`],
  ])("is refused at a file's end: %s", async (_what, line) => {
    const stand = new Stand();
    const path = stand.file(
      `${HEAD},more\n${[1, 2, 3].map((id) => `${row(id)},y\n`).join("")}${line}`,
    );
    await expect(take(stand.store, [path])).rejects.toThrow(
      /t\.csv: has a last line of more than 262144 bytes/,
    );
    const mapping = checkMapping({
      kind: "trades",
      columns: { id: "id", price: "price", amount: "amount", time: "time" },
    });
    await expect(take(stand.store, [path], { mapping })).rejects.toThrow(
      /has a last line of more than 262144 bytes/,
    );
    expect(stand.store.days({ market: "btcusdt", kind: "trades" })).toEqual([]);
  });
});

describe("a file that changes during an import", () => {
  it.each([
    ["grows", (path: string): void => appendFileSync(path, `${row(9)}\n`)],
    [
      "is replaced by one that is as long",
      (path: string): void => {
        writeFileSync(`${path}.new`, `${HEAD}\n${row(7)}\n`);
        renameSync(`${path}.new`, path);
      },
    ],
    ["is taken away", (path: string): void => renameSync(path, `${path}.gone`)],
  ])(
    "is refused if it %s while it is read, and nothing of the command is stored",
    async (_what, change) => {
      const stand = new Stand();
      // Compressed, so that it can be read to its end even if the original changes.
      const path = stand.file(gzipSync(`${HEAD}\n${row(1)}\n`), "one.csv.gz");
      const other = stand.file(`${HEAD}\n${row(2)}\n`, "two.csv");
      const onFile = (file: string): void => {
        if (file === other) change(path);
      };
      await expect(take(stand.store, [path, other], { onFile })).rejects.toThrow(
        /one\.csv\.gz: changed while it was read/,
      );
      expect(stand.store.days({ market: "btcusdt", kind: "trades" })).toEqual([]);
    },
  );

  it("is read through links, and counts once if it is given twice", async () => {
    const stand = new Stand();
    const path = stand.file(`${HEAD}\n${row(1)}\n`);
    const link = join(stand.folder, "link.csv");
    symlinkSync(path, link);
    await take(stand.store, [path, link, path]);
    expect(stand.store.days({ market: "btcusdt", kind: "trades" })[0]?.rows).toBe(1);
    expect(existsSync(link)).toBe(true);
  });
});
