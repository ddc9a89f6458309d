import type { PlannedTakeover, Takeover } from "../account/positions/takeover.js";
import type { CreditUnits, Hex, MarketId, PaperUnits } from "../core/units.js";
import type { AccountLimits } from "../risk/limits.js";
import type { VenueMarket } from "./watch/victims.js";

/** An account in the exchange's list of risky accounts. */
export interface ListedRiskyAccount {
  readonly account: Hex;
  /** As the exchange reports; it may be stale. */
  readonly isSafe: boolean;
  readonly marketIds: readonly MarketId[];
}

/** Reason for a pause of takeovers. */
export interface TakeoverPause {
  /** Reason, as text. */
  readonly why: string;
  /**
   * It ends without intervention, for example after a start or once an account is confirmed.
   * Opportunities found meanwhile wait, and are not refused.
   */
  readonly isTemporary: boolean;
}

/** Data that a liquidator needs from the exchange and from its own trading there. */
export interface LiquidatorVenue {
  /**
   * Reason for a pause of takeovers, such as a halt; undefined when they may proceed. Takeovers in
   * flight go on.
   */
  pause(): TakeoverPause | undefined;
  /**
   * @throws TooManyRequests when the exchange refuses for the rate; another error when it returns
   * no usable response.
   */
  riskyAccounts(): Promise<readonly ListedRiskyAccount[]>;
  /**
   * Markets in which a position can be sold now, by perp in lower case. A market whose book is not
   * in sync has no levels.
   */
  markets(): ReadonlyMap<Hex, VenueMarket>;
  /** The market of a perp, tradable now or not; undefined if this bot does not trade it. */
  marketIdFor(perp: Hex): MarketId | undefined;
  /** The perp of a market, lower case. */
  perpFor(marketId: MarketId): Hex | undefined;
  readonly accountLimits: AccountLimits;
  /** Credit units of one ether. @throws when the price is not known. */
  creditPerEth(): Promise<CreditUnits>;
  /**
   * Value of paper of a market at the worse of the exchange's mark and the chain's, signed as the
   * paper; undefined before the first mark.
   */
  markValue(perp: Hex, paper: PaperUnits): CreditUnits | undefined;
  /** Value of unsold inventory from earlier takeovers, at the mark. */
  unwindingCredit(): CreditUnits;
}

/**
 * The part of the bot that sells acquired positions and whose limits apply to it. All methods are
 * idempotent.
 */
export interface InventoryUnwinder {
  /**
   * Sets all takeovers that are planned or sent, and neither acquired nor ended. Plans and orders
   * from now on leave room for them.
   */
  reserve(takeovers: readonly PlannedTakeover[]): void;
  acquire(takeover: Takeover): void;
  /** Reverts a takeover that a reorg removed. */
  revert(takeoverId: string): void;
}
