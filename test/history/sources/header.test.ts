import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fieldsOfLine } from "#history/header.js";
import { HistoryStore } from "#history/history-store.js";
import { checkMapping } from "#history/mapping.js";
import { DELIMITERS } from "#history/plain-csv.js";
import { fileOf, query, scratchFolder, take } from "../scratch.js";

const TIME = 1723161600000;
const mappingOf = (price: string) =>
  checkMapping({ kind: "trades", columns: { time: "ts", price, amount: "qty" } });

// A misread header swaps amounts and prices.
describe("a header", () => {
  it("is what a writer of CSV made of its names, whatever is in them", () => {
    const name = fc.stringMatching(/^[a-z0-9 ",;|'\\\t]{0,8}$/);
    fc.assert(
      fc.property(
        fc.array(name, { minLength: 1, maxLength: 6 }),
        fc.constantFrom(...DELIMITERS),
        (names, delimiter) => {
          const isQuoted = (each: string): boolean =>
            each.includes(delimiter) || each.includes('"') || each !== each.trim();
          const line = names
            .map((each) => (isQuoted(each) ? `"${each.replaceAll('"', '""')}"` : each))
            .join(delimiter);
          expect(fieldsOfLine(line, "t.csv", delimiter)).toEqual(names);
        },
      ),
    );
  });

  it.each([
    ['"p ""x"""', 'p "x"'],
    ['"p, x"', "p, x"],
    [' "px" ', "px"],
    ["p'x", "p'x"],
  ])("names its columns as they are quoted: %s", async (written, name) => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    await take(store, [fileOf(folder, "t.csv", `ts,${written},qty\n${TIME},5.5,1\n`)], {
      mapping: mappingOf(name),
    });
    const path = store.dataPath({ market: "btcusdt", kind: "trades" }, "2024-08-09");
    expect(
      await query(
        store,
        `SELECT price::VARCHAR AS price, amount::VARCHAR AS amount FROM read_parquet('${path}')`,
      ),
    ).toEqual([{ price: "5.5", amount: "1" }]);
  });

  it("may leave names out, as programs do that number their rows", async () => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const { files } = await take(
      store,
      [fileOf(folder, "t.csv", `,ts,px,qty,\n0,${TIME},5.5,1,\n`)],
      { mapping: mappingOf("px") },
    );
    expect(files[0]?.rows).toBe(1);
  });

  it.each([
    [
      "twice the same name",
      "ts,px,px,qty",
      'has two columns with the same name: 2 and 3 (got "px")',
    ],
    [
      "names that differ in their case alone",
      "ts,px,PX,qty",
      'has two columns with the same name: 2 and 3 (got "PX")',
    ],
    ["a quote that does not end", 'ts,"px,qty', "an unexpected quote in field 2 of its first line"],
    ["a quote within a name", 'ts,p"x,qty', "an unexpected quote in field 2 of its first line"],
    ["something past a quote", 'ts,"px"x,qty', "an unexpected quote in field 2 of its first line"],
  ])("is refused with %s", async (_what, header, said) => {
    const folder = scratchFolder();
    const store = new HistoryStore(join(folder, "history"));
    const path = fileOf(folder, "t.csv", `${header}\n${TIME},5.5,6.5,1\n`);
    await expect(take(store, [path], { mapping: mappingOf("px") })).rejects.toThrow(said);
  });
});
