import type { Instrument } from "../../core/instrument.js";
import type { CreditUnits, Hex, Lots, MarketId, SideLots } from "../../core/units.js";
import type { Level } from "../../market/book/readable-book.js";
import type { MarginAccount, MarginMarket } from "../../perpetual/margin-account.js";
import type { AccountLimits, MarketLimits } from "../../risk/limits.js";
import type { LayOffTerms } from "./lay-off-terms.js";

/** A market in which a position can be acquired and unwound. */
export interface TakeoverMarket extends MarginMarket {
  readonly marketId: MarketId;
  readonly instrument: Instrument;
  /** Best first, without the liquidator's own orders. */
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
  /**
   * Scaled by 1e18, signed. A negative maker rate is a rebate, which plans do not count as income.
   */
  readonly takerFeeRate: bigint;
  readonly makerFeeRate: bigint;
  /**
   * Signed lots of earlier takeovers, in flight or being unwound, that still have to trade on the
   * book; long is positive.
   */
  readonly pendingUnwindLots: Lots;
  /**
   * Lots that the account's open orders may still fill, by side: its own orders, manual ones, and
   * matches that no trade has reported yet.
   */
  readonly workingLots: SideLots;
  /** Lots that takeovers planned or sent, and not yet in a block, may bring, by side. */
  readonly reservedLots: SideLots;
  /**
   * Trades in {@link positionLots} whose settlement may still fail, by side. A failure removes the
   * trade from the position.
   */
  readonly unsettledLots: SideLots;
  /**
   * The own position, with unsettled trades and acquired positions; the chain reports those later.
   * Undefined if only the chain reports it.
   */
  readonly positionLots: Lots | undefined;
  readonly limits: MarketLimits;
  /**
   * Absent if a position cannot be laid off at another venue: the market has no hedge, the bot may
   * not choose it, or the venue cannot be valued now.
   */
  readonly layOff?: LayOffTerms | undefined;
}

/** An account in danger, confirmed at one block. */
export interface Victim {
  /** Lower case. */
  readonly account: Hex;
  readonly blockNumber: number;
  readonly margin: MarginAccount;
}

/** The liquidator's own account at the same block, including what is in flight. */
export interface OwnAccount {
  readonly account: Hex;
  readonly margin: MarginAccount;
  readonly limits: AccountLimits;
  /** Largest on-chain exposure that takeovers may lead to; undefined for no separate limit. */
  readonly maxExposureCredit?: CreditUnits | undefined;
  /**
   * The dealer's `maxPositionAmount`: the number of markets in which an account may hold positions.
   */
  readonly maxPositionAmount: number;
}

/** Gas cost of a liquidation. */
export interface GasPrices {
  /** Gas of one liquidation, with the number of positions on either side included. */
  readonly gasPerTakeover: bigint;
  /** Expected base fee and tip, wei per gas. */
  readonly feePerGasWei: bigint;
  /** The rollup's extra charge, in wei; 0 on a chain without one. */
  readonly extraWei: bigint;
  /** Credit units of one ether: the exchange's `gasFeeInfo.lastEthIndexPrice`. */
  readonly creditPerEth: CreditUnits;
}

/** The liquidator's requirements of a plan. */
export interface PlanRules {
  /** Least profit of a takeover, credit units. */
  readonly minProfitCredit: CreditUnits;
  /**
   * Largest size to take: all that is profitable, or only as much as makes the victim safe again
   * (where a part can).
   */
  readonly takeUpTo: "position" | "cure";
  /** Distance to keep between net value and maintenance margin, in basis points of that margin. */
  readonly marginBufferBps: number;
  /**
   * Amount by which the unwind is assumed to be worse than the book shows, in basis points of its
   * price.
   */
  readonly unwindReserveBps: number;
  /**
   * Largest share of the profit above the minimum to spend on gas, in basis points. The rest is
   * room for the price to move.
   */
  readonly gasShareBps: number;
  /** Share of the unwind that may fill as maker, in basis points. */
  readonly makerShareBps: number;
}

/** Everything that a plan depends on. */
export interface PlanInput {
  readonly own: OwnAccount;
  /** By perp in lower case. */
  readonly markets: ReadonlyMap<Hex, TakeoverMarket>;
  readonly gas: GasPrices;
  readonly rules: PlanRules;
}
