import type { Instrument } from "../../core/instrument.js";
import { type Lots, type Side, sideSign, type Ticks } from "../../core/units.js";
import type { RecordedMids } from "./recorded-mids.js";

/** A fill, live or of a rerun. */
export interface PricedFill {
  readonly atUs: number;
  readonly side: Side;
  readonly ticks: Ticks;
  readonly lots: Lots;
  /** Paid, in the quote asset; below zero received. */
  readonly feeQuote: number;
}

/** Sums over the fills of one block of a session, in the quote asset. */
export interface FillBlock {
  /** Filled size, in lots, whatever its side. */
  readonly lots: number;
  /** From the mid just before each fill to its price. */
  readonly spread: number;
  /** Fees received less those paid. */
  readonly fees: number;
  /** Earned by the moves of the mid within the horizon after each fill. */
  readonly drift: number;
  /** Earned by its moves until the end of the session. */
  readonly held: number;
}

/** A session cut into blocks of equal length. */
export interface BlockSpan {
  readonly startUs: number;
  readonly endUs: number;
  readonly blocks: number;
}

/** How long after a fill the moves of the mid count as its adverse selection. */
const HORIZON_US = 3_000_000;

/**
 * Sums the fills of one market block by block. Fills outside of the span are left out: those before
 * it are in the opening position, and those after it belong to the shutdown.
 */
export function sumFillBlocks(
  fills: readonly PricedFill[],
  mids: RecordedMids,
  { tickQuote, lotBase }: Pick<Instrument, "tickQuote" | "lotBase">,
  { startUs, endUs, blocks }: BlockSpan,
): FillBlock[] {
  const sums = Array.from({ length: blocks }, () => ({
    lots: 0,
    spread: 0,
    fees: 0,
    drift: 0,
    held: 0,
  }));
  const lastTicks = mids.before(endUs);
  for (const { atUs, side, ticks, lots, feeQuote } of fills) {
    if (atUs < startUs || atUs > endUs) continue;
    const at = Math.floor(((atUs - startUs) / (endUs - startUs)) * blocks);
    const sum = sums[Math.min(blocks - 1, at)];
    if (sum === undefined) continue;
    const quotePerTick = sideSign(side) * lots * tickQuote * lotBase;
    const midTicks = mids.before(atUs);
    sum.lots += lots;
    sum.spread += quotePerTick * (midTicks - ticks);
    sum.fees -= feeQuote;
    sum.drift += quotePerTick * (mids.before(Math.min(endUs, atUs + HORIZON_US)) - midTicks);
    sum.held += quotePerTick * (lastTicks - midTicks);
  }
  return sums;
}
