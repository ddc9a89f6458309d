import type { MarketId, Side } from "../../core/units.js";
import type { ActiveHalt } from "../status/active-halt.js";

/** The trades that a flatten would make of the present book. */
export interface FlattenPreview {
  readonly side: Side;
  /** Amount of the position. */
  readonly amountBase: string;
  /** Best opposing price that is not our own order's; null if there is none. */
  readonly touchPrice: string | null;
  /** Average price of the filled amount, to four digits beyond the grid; null if none fills. */
  readonly expectedPrice: string | null;
  /** No order goes beyond it; null while the book is not synchronised. */
  readonly worstPrice: string | null;
  /** Distance of the expected price from the touch; 0 if nothing fills. */
  readonly slippageBps: number;
  /** The same as money: the filled amount brings so much less, or costs so much more. */
  readonly slippageQuote: string;
  /** Fee of the amount that fills, at the taker's rate. */
  readonly takerFeeQuote: string;
  /** The rest that the book does not fill within the worst price, or not within its time. */
  readonly unfilledBase: string;
  /** Largest single order, and how many of them the position takes. */
  readonly sliceBase: string | null;
  readonly slices: number;
  /** Why something remains unfilled; absent if nothing does. */
  readonly why?: string;
}

/** Effects of a command on one market. */
export interface MarketPreview {
  readonly marketId: MarketId;
  /** Our open orders that the command cancels. */
  readonly ordersCancelled: number;
  /** null until the exchange has reported the account. */
  readonly positionBase: string | null;
  /** Only for a flatten of a position that is known and not zero. */
  readonly flatten?: FlattenPreview;
}

/** The effects of a command if it came now: the answer to `preview`. */
export interface CommandPreview {
  readonly command: "halt" | "resume" | "flatten";
  readonly markets: readonly MarketPreview[];
  /** Halts that a resume ends. A guard whose condition lasts halts again at once. */
  readonly haltsEnded: readonly ActiveHalt[];
  /** Halts of these markets that stay in force. */
  readonly haltsKept: readonly ActiveHalt[];
  /** Markets whose flatten in progress a resume stops. */
  readonly flattenStopped: readonly MarketId[];
}
