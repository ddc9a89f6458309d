import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { map } from "rxjs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BacktestConfig, loadBacktestConfig } from "#backtest/backtest-config.js";
import { checkLookAhead } from "#backtest/look-ahead.js";
import { openHistory } from "#backtest/open-history.js";
import { openShared } from "#backtest/open-shared.js";
import { playReport } from "#backtest/play-path.js";
import { type ReferenceFactory, ReferenceReplay } from "#backtest/reference-replay.js";
import { renderResolvedFiles } from "#backtest/render-resolved-files.js";
import { playedHistory } from "#backtest/shared-history.js";
import type { BotEvent } from "#bot/bot-event.js";
import { seededRandom } from "#core/seeded-random.js";
import { VirtualClock } from "#core/virtual-clock.js";
import type { HistoryStore } from "#history/history-store.js";
import { importFiles } from "#history/import-files.js";
import { ReferenceRecorder } from "#history/reference-recorder.js";
import type { BoundStrategy } from "#strategies/strategy.js";
import { generateHistory } from "../../support/generated-history.js";
import { MARKET } from "./ladder-run.js";

const FROM_MS = Date.UTC(2026, 0, 5, 23, 59, 30);
const SECONDS = 45;

let folder: string;
let store: HistoryStore;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "references-"));
  store = await generateHistory(folder, {
    market: MARKET,
    fromMs: FROM_MS,
    seconds: SECONDS,
    klines: true,
  });
  await recordBinance(store, FROM_MS, SECONDS);
  await importQuotes(store, folder, FROM_MS, SECONDS);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Records a walk around the market's own price, a price every 37 ms, with a source that goes. */
async function recordBinance(into: HistoryStore, fromMs: number, seconds: number): Promise<void> {
  const clock = new VirtualClock(fromMs);
  const random = seededRandom("binance");
  const recorder = await ReferenceRecorder.open({
    store: into,
    source: "binance",
    runtime: { clock, random },
    sealsDays: false,
  });
  let mid = 60_000;
  for (let ms = 0; ms < seconds * 1000; ms += 37) {
    mid += random.uniform() - 0.5;
    const isGone = ms > 20_000 && ms < 22_000;
    if (!isGone)
      recorder.record({
        type: "price",
        source: "binance",
        bid: Number((mid - 0.05).toFixed(2)),
        ask: Number((mid + 0.05).toFixed(2)),
        timeMs: fromMs + ms - 12,
        heldMs: 0,
      });
    else if (ms < 20_037)
      recorder.record({ type: "down", source: "binance", reason: "the stream was closed" });
    await clock.runFor(37);
  }
  await recorder.close();
}

/** Imports touch prices without a local stamp. */
async function importQuotes(
  into: HistoryStore,
  work: string,
  fromMs: number,
  seconds: number,
): Promise<void> {
  const random = seededRandom("okx");
  const lines = ["time,bid,bidAmount,ask,askAmount"];
  let mid = 60_000;
  for (let ms = 0; ms < seconds * 1000; ms += 50) {
    mid += random.uniform() - 0.5;
    lines.push(`${fromMs + ms},${(mid - 0.1).toFixed(1)},1,${(mid + 0.1).toFixed(1)},2`);
  }
  const path = join(work, "okx-bbo.csv");
  writeFileSync(path, `${lines.join("\n")}\n`);
  await importFiles(into, {
    market: "okx-swap",
    files: [path],
    clock: { partsAt: [], baseLatencyNs: 0n },
    replace: false,
  });
}

interface Files {
  readonly from?: readonly string[];
  readonly references?: string;
  readonly history?: string;
  readonly sources?: string;
  readonly reference?: string;
}

function backtest({
  from = ["binance"],
  references = "",
  history = "from: 2026-01-05, to: 2026-01-07",
  sources = `
  binance: { ccxt: binanceusdm, symbol: "BTC/USDT:USDT" }
  okx: { ccxt: okx, symbol: "BTC/USDT:USDT" }
  own: { index: ${MARKET} }`,
  reference = "",
}: Files = {}): BacktestConfig {
  const work = mkdtempSync(join(folder, "bt-"));
  mkdirSync(work, { recursive: true });
  writeFileSync(
    join(work, "bot.yaml"),
    `exchange: { rest: http://127.0.0.1:8620/v1, stream: ws://127.0.0.1:8620/v1 }
account: { keyEnv: KEY }
quotes: { timeInForce: POST_ONLY }
decide: { everyMs: 1000 }
references: ${sources}
markets:
  ${MARKET}:
    strategy: ladder
    params: { halfSpreadBps: 1, sizeBase: 0.01 }
    limits: { maxPositionBase: 0.5, maxOrderBase: 0.05 }
    reference: { from: [${from.join(", ")}], maxDeviationBps: 100, maxAgeMs: 1000${reference} }
risk: { maxDrawdownQuote: 50000 }
`,
  );
  writeFileSync(
    join(work, "bt.yaml"),
    `history: { store: ${join(folder, "history")}, market: ${MARKET}, ${history} }
bot: bot.yaml
${references}
rules: { markets: { ${MARKET}: { tickSizeQuote: 0.1, stepSizeBase: 0.001, makerFeeRate: 0.0001, takerFeeRate: 0.0005 } } }
`,
  );
  return loadBacktestConfig(join(work, "bt.yaml"), {});
}

