import type { CreditUnits, Lots, MarketId, Ms, PaperUnits } from "../../core/units.js";

/** A position that the account acquired in a liquidation, as reported by the chain's receipt. */
export interface Takeover {
  /**
   * Id given by the recorder, the same in every repetition: the transaction's hash and the log's
   * index, for example.
   */
  readonly id: string;
  readonly marketId: MarketId;
  /** Signed change of the account's position. Never 0. */
  readonly lots: Lots;
  /** Signed change of the account's credit in this market: negative if a long was paid for. */
  readonly credit: CreditUnits;
  /** Time of its block. */
  readonly atMs: Ms;
}

/** A takeover as stored from one run to the next. */
export interface StoredTakeover extends Takeover {
  /**
   * True if the exchange's position includes it: a run that begins from that position must not
   * count it again.
   */
  readonly isTold: boolean;
}

/**
 * A takeover that is planned or sent and has no final outcome. Until then it uses up part of the
 * limits.
 */
export interface PlannedTakeover {
  /** Id of the transaction job that executes it, whatever its hash becomes. */
  readonly jobId: string;
  readonly marketId: MarketId;
  /** Signed maximum amount. 0 if an earlier run sent it and stored no size. */
  readonly paper: PaperUnits;
}
