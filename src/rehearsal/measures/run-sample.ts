import type { CreditUnits, Lots, MarketId, Ms } from "../../core/units.js";
import type { LadderTrack } from "../../risk/ladder-track.js";
import type { Order } from "../../simulator/accounts/account.js";

/** The records of the exchange at one instant of a run. */
export interface RunSample {
  /** Since the start of the bot. */
  readonly atMs: Ms;
  /** Equity of the account and of its hedge accounts. */
  readonly equity: CreditUnits;
  readonly openOrders: readonly Order[];
  readonly positions: ReadonlyMap<MarketId, Lots>;
  readonly isExchangeRunning: boolean;
  /** State of the bot's loss ladder; empty while its process is dead. */
  readonly ladderTracks: readonly Readonly<LadderTrack>[];
}
