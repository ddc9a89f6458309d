import { DrawdownTracker } from "../../account/profit/drawdown.js";
import { RunError } from "../../core/errors.js";
import type { Instrument } from "../../core/instrument.js";
import type { CreditUnits, MarketId, Side, Ticks } from "../../core/units.js";
import { DailyResults, type DayRow, initialTotals } from "./daily-results.js";
import { FillSample } from "./fill-sample.js";
import { type ActionCounts, MarketRecorder } from "./market-recorder.js";
import { type TimeColumn, TimeGrid } from "./quotes/time-grid.js";
import type { EquitySample, FundingPayment, ReplayFill, RunObserver } from "./run-observer.js";
import {
  NO_PROFIT,
  REPORT_PARTS,
  type ReportPart,
  type SplitProfit,
  splitProfit,
} from "./split-profit.js";

/** Default horizon of the adverse selection. */
export const ADVERSE_SELECTION_MS = 10_000;

/** Notes that are kept; the rest are only counted. */
const MOST_NOTES = 500;

/** A note of a run for its reader. */
export interface RunNote {
  readonly atUs: number;
  readonly level: "info" | "warn" | "error";
  readonly text: string;
}

/** Options of a recorder. */
export interface RunRecorderOptions {
  readonly startUs: number;
  readonly instruments: ReadonlyMap<MarketId, Instrument>;
  readonly adverseSelectionMs: number;
  /** Receives every fill, in order: a file, in a run with a report. */
  readonly onFill?: (fill: ReplayFill) => void;
  /** Creates the recorder of a market; one of a replay if absent. */
  readonly createMarket?: (
    instrument: Instrument,
    grid: TimeGrid,
    adverseSelectionMs: number,
  ) => MarketRecorder;
}

/** Series of one token budget. */
export interface BudgetSeries {
  readonly name: string;
  readonly used: TimeColumn<number>;
  limitTokens: number;
  mostUsed: number;
}

/** The state of a recorder from the first sample on. */
interface Begun {
  /** Units of the profit in one unit of credit. */
  readonly scale: bigint;
  readonly fall: DrawdownTracker;
  readonly days: DailyResults;
}

/**
 * Records a run as it goes. Its memory does not grow with the run's length, except for a row per
 * day, a bit per order and the fills of the last five minutes. Figures are exact: only the charts
 * are thinned.
 */
export class RunRecorder implements RunObserver {
  readonly grid: TimeGrid;
  readonly markets: ReadonlyMap<MarketId, MarketRecorder>;
  readonly fillSample = new FillSample();
  readonly notes: RunNote[] = [];
  readonly noteCounts = { info: 0, warn: 0, error: 0 };
  readonly budgets = new Map<string, BudgetSeries>();
  /** Net value at the mark prices without deposits and withdrawals, in units of the profit. */
  readonly valueColumn: TimeColumn<bigint>;
  readonly drawdownColumn: TimeColumn<bigint>;
  readonly partColumns: Readonly<Record<ReportPart, TimeColumn<bigint>>>;
  readonly #options: RunRecorderOptions;
  readonly #list: readonly MarketRecorder[];
  readonly #parts: readonly { readonly part: ReportPart; readonly column: TimeColumn<bigint> }[];
  #begun: Begun | undefined;
  #sample: EquitySample | undefined;
  #startEquity = 0n;
  #profit: SplitProfit = NO_PROFIT;
  #fills = 0;
  #turnover = 0n;

  constructor(options: RunRecorderOptions) {
    this.#options = options;
    this.grid = new TimeGrid(options.startUs);
    const createMarket =
      options.createMarket ??
      ((instrument, grid, adverseSelectionMs) =>
        new MarketRecorder(instrument, grid, adverseSelectionMs));
    this.markets = new Map(
      [...options.instruments].map(([id, instrument]) => [
        id,
        createMarket(instrument, this.grid, options.adverseSelectionMs),
      ]),
    );
    this.#list = [...this.markets.values()];
    this.valueColumn = this.grid.column();
    this.drawdownColumn = this.grid.column();
    this.partColumns = Object.fromEntries(
      REPORT_PARTS.map((part) => [part, this.grid.column<bigint>()]),
    ) as Record<ReportPart, TimeColumn<bigint>>;
    this.#parts = REPORT_PARTS.map((part) => ({ part, column: this.partColumns[part] }));
  }

  touch(marketId: MarketId, atUs: number, bidTicks: Ticks, askTicks: Ticks): void {
    this.#market(marketId).touch(atUs, bidTicks, askTicks);
  }

  fill(fill: ReplayFill): void {
    this.#market(fill.marketId).fill(fill);
    this.#fills += 1;
    this.#turnover += fill.quote;
    this.fillSample.add(fill);
    this.#options.onFill?.(fill);
  }

  quote(marketId: MarketId, atUs: number, side: Side, ownTicks: Ticks): void {
    this.#market(marketId).quote(atUs, side, ownTicks);
  }

  action(marketId: MarketId, _atUs: number, kind: keyof ActionCounts): void {
    this.#market(marketId).actions[kind] += 1;
  }

