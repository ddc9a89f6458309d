import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { seededRandom } from "#core/seeded-random.js";
import { HistoryStore } from "#history/history-store.js";
import { importFiles } from "#history/import-files.js";

/** The options of generated candles. */
export interface GeneratedCandles {
  readonly market: string;
  /** Start, milliseconds since 1970. */
  readonly fromMs: number;
  readonly bars: number;
  readonly seed?: string;
}

const QUARTER_MS = 900_000;
const TICK = 0.1;

/**
 * Fills a store with a seeded walk around 60,000 as candles of 15 minutes, ticks of 0.1 and lots of
 * 0.001. The same seed gives the same bytes.
 */
export async function generateCandles(
  folder: string,
  { market, fromMs, bars, seed = "1" }: GeneratedCandles,
): Promise<HistoryStore> {
  const random = seededRandom(`candles ${seed}`);
  const step = (most: number): number => Math.floor(random.uniform() * most);
  const price = (ticks: number): string => (ticks * TICK).toFixed(1);
  let open = 600_000;
  const lines: string[] = [];
  for (let bar = 0; bar < bars; bar += 1) {
    const close = open + step(801) - 400;
    const [high, low] = [Math.max(open, close) + step(300), Math.min(open, close) - step(300)];
    const time = fromMs + bar * QUARTER_MS;
    lines.push(
      JSON.stringify({
        time,
        open: price(open),
        close: price(close),
        high: price(high),
        low: price(low),
        volume: `${1 + step(50)}.000`,
      }),
    );
    open = close + step(21) - 10;
  }
  const made = join(folder, "generated");
  mkdirSync(made, { recursive: true });
  const path = join(made, `${market}-klines_15M.ndjson`);
  writeFileSync(path, `${lines.join("\n")}\n`);
  const store = new HistoryStore(join(folder, "history"));
  await importFiles(store, {
    market,
    files: [path],
    clock: { partsAt: [], baseLatencyNs: 0n },
    replace: false,
  });
  return store;
}
