import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { FILL_COLUMNS } from "#backtest/fills-file.js";

const PAGE = readFileSync(
  new URL("../../../docs/reference/backtest-report.md", import.meta.url),
  "utf8",
);

describe("docs/reference/backtest-report.md", () => {
  it("says what each column of fills.csv is", () => {
    const table = PAGE.slice(PAGE.indexOf("| column | is |")).split("\n\n")[0] ?? "";
    const heads = table
      .split("\n")
      .slice(2)
      .map((row) => row.split("|")[1] ?? "");
    const named = heads.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name));
    expect(new Set(named)).toEqual(new Set(FILL_COLUMNS));
    expect(named).toHaveLength(FILL_COLUMNS.length);
  });
});
