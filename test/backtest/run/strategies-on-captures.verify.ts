import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { map } from "rxjs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadBacktestConfig } from "#backtest/backtest-config.js";
import type { Report } from "#backtest/report-schema.js";
import { runBacktest } from "#backtest/run-backtest.js";
import { bindStrategies, loadStrategies } from "#bot/market-strategies.js";
import { decimalToScaled } from "#core/instrument.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { HistoryStore } from "#history/history-store.js";
import { importFiles } from "#history/import-files.js";
import { createLog } from "#monitoring/log.js";
import { recordedDataFolder } from "#simulator/data-folder.js";
import type { BoundStrategy } from "#strategies/strategy.js";
import { BTC_CAPTURES, type BtcCapture, hasCapture } from "../../support/capture-tape.js";

const DATA = recordedDataFolder();
const SPOT_DAY = join(DATA, "trades", "btcusdt-spot_20220115_ticks.csv.gz");
const MARKET = "btcusdt";

const STRATEGIES = {
  glft: {
    riskAversion: 0.05,
    sizeBase: 0.01,
    kPerBps: 1,
    aPerSecond: 1.2,
    halfSpreadFactor: 0.4,
    skewFactor: 0.2,
  },
  "avellaneda-stoikov": { riskAversion: 0.05, horizonMs: 60_000, sizeBase: 0.01, kPerBps: 2 },
} as const;

/** A history, the grid of its market, and its fill model. */
interface Source {
  readonly name: string;
  readonly isHere: boolean;
  readonly span: string;
  readonly grade: "books" | "trades";
  readonly grid: string;
  readonly everyMs: number;
  readonly fills: string;
  readonly take: (store: HistoryStore) => Promise<unknown>;
}

const captures = (Object.keys(BTC_CAPTURES) as BtcCapture[]).map((tag): Source => {
  const partsAt = BTC_CAPTURES[tag].slice(1).map(([line]) => BigInt(line));
  return {
    name: tag,
    isHere: hasCapture(tag),
    span: "from: 2023-01-01, to: 2025-01-01",
    grade: "books",
    grid: "tickSizeQuote: 0.1, stepSizeBase: 0.001",
    everyMs: 100,
    fills: "queue: risk-averse, orderLatencyMs: 10, responseLatencyMs: 10",
    take: (store) =>
      importFiles(store, {
        market: MARKET,
        files: ["trades", "books"].map((kind) => join(DATA, kind, `${tag}.ndjson.gz`)),
        clock: { partsAt, baseLatencyNs: 5_000_000n },
        replace: false,
      }),
  };
});

const spotDay: Source = {
  name: "btcusdt-spot_20220115, a day of trades",
  isHere: existsSync(SPOT_DAY),
  span: "from: 2022-01-15, to: 2022-01-16",
  grade: "trades",
  grid: "tickSizeQuote: 0.01, stepSizeBase: 0.00001",
  everyMs: 1000,
  fills: "queueAheadBase: 0.1, orderLatencyMs: 10, responseLatencyMs: 10",
  take: (store) =>
    importFiles(store, {
      market: MARKET,
      files: [SPOT_DAY],
      clock: { partsAt: [], baseLatencyNs: 5_000_000n },
      replace: false,
    }),
};

const isValid = new Ajv2020({ strict: true, strictTuples: false, validateFormats: false }).compile(
  JSON.parse(
    readFileSync(new URL("../../../config/report.schema.json", import.meta.url), "utf8"),
  ) as object,
);

let scratch: string;
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), "marketwright-strategies-"));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/**
 * Runs a strategy on a folder's store, and returns its report.json.
 * @param own replaces the built-in strategy of that name.
 */
async function reportOn(
  folder: string,
  source: Source,
  strategy: keyof typeof STRATEGIES,
  own?: BoundStrategy,
): Promise<Report> {
  const bot = `exchange: { rest: http://127.0.0.1:8620/v1, stream: ws://127.0.0.1:8620/v1 }
account: { keyEnv: KEY }
quotes: { timeInForce: POST_ONLY }
decide: { everyMs: ${source.everyMs} }
markets:
  ${MARKET}: { strategy: ${strategy}, params: ${JSON.stringify(STRATEGIES[strategy])}, limits: { maxPositionBase: 0.1, maxOrderBase: 0.05 } }
risk: { maxDrawdownQuote: 5000 }
`;
  writeFileSync(join(folder, "bot.yaml"), bot);
  const path = join(folder, `${strategy}.yaml`);
  writeFileSync(
    path,
    `history: { store: history, market: ${MARKET}, ${source.span}, grade: ${source.grade} }
bot: bot.yaml
rules: { markets: { ${MARKET}: { ${source.grid}, makerFeeRate: 0.0001, takerFeeRate: 0.0005 } } }
fills: { ${source.fills} }
`,
  );
  const config = loadBacktestConfig(path, {});
  const log = createLog({ write: () => {} }, { level: "fatal", clock: new VirtualClock(0) });
  const builtIn = bindStrategies(config.bot, await loadStrategies(config.bot, log));
  const strategies = own === undefined ? builtIn : new Map([[MARKET, own]]);
  const result = await runBacktest(config, {
    strategies,
    version: "0.0.0",
    directory: join(folder, `report-${strategy}`),
    replace: true,
  });
  const report = JSON.parse(readFileSync(result.json, "utf8")) as Report;
  expect(isValid(report), JSON.stringify(isValid.errors)).toBe(true);
  return report;
}

