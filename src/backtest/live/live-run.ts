import { existsSync } from "node:fs";
import { join } from "node:path";
import { FILLS_FILE } from "../../bot/state/trade-log.js";
import { RunError } from "../../core/errors.js";
import { readWholeLines } from "../../core/files/durable-log.js";
import type { Instrument } from "../../core/instrument.js";
import type { MarketId, Ms } from "../../core/units.js";
import { instantText } from "../../history/day.js";
import { DAYS_FOLDER } from "../../ledger/days/day-folder.js";
import type { DayRow, RunFacts } from "../../ledger/days/day-row.js";
import { instrumentOf } from "../../ledger/days/day-summary.js";
import { readDays } from "../../ledger/days/read-days.js";
import { factsByRun } from "../../ledger/days/read-intervals.js";
import { type RecordedTrades, recordedFillKey, recordedTrades } from "./recorded-fills.js";

/** A span of a live bot, with its runs and the fills that no row has. */
export interface LiveRun {
  readonly folder: string;
  readonly fromMs: Ms;
  readonly toMs: Ms;
  /** The units of each run, by its start. */
  readonly facts: ReadonlyMap<Ms, RunFacts>;
  readonly instruments: ReadonlyMap<MarketId, Instrument>;
  readonly strategies: ReadonlyMap<MarketId, string>;
  /** Decimals of the profit's units in the report: the most of any run. */
  readonly decimals: number;
  /** Trades of the state's record that are in no row: no bot ran, or a crash cut the rows. */
  readonly unseen: RecordedTrades;
  /** Lines of the day files that could not be read. */
  readonly unread: number;
}

/** The span that is asked for; open ends are those of the record. */
export interface AskedSpan {
  readonly fromMs: Ms | undefined;
  readonly toMs: Ms | undefined;
}

/**
 * Opens the record of a live bot: its runs in a span, their units, and the fills.
 * @param stateDir folder of the bot's state
 * @throws RunError if it has no day files of the span, or if the grid of a market changed within
 * it, or for Parquet files without DuckDB
 */
export async function openLiveRun(stateDir: string, asked: AskedSpan, nowMs: Ms): Promise<LiveRun> {
  const folder = join(stateDir, DAYS_FOLDER);
  const askedToMs = Math.min(asked.toMs ?? nowMs, nowMs);
  const known = new Set<string>();
  const sparse: DayRow[] = [];
  let unread = 0;
  for await (const part of readDays(
    folder,
    { fromMs: asked.fromMs ?? 0, toMs: askedToMs },
    "facts-and-fills",
  )) {
    unread += part.unread;
    for (const row of part.rows) {
      for (const fill of row.fills ?? [])
        known.add(recordedFillKey({ marketId: row.marketId, ...fill }));
      // The file of the last day also has runs that began after the span.
      if (row.facts !== undefined && row.fromMs < askedToMs) sparse.push(row);
    }
  }
  const facts = factsByRun(sparse);
  const fromMs = asked.fromMs ?? sparse[0]?.fromMs;
  if (facts.size === 0 || fromMs === undefined || fromMs >= askedToMs)
    throw new RunError("there is no record of this span", {
      field: folder,
      value: `${fromMs === undefined ? "the beginning" : instantText(fromMs)} to ${instantText(askedToMs)}`,
      expected: "a span in which the bot ran and kept its day files",
    });
  const runs = [...facts.values()];
  const trades = join(stateDir, FILLS_FILE);
  return {
    folder,
    fromMs,
    toMs: askedToMs,
    facts,
    ...marketsOf(runs),
    decimals: Math.max(...runs.map(({ profitDecimals }) => profitDecimals)),
    unseen: recordedTrades(
      existsSync(trades) ? readWholeLines(trades) : [],
      { fromMs, toMs: askedToMs },
      known,
    ),
    unread,
  };
}

function marketsOf(runs: readonly RunFacts[]): Pick<LiveRun, "instruments" | "strategies"> {
  const instruments = new Map<MarketId, Instrument>();
  const strategies = new Map<MarketId, string>();
  for (const run of runs)
    for (const [marketId, { strategy }] of Object.entries(run.markets)) {
      const instrument = instrumentOf(run, marketId);
      const before = instruments.get(marketId);
      if (
        before !== undefined &&
        (before.tickSize !== instrument.tickSize ||
          before.stepSize !== instrument.stepSize ||
          before.creditDecimals !== instrument.creditDecimals)
      )
        throw new RunError(`the grid of ${marketId} changed within the span`, {
          field: "span",
          value: `tick ${before.tickSize} and ${instrument.tickSize}, step ${before.stepSize} and ${instrument.stepSize}`,
          expected: "a span before or after the change: --from and --to",
        });
      instruments.set(marketId, instrument);
      strategies.set(marketId, strategy);
    }
  return { instruments, strategies };
}