  prediction(marketId: MarketId, atUs: number, moveTicks: number): void {
    // A prediction of the warm-up moves no order.
    if (atUs >= this.#options.startUs) this.#market(marketId).prediction(atUs, moveTicks);
  }

  funding(payment: FundingPayment): void {
    this.#market(payment.marketId).paid(payment);
  }

  note(atUs: number, level: RunNote["level"], text: string): void {
    this.noteCounts[level] += 1;
    if (this.notes.length < MOST_NOTES) this.notes.push({ atUs, level, text });
  }

  /**
   * @throws RunError when the parts of the profit do not sum to the change of the equity, to the
   * unit.
   */
  equity(sample: EquitySample): void {
    const { atUs, equity, profit, markets } = sample;
    this.#sample = sample;
    for (const market of markets) this.#market(market.marketId).sample(atUs, market);
    let adverse = 0n;
    for (const market of this.#list) adverse += market.profit.adverseSelection;
    this.#profit = splitProfit(profit, adverse);
    const begun = this.#begun ?? this.#begin(sample);
    const { scale, fall, days } = begun;
    this.#begun = begun;
    const bucket = this.grid.bucketOf(atUs);
    let parts = 0n;
    for (const { part, column } of this.#parts) {
      const amount = this.#profit[part];
      parts += amount;
      column.put(bucket, amount);
    }
    this.#assertSums(sample, parts, scale);
    const value = equity * scale - profit.transfers;
    this.valueColumn.put(bucket, value);
    this.drawdownColumn.put(bucket, fall.add(atUs, value));
    days.add({
      atUs,
      value,
      profit: this.#profit,
      fills: this.#fills,
      turnover: this.#turnover,
      marketProfits: this.#list.map((market) => market.profit.total),
    });
    for (const budget of sample.budgets) {
      const series = this.#budget(budget.name);
      series.used.put(bucket, budget.usedTokens);
      series.limitTokens = budget.limitTokens;
      series.mostUsed = Math.max(series.mostUsed, budget.usedTokens);
    }
  }

  /**
   * Ends the run, whose history ended at `historyEndUs`.
   * @throws RunError when it was never sampled, or not at its end.
   */
  end(endUs: number, historyEndUs = endUs): FinishedRun {
    const [sample, begun] = [this.#sample, this.#begun];
    if (sample === undefined || begun === undefined || sample.atUs !== endUs) {
      throw new RunError("the run was not sampled at its end", {
        field: "endUs",
        value: endUs,
        expected: `the last sample, ${sample?.atUs}`,
      });
    }
    for (const market of this.#list) market.end(endUs);
    return {
      endUs,
      startEquity: this.#startEquity,
      last: sample,
      profit: this.#profit,
      deepest: begun.fall.deepest,
      days: begun.days.rows(historyEndUs),
    };
  }

  #market(marketId: MarketId): MarketRecorder {
    const market = this.markets.get(marketId);
    if (market === undefined) {
      throw new RunError("is not among the markets of the run", {
        field: "marketId",
        value: marketId,
        expected: [...this.markets.keys()].join(", "),
      });
    }
    return market;
  }

  #creditDecimals(): number {
    return this.#list[0]?.instrument.creditDecimals ?? 0;
  }

  /** Starts the figures at the first sample: profit earned before it does not count. */
  #begin({ equity, profit }: EquitySample): Begun {
    const scale = 10n ** BigInt(profit.decimals - this.#creditDecimals());
    const start = equity * scale - profit.total - profit.transfers;
    this.#startEquity = start / scale;
    const { startUs } = this.grid;
    return {
      scale,
      fall: new DrawdownTracker(startUs, start),
      days: new DailyResults(initialTotals(startUs, start, this.#list.length)),
    };
  }

  #assertSums({ atUs, equity, profit, markets }: EquitySample, parts: bigint, scale: bigint): void {
    const earned = (equity - this.#startEquity) * scale - profit.transfers;
    // Profit that belongs to no market of the run is only in the total. The exact sum is never more
    // than that.
    let missing = profit.total - profit.other;
    for (const market of markets) missing -= market.profit.total - market.profit.other;
    if (parts === earned && parts === profit.total && missing === 0n) return;
    throw new RunError("the parts of the profit do not sum to the change of the equity", {
      field: `equity at ${atUs} us`,
      value: `${parts} of ${earned}, in units of 10^-${profit.decimals}`,
      expected: "equality to the unit",
    });
  }

  #budget(name: string): BudgetSeries {
    let series = this.budgets.get(name);
    if (series === undefined) {
      series = { name, used: this.grid.column(), limitTokens: 0, mostUsed: 0 };
      this.budgets.set(name, series);
    }
    return series;
  }
}

/** The content of a recorder at the end of its run. */
export interface FinishedRun {
  readonly endUs: number;
  readonly startEquity: CreditUnits;
  readonly last: EquitySample;
  readonly profit: SplitProfit;
  /** In units of the profit. */
  readonly deepest: DrawdownTracker["deepest"];
  readonly days: readonly DayRow[];
}
