import { join } from "node:path";
import { expect, it } from "vitest";
import { openHistory } from "#backtest/open-history.js";
import { scratchFolder } from "../../history/scratch.js";
import { generateHistory } from "../../support/generated-history.js";
import { ladderBacktest, ladderConfig, MARKET } from "./ladder-run.js";

const MIDNIGHT_MS = Date.UTC(2026, 0, 6);

it.each(["2026-01-06", "2026-01-06T00:00:10Z"])(
  "names the book of the day before among the data of a run from %s on, which begins with it, and names it once",
  async (from) => {
    const folder = scratchFolder();
    await generateHistory(folder, { market: MARKET, fromMs: MIDNIGHT_MS - 45_000, seconds: 90 });
    const { files } = await openHistory(
      ladderConfig(folder, ladderBacktest(`from: ${from}, to: 2026-01-07, grade: books`)),
    );
    const books = files.filter(({ kind }) => kind === "book").map(({ file }) => file);
    expect(books).toEqual(
      ["05", "06"].map((day) => join(MARKET, "book", `2026-01-${day}.parquet`)),
    );
  },
);
