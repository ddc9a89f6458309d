import type {
  ChainAccountBalances,
  ChainMarket,
  LiquidationCost,
} from "../../chain/contracts/lens-results.js";
import type { Revert } from "../../chain/contracts/revert.js";
import type { CreditUnits, Hex, Ms, PaperUnits } from "../../core/units.js";
import type { MarginAccount } from "../../perpetual/margin-account.js";

/** An account read at one block, in one batch with others. */
export type ConfirmedAccount =
  | {
      readonly kind: "read";
      /** Lower case. */
      readonly account: Hex;
      readonly isSafe: boolean;
      readonly margin: MarginAccount;
      readonly holdings: ChainAccountBalances & { readonly ok: true };
      /** For an unsafe account, the result of liquidating its whole position, by market. */
      readonly costs: ReadonlyMap<Hex, LiquidationCost>;
    }
  /** Its views revert, mostly because of a stale price. It cannot be liquidated now. */
  | { readonly kind: "unreadable"; readonly account: Hex; readonly revert: Revert };

/** Candidates, the liquidator itself and the markets, all at one block. */
export interface Confirmation {
  readonly blockNumber: number;
  readonly timestampMs: Ms;
  readonly accounts: readonly ConfirmedAccount[];
  readonly own: ConfirmedAccount;
  /** By perp in lower case: every listed market. */
  readonly markets: ReadonlyMap<Hex, ChainMarket>;
}

/** Distance of an account to liquidation. */
export interface Nearness {
  /**
   * Smallest move of one market's mark price that makes it unsafe, basis points of the mark; 0 when
   * it is unsafe, Infinity when no move does.
   */
  readonly distanceBps: number;
  /**
   * For each of its markets, the mark price that makes it unsafe, all else equal; 0 for none.
   * Credit units per 1e18 paper.
   */
  readonly liquidationPrices: ReadonlyMap<Hex, bigint>;
  /** Net value minus maintenance margin. */
  readonly slackCredit: CreditUnits;
}

/** An account that is worth watching. */
export interface Candidate {
  readonly account: Hex;
  readonly nearness: Nearness;
  readonly papers: ReadonlyMap<Hex, PaperUnits>;
  /** Value of the discount on all of its positions. */
  readonly discountCredit: CreditUnits;
}
