import type { Instrument } from "../../core/instrument.js";
import type { CreditUnits, Lots } from "../../core/units.js";
import type { VenueTrade } from "../../exchange/records.js";
import { entryValue } from "./entry-value.js";

/** The parts of one market's profit, in credit units times the scale of the split. */
export interface MarketProfitParts {
  /** Fills against the mid just before their match. */
  readonly spread: bigint;
  /** Position times the moves of the mid. */
  readonly inventory: bigint;
  /** Commissions: negative when paid, positive when a rebate was received. */
  readonly fees: bigint;
  readonly funding: bigint;
  /**
   * The contract's mark value against the mid value, with the contract's own rounding, and the
   * change of the sub-lot balance's value with the mark.
   */
  readonly basis: bigint;
  /**
   * Reversals of trades whose settlement failed: a separate part for everything that they had
   * contributed until then.
   */
  readonly failed: bigint;
  /** Positions acquired and lost in liquidations: their credit against the mark of that moment. */
  readonly liquidation: bigint;
  /**
   * Incomes that are neither fees nor funding, and positions that came without a trade, at the mid.
   */
  readonly other: bigint;
}

/** The running sums of one market. `AccountProfit` combines them. */
export class MarketProfit {
  readonly #instrument: Instrument;
  readonly #scale: bigint;
  /**
   * Value of one lot at half a tick, scaled. It is whole, since the scale contains a factor of two
   * and the denominator.
   */
  readonly #halfTickLot: bigint;
  #lots = 0n;
  #startLots = 0n;
  /**
   * Signed sub-lot balance in units of paper: no order of this grid trades it, and no mid values
   * it.
   */
  #rest = 0n;
  #startRest = 0n;
  #startEntryPrice: string | undefined;
  #mid: bigint | undefined;
  /** The mid as a number: every event of the bot passes it, and few events change it. */
  #midHalfTicks: number | undefined;
  #startMid = 0n;
  #mark: CreditUnits | undefined;
  #startMark: CreditUnits = 0n;
  #spread = 0n;
  #inventory = 0n;
  #fees = 0n;
  #funding = 0n;
  #failed = 0n;
  #liquidation = 0n;
  /**
   * The part of the contract's valuation above the mid's that is not basis. For positions that
   * liquidations brought it belongs to `liquidation`. For a traded sub-lot balance it is its value
   * at the mid of the trade.
   */
  #basisAttributed = 0n;
  #other = 0n;

  constructor(instrument: Instrument, scale: bigint) {
    this.#instrument = instrument;
    this.#scale = scale;
    this.#halfTickLot = (instrument.creditNumerator * scale) / (2n * instrument.creditDenominator);
  }

  begin(lots: Lots, restPaper: bigint, entryPrice: string | undefined): void {
    this.#startEntryPrice = entryPrice;
    this.#lots = BigInt(lots);
    this.#rest = restPaper;
    this.#startRest = restPaper;
    this.#startLots = this.#lots;
    this.#startMid = this.#mid ?? 0n;
    this.#startMark = this.#mark ?? 0n;
  }

