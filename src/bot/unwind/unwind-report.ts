import type { CreditUnits, Lots, MarketId, Ms } from "../../core/units.js";

import type { UnwindDecision } from "./unwind-decision.js";

/**
 * State of a takeover's unwinding. `open`: being sold. `done`: nothing remains. `laid-off`: hedged
 * at another venue, and from then on a part of the market's own position. `dust`: the
 * remainder is too small to be worth an order, or for the market to accept. `expired`: the deadline
 * has passed; the remainder is kept. `undone`: the chain has reverted the takeover, and its sold
 * part is bought back. All but `open` may become `open` again: a slice whose settlement failed
 * remains.
 */
export type UnwindState = "open" | "done" | "laid-off" | "dust" | "expired" | "undone";

/**
 * One takeover and its progress. At every moment `acquiredLots = soldLots + remainingLots`, and
 * the takeover has earned `acquiredCredit + proceedsCredit - feesCredit + markCredit` so far.
 */
export interface UnwindReport {
  readonly takeoverId: string;
  readonly marketId: MarketId;
  readonly state: UnwindState;
  /** Signed; 0 once the takeover is undone. */
  readonly acquiredLots: Lots;
  /** Signed credit of the takeover; 0 once it is undone. */
  readonly acquiredCredit: CreditUnits;
  /** With the sign of the acquired position: lots that fills have closed, matched or settled. */
  readonly soldLots: Lots;
  /**
   * Part of `soldLots` that no fill closed, since an opposite position of the account was closed by
   * it, at the mark of that moment.
   */
  readonly nettedLots: Lots;
  /**
   * Part of `soldLots` that the market's own position has taken over: it is hedged at another
   * venue. Its proceeds are its value at the worse of mark and mid, less the cost of the hedge.
   */
  readonly laidOffLots: Lots;
  /** How it is unwound, and at which costs; undefined in a market without a hedge. */
  readonly decision?: UnwindDecision | undefined;
  /**
   * Signed credit that the fills brought: positive if a long was sold. Netted lots at their mark.
   */
  readonly proceedsCredit: CreditUnits;
  /** Commissions paid; negative is a rebate. */
  readonly feesCredit: CreditUnits;
  /** With the sign of the acquired position. */
  readonly remainingLots: Lots;
  /** The remainder at the mark; undefined before the first mark. */
  readonly markCredit: CreditUnits | undefined;
  /** Exchange time. */
  readonly deadlineMs: Ms;
}
