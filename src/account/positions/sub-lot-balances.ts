import type { Instrument } from "../../core/instrument.js";
import { type Lots, type MarketId, type PaperUnits, sideSign } from "../../core/units.js";
import type { VenuePosition, VenueTrade } from "../../exchange/records.js";

/** A position in whole lots, and what is held beyond them: both signed, each on its own. */
export interface SplitAmount {
  readonly lots: Lots;
  readonly restPaper: PaperUnits;
}

/**
 * What the account holds beyond whole lots of each market, signed, in units of paper: liquidations leave it, and trades of orders that were placed
 * in other steps. A rest stays the same through every trade in whole lots, also of one that passes zero.
 */
export class SubLotBalances {
  readonly #instruments: ReadonlyMap<MarketId, Instrument>;
  readonly #paper = new Map<MarketId, PaperUnits>();

  constructor(instruments: ReadonlyMap<MarketId, Instrument>) {
    this.#instruments = instruments;
  }

  get(marketId: MarketId): PaperUnits {
    return this.#paper.get(marketId) ?? 0n;
  }

  set(marketId: MarketId, restPaper: PaperUnits): void {
    this.#paper.set(marketId, restPaper);
  }

  /** So much paper as parts of lots. */
  toLots(marketId: MarketId, paper: PaperUnits): number {
    return Number(paper) / Number(this.#perLot(marketId));
  }

  /** The exchange's position in lots of ours and what it holds beyond them. */
  splitByLots(
    marketId: MarketId,
    { lots, restPaper = 0n }: Pick<VenuePosition, "lots" | "restPaper">,
  ): SplitAmount {
    const paperPerLot = this.#perLot(marketId);
    const known = this.get(marketId);
    const beside = BigInt(lots) * paperPerLot + restPaper - known;
    return beside % paperPerLot === 0n
      ? { lots: Number(beside / paperPerLot), restPaper: known }
      : { lots, restPaper };
  }

  /**
   * A trade has moved what is held beyond whole lots, or its failure has: what sums to lots counts as such, and what is left has the position's sign.
   * @param lots held, with the whole lots of the trade. @returns how many more they are by what it had beyond
   */
  applyTrade(
    { marketId, side, restPaper = 0n }: Pick<VenueTrade, "marketId" | "side" | "restPaper">,
    times: 1 | -1,
    lots: Lots,
  ): Lots {
    const paperPerLot = this.#perLot(marketId);
    const paper =
      BigInt(lots) * paperPerLot + this.get(marketId) + BigInt(times * sideSign(side)) * restPaper;
    this.set(marketId, paper % paperPerLot);
    return Number(paper / paperPerLot) - lots;
  }

  /** So many lots and the rest beside them as a decimal of base. */
  formatBase(marketId: MarketId, lots: Lots): string {
    return this.#instruments.get(marketId)?.toldAmountOf(lots, this.get(marketId)) ?? "0";
  }

  #perLot(marketId: MarketId): PaperUnits {
    return this.#instruments.get(marketId)?.paperPerLot ?? 1n;
  }
}
