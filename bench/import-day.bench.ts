import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_LIMITS, Duck, literal } from "../src/history/duck.js";
import { importFiles } from "../src/history/import-files.js";
import { HistoryStore } from "../src/history/store.js";
import type { Bench } from "./bench.js";
import { median } from "./rounds.js";

/** A test sees that it runs; what it measures then means nothing. */
const IS_TINY = process.env.MARKETWRIGHT_BENCH === "tiny";
const ROWS = IS_TINY ? 5000 : 1_000_000;
const ROUNDS = 3;
const START_MS = 1_723_075_200_000;

/** What checking, the exact decimals, the order of time and the manifest of an import cost, against a database's plain conversion. */
export const bench: Bench = {
  about: "a day of trades imported from CSV into the store, against the database's own conversion of the same file to Parquet",
  floor: 0.8,
  run: async () => {
    const folder = mkdtempSync(join(tmpdir(), "marketwright-import-day-"));
    try {
      const csv = join(folder, "trades.csv");
      const duck = await Duck.open(join(folder, "spill"));
      await duck.run(
        `COPY (SELECT i AS id, CAST(60000 + round(500 * sin(i / 40000.0) + (hash(i) % 100) / 10.0, 1) AS DECIMAL(18,1)) AS price, CAST((1 + hash(i + 1) % 5000) / 1000.0 AS DECIMAL(18,3)) AS amount, ${START_MS} + i * 28 AS "time", hash(i + 2) % 2 = 0 AS isBuyerMaker FROM range(${ROWS}) rows(i)) TO ${literal(csv)} (HEADER)`,
      );
      const ours: number[] = [];
      const reference: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const plain = literal(join(folder, `plain-${round}.parquet`));
        reference.push(
          ROWS /
            (await seconds(() =>
              duck.run(`COPY (SELECT * FROM read_csv(${literal(csv)})) TO ${plain} (FORMAT parquet, COMPRESSION zstd)`),
            )),
        );
        const store = new HistoryStore(join(folder, `store-${round}`));
        const options = { market: "btcusdt", files: [csv], clock: { partsAt: [], baseLatencyNs: 0n }, replace: false };
        ours.push(ROWS / (await seconds(() => importFiles(store, options))));
      }
      duck.close();
      return {
        ours: median(ours) / 1e6,
        reference: median(reference) / 1e6,
        unit: "million rows/s",
        ratio: median(ours.map((each, at) => each / (reference[at] as number))),
        referenceIs: "COPY (SELECT * FROM read_csv(...)) TO ... (FORMAT parquet, COMPRESSION zstd) in the same process, its types guessed",
        details: { "million rows": ROWS / 1e6, threads: DEFAULT_LIMITS.threads, rounds: ROUNDS },
      };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return (performance.now() - startMs) / 1000;
}
