import { absolute, ceilDivide, larger, smaller } from "../../core/bigints.js";
import type { CreditUnits, Lots, PaperUnits } from "../../core/units.js";
import type { Level } from "../../market/book/readable-book.js";
import { BPS, mulFixed, ONE } from "../../perpetual/fixed-point.js";
import { layOffCost } from "./lay-off-terms.js";
import type { PlanRules, TakeoverMarket } from "./plan-input.js";

/** The properties of a market that the unwind in it depends on. */
export type UnwindMarket = Pick<
  TakeoverMarket,
  | "instrument"
  | "bids"
  | "asks"
  | "takerFeeRate"
  | "makerFeeRate"
  | "pendingUnwindLots"
  | "markPrice"
  | "layOff"
> & {
  /**
   * Signed lots that wait for their hedge at the venue; those of `pendingUnwindLots` if absent,
   * which may all be laid off.
   */
  readonly pendingLayOffLots?: Lots;
};

/** Costs of both ways to get rid of acquired lots, against their value. Credit units. */
export interface UnwindCosts {
  /**
   * The lots at the worse of mark and mid, signed as the lots; undefined without a mid.
   */
  readonly heldCredit: CreditUnits | undefined;
  /** Of selling them here: depth of the book and taker fee; undefined if the book is too thin. */
  readonly hereCost: CreditUnits | undefined;
  /** Of laying them off at the hedge venue; undefined if that cannot be done. */
  readonly layOffCost: CreditUnits | undefined;
}

/**
 * The sale of acquired paper and its proceeds. Credit units; negative if the paper is bought back.
 */
export interface UnwindEstimate {
  /** The cheaper way, unless the terms name one: sold here, or laid off at the hedge venue. */
  readonly way: "here" | "hedge";
  /** Signed lots to sell (positive) or buy back. */
  readonly unwindLots: Lots;
  readonly unwindPaper: PaperUnits;
  /**
   * Value of the paper that only reduces the own position, at the worse of mark and touch, without
   * a fee.
   */
  readonly nettedCredit: CreditUnits;
  /**
   * Proceeds as taker through the levels of the book; of a position that is laid off, its value at
   * the worse of mark and mid.
   */
  readonly unwindCredit: CreditUnits;
  /** Of this exchange; 0 of a position that is laid off. */
  readonly takerFee: CreditUnits;
  /** Cost of laying it off; 0 if it is sold here. */
  readonly layOffCost: CreditUnits;
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
  readonly #market: UnwindMarket;
  readonly #held: PaperUnits;
  readonly #rules: Pick<PlanRules, "unwindReserveBps" | "makerShareBps">;
  /** Lots of earlier takeovers, which are unwound first. */
  readonly #aheadLots: Lots;
  /** Lots that take touch and margin of the hedge venue first. */
  readonly #aheadThereLots: Lots;
  /** Levels for the unwind, best first, without the depth that earlier takeovers need. */
  readonly #levels: readonly Level[];
  readonly #isSale: boolean;

  /** @param sign the sign of the acquired paper. */
  constructor(
    market: UnwindMarket,
    held: PaperUnits,
    sign: bigint,
    rules: Pick<PlanRules, "unwindReserveBps" | "makerShareBps">,
  ) {
    this.#market = market;
    this.#held = held;
    this.#rules = rules;
    this.#isSale = sign > 0n;
    const { pendingUnwindLots, pendingLayOffLots = pendingUnwindLots } = market;
    this.#aheadLots = Math.max(0, this.#isSale ? pendingUnwindLots : -pendingUnwindLots);
    this.#aheadThereLots = Math.max(0, this.#isSale ? pendingLayOffLots : -pendingLayOffLots);
    this.#levels = withoutFirst(this.#isSale ? market.bids : market.asks, this.#aheadLots);
  }

  /** The part of `paper`, unsigned, that only reduces the held position. */
  netted(paper: PaperUnits): PaperUnits {
    return paper > 0n === this.#held > 0n ? 0n : smaller(absolute(paper), absolute(this.#held));
  }

