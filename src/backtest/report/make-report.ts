import { createHash } from "node:crypto";
import { Decimal } from "decimal.js";
import { MARKOUT_SECONDS } from "../../account/markouts/markouts.js";
import { scaledToDecimal } from "../../core/instrument.js";
import type { FillCause } from "../matching/matcher.js";
import { FILL_CAUSES, type FillSum } from "../record/fill-totals.js";
import type { MarketRecorder } from "../record/market-recorder.js";
import {
  ADVERSE_SELECTION_MS,
  type FinishedRun,
  type RunRecorder,
} from "../record/run-recorder.js";
import { REPORT_PARTS } from "../record/split-profit.js";
import { computeSharpe, SHARPE_CONVENTION } from "./compute-sharpe.js";
import { describeMostlyAmbiguous } from "./describe-mostly-ambiguous.js";
import {
  marketReport,
  numberOrNull,
  ordersReport,
  profitText,
  profitToBps,
  seriesText,
} from "./market-report.js";
import { dayName, formatInstant } from "./page/format-instant.js";
import { REPORT_FORMAT, type Report } from "./report-schema.js";
import type { RunMeta, RunOutcome } from "./run-meta.js";

/** The part of a report that any run has, replayed or live. */
export type ReportFigures = Omit<Report, "format" | "seed" | "grade" | "isIndicative">;

/**
 * Builds the report of a finished run. The same run gives the same bytes: the report contains no
 * time or place of its making.
 */
export function makeReport(
  meta: RunMeta,
  recorder: RunRecorder,
  finished: FinishedRun,
  outcome: RunOutcome,
): Report {
  const { name, version, ...figures } = reportFigures(meta, recorder, finished, outcome);
  const { seed, grade } = meta;
  const isIndicative = grade === "klines";
  return { format: REPORT_FORMAT, name, version, seed, grade, isIndicative, ...figures };
}

