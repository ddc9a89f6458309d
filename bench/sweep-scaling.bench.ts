import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { BacktestConfig } from "#backtest/backtest-config.js";
import { readVenueRules } from "#backtest/backtest-rules.js";
import { backtestSchema } from "#backtest/backtest-schema.js";
import type { Job } from "#backtest/job-player.js";
import { historyBytes, type SharedHistory } from "#backtest/shared-history.js";
import { ThreadPool } from "#backtest/thread-pool.js";
import { botSchema } from "#bot/config-schema.js";
import type { Tape } from "#history/tape.js";
import type { Bench } from "./bench.js";
import { effort } from "./effort.js";
import { bookTape } from "./market-tape.js";
import { twoLoopsTimesOne } from "./plain-loops.js";
import { median } from "./rounds.js";

const BYTES = effort(2 ** 30, 1);
const ROUNDS = effort(3, 1);
const ENTRY = new URL("../dist/backtest/sweep/jobs/job-thread.js", import.meta.url);
const WINDOW = { name: "whole", fromUs: 0, toUs: Number.MAX_SAFE_INTEGER };

/** Sweeps on one machine: the rate of two threads over that of one, on shared columns. */
export const bench: Bench = {
  about:
    "runs of a sweep by two threads against one, on 1 GB of shared columns, and what the second one costs in memory",
  floor: 1.7,
  async run() {
    const { tape: recorded, source } = bookTape();
    const tape = tiled(beginningOf(recorded, TILE_MESSAGES), BYTES);
    const history = historyOf(tape);
    const megabytes = historyBytes(history) / 2 ** 20;
    const taken = {
      one: [] as number[],
      two: [] as number[],
      ratio: [] as number[],
      first: [] as number[],
      memory: [] as number[],
      loops: [] as number[],
    };
    for (let round = 0; round < ROUNDS; round++) {
      const before = await twoLoopsTimesOne();
      const one = await measured(history, 1);
      const two = await measured(history, 2);
      taken.one.push(one.rate);
      taken.two.push(two.rate);
      taken.ratio.push(two.rate / one.rate);
      taken.first.push(two.firstRate / one.firstRate);
      taken.memory.push(two.megabytes - one.megabytes);
      taken.loops.push((before + (await twoLoopsTimesOne())) / 2);
    }
    const added = median(taken.memory);
    return {
      ours: median(taken.two),
      reference: median(taken.one),
      ratio: median(taken.ratio),
      unit: "rows/s",
      referenceIs: `the same pool with one thread; ${source}, tiled`,
      details: {
        "MB of columns": megabytes,
        "rows of a run": tape.rows,
        "MB that the second thread adds": added,
        "of the columns, %": (100 * added) / megabytes,
        "of the columns at most, %": (100 * Math.max(...taken.memory)) / megabytes,
        "ratio of the worst round": Math.min(...taken.ratio),
        "ratio of each thread's first run": median(taken.first),
        "two plain loops, times one": median(taken.loops),
      },
    };
  },
};

/** The result for a number of threads. Rates in rows per second of all of them together. */
interface Measured {
  readonly rate: number;
  /** The rate of the preceding run, each thread's first over the whole history. */
  readonly firstRate: number;
  /** The most memory that the process held during both. */
  readonly megabytes: number;
}

/**
 * One measured run per thread, after a short run, which loads the code, and a run over the whole
 * history. A sweep's thread plays the same columns dozens of times, and the code compiled in its
 * first run takes the core that a second thread would have.
 */
async function measured(history: SharedHistory, workers: number): Promise<Measured> {
  // Without this process's loader of TypeScript, which a sweep does not have.
  const pool = new ThreadPool({ workers, version: "bench", entry: ENTRY, execArgv: [] });
  const rows = history.markets.reduce((sum, { tape }) => sum + (tape?.rows ?? 0), 0);
  const play = async (played: SharedHistory): Promise<number> => {
    const jobs = Array.from({ length: workers }, (_, at) => jobOf(played, `whole-${at}`));
    const batch = {
      sweep: "bench",
      window: WINDOW,
      jobs,
      open: async () => played,
      contents: async () => ({ files: [], gaps: [] }),
    };
    const start = performance.now();
    await pool.run(batch, () => {}, new AbortController().signal);
    return (workers * rows) / ((performance.now() - start) / 1000);
  };
  let most = 0;
  let watch: NodeJS.Timeout | undefined;
  const look = (): void => {
    most = Math.max(most, process.memoryUsage.rss());
  };
  try {
    await play(historyOf(beginningOf(history.markets[0]?.tape as Tape, LOADING_MESSAGES)));
    watch = setInterval(look, WATCH_MS);
    const firstRate = await play(history);
    const rate = await play(history);
    look();
    return { rate, firstRate, megabytes: most / 2 ** 20 };
  } finally {
    clearInterval(watch);
    await pool.close();
    globalThis.gc?.();
  }
}

const WATCH_MS = 50;
/** The messages of the run that loads a thread's code. */
const LOADING_MESSAGES = effort(100_000, 50);
const TILE_MESSAGES = effort(Number.MAX_SAFE_INTEGER, 500);

