import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Duck } from "#history/duck.js";
import { isPlainCsv } from "#history/plain-csv.js";
import { csvSql } from "#history/reading-sql.js";
import { fileOf, scratchFolder } from "../scratch.js";

const COLUMNS = ["id", "price", "side", "amount", "note"];
const PLACES = { id: 0, price: 1, amount: 3 };

const plain = (text: string, path: string): Promise<boolean> => {
  writeFileSync(path, text);
  return isPlainCsv({ path, columns: COLUMNS, hasHeader: true, delimiter: "," }, PLACES);
};

/** The count of a text's last place; undefined if the given places do not hold it. */
function exactOf(text: string, places: number): bigint | undefined {
  const [, whole, part = ""] = /^([0-9]+)(?:[.]([0-9]*))?$/.exec(text) ?? [];
  if (whole === undefined || /[^0]/.test(part.slice(places))) return undefined;
  return BigInt(whole + part.slice(0, places).padEnd(places, "0"));
}

const digits = fc.stringMatching(/^[0-9]{1,7}$/);
const written = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(digits, fc.stringMatching(/^[0-9]{0,3}0{0,3}$/))
      .map(([whole, part]) => `${whole}.${part}`),
  },
  { weight: 4, arbitrary: digits },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "1e-7",
      "1E3",
      "+1",
      "-1",
      " 1",
      "1 ",
      "",
      ".5",
      "1_000",
      "nan",
      '"1.5"',
      '"1,5"',
      "1.5.5",
      "1:5",
      "०",
    ),
  },
);
const row = fc.record({
  price: written,
  amount: written,
  note: fc.constantFrom("true", "b", "", "12:30"),
});

describe("a plain CSV file", () => {
  it("is one whose decimals are exact as the database reads them, and every file of digits alone is one", async () => {
    const folder = scratchFolder();
    const path = join(folder, "t.csv");
    const duck = await Duck.open(join(folder, "spill"), { memoryMb: 200, threads: 1 });
    const seen = new Set<boolean>();
    try {
      await fc.assert(
        fc.asyncProperty(
          fc.array(row, { minLength: 1, maxLength: 4 }),
          fc.constantFrom("\n", "\r\n"),
          fc.boolean(),
          async (rows, end, isEnded) => {
            const lines = [
              "id,price,side,amount,note",
              ...rows.map(({ price, amount, note }, at) => `${at},${price},buy,${amount},${note}`),
            ];
            const isPlain = await plain(lines.join(end) + (isEnded ? end : ""), path);
            const exact = rows.map(
              ({ price, amount }) =>
                [exactOf(price, PLACES.price), exactOf(amount, PLACES.amount)] as const,
            );
            const areExact = exact.every(
              ([price, amount]) => price !== undefined && amount !== undefined,
            );
            seen.add(isPlain);
            if (areExact) expect(isPlain).toBe(true);
            if (!isPlain) return;
            // The database itself refuses text that is not a number, and never reads it as another
            // number.
            const types = { id: "BIGINT", price: "DECIMAL(18,1)", amount: "DECIMAL(18,3)" };
            const read = await duck
              .rows(
                `SELECT CAST(price * 10 AS BIGINT) AS price, CAST(amount * 1000 AS BIGINT) AS amount FROM ${csvSql({ path, columns: COLUMNS, hasHeader: true, delimiter: "," }, types)} ORDER BY id`,
              )
              .catch(() => undefined);
            if (areExact) expect(read).toBeDefined();
            if (read !== undefined)
              expect(read.map(({ price, amount }) => [price, amount])).toEqual(exact);
          },
        ),
        { numRuns: 150 },
      );
    } finally {
      duck.close();
    }
    expect([...seen].sort()).toEqual([false, true]);
  });

  it.each([
    ["a place too many", "1,5.55,buy,1,x\n"],
    ["a whole number with a part", "1.5,5.5,buy,1,x\n"],
    ["a whole number with an exponent", "1e3,5.5,buy,1,x\n"],
    ["a letter that ends the last decimal", "1,5.5,buy,1e3,x\n"],
    ["no ASCII in a number", "1,5.5,buy,1\u0660,x\n"],
    ["a field too few before the last decimal", "1,5.5,1\n"],
    ["a quoted field, which could hold a comma", '1,5.5,"buy",1,x\n'],
    ["a quoted field after the decimals", '1,5.5,buy,1,"x"\n'],
    ["an empty line", "\n1,5.5,buy,1,x\n"],
  ])("is not plain with %s", async (_what, lines) => {
    expect(await plain(`id,price,side,amount,note\n${lines}`, join(scratchFolder(), "t.csv"))).toBe(
      false,
    );
  });

  it("is one whose whole numbers are left out too, which nobody reads as zero", async () => {
    const path = join(scratchFolder(), "t.csv");
    expect(await plain("id,price,side,amount,note\n,5.5,buy,1,x\n", path)).toBe(true);
    expect(await plain("id,price,side,amount,note\n1,,buy,1,x\n", path)).toBe(false);
    expect(await plain("id,price,side,amount,note\n.0,5.5,buy,1,x\n", path)).toBe(false);
  });

  it("is looked at to its end, wherever a piece of it is cut", async () => {
    const path = join(scratchFolder(), "t.csv");
    const lines = Array.from({ length: 40_000 }, (_, at) => `${at},${at}.50,buy,0.125000,x\n`).join(
      "",
    );
    expect(await plain(`id,price,side,amount,note\n${lines}`, path)).toBe(true);
    expect(await plain(`id,price,side,amount,note\n${lines}40000,5.5,buy,0.1251,x`, path)).toBe(
      false,
    );
    expect(
      await isPlainCsv(
        {
          path: fileOf(scratchFolder(), "long.csv", "1".repeat(300_000)),
          columns: COLUMNS,
          hasHeader: false,
          delimiter: ",",
        },
        PLACES,
      ),
    ).toBe(false);
  });
});
