import { absolute, larger, smaller } from "../../core/bigints.js";
import type { Lots, PaperUnits } from "../../core/units.js";
import { mulFixed } from "../../perpetual/fixed-point.js";
import {
  computeTakeoverTerms,
  liquidatorAfterTakeover,
  type TakeoverTerms,
  takeoverPrice,
} from "../../perpetual/liquidation.js";
import type { MarginAccount } from "../../perpetual/margin-account.js";
import { OwnLimits } from "./own-limits.js";
import type { PlanInput, TakeoverMarket } from "./plan-input.js";
import { SizeGrid } from "./size-grid.js";
import type { TakeoverBound } from "./takeover-plan.js";
import { type UnwindEstimate, UnwindEstimator } from "./unwind-estimate.js";
import { computeCertainPaper } from "./worst-position.js";

/** One size with its consequences. */
export interface SizedTakeover {
  readonly terms: TakeoverTerms;
  readonly unwindEstimate: UnwindEstimate;
  readonly ownAfter: MarginAccount;
  /** Remaining cost after the takeover: gas and the worst-case unwind. */
  readonly lossCredit: bigint;
  /** The bound that keeps it from being larger. */
  readonly boundBy: TakeoverBound;
}

/** A size without the bounds of an account. */
export type UnboundedSize = Pick<SizedTakeover, "terms" | "unwindEstimate">;

/** The result of the search for a size. */
export type SizeSearch =
  | SizedTakeover
  | "less-than-a-lot"
  | "no-book"
  | { readonly brokenAtOnce: TakeoverBound };

/**
 * Finds the largest size within every bound. Until the book stops paying, each lot adds to the
 * profit, so the largest size is the best. The own margin and limits allow one range of sizes (lots
 * that reduce the own position make room, further lots take it). A binary search finds the end of
 * the range.
 */
export class TakeoverSizer {
  readonly #market: TakeoverMarket;
  readonly #input: PlanInput;
  readonly #gasCredit: bigint;
  readonly #enough: PaperUnits | undefined;
  readonly #position: PaperUnits;
  readonly #held: PaperUnits;
  readonly #book: UnwindEstimator;
  readonly #limits: OwnLimits;
  readonly #grid: SizeGrid;

  /** @param enough the largest size wanted, unsigned; undefined for all that is profitable. */
  constructor(
    market: TakeoverMarket,
    position: PaperUnits,
    input: PlanInput,
    gasCredit: bigint,
    enough?: PaperUnits,
  ) {
    this.#enough = enough;
    this.#market = market;
    this.#input = input;
    this.#gasCredit = gasCredit;
    this.#position = position;
    this.#held = input.own.margin.papers.get(market.perp) ?? 0n;
    const sign = position > 0n ? 1n : -1n;
    this.#book = new UnwindEstimator(
      market,
      computeCertainPaper(market, this.#held),
      sign,
      input.rules,
    );
    this.#limits = new OwnLimits(input, market, sign);
    this.#grid = new SizeGrid(position, this.#held, market.instrument.paperPerLot);
  }