/** The same messages repeatedly, each time later, until the columns reach a size. */
function tiled(tape: Tape, bytes: number): Tape {
  const perTile = tape.rows * 8 + tape.messages * 25;
  const tiles = Math.max(1, Math.round(bytes / perTile));
  const [messages, rows] = [tape.messages * tiles, tape.rows * tiles];
  const spanUs =
    (tape.exchangeUs[tape.messages - 1] as number) - (tape.exchangeUs[0] as number) + 1_000_000;
  const shared = (size: number): SharedArrayBuffer => new SharedArrayBuffer(size);
  const exchangeUs = new Float64Array(shared(8 * messages));
  const localUs = new Float64Array(shared(8 * messages));
  const kind = new Uint8Array(shared(messages));
  const rowEnd = new Uint32Array(shared(4 * messages));
  const byLocal = new Uint32Array(shared(4 * messages));
  const signedTicks = new Int32Array(shared(4 * rows));
  const lots = new Uint32Array(shared(4 * rows));
  for (let tile = 0; tile < tiles; tile++) {
    const [atMessage, atRow] = [tile * tape.messages, tile * tape.rows];
    kind.set(tape.kind, atMessage);
    signedTicks.set(tape.signedTicks, atRow);
    lots.set(tape.lots, atRow);
    for (let at = 0; at < tape.messages; at++) {
      exchangeUs[atMessage + at] = (tape.exchangeUs[at] as number) + tile * spanUs;
      localUs[atMessage + at] = (tape.localUs[at] as number) + tile * spanUs;
      rowEnd[atMessage + at] = (tape.rowEnd[at] as number) + atRow;
      byLocal[atMessage + at] = (tape.byLocal?.[at] ?? at) + atMessage;
    }
  }
  return { ...tape, messages, rows, exchangeUs, localUs, kind, rowEnd, byLocal, signedTicks, lots };
}

function historyOf(tape: Tape): SharedHistory {
  return {
    grade: "books",
    interval: undefined,
    startUs: tape.exchangeUs[0] as number,
    endUs: (tape.exchangeUs[tape.messages - 1] as number) + 1,
    files: [],
    gaps: [],
    markets: [
      {
        marketId: tape.marketId,
        marks: undefined,
        hasFundingSchedule: false,
        funding: undefined,
        klines: undefined,
        tape,
        missingSpans: [],
      },
    ],
  };
}

/** Its first messages. */
function beginningOf(tape: Tape, most: number): Tape {
  const messages = Math.min(most, tape.messages);
  const cut = <Column extends Float64Array | Uint8Array | Uint32Array>(column: Column): Column =>
    column.subarray(0, messages) as Column;
  return {
    ...tape,
    messages,
    rows: tape.rowEnd[messages - 1] as number,
    exchangeUs: cut(tape.exchangeUs),
    localUs: cut(tape.localUs),
    kind: cut(tape.kind),
    rowEnd: cut(tape.rowEnd),
    signedTicks: tape.signedTicks.subarray(0, tape.rowEnd[messages - 1]),
    lots: tape.lots.subarray(0, tape.rowEnd[messages - 1]),
    byLocal: tape.byLocal?.filter((message) => message < messages),
  };
}

function jobOf({ markets, startUs, endUs }: SharedHistory, id: string): Job {
  const tape = markets[0]?.tape as Tape;
  const { marketId } = tape;
  const params = {
    riskAversion: 0.05,
    sizeBase: 0.01,
    kPerBps: 0.155,
    aPerSecond: 1.2,
    halfSpreadFactor: 0.5,
    skewFactor: 0.2,
  };
  const bot = botSchema.parse({
    exchange: { rest: "http://exchange.test/v1", stream: "ws://exchange.test/v1" },
    account: { keyEnv: "KEY" },
    quotes: { timeInForce: "POST_ONLY", priceToleranceTicks: 5 },
    decide: { everyMs: 1000, onTouchChange: false, onFill: false },
    markets: {
      [marketId]: {
        strategy: "glft",
        params,
        limits: { maxPositionBase: "0.1", maxOrderBase: "0.05" },
      },
    },
    risk: { maxDrawdownQuote: "1000000" },
  });
  const rules = {
    tickSizeQuote: Number(tape.tickSize),
    stepSizeBase: Number(tape.stepSize),
    makerFeeRate: 0.0001,
    takerFeeRate: 0.0005,
  };
  const { rules: ruleFile, ...file } = backtestSchema.parse({
    history: { market: marketId, from: 0, to: 1 },
    bot: "bot.yaml",
    rules: { markets: { [marketId]: rules } },
    account: { creditQuote: 100_000 },
    sampleMs: 60_000,
  });
  const folder = resolve(fileURLToPath(new URL(".", import.meta.url)));
  const config: BacktestConfig = {
    ...file,
    path: resolve(folder, "bench.yaml"),
    name: id,
    bot: { ...bot, path: resolve(folder, "bot.yaml") },
    history: {
      store: folder,
      baseLatencyMs: 1,
      memoryMb: 128,
      markets: { [marketId]: marketId },
      fromUs: startUs,
      toUs: endUs,
    },
    references: { outside: [], index: [] },
    rules: readVenueRules(ruleFile, [marketId], folder),
    asset: "USDC",
    written: { rules: ruleFile, exchangeInfo: undefined },
    liquidation: { priceOff: 0.01, insuranceFeeRate: 0.01 },
  };
  return { id, config, inputs: {} };
}
