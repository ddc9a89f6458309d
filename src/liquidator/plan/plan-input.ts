import type { Instrument } from "../../core/instrument.js";
import type { CreditUnits, Hex, Lots, MarketId, SideLots } from "../../core/units.js";
import type { Level } from "../../market/book/readable-book.js";
import type { MarginAccount, MarginMarket } from "../../perpetual/margin-account.js";
import type { AccountLimits, MarketLimits } from "../../risk/limits.js";

/** A market that a position can be taken in and unwound. */
export interface TakeoverMarket extends MarginMarket {
  readonly marketId: MarketId;
  readonly instrument: Instrument;
  /** Best first, without the liquidator's own orders. */
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
  /** Scaled by 1e18, signed: a negative maker rate is a rebate, and no income to count on. */
  readonly takerFeeRate: bigint;
  readonly makerFeeRate: bigint;
  /** Signed lots of earlier takeovers, in flight or being unwound, that the book has still to take: long is positive. */
  readonly pendingUnwindLots: Lots;
  /** What the account's orders may still bring, by side: its own and manual ones, and matches that no trade has reported yet. */
  readonly workingLots: SideLots;
  /** What takeovers that are planned or sent, and in no block yet, may bring, by side. */
  readonly reservedLots: SideLots;
  /** Trades in {@link positionLots} whose settlement may still fail, by side: each leaves the position again where it does. */
  readonly unsettledLots: SideLots;
  /**
   * The own position with trades that have not settled, and with what was taken over; the chain has them later. Undefined where only the chain
   * can be asked.
   */
  readonly positionLots: Lots | undefined;
  readonly limits: MarketLimits;
}

/** An account in danger, confirmed at one block. */
export interface Victim {
  /** Lower case. */
  readonly account: Hex;
  readonly blockNumber: number;
  readonly margin: MarginAccount;
}

/** The liquidator's own account at the same block, what is in flight counted in. */
export interface OwnAccount {
  readonly account: Hex;
  readonly margin: MarginAccount;
  readonly limits: AccountLimits;
  /** The exposure, on the chain, that takeovers may bring the account to; undefined for no bound of their own. */
  readonly maxExposureCredit?: CreditUnits | undefined;
  /** The dealer's `maxPositionAmount`: in how many markets an account may hold positions. */
  readonly maxPositionAmount: number;
}

/** What a liquidation costs in gas. */
export interface GasPrices {
  /** Gas that one liquidation burns, with the number of positions of either side counted in. */
  readonly gasPerTakeover: bigint;
  /** Base fee and tip that are expected to be paid, wei per gas. */
  readonly feePerGasWei: bigint;
  /** What a rollup charges beside, in wei; 0 on a chain of its own. */
  readonly extraWei: bigint;
  /** Credit units of one ether: the exchange's `gasFeeInfo.lastEthIndexPrice`. */
  readonly creditPerEth: CreditUnits;
}

/** What the liquidator demands. */
export interface PlanRules {
  /** Credit units; nothing is sent that may earn less. */
  readonly minProfitCredit: CreditUnits;
  /** Up to what size is taken: all that pays, or no more than makes the victim safe again (where a part can). */
  readonly takeUpTo: "position" | "cure";
  /** Net value has to stay so far above maintenance margin, in basis points of that margin. */
  readonly marginBufferBps: number;
  /** The unwind is reckoned to do so much worse than the book shows, in basis points of its price. */
  readonly unwindReserveBps: number;
  /** Share of the profit above the least one that may be spent on gas, in basis points; the rest is room for the price to move. */
  readonly gasShareBps: number;
  /** Share of the unwind that is hoped to fill as maker, in basis points. */
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
