import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_LIMITS, Duck, literal } from "#history/duck.js";
import { HistoryStore } from "#history/history-store.js";
import { importFiles } from "#history/import-files.js";
import type { Bench } from "./bench.js";
import { effort } from "./effort.js";
import { interleaved, median } from "./rounds.js";

const ROWS = effort(1_000_000, 5000);
/** Many rounds, since other work of the machine affects only one side of a round. */
const ROUNDS = effort(15, 1);
const START_MS = 1_723_075_200_000;

/**
 * The cost of an import's checks, exact decimals, time order and manifest, against a database's
 * plain conversion.
 */
export const bench: Bench = {
  about:
    "a day of trades imported from CSV into the store, against the database's own conversion of the same file to Parquet",
  floor: 0.8,
  run: async () => {
    const folder = mkdtempSync(join(tmpdir(), "marketwright-import-day-"));
    try {
      const csv = join(folder, "trades.csv");
      const duck = await Duck.open(join(folder, "spill"));
      await duck.run(
        `COPY (SELECT i AS id, CAST(60000 + round(500 * sin(i / 40000.0) + (hash(i) % 100) / 10.0, 1) AS DECIMAL(18,1)) AS price, CAST((1 + hash(i + 1) % 5000) / 1000.0 AS DECIMAL(18,3)) AS amount, ${START_MS} + i * 28 AS "time", hash(i + 2) % 2 = 0 AS isBuyerMaker FROM range(${ROWS}) rows(i)) TO ${literal(csv)} (HEADER)`,
      );
      let made = 0;
      const next = (name: string): string => {
        made += 1;
        return join(folder, `${name}-${made}`);
      };
      const conversion = (): Promise<void> =>
        duck.run(
          `COPY (SELECT * FROM read_csv(${literal(csv)})) TO ${literal(next("plain"))} (FORMAT parquet, COMPRESSION zstd)`,
        );
      const imported = async (): Promise<void> => {
        const store = new HistoryStore(next("store"));
        await importFiles(store, {
          market: "btcusdt",
          files: [csv],
          clock: { partsAt: [], baseLatencyNs: 0n },
          replace: false,
        });
      };
      const cpuMs = { ours: [] as number[], reference: [] as number[] };
      const measured = await interleaved({
        ours: () => rate(imported, cpuMs.ours),
        reference: () => rate(conversion, cpuMs.reference),
        rounds: ROUNDS,
      });
      // The first round of each is the warm-up.
      const [oursMs, referenceMs] = [median(cpuMs.ours.slice(1)), median(cpuMs.reference.slice(1))];
      duck.close();
      return {
        ...measured,
        unit: "million rows/s",
        referenceIs:
          "COPY (SELECT * FROM read_csv(...)) TO ... (FORMAT parquet, COMPRESSION zstd) in the same process, its types guessed",
        details: {
          "million rows": ROWS / 1e6,
          threads: DEFAULT_LIMITS.threads,
          rounds: ROUNDS,
          "processor time, reference by ours": referenceMs / oursMs,
          "ms of processor time, ours": oursMs,
          "ms of processor time, reference": referenceMs,
        },
      };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/**
 * Million rows per second of wall time. An import has one thread more than the conversion, which
 * hashes and checks the file. If other processes compete for the processors it gets a larger share,
 * so the share of processor time is reported too.
 */
async function rate(work: () => Promise<unknown>, cpuMs: number[]): Promise<number> {
  const startMs = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  cpuMs.push((user + system) / 1000);
  return ROWS / 1000 / (performance.now() - startMs);
}