  mid(midHalfTicks: number): void {
    if (midHalfTicks === this.#midHalfTicks) return;
    this.#midHalfTicks = midHalfTicks;
    const mid = BigInt(midHalfTicks);
    if (this.#mid === undefined) this.#startMid = mid;
    else if (this.#lots !== 0n)
      this.#inventory += this.#lots * (mid - this.#mid) * this.#halfTickLot;
    this.#mid = mid;
  }

  mark(mark: CreditUnits): void {
    if (this.#mark === undefined) this.#startMark = mark;
    this.#mark = mark;
  }

  /** @param midHalfTicks just before the match; the move since then is of the inventory */
  fill(
    sign: 1 | -1,
    { lots, restPaper = 0n, ticks, quote, commission }: VenueTrade,
    midHalfTicks?: number,
  ): void {
    const signed = BigInt(sign * lots);
    const now = this.#midOr(ticks);
    const then = midHalfTicks === undefined ? now : BigInt(midHalfTicks);
    this.#spread += signed * then * this.#halfTickLot - BigInt(sign) * quote * this.#scale;
    this.#inventory += signed * (now - then) * this.#halfTickLot;
    this.#fees -= commission * this.#scale;
    this.#lots += signed;
    if (restPaper !== 0n) this.#spread += this.#traded(BigInt(sign) * restPaper, ticks);
  }

  failed(sign: 1 | -1, { lots, restPaper = 0n, ticks, quote, commission }: VenueTrade): void {
    const signed = BigInt(sign * lots);
    this.#failed +=
      (BigInt(sign) * quote + commission) * this.#scale -
      signed * this.#midOr(ticks) * this.#halfTickLot;
    this.#lots -= signed;
    if (restPaper !== 0n) this.#failed += this.#traded(BigInt(-sign) * restPaper, ticks);
  }

  funding(amount: CreditUnits): void {
    this.#funding += amount * this.#scale;
  }

  otherIncome(amount: CreditUnits): void {
    this.#other += amount * this.#scale;
  }

  setPosition(lots: Lots): void {
    const moved = BigInt(lots) - this.#lots;
    this.#other += moved * (this.#mid ?? 0n) * this.#halfTickLot;
    this.#lots += moved;
  }

  /**
   * Applies a liquidation that changed the position by `lots` and its credit by `credit`, both
   * signed.
   */
  liquidation(lots: Lots, credit: CreditUnits): void {
    const moved = BigInt(lots);
    this.#liquidation += credit * this.#scale;
    if (moved === 0n) return;
    const atMid =
      moved *
      this.#midOr(Number((-credit * this.#scale) / (2n * moved * this.#halfTickLot))) *
      this.#halfTickLot;
    this.#liquidation += atMid;
    if (this.#mark !== undefined) {
      const value =
        (this.#value(this.#lots + moved, this.#rest, this.#mark) -
          this.#value(this.#lots, this.#rest, this.#mark)) *
        this.#scale;
      this.#liquidation += value - atMid;
      this.#basisAttributed += value - atMid;
    }
    this.#lots += moved;
  }

  /**
   * Applies the sub-lot balance that a liquidation left. It is valued at the present mark, like the
   * whole lots that it left.
   */
  rest(restPaper: bigint): void {
    if (this.#mark !== undefined) {
      const value =
        (this.#value(this.#lots, restPaper, this.#mark) -
          this.#value(this.#lots, this.#rest, this.#mark)) *
        this.#scale;
      this.#liquidation += value;
      this.#basisAttributed += value;
    }
    this.#rest = restPaper;
  }

  /** Moves so many lots out of the sub-lot balance into lots, or back. */
  carrySubLots(lots: Lots): void {
    const moved = BigInt(lots);
    this.#lots += moved;
    this.#rest -= moved * this.#instrument.paperPerLot;
    this.#basisAttributed -= moved * (this.#mid ?? 0n) * this.#halfTickLot;
  }

  positionValue(mark: CreditUnits): CreditUnits {
    return this.#value(this.#lots, this.#rest, mark);
  }

  /**
   * Value of the position at the mark less its value at its entry price. 0 for a flat position;
   * undefined if one of the two is not known.
   */
  unrealised(entryPrice: string | undefined): CreditUnits | undefined {
    return this.#gain(this.#lots, this.#rest, this.#mark, entryPrice);
  }

  /** {@link unrealised} of the position at the start, at the mark of the start. */
  get unrealisedAtStart(): CreditUnits | undefined {
    const mark = this.#mark === undefined ? undefined : this.#startMark;
    return this.#gain(this.#startLots, this.#startRest, mark, this.#startEntryPrice);
  }

  #gain(
    lots: bigint,
    rest: bigint,
    mark: CreditUnits | undefined,
    entryPrice: string | undefined,
  ): CreditUnits | undefined {
    const paper = lots * this.#instrument.paperPerLot + rest;
    if (paper === 0n) return 0n;
    if (mark === undefined || entryPrice === undefined) return undefined;
    return (
      this.#instrument.markValue(paper, mark) - entryValue(this.#instrument, paper, entryPrice)
    );
  }

  parts(): MarketProfitParts {
    return {
      spread: this.#spread,
      inventory: this.#inventory,
      fees: this.#fees,
      funding: this.#funding,
      basis:
        this.#mark === undefined
          ? 0n
          : this.#basisOf(this.#lots, this.#rest, this.#mark, this.#mid ?? 0n) -
            this.#basisOf(this.#startLots, this.#startRest, this.#startMark, this.#startMid) -
            this.#basisAttributed,
      failed: this.#failed,
      liquidation: this.#liquidation,
      other: this.#other,
    };
  }

  #basisOf(lots: bigint, rest: bigint, mark: CreditUnits, mid: bigint): bigint {
    return this.#value(lots, rest, mark) * this.#scale - lots * mid * this.#halfTickLot;
  }

  #value(lots: bigint, rest: bigint, mark: CreditUnits): CreditUnits {
    return lots === 0n && rest === 0n
      ? 0n
      : this.#instrument.markValue(lots * this.#instrument.paperPerLot + rest, mark);
  }

  /**
   * Adds a traded amount to the sub-lot balance. Returns its value at the mid, rounded. The basis
   * beyond that value changes with the mark.
   */
  #traded(restPaper: bigint, ticks: number): bigint {
    const value =
      (restPaper * this.#midOr(ticks) * this.#halfTickLot) / this.#instrument.paperPerLot;
    this.#rest += restPaper;
    this.#basisAttributed += value;
    return value;
  }

  /** The mid, or the fill's own price before the first book (an order adopted at the start). */
  #midOr(ticks: number): bigint {
    if (this.#mid === undefined) this.mid(Math.max(1, Math.round(2 * ticks)));
    return this.#mid ?? 0n;
  }
}
