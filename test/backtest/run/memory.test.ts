import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BacktestConfig } from "#backtest/backtest-config.js";
import { type OpenedHistory, openHistory } from "#backtest/open-history.js";
import { playReport } from "#backtest/play-path.js";
import type { PlayedHistory } from "#backtest/played-history.js";
import type { HistoryStore } from "#history/history-store.js";
import { importFiles } from "#history/import-files.js";
import { MarkSource } from "#history/open-marks.js";
import type { MarkTape, Tape } from "#history/tape.js";
import { generateHistory } from "../../support/generated-history.js";
import { ladderBacktest, ladderConfig, ladders, MARKET } from "./ladder-run.js";

const MIDNIGHT_MS = Date.UTC(2026, 0, 6);
const FROM_MS = MIDNIGHT_MS - 45_000;
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

let folder: string;
let store: HistoryStore;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "backtest-memory-"));
  store = await generateHistory(folder, {
    market: MARKET,
    fromMs: FROM_MS,
    seconds: 90,
    klines: true,
  });
  // Two a second, some at one instant; they announce the funding that is paid at midnight.
  const marks = Array.from({ length: 180 }, (_, at) => {
    const time = FROM_MS + Math.floor(at / 3) * 1500;
    const next = time < MIDNIGHT_MS ? MIDNIGHT_MS : MIDNIGHT_MS + 28_800_000;
    return `${time},${(60_000 + Math.sin(at) * 5).toFixed(2)},60000,0.0001,${next}\n`;
  });
  const csv = join(folder, "marks.csv");
  writeFileSync(csv, `time,markPrice,indexPrice,fundingRate,nextFundingTime\n${marks.join("")}`);
  await importFiles(store, {
    market: MARKET,
    files: [csv],
    clock: { partsAt: [], baseLatencyNs: 0n },
    replace: false,
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function configOf(memoryMb: number, grade = "books"): BacktestConfig {
  return ladderConfig(
    folder,
    ladderBacktest(`from: 2026-01-05, to: 2026-01-07, grade: ${grade}, memoryMb: ${memoryMb}`),
  );
}

/** The result of a history, without the parts that depend on its configuration alone. */
async function outcomeOf(config: BacktestConfig, history: PlayedHistory): Promise<string> {
  const { configuration: _said, ...report } = await playReport(config, ladders(), history, "ohlc");
  expect(report.fills.all.fills).toBeGreaterThan(10);
  return JSON.stringify(report);
}

/** Counts the blocks of a stream that are still in memory whenever the next is read. */
class Watched<Block extends { readonly exchangeUs: Float64Array }> implements AsyncIterable<Block> {
  blocks = 0;
  mostAlive = 0;
  readonly #stream: AsyncIterable<Block>;
  readonly #memory: WeakRef<ArrayBufferLike>[] = [];

  constructor(stream: AsyncIterable<Block>) {
    this.#stream = stream;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Block, void> {
    for await (const block of this.#stream) {
      this.blocks += 1;
      this.#memory.push(new WeakRef(block.exchangeUs.buffer));
      // A dereferenced WeakRef lives to the end of its turn of the event loop.
      await new Promise((done) => setImmediate(done));
      collect();
      this.mostAlive = Math.max(
        this.mostAlive,
        this.#memory.filter((ref) => ref.deref() !== undefined).length,
      );
      yield block;
    }
  }
}

function watched(
  history: OpenedHistory,
  marksAtOnce: number,
): {
  readonly history: PlayedHistory;
  readonly tapes: Watched<Tape>;
  readonly marks: Watched<MarkTape>;
} {
  const [market] = history.markets;
  if (market?.tapes === undefined) throw new Error("no tapes");
  const tapes = new Watched<Tape>(market.tapes);
  const marks = new Watched<MarkTape>(
    new MarkSource(store, MARKET, { fromUs: 0, toUs: 4e15, blockRows: marksAtOnce }),
  );
  return { history: { ...history, markets: [{ ...market, tapes, marks }] }, tapes, marks };
}

describe("A history larger than memory", () => {
  it("gives the same result as in one piece, with three tapes and three blocks of marks in memory at a time", async () => {
    const [wide, narrow] = [configOf(128), configOf(0.12)];
    const whole = watched(await openHistory(wide), 1_000_000);
    const parts = watched(await openHistory(narrow), 40);
    const [one, other] = [
      await outcomeOf(wide, whole.history),
      await outcomeOf(narrow, parts.history),
    ];
    expect(other).toBe(one);
    expect([whole.tapes.blocks, whole.marks.blocks]).toEqual([2, 1]);
    expect(parts.tapes.blocks).toBeGreaterThan(3);
    expect(parts.marks.blocks).toBeGreaterThan(3);
    expect(parts.tapes.mostAlive).toBeLessThanOrEqual(3);
    expect(parts.marks.mostAlive).toBeLessThanOrEqual(3);
  });

  it("is refused where it is candles, which are in memory whole", async () => {
    const config = configOf(128, "klines");
    const { markets } = await openHistory(config);
    expect(markets[0]?.klines?.bars).toBeGreaterThan(1);
    const tiny = { ...config, history: { ...config.history, memoryMb: 32 / 1_000_000 } };
    await expect(openHistory(tiny)).rejects.toThrow(
      /are more candles than fit into memory.*at most 1/,
    );
  });
});
