import type { CreditUnits } from "../../core/units.js";

/**
 * Counts of a run's opportunities by stage and outcome, including those that an earlier run left
 * open. Each opportunity counts once in `seen`, once in `confirmed` if it was confirmed, and once
 * in its outcome. `seen` is the sum of `won`, `lost`, `unprofitable`, `reverted`, `refused`,
 * `cured`, `wouldAct` and `open`.
 */
export interface LedgerCounts {
  readonly seen: number;
  readonly confirmed: number;
  readonly won: number;
  readonly lost: number;
  /** Includes open opportunities that earn too little at this moment. */
  readonly unprofitable: number;
  readonly reverted: number;
  readonly refused: number;
  readonly cured: number;
  /** Takeovers that a dry run would have sent, including those that are still possible. */
  readonly wouldAct: number;
  /** In flight, or waiting. */
  readonly open: number;
  /**
   * Profit of takeovers, with their unsold remainder at the mark, less the gas of everything that
   * was sent.
   */
  readonly profitQuote: CreditUnits;
  readonly gasWei: bigint;
}
