import type { Instrument } from "../core/instrument.js";
import type { CreditUnits, Lots, MarketId, Ms, Side, Ticks } from "../core/units.js";
import type { VenueEvent } from "../exchange/venue.js";
import type { MarketAverages } from "./market-averages.js";

/**
 * Marks and funding of one market, and the range and amount of its trades since the last view, from
 * the market stream.
 */
export class MarketState {
  readonly marketId: MarketId;
  readonly #creditPerTick: number;
  #mark: CreditUnits | undefined;
  #index: CreditUnits | undefined;
  #markTicks = Number.NaN;
  #indexTicks = Number.NaN;
  #fundingRate = 0;
  #nextFundingMs: Ms = 0;
  #tradedHigh: Ticks = Number.NaN;
  #tradedLow: Ticks = Number.NaN;
  #tradedLots: Lots = 0;
  #averages: MarketAverages | undefined;

  constructor(instrument: Instrument) {
    this.marketId = instrument.marketId;
    this.#creditPerTick = 10 ** instrument.creditDecimals * instrument.tickQuote;
  }

  /** Mark price in credit units for one whole base unit, exact; undefined before the first one. */
  get mark(): CreditUnits | undefined {
    return this.#mark;
  }

  /** Index price in credit units for one whole base unit, exact; undefined before the first one. */
  get index(): CreditUnits | undefined {
    return this.#index;
  }

  /** Mark price in fractional ticks; NaN before the first one. */
  get markTicks(): number {
    return this.#markTicks;
  }

  /** Index price in fractional ticks; NaN before the first one. */
  get indexTicks(): number {
    return this.#indexTicks;
  }

  /** The next funding rate as a fraction; longs pay when positive. 0 before the first one. */
  get fundingRate(): number {
    return this.#fundingRate;
  }

  /** Time of the next funding payment, exchange time; 0 before it is known. */
  get nextFundingMs(): Ms {
    return this.#nextFundingMs;
  }

  /** The highest price at which a taker bought since `startView`. NaN if none did. */
  get tradedHighTicks(): Ticks {
    return this.#tradedHigh;
  }

  /** The lowest price at which a taker sold since `startView`. NaN if none did. */
  get tradedLowTicks(): Ticks {
    return this.#tradedLow;
  }

  /** Lots of the public trades since `startView`, of both sides. */
  get tradedLots(): Lots {
    return this.#tradedLots;
  }

  /** The averages that are being measured; undefined if none are. */
  get averages(): MarketAverages | undefined {
    return this.#averages;
  }

  /** Measures averages from now on, in place of earlier ones. */
  measure(averages: MarketAverages): void {
    this.#averages = averages;
  }

  /** Starts the trade range of the next view. */
  startView(): void {
    this.#tradedLots = 0;
    this.#tradedHigh = Number.NaN;
    this.#tradedLow = Number.NaN;
  }

  /**
   * Applies a taker's trade, as `apply` does with a public trade, for a source without events.
   */
  noteTraded(ticks: Ticks, lots: Lots, aggressor: Side): void {
    this.#tradedLots += lots;
    this.#averages?.noteTrade(ticks, lots);
    // Written so that the first price counts against NaN.
    if (aggressor === "SELL") {
      if (!(ticks >= this.#tradedLow)) this.#tradedLow = ticks;
    } else if (!(ticks <= this.#tradedHigh)) {
      this.#tradedHigh = ticks;
    }
  }

  /** Applies one event. Events of other markets are ignored. */
  apply(event: Extract<VenueEvent, { type: "market-state" | "public-trade" }>): void {
    if (event.marketId !== this.marketId) return;
    if (event.type === "public-trade") {
      this.noteTraded(event.ticks, event.lots, event.isBuyerMaker ? "SELL" : "BUY");
      return;
    }
    this.#mark = event.mark;
    this.#index = event.index;
    this.#markTicks = Number(event.mark) / this.#creditPerTick;
    this.#indexTicks = Number(event.index) / this.#creditPerTick;
    this.#fundingRate = event.fundingRate;
    this.#nextFundingMs = event.nextFundingMs;
  }
}
