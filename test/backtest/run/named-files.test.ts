import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openHistory } from "#backtest/open-history.js";
import type { HistoryStore } from "#history/history-store.js";
import { importFiles } from "#history/import-files.js";
import { scratchFolder } from "../../history/scratch.js";
import { generateHistory } from "../../support/generated-history.js";
import { ladderBacktest, ladderConfig, MARKET } from "./ladder-run.js";

const SERIES = { market: MARKET, kind: "trades" };
const [FIRST, SECOND] = ["2026-01-05", "2026-01-06"] as const;

const generated = (folder: string, seed: string): Promise<HistoryStore> => {
  mkdirSync(folder);
  return generateHistory(folder, {
    market: MARKET,
    fromMs: Date.parse(SECOND) - 5_000,
    seconds: 10,
    seed,
  });
};

// The report named a file that none of the replayed rows came from.
it("names the replayed files, even if an import rewrites a day while the columns of the next one are built", async () => {
  const folder = scratchFolder();
  const store = await generated(join(folder, "own"), "1");
  const other = await generated(join(folder, "other"), "2");
  const sha256 = store.day(SERIES, FIRST)?.sha256;
  const config = ladderConfig(
    join(folder, "own"),
    ladderBacktest("from: 2026-01-05, to: 2026-01-07, grade: trades"),
  );
  const { files } = await openHistory(config, (_market, day) => {
    if (day !== SECOND) return;
    copyFileSync(other.manifestPath(SERIES, FIRST), store.manifestPath(SERIES, FIRST));
    copyFileSync(other.dataPath(SERIES, FIRST), store.dataPath(SERIES, FIRST));
  });
  expect(store.day(SERIES, FIRST)?.sha256).not.toBe(sha256);
  expect(files.find(({ file }) => file.endsWith(`${FIRST}.parquet`))?.sha256).toBe(sha256);
});

// A run was margined by marks that its report did not name.
it("refuses marks that an import rewrote after they were named", async () => {
  const folder = scratchFolder();
  const store = await generated(join(folder, "own"), "1");
  const importMarks = async (mark: string): Promise<void> => {
    const csv = join(folder, "marks.csv");
    writeFileSync(
      csv,
      `time,markPrice,indexPrice,fundingRate\n${Date.parse(FIRST) + 86_395_500},${mark},60000,0.0001\n`,
    );
    await importFiles(store, {
      market: MARKET,
      files: [csv],
      clock: { partsAt: [], baseLatencyNs: 0n },
      replace: true,
    });
  };
  await importMarks("60000");
  const { markets } = await openHistory(
    ladderConfig(join(folder, "own"), ladderBacktest("from: 2026-01-05, to: 2026-01-07")),
  );
  await importMarks("50000");
  await expect(markets[0]?.marks?.whole()).rejects.toThrow(
    /marks.*2026-01-05\.parquet: was replaced while it was read/,
  );
});

// The day's marks are not part of the run. It was refused for the lack of them, and named a day of
// trades that it had not read.
it("names nothing of a day that ends where the run begins, and needs nothing of it", async () => {
  const folder = scratchFolder();
  const store = await generated(join(folder, "own"), "1");
  const csv = join(folder, "marks.csv");
  writeFileSync(
    csv,
    `time,markPrice,indexPrice,fundingRate\n${Date.parse(SECOND) - 1},60000,60000,0.0001\n`,
  );
  await importFiles(store, {
    market: MARKET,
    files: [csv],
    clock: { partsAt: [], baseLatencyNs: 0n },
    replace: false,
  });
  expect(store.days({ market: MARKET, kind: "marks" })[0]?.covered.at(-1)?.[1]).toBe(
    Date.parse(SECOND),
  );
  const config = ladderConfig(
    join(folder, "own"),
    ladderBacktest("from: 2026-01-06, to: 2026-01-07, grade: trades"),
  );
  const { files, markets } = await openHistory(config);
  expect(files.map(({ file }) => file)).toEqual([`${MARKET}/trades/${SECOND}.parquet`]);
  expect(markets[0]?.marks).toBeUndefined();
});