  /**
   * Lots that the book takes at better prices than the liquidation's, after fee and reserve.
   * @param price of the liquidation, credit units per 1e18 paper
   */
  profitableLots(price: bigint): Lots {
    const { instrument } = this.#market;
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

  /**
   * Lots that the touch of the hedge venue takes at a profit; 0 if it takes none, or only sizes
   * that the book here has not.
   * @param price of the liquidation, credit units per 1e18 paper
   */
  profitableLayOffLots(price: bigint): Lots {
    const { layOff, instrument } = this.#market;
    if (layOff === undefined || layOff.leastLots > this.bookLots()) return 0;
    const touch = this.#isSale ? layOff.touchLots.sell : layOff.touchLots.buy;
    const lots = Math.min(touch, layOff.mostLots) - this.#aheadThereLots;
    const { heldCredit, layOffCost: cost } = this.costs(Math.max(0, lots));
    if (heldCredit === undefined || cost === undefined) return 0;
    const paper = instrument.lotsToPaper(lots);
    const paid = this.#isSale ? mulFixed(paper, price) : -mulFixed(paper, price);
    return this.#reserved(heldCredit) - cost > paid ? lots : 0;
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
    const sign = this.#isSale ? 1 : -1;
    const nettedCredit = this.#nettedCredit(this.#isSale ? netted : -netted);
    const common = {
      unwindLots: lots === 0 ? 0 : sign * lots,
      unwindPaper: BigInt(sign) * unwound,
      nettedCredit,
    };
    const { heldCredit, hereCost, layOffCost: cost } = this.costs(lots);
    const { layOff } = this.#market;
    const isLaidOff =
      cost !== undefined &&
      (layOff?.isAlways === true || hereCost === undefined || cost < hereCost);
    if (heldCredit !== undefined && isLaidOff) {
      return {
        way: "hedge",
        ...common,
        unwindCredit: heldCredit,
        takerFee: 0n,
        layOffCost: cost,
        worstCredit: nettedCredit + this.#reserved(heldCredit) - cost,
        makerFirstCredit: nettedCredit + heldCredit - cost,
      };
    }
    const unwindCredit = this.#walk(lots);
    if (unwindCredit === undefined) return undefined;
    const makerLots = Number((BigInt(lots) * BigInt(this.#rules.makerShareBps)) / BPS);
    const makerCredit = this.#nearTouchCredit(makerLots) ?? this.#walk(makerLots) ?? 0n;
    const takerCredit = this.#walk(lots - makerLots) ?? 0n;
    return {
      way: "here",
      ...common,
      unwindCredit,
      takerFee: this.#takerFee(unwindCredit),
      layOffCost: 0n,
      worstCredit: nettedCredit + this.#worst(unwindCredit),
      makerFirstCredit:
        nettedCredit +
        takerCredit -
        this.#takerFee(takerCredit) +
        makerCredit -
        mulFixed(absolute(makerCredit), makerFeeRate),
    };
  }

  /** The costs of both ways. @param lots unsigned */
  costs(lots: Lots): UnwindCosts {
    const heldCredit = this.#heldCredit(lots);
    const unwindCredit = this.#walk(lots);
    const { layOff } = this.#market;
    if (heldCredit === undefined || lots === 0)
      return { heldCredit, hereCost: undefined, layOffCost: undefined };
    const signed = this.#isSale ? lots : -lots;
    return {
      heldCredit,
      hereCost:
        unwindCredit === undefined
          ? undefined
          : heldCredit - unwindCredit + this.#takerFee(unwindCredit),
      layOffCost:
        layOff === undefined
          ? undefined
          : layOffCost(layOff, signed, heldCredit, this.#aheadThereLots),
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
    const reserved = this.#reserved(credit);
    return reserved - this.#takerFee(reserved);
  }

  #reserved(credit: CreditUnits): CreditUnits {
    return credit - ceilDivide(absolute(credit) * BigInt(this.#rules.unwindReserveBps), BPS);
  }

  /** Lots at the worse of mark and mid: the mark alone may be ahead of, or behind, the book. */
  #heldCredit(lots: Lots): CreditUnits | undefined {
    const { markPrice, instrument, bids, asks } = this.#market;
    const [bid, ask] = [bids[0], asks[0]];
    if (bid === undefined || ask === undefined) return undefined;
    const { creditNumerator, creditDenominator } = instrument;
    const atMid = BigInt(lots) * BigInt(bid.ticks + ask.ticks) * creditNumerator;
    const atMark = mulFixed(instrument.lotsToPaper(lots), markPrice);
    return this.#isSale
      ? smaller(atMark, atMid / (2n * creditDenominator))
      : -larger(atMark, ceilDivide(atMid, 2n * creditDenominator));
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
