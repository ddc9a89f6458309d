import { absolute, ceilDivide, larger, smaller } from "../../core/bigints.js";
import type { CreditUnits, Lots, PaperUnits } from "../../core/units.js";
import type { Level } from "../../market/book/readable-book.js";
import { BPS, mulFixed, ONE } from "../../perpetual/fixed-point.js";
import { takeoverPrice } from "../../perpetual/liquidation.js";
import type { PlanRules, TakeoverMarket } from "./plan-input.js";

/**
 * The sale of acquired paper and its proceeds. Credit units; negative if the paper is bought back.
 */
export interface UnwindEstimate {
  /** Signed lots to sell (positive) or buy back. */
  readonly unwindLots: Lots;
  readonly unwindPaper: PaperUnits;
  /**
   * Value of the paper that only reduces the own position, at the worse of mark and touch, without
   * a fee.
   */
  readonly nettedCredit: CreditUnits;
  /** Proceeds as taker through the levels of the book. */
  readonly unwindCredit: CreditUnits;
  readonly takerFee: CreditUnits;
  /** Netted and unwound proceeds after the fee, with the unwind worse by the reserve. */
  readonly worstCredit: CreditUnits;
  /** Proceeds if the maker's share fills at the near touch. */
  readonly makerFirstCredit: CreditUnits;
}

/**
 * Estimates the unwind of acquired `paper` when `held` is already held, on the current book. Lots
 * of earlier takeovers go first.
 */
export class UnwindEstimator {
  readonly #market: TakeoverMarket;
  readonly #held: PaperUnits;
  readonly #rules: PlanRules;
  /** Levels for the unwind, best first, without the depth that earlier takeovers need. */
  readonly #levels: readonly Level[];
  readonly #isSale: boolean;

  /** @param sign the sign of the acquired paper. */
  constructor(market: TakeoverMarket, held: PaperUnits, sign: bigint, rules: PlanRules) {
    this.#market = market;
    this.#held = held;
    this.#rules = rules;
    this.#isSale = sign > 0n;
    const { pendingUnwindLots } = market;
    const ahead = this.#isSale ? Math.max(0, pendingUnwindLots) : Math.max(0, -pendingUnwindLots);
    this.#levels = withoutFirst(this.#isSale ? market.bids : market.asks, ahead);
  }

  /** The part of `paper`, unsigned, that only reduces the held position. */
  netted(paper: PaperUnits): PaperUnits {
    return paper > 0n === this.#held > 0n ? 0n : smaller(absolute(paper), absolute(this.#held));
  }

  /** Lots that the book takes at better prices than the liquidation's, after fee and reserve. */
  profitableLots(): Lots {
    const { instrument } = this.#market;
    const price = takeoverPrice(this.#market, this.#isSale ? 1n : -1n);
    let lots = 0;
    for (const level of this.#levels) {
      const credit = this.#creditOf(level.ticks, level.lots);
      const paper = instrument.lotsToPaper(level.lots);
      const cost = this.#isSale ? mulFixed(paper, price) : -mulFixed(paper, price);
      if (this.#worst(credit) <= cost) break;
      lots += level.lots;
    }
    return lots;
  }

  /** All lots of the book's side. */
  bookLots(): Lots {
    return this.#levels.reduce((sum, { lots }) => sum + lots, 0);
  }

  /**
   * @param paper of the constructor's sign; only whole lots are unwound. Undefined when the book is
   * too thin.
   */
  estimate(paper: PaperUnits): UnwindEstimate | undefined {
    const { instrument, makerFeeRate } = this.#market;
    const netted = this.netted(paper);
    const unwound = absolute(paper) - netted;
    const lots = Number(unwound / instrument.paperPerLot);
    const unwindCredit = this.#walk(lots);
    if (unwindCredit === undefined) return undefined;
    const sign = this.#isSale ? 1 : -1;
    const nettedCredit = this.#nettedCredit(this.#isSale ? netted : -netted);
    const makerLots = Number((BigInt(lots) * BigInt(this.#rules.makerShareBps)) / BPS);
    const makerCredit = this.#nearTouchCredit(makerLots) ?? this.#walk(makerLots) ?? 0n;
    const takerCredit = this.#walk(lots - makerLots) ?? 0n;
    return {
      unwindLots: lots === 0 ? 0 : sign * lots,
      unwindPaper: BigInt(sign) * unwound,
      nettedCredit,
      unwindCredit,
      takerFee: this.#takerFee(unwindCredit),
      worstCredit: nettedCredit + this.#worst(unwindCredit),
      makerFirstCredit:
        nettedCredit +
        takerCredit -
        this.#takerFee(takerCredit) +
        makerCredit -
        mulFixed(absolute(makerCredit), makerFeeRate),
    };
  }

  #walk(lots: Lots): CreditUnits | undefined {
    let credit = 0n;
    let left = lots;
    for (const level of this.#levels) {
      if (left === 0) break;
      const taken = Math.min(left, level.lots);
      credit += this.#creditOf(level.ticks, taken);
      left -= taken;
    }
    return left === 0 ? credit : undefined;
  }

  /** Proceeds of a trade of that credit after reserve and fee. */
  #worst(credit: CreditUnits): CreditUnits {
    const reserved =
      credit - ceilDivide(absolute(credit) * BigInt(this.#rules.unwindReserveBps), BPS);
    return reserved - this.#takerFee(reserved);
  }

  /** A rebate does not count as income. */
  #takerFee(credit: CreditUnits): CreditUnits {
    const rate = larger(0n, this.#market.takerFeeRate);
    return ceilDivide(absolute(credit) * rate, ONE);
  }

  #creditOf(ticks: number, lots: Lots): CreditUnits {
    const { instrument } = this.#market;
    return this.#isSale ? instrument.creditFloor(ticks, lots) : -instrument.creditCeil(ticks, lots);
  }

  /** Proceeds at the near side's best price: a sale rests at the best ask. */
  #nearTouchCredit(lots: Lots): CreditUnits | undefined {
    const best = (this.#isSale ? this.#market.asks : this.#market.bids)[0];
    return best === undefined ? undefined : this.#creditOf(best.ticks, lots);
  }

  #nettedCredit(paper: PaperUnits): CreditUnits {
    const { markPrice, instrument, bids, asks } = this.#market;
    const touch = (paper > 0n ? bids : asks)[0];
    const atMark = mulFixed(paper, markPrice);
    if (touch === undefined) return atMark;
    const numerator = paper * BigInt(touch.ticks) * instrument.creditNumerator;
    return smaller(atMark, numerator / (instrument.creditDenominator * instrument.paperPerLot));
  }
}

function withoutFirst(levels: readonly Level[], ahead: Lots): Level[] {
  const left: Level[] = [];
  let skip = ahead;
  for (const { ticks, lots } of levels) {
    const free = lots - skip;
    skip = Math.max(0, -free);
    if (free > 0) left.push({ ticks, lots: free });
  }
  return left;
}
