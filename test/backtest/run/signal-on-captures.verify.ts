import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadBacktestConfig } from "#backtest/backtest-config.js";
import { runBacktest } from "#backtest/run-backtest.js";
import { bindStrategies, loadStrategies } from "#bot/market-strategies.js";
import { signalLines } from "#cli/signal-lines.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { HistoryStore } from "#history/history-store.js";
import { importFiles } from "#history/import-files.js";
import { createLog } from "#monitoring/log.js";
import { recordedDataFolder } from "#simulator/data-folder.js";
import { BTC_CAPTURES, type BtcCapture } from "../../support/capture-tape.js";

const DATA = recordedDataFolder();
const MARKET = "btcusdt";
/** Snapshots of twenty levels, half a second apart, for 25 seconds. */
const HYPERLIQUID = "btc-hyperliquid_20250126";

const captures = [...(Object.keys(BTC_CAPTURES) as BtcCapture[]), HYPERLIQUID].map((tag) => ({
  tag,
  isHere: existsSync(join(DATA, "books", `${tag}.ndjson.gz`)),
  tickSize: tag === HYPERLIQUID ? "1" : "0.1",
  stepSize: tag === HYPERLIQUID ? "0.00001" : "0.001",
  partsAt:
    tag === HYPERLIQUID
      ? []
      : BTC_CAPTURES[tag as BtcCapture].slice(1).map(([line]) => BigInt(line)),
}));

const SIGNALS = {
  stoikov: { signal: "stoikov", fit: { sampleMs: 100, refitMs: 1000 } },
  "weighted mid": { signal: "weighted-mid" },
};

let scratch: string;
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), "marketwright-signal-"));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe.each(captures)(
  "$tag (skipped where it does not lie on this machine)",
  ({ tag, isHere, tickSize, stepSize, partsAt }) => {
    it.skipIf(!isHere)(
      "is reported with the worth of both signals of imbalance, or is too short to tell",
      async () => {
        const folder = mkdtempSync(join(scratch, "history-"));
        await importFiles(new HistoryStore(join(folder, "history")), {
          market: MARKET,
          files: ["trades", "books"].map((kind) => join(DATA, kind, `${tag}.ndjson.gz`)),
          clock: { partsAt, baseLatencyNs: 5_000_000n },
          replace: false,
        });
        for (const [name, signal] of Object.entries(SIGNALS)) {
          const params = { ...signal, halfSpreadTicks: 20, sizeBase: 0.01 };
          writeFileSync(
            join(folder, "bot.yaml"),
            `exchange: { rest: http://127.0.0.1:8620/v1, stream: ws://127.0.0.1:8620/v1 }
account: { keyEnv: KEY }
quotes: { timeInForce: POST_ONLY }
decide: { everyMs: 100, onTouchChange: true, minGapMs: 0 }
markets:
  ${MARKET}: { strategy: imbalance, params: ${JSON.stringify(params)}, limits: { maxPositionBase: 0.1, maxOrderBase: 0.05 } }
risk: { maxDrawdownQuote: 5000 }
`,
          );
          writeFileSync(
            join(folder, "backtest.yaml"),
            `history: { store: history, market: ${MARKET}, from: 2023-01-01, to: 2025-12-31, grade: books }
bot: bot.yaml
rules: { markets: { ${MARKET}: { tickSizeQuote: ${tickSize}, stepSizeBase: ${stepSize}, makerFeeRate: 0.0001, takerFeeRate: 0.0005 } } }
fills: { queue: risk-averse, orderLatencyMs: 10, responseLatencyMs: 10 }
`,
          );
          const config = loadBacktestConfig(join(folder, "backtest.yaml"), {});
          const log = createLog(
            { write: () => {} },
            { level: "fatal", clock: new VirtualClock(0) },
          );
          const { report } = await runBacktest(config, {
            strategies: bindStrategies(config.bot, await loadStrategies(config.bot, log)),
            version: "0.0.0",
            directory: join(folder, "report"),
            replace: true,
          });
          const [market] = report.markets;
          if (market === undefined) throw new Error("no market was reported");
          process.stdout.write(
            `${tag}, ${name}, ${report.fills.all.fills} fills, ended ${report.ended}\n${signalLines(market).join("\n")}\n`,
          );
          // Without a fit there is no prediction.
          if (market.signal === undefined) {
            expect([tag, name]).toEqual([HYPERLIQUID, "stoikov"]);
            continue;
          }
          for (const [at, { independentMoves, figures }] of market.signal.entries()) {
            expect(figures === null).toBe(independentMoves < 100);
            if (figures === null) continue;
            const { slope, hitRate, correlation } = figures;
            expect(slope.low).toBeLessThan(slope.high);
            expect(hitRate.low).toBeLessThan(hitRate.high);
            expect(Math.abs(correlation)).toBeLessThan(1);
            expect(at).toBeLessThan(5);
          }
        }
      },
    );
  },
);
