import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parquetSql, refuseBroken } from "#history/decimal-places.js";
import { Duck, toBigInt } from "#history/duck.js";
import { HistoryError } from "#history/history-errors.js";
import { isDecimal, layoutFor } from "#history/kinds.js";
import { copyRows } from "#history/parquet-copy.js";
import { scratchFolder } from "./scratch.js";

const DECIMALS = { price: 2, amount: 2, rate: 2 };
const GOOD_NS = "1723161600000000000";
const VALUES = ["NULL", "-0.01", "0", "0.01", "5", "6"];
const STAMPS = [
  "NULL",
  "1723161600",
  "1230767999999999999",
  "1230768000000000000",
  "4102444799999999999",
  "4102444800000000000",
];

/** Mostly a valid value, so that a row often has only one fault. */
const mostly = (good: string, others: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 9, arbitrary: fc.constant(good) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );

describe("impossible rows", () => {
  it.each(["trades", "book", "bbo", "marks", "klines-1M", "funding"])(
    "of %s are refused exactly if a check of each row finds one, whatever the columns' bounds exclude",
    async (kind) => {
      const folder = scratchFolder();
      const path = join(folder, "rows.parquet");
      const duck = await Duck.open(join(folder, "spill"), { memoryMb: 200, threads: 1 });
      const { columns, rules } = layoutFor(kind);
      const cell = (name: string, type: string): fc.Arbitrary<string> => {
        if (name === "timeNs") return mostly(GOOD_NS, STAMPS);
        if (type === "flag") return mostly("true", ["NULL", "false"]);
        if (type === "text") return fc.constant("NULL");
        return mostly("5", VALUES);
      };
      const broken = [
        "timeNs IS NULL OR timeNs < 1230768000000000000 OR timeNs >= 4102444800000000000",
        ...rules.map((rule) => rule.broken),
      ].map((each) => `coalesce(${each}, false)`);
      const row = fc.tuple(...columns.map(({ name, type }) => cell(name, type)));
      const seen = new Set<boolean>();
      try {
        await fc.assert(
          fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 3 }), async (rows) => {
            const typed = columns.map(({ name, type }, at) => {
              const sql = isDecimal(type)
                ? "DECIMAL(18,2)"
                : type === "flag"
                  ? "BOOLEAN"
                  : type === "text"
                    ? "VARCHAR"
                    : "BIGINT";
              return `CAST(c${at} AS ${sql}) AS ${name === "index" ? '"index"' : name}`;
            });
            const select = `SELECT ${typed.join(", ")} FROM (VALUES ${rows.map((cells) => `(${cells.join(", ")})`).join(", ")}) t(${columns.map((_, at) => `c${at}`).join(", ")})`;
            const { factsOf } = await copyRows(duck, select, path, {
              market: "btcusdt",
              kind,
              day: undefined,
              decimals: DECIMALS,
              grid: undefined,
            });
            const { odd } = await duck.row(
              `SELECT count(*) AS odd FROM ${parquetSql(path)} WHERE ${broken.join(" OR ")}`,
            );
            const isOdd = toBigInt(odd) > 0n;
            seen.add(isOdd);
            const refused = await refuseBroken(
              duck,
              kind,
              { path, factsOf },
              "rows.csv",
              false,
            ).then(
              () => undefined,
              (error: unknown) => error,
            );
            if (isOdd) expect(refused).toBeInstanceOf(HistoryError);
            else expect(refused).toBeUndefined();
          }),
          { numRuns: 40 },
        );
      } finally {
        duck.close();
      }
      expect([...seen].sort()).toEqual([false, true]);
    },
  );
});
