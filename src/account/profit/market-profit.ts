import type { Instrument } from "../../core/instrument.js";
import type { CreditUnits, Lots } from "../../core/units.js";
import type { VenueTrade } from "../../exchange/records.js";

/** The parts of one market's profit, in credit units times the scale that the split was made with. */
export interface MarketProfitParts {
  /** Fills against the mid at their time. */
  readonly spread: bigint;
  /** Position times the moves of the mid. */
  readonly inventory: bigint;
  /** Commissions: negative when paid, positive when a rebate was received. */
  readonly fees: bigint;
  readonly funding: bigint;
  /** The contract's mark value against the mid value, with the contract's own rounding; and how a rest beyond whole lots moves with the mark. */
  readonly basis: bigint;
  /** Reversals of trades whose settlement failed: what they had brought until then is undone here, under its own name. */
  readonly failed: bigint;
  /** Positions taken over in liquidations, and lost in them: their credit against the mark of that moment. */
  readonly liquidation: bigint;
  /** Incomes that are neither fees nor funding, and positions that came without a trade, at the mid. */
  readonly other: bigint;
}

/** The running sums of one market (see `Profit`, which composes them). */
export class MarketProfit {
  readonly #instrument: Instrument;
  readonly #scale: bigint;
  /** Value of one lot at half a tick, scaled: whole, since the scale has a factor of two and the denominator in it. */
  readonly #halfTickLot: bigint;
  #lots = 0n;
  #startLots = 0n;
  /** What is held beyond whole lots, signed, in units of paper: no order of this grid trades it, and no mid values it. */
  #rest = 0n;
  #startRest = 0n;
  #mid: bigint | undefined;
  /** The same as a number: every turn of the bot tells the mid, and few have moved it. */
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
   * What of the contract's valuation above the mid's is no basis: in positions that liquidations brought, part of `liquidation`; of a rest that
   * was traded, what the mid said of it then.
   */
  #basisAttributed = 0n;
  #other = 0n;

  constructor(instrument: Instrument, scale: bigint) {
    this.#instrument = instrument;
    this.#scale = scale;
    this.#halfTickLot = (instrument.creditNumerator * scale) / (2n * instrument.creditDenominator);
  }

  begin(lots: Lots, restPaper: bigint): void {
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

  fill(sign: 1 | -1, { lots, restPaper = 0n, ticks, quote, commission }: VenueTrade): void {
    const signed = BigInt(sign * lots);
    this.#spread +=
      signed * this.#midOr(ticks) * this.#halfTickLot - BigInt(sign) * quote * this.#scale;
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

  /** A liquidation has changed the position by `lots` and its credit by `credit`, both signed. */
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

  /** A liquidation has left so much beyond whole lots: worth its mark of this moment, as what it left in lots is. */
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

  /** So many lots of the rest count as lots from here on, or the other way round. */
  carrySubLots(lots: Lots): void {
    const moved = BigInt(lots);
    this.#lots += moved;
    this.#rest -= moved * this.#instrument.paperPerLot;
    this.#basisAttributed -= moved * (this.#mid ?? 0n) * this.#halfTickLot;
  }

  positionValue(mark: CreditUnits): CreditUnits {
    return this.#value(this.#lots, this.#rest, mark);
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

  /** The rest has grown by so much in a trade. Returns its value at the mid, rounded: what of it the basis has beyond that, moves with the mark. */
  #traded(restPaper: bigint, ticks: number): bigint {
    const value =
      (restPaper * this.#midOr(ticks) * this.#halfTickLot) / this.#instrument.paperPerLot;
    this.#rest += restPaper;
    this.#basisAttributed += value;
    return value;
  }

  /** A fill before the first book (an order taken over at the start) is measured against its own price. */
  #midOr(ticks: number): bigint {
    if (this.#mid === undefined) this.mid(Math.max(1, Math.round(2 * ticks)));
    return this.#mid ?? 0n;
  }
}
