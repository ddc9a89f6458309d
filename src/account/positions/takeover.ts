import type { CreditUnits, Lots, MarketId, Ms, PaperUnits } from "../../core/units.js";

/** A position that the account has taken over in a liquidation, as the chain's receipt tells it. */
export interface Takeover {
  /** Given by whoever took it over, the same in every repetition: the transaction's hash and the log's index, say. */
  readonly id: string;
  readonly marketId: MarketId;
  /** Signed change of the account's position. Never 0. */
  readonly lots: Lots;
  /** Signed change of the account's credit in this market: negative where a long was paid for. */
  readonly credit: CreditUnits;
  /** Time of the block that it is in. */
  readonly atMs: Ms;
}

/** A takeover as it is remembered from one run to the next. */
export interface StoredTakeover extends Takeover {
  /** The exchange's position has had it: a run that begins from that position must not count it again. */
  readonly isTold: boolean;
}

/** A takeover that was planned or sent, and is neither held nor gone yet: until then its room in the limits is taken. */
export interface PlannedTakeover {
  /** Of the transaction that carries it out, whatever becomes of its hash. */
  readonly jobId: string;
  readonly marketId: MarketId;
  /** Signed: the most that it brings. 0 where an earlier run sent it and left no size. */
  readonly paper: PaperUnits;
}
