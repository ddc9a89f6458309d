import type { CreditUnits, Hex } from "../../core/units.js";

/** A race that somebody else won. */
export interface LostRace {
  readonly victim: Hex;
  readonly perp: Hex;
  readonly winner: Hex;
  /** Blocks by which the winner's transaction was before ours; 0 in the same block. */
  readonly blocksBefore: number;
  /** What the winner paid, wei per gas above the base fee, and what we offered. */
  readonly winnerTipWei: bigint;
  readonly ourTipWei: bigint;
  /** Gas that ours would have burnt. */
  readonly gas: bigint;
  /** What we would have earned at our tip, credit units. */
  readonly missedProfitCredit: CreditUnits;
}
