import { scaledToDecimal } from "../../core/instrument.js";
import { ADVERSE_SELECTION_MS, RunRecorder } from "../record/run-recorder.js";
import type { FillsFile } from "../report/fills-file.js";
import { reportFigures } from "../report/make-report.js";
import { formatInstant } from "../report/page/format-instant.js";
import type { RunMeta } from "../report/run-meta.js";
import { LiveMarketRecorder } from "./live-market-recorder.js";
import { LIVE_REPORT_FORMAT, type LiveReport } from "./live-report-schema.js";
import type { LiveRun } from "./live-run.js";
import { type PlayedDays, playDays } from "./play-days.js";

/** Most halts in a report. */
const MOST_HALTS = 500;

/** Figures of a backtest's report that a live one cannot have. */
const ABSENT = [
  "causes of maker fills and ambiguous fills: the exchange does not tell why an order was filled",
  "orders of fills: the exchange's trades do not name their order",
  "drawdowns between two records of the equity",
  "refused intents and token budgets over time: the day files do not keep them",
] as const;

/** A live report, and the recorder that it was made of. */
export interface MadeLiveReport {
  readonly report: LiveReport;
  readonly recorder: RunRecorder;
}

/**
 * Makes the report of a span of a live bot from its day files.
 * @param name title of the report
 * @param fills receives every fill; undefined for no file
 * @throws RunError if the parts of the profit do not sum to the change of the equity
 */
export async function makeLiveReport(
  run: LiveRun,
  name: string,
  fills?: FillsFile,
): Promise<MadeLiveReport> {
  const startUs = run.fromMs * 1000;
  const recorder = new RunRecorder({
    startUs,
    instruments: run.instruments,
    adverseSelectionMs: ADVERSE_SELECTION_MS,
    ...(fills === undefined ? {} : { onFill: (fill) => fills.write(fill) }),
    createMarket: (instrument, grid, adverseSelectionMs) =>
      new LiveMarketRecorder(instrument, grid, adverseSelectionMs),
  });
  const played = await playDays(run, recorder);
  const endUs = played.endMs * 1000;
  const [newest] = [...run.facts.values()].slice(-1);
  const meta: Omit<RunMeta, "seed" | "grade"> = {
    name,
    version: newest?.version ?? "",
    startUs,
    asset: newest?.quoteAsset ?? "",
    instruments: run.instruments,
    strategies: run.strategies,
    configuration: [],
    data: [],
    gaps: played.downtime.gaps.map(
      ({ fromMs, toMs, cause }) =>
        `${formatInstant(fromMs * 1000)} to ${formatInstant(toMs * 1000)}: ${cause}`,
    ),
    inputs: [],
    sampleMs: newest?.everyMs ?? 0,
  };
  const {
    ended: _,
    equity,
    fills: totals,
    markets,
    ...figures
  } = reportFigures(meta, recorder, recorder.end(endUs), { endUs, ended: "end-of-history" });
  const { byCause: __, ...sums } = totals;
  const { reported } = played.equity;
  const report: LiveReport = {
    format: LIVE_REPORT_FORMAT,
    grade: "live",
    ended: "end-of-span",
    ...figures,
    equity: {
      ...equity,
      start: scaledToDecimal(reported.start, run.decimals),
      end: scaledToDecimal(reported.end, run.decimals),
    },
    fills: sums,
    markets: markets.map(({ fills: of, ...market }) => {
      const { byCause: ___, doubtful: ____, ...rest } = of;
      return { ...market, fills: rest };
    }),
    live: liveFigures(run, played, recorder),
  };
  return { report, recorder };
}

function liveFigures(run: LiveRun, played: PlayedDays, recorder: RunRecorder): LiveReport["live"] {
  const { downtime, equity, endMs } = played;
  const { fromMs, decimals, unread } = run;
  const at = (ms: number): string => formatInstant(ms * 1000);
  const facts = [...run.facts.values()];
  const creditDecimals = facts.at(-1)?.creditDecimals ?? 0;
  const spanUs = Math.max(1, (endMs - fromMs) * 1000);
  const share = (us: number): number => Math.min(1, us / spanUs);
  return {
    account: facts.at(-1)?.account ?? "",
    runs: played.runs.map(({ startMs, endMs: lastMs, version }) => ({
      start: at(startMs),
      end: at(lastMs),
      version,
    })),
    underWay: scaledToDecimal(equity.underWay, decimals),
    unattended: scaledToDecimal(equity.unattended, decimals),
    hedgeProfit:
      equity.hedgeProfit === undefined ? null : scaledToDecimal(equity.hedgeProfit, creditDecimals),
    unseenFills: played.unseenFills,
    settlementFailures: played.settlementFailures,
    liquidations: played.liquidations,
    uptime: [...recorder.markets].map(([marketId, market]) => {
      const { bothUs, bid, ask } = market.quotes.times(endMs * 1000);
      return {
        marketId,
        seconds: spanUs / 1e6,
        both: share(bothUs),
        bid: share(bid.restingUs),
        ask: share(ask.restingUs),
        down: downtime.downOf(marketId),
      };
    }),
    halts: {
      count: downtime.halts.length,
      first: downtime.halts
        .slice(0, MOST_HALTS)
        .map(({ name, marketId, why, fromMs: sinceMs, toMs }) => ({
          name,
          marketId: marketId === "" ? null : marketId,
          why,
          from: at(sinceMs),
          to: toMs === undefined ? null : at(toMs),
          seconds: Math.max(0, (toMs ?? endMs) - sinceMs) / 1000,
        })),
    },
    unreadLines: unread,
    absent: [...ABSENT],
  };
}