/** Quotes a tick around the reference. */
const aroundReference: BoundStrategy = () => (view$) =>
  view$.pipe(
    map(({ reference, sequence }) => {
      const fair = reference?.fairTicks ?? Number.NaN;
      return {
        kind: "quotes" as const,
        marketId: MARKET,
        viewSequence: sequence,
        quotes: Number.isNaN(fair)
          ? []
          : [{ side: "BUY" as const, level: 0, ticks: Math.floor(fair) - 1, lots: 5 }],
        reason: { fairTicks: fair, reservationTicks: 0, halfSpreadTicks: 1, terms: {}, clamps: [] },
      };
    }),
  );
const run = { strategies: new Map([[MARKET, aroundReference]]), version: "0.0.0" };

/** The intents, halts and report of a run. */
async function played(config: BacktestConfig, isShared = false) {
  const intents: string[] = [];
  const halts: string[] = [];
  const onBotEvent = (notice: BotEvent, atUs: number): void => {
    if (notice.kind === "intent") intents.push(`${atUs} ${JSON.stringify(notice.intent)}`);
    if (notice.kind === "halted") halts.push(`${atUs / 1000 - FROM_MS} ${notice.why}`);
  };
  const { fromUs, toUs } = config.history;
  const history = isShared
    ? playedHistory(await openShared(config, { fromUs, toUs } as never))
    : await openHistory(config);
  const report = await playReport(config, { ...run, onBotEvent }, history, "ohlc");
  return { intents, halts, report };
}

describe("a backtest with a reference", () => {
  it("plays the recorded prices of the source, names their files, and halts while the recording says that it was gone", async () => {
    const { intents, halts, report } = await played(backtest());
    expect(intents.length).toBeGreaterThan(300);
    // The recorder noted it 20,017 ms after the start, 541 times 37 ms; the next price came at
    // 22,015 ms.
    const gone = halts.filter((line) => line.includes("is down (the stream was closed)"));
    expect(gone[0]).toMatch(/^20017 /);
    expect(Number(gone.at(-1)?.split(" ")[0])).toBeLessThan(22_600);
    expect(report.data.map(({ file }) => file)).toContain("binance/reference/2026-01-05.parquet");
    // Over midnight, and with the same result when a sweep's threads play it from memory.
    const last = intents.at(-1) ?? "";
    expect(Number(last.split(" ")[0]) / 1000).toBeGreaterThan(FROM_MS + 40_000);
    expect((await played(backtest(), true)).intents).toEqual(intents);
  });

  it("plays imported touch prices under the name and with the latency that the file says", async () => {
    const late = (ms: number) =>
      backtest({
        from: ["okx"],
        references: `references: { okx: { market: okx-swap, latencyMs: ${ms} } }`,
        history: "from: 2026-01-05, to: 2026-01-05T23:59:40Z",
      });
    const [soon, later] = [await played(late(5)), await played(late(105))];
    const at = ({ intents }: typeof soon) =>
      intents.map((line) => Number(line.split(" ")[0]) / 1000 - FROM_MS);
    expect(at(soon).filter((ms) => ms % 50 === 5).length).toBeGreaterThan(50);
    expect(at(later).filter((ms) => ms % 50 === 5).length).toBeGreaterThan(50);
    expect(later.intents).not.toEqual(soon.intents);
  });

  it("says what is missing: the prices of a source, their latency, an index, or finer data than candles", async () => {
    await expect(openHistory(backtest({ from: ["okx"] }))).rejects.toThrow(
      /references\.okx.*has no prices.*record them.*references\.okx\.market/s,
    );
    const unstamped = backtest({
      from: ["okx"],
      references: "references: { okx: { market: okx-swap } }",
    });
    await expect(played(unstamped)).rejects.toThrow(/references\.okx\.latencyMs: is missing/);
    await expect(openHistory(backtest({ from: ["own"] }))).rejects.toThrow(
      /references\.own.*has no index price of btcusdc/s,
    );
    await expect(
      openHistory(backtest({ history: "from: 2026-01-05, to: 2026-01-07, grade: klines" })),
    ).rejects.toThrow(/history\.grade.*cannot be candles/s);
    expect(() => backtest({ references: "references: { okx: { latencyMs: 5 } }" })).toThrow(
      /references\.okx.*one of binance/s,
    );
  });

  it("lists the time for which a source has no history, in which its last price does not count", async () => {
    const own = mkdtempSync(join(folder, "short-"));
    const short = await generateHistory(own, { market: MARKET, fromMs: FROM_MS, seconds: 14 });
    await recordBinance(short, FROM_MS, 10);
    const config = backtest();
    const { halts, report } = await played({
      ...config,
      history: { ...config.history, store: short.root },
    });
    // A price is 37 ms old at the most when the recording ends.
    const gone = halts.find((line) => line.includes("its history has a gap here"));
    expect(gone).toMatch(/^10028 .*binance is down/);
    expect(report.gaps.join()).toMatch(/binance reference: 2026-01-05T23:59:40/);
  });
});

