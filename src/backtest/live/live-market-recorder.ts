import { MARKOUT_SECONDS } from "../../account/markouts/markouts.js";
import { QuoteClock, type QuoteTimes } from "../../account/quoting/quote-clock.js";
import type { Instrument } from "../../core/instrument.js";
import { sideSign } from "../../core/units.js";
import type { DayMarkout, DayRow } from "../../ledger/days/day-row.js";
import { FillTotals } from "../record/fill-totals.js";
import { MarketRecorder } from "../record/market-recorder.js";
import type { TimeGrid } from "../record/quotes/time-grid.js";
import type { ReplayFill } from "../record/run-observer.js";

/** Sums of one side's quoted time. */
interface SideSums {
  restingUs: number;
  atTouchUs: number;
  measuredUs: number;
  distanceTickUs: number;
}

/** Quoted times that a live bot has measured. Time without a row counts as time without quotes. */
class RecordedQuotes extends QuoteClock {
  readonly #fromUs: number;
  #bothUs = 0;
  readonly #bid: SideSums = { restingUs: 0, atTouchUs: 0, measuredUs: 0, distanceTickUs: 0 };
  readonly #ask: SideSums = { restingUs: 0, atTouchUs: 0, measuredUs: 0, distanceTickUs: 0 };

  constructor(startUs: number) {
    super(startUs);
    this.#fromUs = startUs;
  }

  add(row: DayRow): void {
    this.#bothUs += row.bothUs ?? 0;
    this.#bid.restingUs += row.bidUs ?? 0;
    this.#bid.atTouchUs += row.bidTouchUs ?? 0;
    this.#bid.measuredUs += row.bidMeasuredUs ?? 0;
    this.#bid.distanceTickUs += row.bidTickUs ?? 0;
    this.#ask.restingUs += row.askUs ?? 0;
    this.#ask.atTouchUs += row.askTouchUs ?? 0;
    this.#ask.measuredUs += row.askMeasuredUs ?? 0;
    this.#ask.distanceTickUs += row.askTickUs ?? 0;
  }

  override times(untilUs: number): QuoteTimes {
    const side = (times: SideSums) => ({
      ...times,
      meanDistanceTicks: times.distanceTickUs / times.measuredUs,
      meanDistanceBps: Number.NaN,
    });
    return {
      totalUs: Math.max(0, untilUs - this.#fromUs),
      bothUs: this.#bothUs,
      bid: side(this.#bid),
      ask: side(this.#ask),
    };
  }
}

/** Fills whose orders were counted by the bot. */
class RecordedFills extends FillTotals {
  ordersRecorded = 0;

  override get ordersFilled(): number {
    return this.ordersRecorded;
  }
}

/**
 * Records one market of a live bot from the rows of its day files: what the bot has measured
 * itself, markouts and quoted times, is taken as it is.
 */
export class LiveMarketRecorder extends MarketRecorder {
  override readonly fills = new RecordedFills();
  override readonly quotes: RecordedQuotes;
  readonly #adverseHorizonMs: number;
  /** Adverse selection of fills whose horizon has passed, in lots times half ticks. */
  #adverse = 0n;
  /** Fills whose horizon has not passed, in the order of the rows. */
  #open: ReplayFill[] = [];
  #midHalfTicksNow = Number.NaN;

  /** @param adverseSelectionMs one of the horizons of the markouts. */
  constructor(instrument: Instrument, grid: TimeGrid, adverseSelectionMs: number) {
    super(instrument, grid, adverseSelectionMs);
    this.quotes = new RecordedQuotes(grid.startUs);
    this.#adverseHorizonMs = adverseSelectionMs;
  }

  override fill(fill: ReplayFill): void {
    this.fills.add(fill);
    // A fill that no bot saw has no markout, and its level is not known.
    if (fill.level !== undefined && fill.lots > 0) this.markouts.count(fill.side, fill.level);
    if (fill.isMaker && !Number.isNaN(fill.midHalfTicks)) this.#open.push(fill);
    if (!Number.isNaN(fill.positionLots)) this.positionAt(fill.atUs, fill.positionLots);
  }

  /** A row of the market, whose fills were given before. */
  row(row: DayRow): void {
    const atUs = row.atMs * 1000;
    for (const markout of row.markouts ?? []) this.#markout(markout);
    // A mid that was not known at the horizon is in no later row either.
    this.#open = this.#open.filter((fill) => fill.atUs + 1000 * this.#adverseHorizonMs > atUs);
    this.quotes.add(row);
    if (row.midHalfTicks !== undefined) {
      this.mid(atUs, row.midHalfTicks);
      this.#midHalfTicksNow = row.midHalfTicks;
    }
    this.quote(atUs, "BUY", row.ownBidTicks ?? Number.NaN);
    this.quote(atUs, "SELL", row.ownAskTicks ?? Number.NaN);
    this.fills.ordersRecorded += row.ordersFilled ?? 0;
    this.actions.place += row.placed ?? 0;
    this.actions.cancel += row.cancels ?? 0;
    this.actions["cancel-all"] += row.cancelAlls ?? 0;
    this.actions.throttled += row.throttled ?? 0;
    this.funding.payments += row.fundingPayments ?? 0;
    this.funding.paid += row.fundingPaid ?? 0n;
    this.funding.received += row.fundingReceived ?? 0n;
  }

  /** As in a backtest, a fill counts at the present mid until its horizon has passed. */
  protected override adverseSelection(): bigint {
    const mid = this.#midHalfTicksNow;
    if (Number.isNaN(mid)) return this.#adverse;
    return this.#open.reduce(
      (sum, { side, lots, midHalfTicks }) =>
        sum + BigInt(sideSign(side) * lots) * BigInt(mid - midHalfTicks),
      this.#adverse,
    );
  }

  #markout(markout: DayMarkout): void {
    const { matchedUs, side, level, ticks, lots, horizonMs, midHalfTicks, isMaker } = markout;
    const horizon = (MARKOUT_SECONDS as readonly number[]).indexOf(horizonMs / 1000);
    // A horizon of another version has no place in the report.
    if (horizon === -1) return;
    this.markouts.addKnown(matchedUs, side, level, ticks, lots, horizon, midHalfTicks);
    const { fillMidHalfTicks: before } = markout;
    if (horizonMs !== this.#adverseHorizonMs || !isMaker || before === undefined) return;
    this.#adverse += BigInt(sideSign(side) * lots) * BigInt(midHalfTicks - before);
    const at = this.#open.findIndex(
      (fill) =>
        fill.atUs === matchedUs && fill.side === side && fill.ticks === ticks && fill.lots === lots,
    );
    if (at >= 0) this.#open.splice(at, 1);
  }
}
