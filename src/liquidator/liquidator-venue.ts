import type { PlannedTakeover, Takeover } from "../account/positions/takeover.js";
import type { CreditUnits, Hex, MarketId, PaperUnits } from "../core/units.js";
import type { AccountLimits } from "../risk/limits.js";
import type { VenueMarket } from "./watch/victims.js";

/** An account of the exchange's list of risky ones. */
export interface ListedRiskyAccount {
  readonly account: Hex;
  /** As the exchange says: it may be stale. */
  readonly isSafe: boolean;
  readonly marketIds: readonly MarketId[];
}

/** Why nothing may be taken over now. */
export interface TakeoverPause {
  /** In words. */
  readonly why: string;
  /** It is over by itself, as a start or an account that is not confirmed yet: what is found meanwhile waits, and is not refused. */
  readonly isTemporary: boolean;
}

/** What a liquidator knows from the exchange and of its own trading there. */
export interface LiquidatorVenue {
  /** Why nothing may be taken over now, such as a halt; undefined when it may. What is in flight goes on. */
  pause(): TakeoverPause | undefined;
  /** @throws TooManyRequests when the exchange refuses for the rate; another error when it gives no usable answer. */
  riskyAccounts(): Promise<readonly ListedRiskyAccount[]>;
  /** The markets that can be unwound in now, by perp in lower case; one whose book is not in step has no levels. */
  markets(): ReadonlyMap<Hex, VenueMarket>;
  /** The market of a perp, whether it can be traded now or not; undefined for one that is none of this bot's. */
  marketIdFor(perp: Hex): MarketId | undefined;
  /** The perp of a market, lower case. */
  perpFor(marketId: MarketId): Hex | undefined;
  readonly accountLimits: AccountLimits;
  /** Credit units of one ether. @throws when it is not known. */
  creditPerEth(): Promise<CreditUnits>;
  /** What paper of a market is worth at the worse of the exchange's mark and the chain's, signed as it is; undefined before the first mark. */
  markValue(perp: Hex, paper: PaperUnits): CreditUnits | undefined;
  /** What is still to be sold of earlier takeovers, at the mark. */
  unwindingCredit(): CreditUnits;
}

/** Who sells what was taken over, and whose limits it has to keep to. All are idempotent. */
export interface InventoryUnwinder {
  /** All takeovers that are planned or sent, and neither held nor gone. Whatever is planned or placed from now on leaves them their room. */
  reserve(takeovers: readonly PlannedTakeover[]): void;
  acquire(takeover: Takeover): void;
  /** The chain has taken it back. */
  revert(takeoverId: string): void;
}