  search(): SizeSearch {
    if (this.#grid.count === 0n) return "less-than-a-lot";
    const netted = this.#book.netted(this.#position);
    if (this.#within(netted, this.#book.bookLots()) === 0n) return "no-book";
    const { saleLots, layOffLots } = this.#profitableLots();
    const sold = this.#searchUpTo(saleLots);
    if (layOffLots === 0) return sold;
    // The book may pay best for less than the touch of the hedge venue takes.
    const laidOff = this.#searchUpTo(layOffLots);
    return isWorthMore(laidOff, sold) ? laidOff : sold;
  }

  /** The size that the search would give an account without limits, if it finds a book. */
  sizeWithoutLimits(): UnboundedSize {
    const { saleLots, layOffLots } = this.#profitableLots();
    const sized = (lots: Lots): UnboundedSize =>
      this.#sized(this.#grid.paper(this.#mostUpTo(lots).most));
    const sold = sized(saleLots);
    if (layOffLots === 0) return sold;
    const laidOff = sized(layOffLots);
    return worth(laidOff) > worth(sold) ? laidOff : sold;
  }

  /** Lots that can be unwound at a profit: sold here, or laid off at the hedge venue. */
  #profitableLots(): { readonly saleLots: Lots; readonly layOffLots: Lots } {
    const price = takeoverPrice(this.#market, this.#position);
    return {
      saleLots: this.#book.profitableLots(price),
      layOffLots: this.#book.profitableLayOffLots(price),
    };
  }

  /** The largest size within every bound, if as many lots as this can be unwound at a profit. */
  #searchUpTo(profitableLots: Lots): SizeSearch {
    const netted = this.#book.netted(this.#position);
    const { most, paying } = this.#mostUpTo(profitableLots);
    const natural = this.#naturalBound(most, paying);
    const peak = smaller(most, this.#grid.indexWithin(netted));
    const atPeak = peak === 0n ? undefined : this.findBreached(this.#grid.paper(peak));
    if (atPeak !== undefined) return { brokenAtOnce: atPeak };
    let [fits, fails] = [peak, most + 1n];
    while (fails - fits > 1n) {
      const middle = (fits + fails) / 2n;
      if (this.findBreached(this.#grid.paper(middle)) === undefined) fits = middle;
      else fails = middle;
    }
    const boundBy =
      fails > most ? natural : (this.findBreached(this.#grid.paper(fails)) ?? natural);
    if (fits === 0n) return { brokenAtOnce: boundBy };
    return { ...this.#sized(this.#grid.paper(fits)), boundBy };
  }

  /** Largest index that is wanted and pays, if as many lots can be unwound at a profit. */
  #mostUpTo(profitableLots: Lots): { readonly most: bigint; readonly paying: bigint } {
    const paying = this.#within(this.#book.netted(this.#position), profitableLots);
    const wanted =
      this.#enough === undefined
        ? this.#grid.count
        : larger(1n, this.#grid.indexFrom(this.#enough));
    // If the book pays for no lot, the result still shows the loss of one.
    return { most: smaller(wanted, larger(1n, paying)), paying };
  }

  #naturalBound(most: bigint, paying: bigint): TakeoverBound {
    if (most < paying) return "cure";
    return paying === this.#grid.count ? "position" : "depth";
  }

  /**
   * Finds the first own limit that this size would breach. @param paper a size that the book or
   * the hedge venue can take.
   */
  findBreached(paper: PaperUnits): TakeoverBound | undefined {
    const { ownAfter, lossCredit } = this.#sized(paper);
    return this.#limits.findBreached(ownAfter, lossCredit);
  }

  /** The index of the largest size of which at most `lots` are unwound. */
  #within(netted: PaperUnits, lots: number): bigint {
    return this.#grid.indexWithin(netted + this.#market.instrument.lotsToPaper(lots));
  }

  #sized(paper: PaperUnits): Omit<SizedTakeover, "boundBy"> {
    const terms = computeTakeoverTerms(this.#market, this.#position, paper);
    const disposal = this.#book.estimate(paper);
    if (disposal === undefined)
      throw new RangeError(`a size of ${absolute(paper)} paper is more than the book holds`);
    const { unwindPaper, worstCredit, nettedCredit } = disposal;
    const unwindLoss = larger(
      0n,
      mulFixed(unwindPaper, this.#market.markPrice) - (worstCredit - nettedCredit),
    );
    return {
      terms,
      unwindEstimate: disposal,
      ownAfter: liquidatorAfterTakeover(this.#input.own.margin, this.#market, terms),
      lossCredit: unwindLoss + this.#gasCredit,
    };
  }
}

function isWorthMore(one: SizeSearch, other: SizeSearch): boolean {
  if (typeof one === "string" || "brokenAtOnce" in one) return false;
  if (typeof other === "string" || "brokenAtOnce" in other) return true;
  return worth(one) > worth(other);
}

function worth({ terms, unwindEstimate }: UnboundedSize): bigint {
  return terms.credit + unwindEstimate.worstCredit;
}