it("shows files in a report that play the same sources again, without the address of the bot's chain", () => {
  const feed = `0x${"ab".repeat(20)}`;
  const config = backtest({
    from: ["binance", "chainlink", "mine"],
    references: "references: { chainlink: { market: feed-btc, latencyMs: 12 } }",
    sources: `
  binance: { ccxt: binanceusdm, symbol: "BTC/USDT:USDT", minGapMs: 50 }
  chainlink: { feed: "${feed}" }
  mine: { module: ./sources/mine.mjs, params: { depth: 2 } }
  unused: { ccxt: okx, symbol: "BTC/USDT:USDT" }
chain: { rpc: [http://127.0.0.1:18545] }`,
  });
  const shown = mkdtempSync(join(folder, "shown-"));
  const files = renderResolvedFiles(config, {
    grade: "books",
    interval: undefined,
    sampleMs: 1000,
  });
  for (const { name, yaml } of files) writeFileSync(join(shown, name), yaml);
  expect(files.map(({ yaml }) => yaml).join()).not.toContain("18545");
  const again = loadBacktestConfig(join(shown, "bt.yaml"), {});
  expect(again.references).toEqual(config.references);
  expect(again.references.outside).toEqual([
    { source: "binance", market: "binance", latencyMs: undefined },
    { source: "chainlink", market: "feed-btc", latencyMs: 12 },
    { source: "mine", market: "mine", latencyMs: undefined },
  ]);
  const { unused: _, mine, ...used } = config.bot.references ?? {};
  // As strategy files are: relative to the YAML, as they were to the run's own.
  const moved = { ...mine, module: join(shown, "sources/mine.mjs") };
  expect(again.bot.references).toEqual({ ...used, mine: moved });
  expect(again.bot.markets[MARKET].reference).toEqual(config.bot.markets[MARKET].reference);
});

describe("the check for look-ahead of a backtest with a reference", () => {
  const SHORT = { history: "from: 2026-01-05, to: 2026-01-05T23:59:38Z" };

  it("finds nothing in a bot that acts on the prices it has received", async () => {
    const check = await checkLookAhead(backtest(SHORT), run, 6);
    expect(check).toMatchObject({ cuts: 6, changed: [] });
    expect(check.decisions).toBeGreaterThan(100);
  });

  it("cuts after the beginning of every source, where something is left to run", async () => {
    const own = mkdtempSync(join(folder, "later-"));
    const later = await generateHistory(own, { market: MARKET, fromMs: FROM_MS, seconds: 6 });
    await recordBinance(later, FROM_MS + 4000, 3);
    const config = backtest();
    const check = await checkLookAhead(
      { ...config, history: { ...config.history, store: later.root } },
      run,
      3,
    );
    expect(check).toMatchObject({ cuts: 3, changed: [] });
  });

  it("finds a source that shows its prices before they are received", async () => {
    const eager: ReferenceFactory = (source, tape, options) =>
      new ReferenceReplay(
        source,
        { ...tape, localUs: tape.localUs.map((us) => us - 100_000) },
        options,
      );
    const check = await checkLookAhead(backtest(SHORT), { ...run, createReference: eager }, 6);
    expect(check.changed.length).toBeGreaterThan(0);
  });
});