describe.each([...captures, spotDay])(
  "$name (skipped where it does not lie on this machine)",
  (source) => {
    it.skipIf(!source.isHere)(
      "is quoted by both strategies for most of its time, with fills and a report that adds up",
      async () => {
        const folder = mkdtempSync(join(scratch, "history-"));
        await source.take(new HistoryStore(join(folder, "history")));
        for (const strategy of ["glft", "avellaneda-stoikov"] as const) {
          const report = await reportOn(folder, source, strategy);
          const { profit, fills, equity, orders, markets, notes, grade, ended } = report;
          const { both, bid, ask } = (markets[0] as Report["markets"][number]).quotes;
          process.stdout.write(
            `${source.name} ${strategy}: ${fills.all.fills} fills, turnover ${fills.all.turnover}, profit ${profit.total} (${JSON.stringify(profit)}), both sides ${(100 * (both ?? 0)).toFixed(1)} %, ${orders.placed} orders, notes ${JSON.stringify(notes.counts)}\n`,
          );
          expect([grade, ended]).toEqual([source.grade, "end-of-history"]);
          expect(fills.all.fills).toBeGreaterThan(0);
          // Post-only orders never take.
          expect(fills.taker.fills).toBe(0);
          expect(orders.placed).toBeGreaterThan(fills.all.fills / 10);
          expect(both).toBeGreaterThan(0.5);
          for (const { resting } of [bid, ask]) expect(resting).toBeGreaterThanOrEqual(both ?? 0);
          const { total, ...parts } = profit;
          const units = (money: string): bigint => decimalToScaled(money, 18);
          expect(Object.values(parts).reduce((sum, part) => sum + units(part), 0n)).toBe(
            units(total),
          );
          expect(units(equity.end) - units(equity.start)).toBe(units(total));
          // A maker pays a ten thousandth of what changed hands, each order rounded down to the
          // millionth at most.
          expect(Math.abs(Number(profit.fees) + Number(fills.all.turnover) / 10_000)).toBeLessThan(
            fills.all.fills * 1e-6,
          );
        }
      },
    );
  },
);

/** Bids at the best price for a twentieth of a bitcoin, and then holds it. */
const holding: BoundStrategy = () => (view$) =>
  view$.pipe(
    map((view) => ({
      kind: "quotes" as const,
      marketId: MARKET,
      viewSequence: view.sequence,
      quotes:
        view.positionLots < 50
          ? [
              {
                side: "BUY" as const,
                level: 0,
                ticks: view.bids[0].ticks,
                lots: 50 - view.positionLots,
              },
            ]
          : [],
      reason: {
        fairTicks: view.midTicks,
        reservationTicks: view.midTicks,
        halfSpreadTicks: 1,
        terms: {},
        clamps: [],
      },
    })),
  );

describe("the funding of midnight in the capture of April 2023 (skipped where it does not lie on this machine)", () => {
  const source = captures[0] as Source;

  it.skipIf(!source.isHere)(
    "is what a twentieth of a bitcoin pays at the mark that still names it, by the rate of the marks or of the funding file",
    async () => {
      const folder = mkdtempSync(join(scratch, "funding-"));
      const store = new HistoryStore(join(folder, "history"));
      await source.take(store);
      const fundingOf = async () => {
        const { profit, models, gaps } = await reportOn(folder, source, "glft", holding);
        const carry = models.find(({ name }) => name === `Mark and funding in ${MARKET}`)?.value;
        return {
          funding: profit.funding,
          carry,
          lacksMarks: gaps.some((gap) => gap.includes("marks")),
        };
      };
      expect(await fundingOf()).toMatchObject({
        funding: "0",
        carry: expect.stringMatching(/funding: none paid/),
      });
      const more = {
        market: MARKET,
        clock: { partsAt: [13_385n], baseLatencyNs: 5_000_000n },
        replace: false,
      };
      await importFiles(store, {
        ...more,
        files: [join(DATA, "mark", "btcusdt-perp_20230404-05.csv.gz")],
      });
      // The mark of 00:00:00.010 still names midnight, is 28,155.1, and announces 0.0000276: 0.05 x
      // 28155.1 x 0.0000276 = 0.0388540..., and the payer pays the last millionth.
      expect(await fundingOf()).toEqual({
        funding: "-0.038855",
        carry: "mark: as recorded; funding: the rates recorded with the mark prices",
        lacksMarks: false,
      });
      await importFiles(store, {
        ...more,
        files: [join(DATA, "funding", "btcusdt-perp_binance_funding.ndjson.gz")],
      });
      // The payment was 0.0000276, as that mark announced.
      expect(await fundingOf()).toEqual({
        funding: "-0.038855",
        carry: "mark: as recorded; funding: as paid by the exchange",
        lacksMarks: false,
      });
    },
  );
});
