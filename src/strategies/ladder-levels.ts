import type { Instrument } from "../core/instrument.js";
import type { SizeMultipliers } from "./inventory-skew.js";
import { inventoryFraction, inventoryRangeLots, sizeMultipliers } from "./inventory-skew.js";
import type { QuotingBounds, WantedLevel } from "./shape-quotes.js";
import { baseToLots } from "./size-lots.js";

/** The parameters of a ladder's inventory skew. */
export interface LadderSkewParams {
  readonly sizeBase: number;
  readonly priceSkewBps: number;
  readonly sizeSkew: boolean;
  readonly targetPositionBase: number;
  readonly inventoryRangeBase?: number | undefined;
}

/** The inventory skew of a ladder. */
export interface LadderSkew {
  /** The inventory as a fraction of its range, from -1 to 1. */
  readonly inventory: number;
  /** Shift of the reservation price from the fair price. */
  readonly skewTicks: number;
  readonly size: SizeMultipliers;
}

/** The skew of a ladder around a fair price at the position of a view. */
export function ladderSkew(
  params: LadderSkewParams,
  instrument: Instrument,
  room: QuotingBounds,
  fairTicks: number,
): LadderSkew {
  const position = room.positionLots;
  const target = params.targetPositionBase / instrument.lotBase;
  const range = inventoryRangeLots(params, instrument, room);
  const inventory = inventoryFraction(position, target, range);
  return {
    inventory,
    skewTicks: (-inventory * (fairTicks * params.priceSkewBps)) / 10_000,
    size: params.sizeSkew ? sizeMultipliers(position, target, range) : { bid: 1, ask: 1 },
  };
}

/** The number and the sizes of a ladder's levels. */
export interface LadderSizes {
  readonly levels: number;
  readonly sizeBase: number;
  readonly sizeGrowth: number;
}

/** The prices of a ladder, in fractional ticks. */
export interface LadderPrices {
  /** The price that the bids are below. */
  readonly bidsFromTicks: number;
  /** The price that the asks are above. */
  readonly asksFromTicks: number;
  /** Distance of the innermost level. */
  readonly distanceTicks: number;
  readonly spacingTicks: number;
}

/** The levels of a ladder, innermost first. */
export function ladderLevels(
  { levels, sizeBase, sizeGrowth }: LadderSizes,
  instrument: Instrument,
  { bidsFromTicks, asksFromTicks, distanceTicks, spacingTicks }: LadderPrices,
  size: SizeMultipliers,
): WantedLevel[] {
  const wanted: WantedLevel[] = [];
  for (let level = 0; level < levels; level++) {
    const distance = distanceTicks + level * spacingTicks;
    const base = sizeBase * sizeGrowth ** level;
    wanted.push({
      bidTicks: bidsFromTicks - distance,
      askTicks: asksFromTicks + distance,
      bidLots: baseToLots(base * size.bid, instrument),
      askLots: baseToLots(base * size.ask, instrument),
    });
  }
  return wanted;
}