/** Builds the figures of a report. */
export function reportFigures(
  meta: Omit<RunMeta, "seed" | "grade">,
  recorder: RunRecorder,
  finished: FinishedRun,
  outcome: RunOutcome,
): ReportFigures {
  const markets = [...recorder.markets];
  const creditDecimals = markets[0]?.[1].instrument.creditDecimals ?? 0;
  const { decimals } = finished.last.profit;
  const credit = (units: bigint): string => scaledToDecimal(units, creditDecimals);
  const fine = (units: bigint): string => scaledToDecimal(units, decimals);
  // First, since this call may double the width of a bucket.
  const buckets = recorder.grid.bucketOf(finished.endUs) + 1;
  const { deepest, profit, days } = finished;
  const all = recorder.markets;
  const total = (of: (market: MarketRecorder) => FillSum) => {
    const sums = [...all.values()].map(of);
    return {
      fills: sums.reduce((sum, { fills }) => sum + fills, 0),
      turnover: credit(sums.reduce((sum, { quote }) => sum + quote, 0n)),
      fees: credit(sums.reduce((sum, { fees }) => sum + fees, 0n)),
    };
  };
  const turnover = markets.reduce((sum, [, market]) => sum + market.fills.all.quote, 0n);
  const actions = { place: 0, cancel: 0, "cancel-all": 0, throttled: 0 };
  for (const [, market] of markets)
    for (const kind of ["place", "cancel", "cancel-all", "throttled"] as const)
      actions[kind] += market.actions[kind];
  const wholeDays = days.filter((day) => day.isWhole);
  const sharpe = computeSharpe(wholeDays.map((day) => Number(day.profit.total) / 10 ** decimals));
  const marketReports = markets.map(([id, market]) =>
    marketReport(id, meta.strategies.get(id) ?? "", market, {
      endUs: finished.endUs,
      buckets,
      decimals,
    }),
  );
  return {
    name: meta.name,
    version: meta.version,
    span: {
      from: formatInstant(meta.startUs),
      to: formatInstant(finished.endUs),
      seconds: (finished.endUs - meta.startUs) / 1e6,
    },
    ended: outcome.ended,
    reason: outcome.reason ?? null,
    worthless: [...(outcome.worthless ?? [])],
    strategyErrors: (outcome.strategyErrors ?? []).map(({ marketId, atUs, why }) => ({
      marketId,
      at: formatInstant(atUs),
      why,
    })),
    asset: meta.asset,
    equity: {
      start: credit(finished.startEquity),
      end: credit(finished.last.equity),
      transfers: fine(finished.last.profit.transfers),
    },
    profit: profitText(profit, decimals),
    drawdown: {
      max: fine(deepest.amount),
      share: deepest.peak > 0n ? Number(deepest.amount) / Number(deepest.peak) : null,
      peakAt: formatInstant(deepest.peakUs),
      troughAt: formatInstant(deepest.troughUs),
      sampleMs: meta.sampleMs,
    },
    fills: {
      all: total(({ fills }) => fills.all),
      maker: total(({ fills }) => fills.maker),
      taker: total(({ fills }) => fills.taker),
      byCause: Object.fromEntries(
        FILL_CAUSES.map((cause) => [
          cause,
          total(({ fills }) => fills.byCause.get(cause) as FillSum),
        ]),
      ) as Record<FillCause, ReturnType<typeof total>>,
      shown: { count: recorder.fillSample.fills.length, oneOf: recorder.fillSample.stride },
    },
    orders: ordersReport(
      actions,
      markets.reduce((sum, [, market]) => sum + market.fills.ordersFilled, 0),
    ),
    ratios: {
      profitPerTurnoverBps: profitToBps(profit.total, turnover, decimals - creditDecimals),
      profitOverDrawdown:
        deepest.amount === 0n ? null : numberOrNull(Number(profit.total) / Number(deepest.amount)),
      sharpe:
        sharpe === undefined
          ? null
          : { ...sharpe, days: wholeDays.length, convention: SHARPE_CONVENTION },
    },
    adverseSelectionSeconds: (meta.adverseSelectionMs ?? ADVERSE_SELECTION_MS) / 1000,
    markoutSeconds: [...MARKOUT_SECONDS],
    markets: marketReports,
    daily: days.map((day) => ({
      day: dayName(day.day),
      isWhole: day.isWhole,
      profit: profitText(day.profit, decimals),
      maxDrawdown: fine(day.drawdown),
      turnover: credit(day.turnover),
      fills: day.fills,
      markets: markets.map(([marketId], index) => ({
        marketId,
        profit: fine(day.marketProfits[index] ?? 0n),
      })),
    })),
    budgets: [...recorder.budgets.values()].map(({ name, used, limitTokens, mostUsed }) => ({
      name,
      limitTokens,
      mostUsedTokens: mostUsed,
      used: seriesText(used, buckets, (tokens) => tokens),
    })),
    series: {
      from: formatInstant(meta.startUs),
      bucketUs: recorder.grid.widthUs,
      buckets,
      equity: seriesText(recorder.valueColumn, buckets, fine),
      drawdown: seriesText(recorder.drawdownColumn, buckets, fine),
      parts: Object.fromEntries(
        REPORT_PARTS.map((part) => [
          part,
          seriesText(recorder.partColumns[part], buckets, fine).last,
        ]),
      ),
    },
    alternatives: (outcome.alternatives ?? []).map(
      ({ name, ended, reason, profit, maxDrawdown, fills }) => ({
        name,
        ended,
        reason,
        profit,
        maxDrawdown,
        fills,
      }),
    ),
    rungs: {
      count: outcome.rungs?.count ?? 0,
      first: (outcome.rungs?.first ?? []).map(({ atUs, marketId, ...rung }) => ({
        at: formatInstant(atUs),
        marketId: marketId ?? null,
        ...rung,
      })),
    },
    doubts: [
      ...marketReports.flatMap(describeMostlyAmbiguous),
      ...(outcome.doubts ?? []),
      ...describeOptimisticFees({ markets: marketReports, asset: meta.asset }),
    ],
    models: (meta.models ?? []).map(({ name, value }) => ({ name, value })),
    refused: (outcome.refusals ?? []).map(({ firstUs, ...refusal }) => ({
      ...refusal,
      firstAt: formatInstant(firstUs),
    })),
    notes: {
      counts: { ...recorder.noteCounts },
      first: recorder.notes.map(({ atUs, level, text }) => ({
        at: formatInstant(atUs),
        level,
        text,
      })),
    },
    configuration: meta.configuration.map(({ name, yaml }) => ({
      name,
      yaml,
      sha256: createHash("sha256").update(yaml).digest("hex"),
    })),
    data: meta.data.map(({ marketId, kind, file, rows, sha256, rounded, dropped }) => ({
      marketId,
      kind,
      file,
      rows,
      sha256,
      ...(rounded === undefined ? {} : { rounded }),
      ...(dropped === undefined ? {} : { dropped }),
    })),
    gaps: [...meta.gaps],
    inputs: meta.inputs.map(({ name, sha256 }) => ({ name, sha256 })),
  };
}

/**
 * States for each market by how much the fees of ambiguous fills would be worse by the other rule,
 * where this run's rule is the optimistic one.
 */
function describeOptimisticFees({ markets, asset }: Pick<Report, "markets" | "asset">): string[] {
  return markets.flatMap(({ marketId, fills: { doubtful: ambiguous } }) => {
    const better = [ambiguous.asMakers, ambiguous.postOnly].reduce(
      (sum, { fees, feesOtherwise }) =>
        Decimal.max(0, new Decimal(feesOtherwise).minus(fees)).plus(sum),
      new Decimal(0),
    );
    if (better.isZero()) return [];
    return [
      `${marketId}: fills whose orders may have taken liquidity or been rejected are charged as maker fills: the profit is too high by up to ${better.toFixed()} ${asset} of fees`,
    ];
  });
}
