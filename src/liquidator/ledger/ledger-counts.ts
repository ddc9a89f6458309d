import type { CreditUnits } from "../../core/units.js";

/**
 * How many opportunities of a run came how far, what an earlier run left open among them. Each is counted once in `seen`, once in
 * `confirmed` if it was, and once in what it came to: `seen` is the sum of `won`, `lost`, `unprofitable`, `reverted`, `refused`, `cured`,
 * `wouldAct` and `open`.
 */
export interface LedgerCounts {
  readonly seen: number;
  readonly confirmed: number;
  readonly won: number;
  readonly lost: number;
  /** Those that are open and earn too little at this moment are among them. */
  readonly unprofitable: number;
  readonly reverted: number;
  readonly refused: number;
  readonly cured: number;
  /** Of a dry run: what would have been sent, those that are still there among them. */
  readonly wouldAct: number;
  /** Under way, or waited for. */
  readonly open: number;
  /** Earned by takeovers with what remains of them at the mark, less the gas of everything that was sent. */
  readonly profitQuote: CreditUnits;
  readonly gasWei: bigint;
}
