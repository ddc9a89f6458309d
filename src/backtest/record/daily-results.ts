import { DrawdownTracker } from "../../account/profit/drawdown.js";
import { DAY_MS } from "../../core/units.js";
import { earnedBetween, NO_PROFIT, type SplitProfit } from "./split-profit.js";

const DAY_US = DAY_MS * 1000;

/** Totals of a run at an instant. */
export interface RunTotals {
  readonly atUs: number;
  /** Net value without deposits and withdrawals, in the profit's units. */
  readonly value: bigint;
  readonly profit: SplitProfit;
  readonly fills: number;
  readonly turnover: bigint;
  readonly marketProfits: readonly bigint[];
}

/** One UTC day of a run, from the last sample of the day before to its own last. */
export interface DayRow {
  /** Days since 1970. */
  readonly day: number;
  /** The last sample's instant. */
  readonly closeUs: number;
  /** True if the run covers the day from midnight to midnight. */
  readonly isWhole: boolean;
  readonly profit: SplitProfit;
  readonly fills: number;
  readonly turnover: bigint;
  /** Deepest fall within the day, from at least the value at its beginning. */
  readonly drawdown: bigint;
  readonly marketProfits: readonly bigint[];
}

/** The days of a run. A sample at midnight closes the day before it. */
export class DailyResults {
  readonly #rows: DayRow[] = [];
  #opened: RunTotals;
  #last: RunTotals;
  #day: number;
  #fall: DrawdownTracker;

  constructor(start: RunTotals) {
    this.#opened = start;
    this.#last = start;
    this.#day = Math.floor(start.atUs / DAY_US);
    this.#fall = new DrawdownTracker(start.atUs, start.value);
  }

  add(totals: RunTotals): void {
    const day = Math.max(this.#day, Math.ceil(totals.atUs / DAY_US) - 1);
    if (day !== this.#day) {
      this.#rows.push(this.#row());
      this.#opened = this.#last;
      this.#day = day;
      this.#fall = new DrawdownTracker(this.#opened.atUs, this.#opened.value);
    }
    this.#fall.add(totals.atUs, totals.value);
    this.#last = totals;
  }

  /**
   * Every day with a sample, the unfinished last one included. A day that began after the end of
   * history is left out: the bot only cancelled its orders then.
   * @param historyEndUs where the history ended; the run continued after it
   */
  rows(historyEndUs: number): readonly DayRow[] {
    if (this.#last === this.#opened) return this.#rows;
    const row = this.#row();
    return this.#opened.atUs >= historyEndUs && isEmpty(row) ? this.#rows : [...this.#rows, row];
  }

  #row(): DayRow {
    const [opened, last] = [this.#opened, this.#last];
    return {
      day: this.#day,
      closeUs: last.atUs,
      isWhole: opened.atUs === this.#day * DAY_US && last.atUs === (this.#day + 1) * DAY_US,
      profit: earnedBetween(opened.profit, last.profit),
      fills: last.fills - opened.fills,
      turnover: last.turnover - opened.turnover,
      drawdown: this.#fall.deepest.amount,
      marketProfits: last.marketProfits.map(
        (profit, index) => profit - (opened.marketProfits[index] ?? 0n),
      ),
    };
  }
}

function isEmpty({ profit, fills, drawdown }: DayRow): boolean {
  return fills === 0 && drawdown === 0n && Object.values(profit).every((amount) => amount === 0n);
}

/** Totals at the start of a run. */
export function initialTotals(atUs: number, value: bigint, markets: number): RunTotals {
  return {
    atUs,
    value,
    profit: NO_PROFIT,
    fills: 0,
    turnover: 0n,
    marketProfits: new Array<bigint>(markets).fill(0n),
  };
}
