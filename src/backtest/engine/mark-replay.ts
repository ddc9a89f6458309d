import { Decimal } from "decimal.js";
import type { Instrument } from "../../core/instrument.js";
import type { CreditUnits, Ms } from "../../core/units.js";
import type { VenueEvent } from "../../exchange/venue.js";
import type { FundingTape, MarkTape } from "../../history/columns/tape/tape.js";
import { ONE } from "../../perpetual/fixed-point.js";
import { DelayLine } from "../venue/latency/delay-line.js";
import type { ReplayMarket } from "../venue/replay-market.js";
import type { ReplayVenue } from "../venue/replay-venue.js";

type MarkEvent = Extract<VenueEvent, { type: "market-state" }>;

/** The sources of a market's mark prices and funding. */
export interface MarkSources {
  /** Recorded marks. Without them the mark is the mid of the replayed market, every `everyUs`. */
  readonly marks: MarkTape | undefined;
  /**
   * Recorded funding. Without it, the rate that the marks announce is paid at the announced time.
   */
  readonly funding: FundingTape | undefined;
  readonly everyUs: number;
  /**
   * How often the bot receives a derived mark. The inner prices of a candle give marks that the bot
   * may not know yet.
   */
  readonly publishEveryUs: number;
}

/**
 * Longest delay after a funding boundary in the stamps of its mark and payment, microseconds.
 * Exchanges read their marks on the boundary and record them some milliseconds later.
 */
export const BOUNDARY_LAG_US = 1_000_000;

/** Marks and funding of one market: computed on the exchange's clock, received on the bot's. */
export class MarkReplay {
  readonly #venue: ReplayVenue;
  readonly #market: ReplayMarket;
  readonly #instrument: Instrument;
  /**
   * Credit of half a tick, where it is whole. Beside a token with a very fine tick, a bitcoin's
   * mark has more digits than a float.
   */
  readonly #halfTickCredit: bigint | undefined;
  readonly #everyUs: number;
  readonly #publishEveryUs: number;
  readonly #latencyUs: () => number;
  readonly #inFlight = new DelayLine<MarkEvent>();
  readonly #startUs: number;
  #marks: MarkTape | undefined;
  /** Blocks of marks that follow on it. */
  readonly #following: MarkTape[] = [];
  readonly #funding: FundingTape | undefined;
  #mark = 0;
  /** When the exchange has the next mark; Infinity after the last one that is known. */
  #markUs = Number.POSITIVE_INFINITY;
  /** Stamp of the mark before it, at least the start of the run. */
  #passedUs: number;
  #paid = 0;
  #derivedUs: number;
  #announcedFunding:
    | { readonly rateE18: bigint; readonly boundaryMs: Ms; readonly atUs: number }
    | undefined;
  #nextUs = 0;
  /** The newest boundary that was paid by the announcement in the marks. */
  #paidMs = 0;

