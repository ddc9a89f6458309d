import { halfTickLotIn } from "../../account/markouts/half-tick-lot.js";
import { Markouts, WORKED } from "../../account/markouts/markouts.js";
import { QuoteClock } from "../../account/quoting/quote-clock.js";
import { FormatError } from "../../core/errors.js";
import type { Instrument } from "../../core/instrument.js";
import { type CreditUnits, type Side, sideSign, type Ticks } from "../../core/units.js";
import { AdverseSelection } from "./adverse-selection.js";
import { FillTotals } from "./fill-totals.js";
import { GatheredColumn } from "./quotes/gathered-column.js";
import { PositionClock } from "./quotes/position-clock.js";
import { QuoteSeries } from "./quotes/quote-series.js";
import type { TimeColumn, TimeGrid } from "./quotes/time-grid.js";
import type { FundingPayment, MarketSample, ReplayFill } from "./run-observer.js";
import { SignalRecord } from "./signal/signal-record.js";
import { NO_PROFIT, type SplitProfit, splitProfit } from "./split-profit.js";

/** Number of an order's actions, and how often they were throttled. */
export interface ActionCounts {
  place: number;
  cancel: number;
  "cancel-all": number;
  throttled: number;
}

/** Value of a price column where no order of ours rests. */
const NO_QUOTE = 0;

/** Records one market of a run in bounded memory. */
export class MarketRecorder {
  readonly instrument: Instrument;
  readonly fills = new FillTotals();
  readonly markouts = new Markouts();
  readonly signal = new SignalRecord();
  readonly quotes: QuoteClock;
  readonly quoting: QuoteSeries;
  readonly position: PositionClock;
  readonly actions: ActionCounts = { place: 0, cancel: 0, "cancel-all": 0, throttled: 0 };
  readonly funding = { payments: 0, paid: 0n, received: 0n };
  readonly positionColumn: TimeColumn<number>;
  readonly ownBidColumn: TimeColumn<number>;
  readonly ownAskColumn: TimeColumn<number>;
  readonly #grid: TimeGrid;
  readonly #mids: GatheredColumn;
  readonly #adverse: AdverseSelection;
  #midHalfTicks = Number.NaN;
  #nextDueUs = Number.POSITIVE_INFINITY;
  #profit: SplitProfit = NO_PROFIT;
  #halfTickLot: CreditUnits | undefined;

  constructor(instrument: Instrument, grid: TimeGrid, adverseSelectionMs: number) {
    this.instrument = instrument;
    this.#grid = grid;
    this.#adverse = new AdverseSelection(adverseSelectionMs * 1000);
    this.quotes = new QuoteClock(grid.startUs);
    this.quoting = grid.attach(new QuoteSeries());
    this.position = new PositionClock(grid.startUs);
    this.#mids = new GatheredColumn(grid);
    this.positionColumn = grid.column();
    this.ownBidColumn = grid.column();
    this.ownAskColumn = grid.column();
  }

  /** As of the last sample. */
  get profit(): SplitProfit {
    return this.#profit;
  }

  get midColumn(): TimeColumn<number> {
    return this.#mids.column;
  }

  touch(atUs: number, bidTicks: Ticks, askTicks: Ticks): void {
    if (atUs > this.#nextDueUs) this.#settle(atUs);
    this.quotes.touch(atUs, bidTicks, askTicks);
    const mid = bidTicks + askTicks;
    // A book with one side empty has no mid: the last one stays.
    if (!Number.isNaN(mid)) this.mid(atUs, mid);
  }

  /** A mid, best bid plus best ask in ticks. */
  protected mid(atUs: number, midHalfTicks: number): void {
    this.#midHalfTicks = midHalfTicks;
    this.#mids.put(atUs, midHalfTicks);
  }

  fill(fill: ReplayFill): void {
    const { atUs, side, level, ticks, lots, cause } = fill;
    if (!Number.isSafeInteger(lots) || lots <= 0) {
      throw new FormatError("has no positive amount", {
        field: `fill ${fill.number} lots`,
        value: lots,
        expected: "a positive whole number",
      });
    }
    if (atUs > this.#nextDueUs) this.#settle(atUs);
    const mid = Number.isNaN(fill.midHalfTicks) ? this.#midHalfTicks : fill.midHalfTicks;
    this.fills.add(fill);
    this.markouts.fill(atUs, side, level ?? WORKED, ticks, lots);
    if (Number.isNaN(this.#midHalfTicks)) this.#midHalfTicks = Number.isNaN(mid) ? 2 * ticks : mid;
    if (cause !== "taker")
      this.#adverse.fill(atUs, sideSign(side) * lots, Number.isNaN(mid) ? 2 * ticks : mid);
    this.#findNextDue();
    this.positionAt(atUs, fill.positionLots);
  }

  /** @param moveTicks predicted move of the mid. */
  prediction(atUs: number, moveTicks: number): void {
    if (atUs > this.#nextDueUs) this.#settle(atUs);
    this.signal.predict(atUs, moveTicks);
    this.#findNextDue();
  }

  quote(atUs: number, side: Side, ownTicks: Ticks): void {
    this.quotes.quote(atUs, side, ownTicks);
    const column = side === "BUY" ? this.ownBidColumn : this.ownAskColumn;
    column.put(this.#grid.bucketOf(atUs), Number.isNaN(ownTicks) ? NO_QUOTE : ownTicks);
  }

  paid({ amount }: FundingPayment): void {
    this.funding.payments += 1;
    if (amount < 0n) this.funding.paid -= amount;
    else this.funding.received += amount;
  }

  /** @param decimals scale of the sample's profit. */
  sample(atUs: number, { positionLots, profit }: MarketSample): void {
    if (atUs > this.#nextDueUs) this.#settle(atUs);
    this.positionAt(atUs, positionLots);
    this.quoting.put(this.#grid.bucketOf(atUs), this.quotes.times(atUs));
    this.#halfTickLot ??= halfTickLotIn(this.instrument, profit.decimals);
    const adverse = this.adverseSelection() * this.#halfTickLot;
    this.#profit = splitProfit(profit, adverse);
  }

  /** Ends the run: computes what is due up to and including its end. */
  end(endUs: number): void {
    this.#settle(endUs + 1);
  }

  /** The adverse selection so far, in lots times half ticks. */
  protected adverseSelection(): bigint {
    return this.#adverse.at(this.#midHalfTicks);
  }

  protected positionAt(atUs: number, lots: number): void {
    this.position.set(atUs, lots);
    this.positionColumn.put(this.#grid.bucketOf(atUs), lots);
  }

  #settle(untilUs: number): void {
    if (!Number.isNaN(this.#midHalfTicks)) {
      this.markouts.settle(untilUs, this.#midHalfTicks);
      this.#adverse.settle(untilUs, this.#midHalfTicks);
    }
    this.signal.settle(untilUs, this.#midHalfTicks);
    this.#findNextDue();
  }

  #findNextDue(): void {
    this.#nextDueUs = Math.min(
      this.markouts.nextDueUs,
      this.#adverse.nextDueUs,
      this.signal.nextDueUs,
    );
  }
}
