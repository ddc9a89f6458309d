import type { Instrument } from "../../core/instrument.js";
import { type Lots, type MarketId, type PaperUnits, sideSign } from "../../core/units.js";
import type { VenuePosition, VenueTrade } from "../../exchange/records.js";

/** A position in whole lots and the sub-lot balance, each signed on its own. */
export interface SplitAmount {
  readonly lots: Lots;
  readonly restPaper: PaperUnits;
}

/**
 * The sub-lot balance of each market, signed, in units of paper. Liquidations leave one, and so do
 * trades of orders off the market's step. A sub-lot balance is unchanged by every trade in whole
 * lots, even one that reverses the position.
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

  /** The position of a market with so many lots, signed, in units of paper. */
  toPaper(marketId: MarketId, lots: Lots): PaperUnits {
    return BigInt(lots) * this.#perLot(marketId) + this.get(marketId);
  }

  /** Converts paper to fractional lots. */
  toLots(marketId: MarketId, paper: PaperUnits): number {
    return Number(paper) / Number(this.#perLot(marketId));
  }

  /** Splits the exchange's position into lots and a sub-lot balance. */
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
   * Applies a trade, or its failure, to the sub-lot balance. Amounts that sum to lots move into
   * lots, and the remaining balance has the position's sign.
   * @param lots the position including the whole lots of the trade
   * @returns the change of the lots by the trade's amount beyond whole lots
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

  /** Formats so many lots and the sub-lot balance as a decimal of base. */
  formatBase(marketId: MarketId, lots: Lots): string {
    return this.#instruments.get(marketId)?.formatReportedAmount(lots, this.get(marketId)) ?? "0";
  }

  #perLot(marketId: MarketId): PaperUnits {
    return this.#instruments.get(marketId)?.paperPerLot ?? 1n;
  }
}