  /** @param latencyUs present latency of the market's data, for derived marks. */
  constructor(
    venue: ReplayVenue,
    market: ReplayMarket,
    sources: MarkSources,
    startUs: number,
    latencyUs: () => number,
  ) {
    this.#venue = venue;
    this.#market = market;
    this.#instrument = market.terms.instrument;
    this.#halfTickCredit = halfTickCreditOf(this.#instrument);
    this.#startUs = startUs;
    this.#passedUs = startUs;
    this.#marks = sources.marks;
    this.#funding = sources.funding;
    this.#everyUs = sources.everyUs;
    this.#publishEveryUs = sources.publishEveryUs;
    this.#latencyUs = latencyUs;
    this.#derivedUs = Math.ceil(startUs / sources.everyUs) * sources.everyUs;
    if (this.#marks !== undefined) this.#toNextMark();
    while (this.#funding !== undefined && this.#stampOfFunding() < startUs) this.#paid += 1;
    this.#schedule();
  }

  /** When the exchange computes or pays something next. */
  get nextUs(): number {
    return this.#nextUs;
  }

  get nextDeliveryUs(): number {
    return this.#inFlight.nextUs;
  }

  /**
   * Adds the next block of recorded marks. All of it is later than the marks before. Only where
   * marks were recorded.
   */
  extend(marks: MarkTape): void {
    this.#following.push(marks);
    this.#toNextMark();
    this.#schedule();
  }

  /** Computes the marks that are due at the exchange by now. */
  applyDueMarks(atUs: number): void {
    if (this.#marks === undefined) while (this.#derivedUs <= atUs) this.#make();
    else while (this.#markUs <= atUs) this.#recorded(this.#marks);
    this.#schedule();
  }

  /** Pays the funding that is due by now, at those marks. */
  payDueFunding(atUs: number): void {
    if (this.#funding !== undefined) {
      while (this.#stampOfFunding() <= atUs) {
        const rateE18 = this.#funding.rateE18[this.#paid] as bigint;
        this.#paid += 1;
        this.#venue.payFunding(this.#market.marketId, rateE18, atUs);
      }
    } else if (this.#announcedFunding !== undefined && this.#announcedFunding.atUs <= atUs) {
      const { rateE18, boundaryMs } = this.#announcedFunding;
      this.#announcedFunding = undefined;
      this.#paidMs = boundaryMs;
      this.#venue.payFunding(this.#market.marketId, rateE18, atUs);
    }
    this.#schedule();
  }

  /** Takes the next mark that the bot receives. Only while one is in transit. */
  takeDelivery(): MarkEvent {
    return this.#inFlight.take();
  }

  #schedule(): void {
    const markUs = this.#marks === undefined ? this.#derivedUs : this.#markUs;
    const paidUs =
      this.#funding === undefined
        ? (this.#announcedFunding?.atUs ?? Number.POSITIVE_INFINITY)
        : this.#stampOfFunding();
    this.#nextUs = Math.min(markUs, paidUs);
  }

  #make(): void {
    const atUs = this.#derivedUs;
    this.#derivedUs += this.#everyUs;
    const { midHalfTicks } = this.#market;
    if (Number.isNaN(midHalfTicks)) return;
    const mark = this.#markAt(midHalfTicks);
    const receivedUs = atUs % this.#publishEveryUs === 0 ? atUs + this.#latencyUs() : undefined;
    this.#take(mark, mark, 0, 0, receivedUs);
  }

  #markAt(midHalfTicks: number): CreditUnits {
    if (this.#halfTickCredit !== undefined && Number.isSafeInteger(midHalfTicks))
      return BigInt(midHalfTicks) * this.#halfTickCredit;
    const { creditDecimals, tickQuote } = this.#instrument;
    return BigInt(Math.round((midHalfTicks / 2) * tickQuote * 10 ** creditDecimals));
  }

  #recorded(tape: MarkTape): void {
    const at = this.#mark;
    const atUs = this.#markUs;
    const rateE18 = tape.fundingRateE18[at] as bigint;
    const nextFundingMs = tape.nextFundingMs[at] as number;
    const exchangeUs = tape.exchangeUs[at] as number;
    this.#mark += 1;
    this.#passedUs = exchangeUs;
    this.#toNextMark();
    // The boundary that this mark crossed has the rate that was announced before it. A mark that
    // still names a boundary already paid must not have it paid again.
    const pendingMs = this.#announcedFunding?.boundaryMs;
    if (
      this.#funding === undefined &&
      nextFundingMs > this.#paidMs &&
      (pendingMs === undefined || pendingMs === nextFundingMs)
    ) {
      this.#announcedFunding = {
        rateE18,
        boundaryMs: nextFundingMs,
        atUs: Math.max(nextFundingMs * 1000, atUs),
      };
    }
    const [mark, index] = [tape.markCredit[at] as bigint, tape.indexCredit[at] as bigint];
    this.#take(
      mark,
      index,
      Number(rateE18) / Number(ONE),
      nextFundingMs,
      Math.max(exchangeUs, tape.localUs[at] as number),
    );
  }

  /** @param receivedUs when the bot receives it; undefined when it does not. */
  #take(
    mark: CreditUnits,
    index: CreditUnits,
    fundingRate: number,
    nextFundingMs: Ms,
    receivedUs: number | undefined,
  ): void {
    const { marketId } = this.#market;
    this.#venue.mark(marketId, mark);
    if (receivedUs !== undefined)
      this.#inFlight.push(
        { type: "market-state", marketId, mark, index, fundingRate, nextFundingMs },
        receivedUs,
      );
  }

  /** Skips marks from before the run, and moves to the next block at the end of one. */
  #toNextMark(): void {
    for (;;) {
      while (this.#stampOfMark() < this.#startUs) this.#mark += 1;
      if (this.#mark < (this.#marks as MarkTape).exchangeUs.length || this.#following.length === 0)
        break;
      this.#marks = this.#following.shift();
      this.#mark = 0;
    }
    this.#markUs = this.#instantOfMark();
  }

  /**
   * When the exchange has the next mark. A mark whose next funding time is T was computed before
   * the payment at T, and the payment uses it. Some exchanges stamp it some milliseconds after T.
   * So the first mark after T that still names T, less than {@link BOUNDARY_LAG_US} later, is dated
   * T.
   */
  #instantOfMark(): number {
    const stampUs = this.#stampOfMark();
    if (stampUs === Number.POSITIVE_INFINITY) return stampUs;
    const namedUs = ((this.#marks as MarkTape).nextFundingMs[this.#mark] as number) * 1000;
    return namedUs > this.#passedUs && stampUs - namedUs < BOUNDARY_LAG_US
      ? Math.min(stampUs, namedUs)
      : stampUs;
  }

  #stampOfMark(): number {
    const { exchangeUs } = this.#marks as MarkTape;
    return this.#mark < exchangeUs.length
      ? (exchangeUs[this.#mark] as number)
      : Number.POSITIVE_INFINITY;
  }

  #stampOfFunding(): number {
    const { timeUs } = this.#funding as FundingTape;
    return this.#paid < timeUs.length ? (timeUs[this.#paid] as number) : Number.POSITIVE_INFINITY;
  }
}

function halfTickCreditOf({ tickSize, creditDecimals }: Instrument): CreditUnits | undefined {
  const credit = new Decimal(tickSize).times(Decimal.pow(10, creditDecimals)).div(2);
  return credit.isInteger() ? BigInt(credit.toFixed()) : undefined;
}
