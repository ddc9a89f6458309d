import type { CreditUnits, Lots, MarketId, Ms } from "../../core/units.js";

/**
 * Where the unwinding of a takeover stands. `open`: being sold. `done`: nothing remains. `dust`:
 * what remains is less than is worth an order, or than the market takes. `expired`: the deadline
 * has passed; what remains is kept. `undone`: the chain has taken the takeover back, and what had
 * been sold of it is bought again. The last four may still become `open` again: a slice whose
 * settlement failed remains.
 */
export type UnwindState = "open" | "done" | "dust" | "expired" | "undone";

/**
 * One takeover and what became of it. At every moment `inheritedLots = soldLots + remainingLots`,
 * and what the takeover has earned so far is `inheritedCredit + proceedsCredit - feesCredit +
 * markCredit`.
 */
export interface UnwindReport {
  readonly takeoverId: string;
  readonly marketId: MarketId;
  readonly state: UnwindState;
  /** Signed; 0 once the takeover is undone. */
  readonly inheritedLots: Lots;
  /** Signed credit of the takeover; 0 once it is undone. */
  readonly inheritedCredit: CreditUnits;
  /** Of the inherited sign: what fills have worked off, matched or settled. */
  readonly soldLots: Lots;
  /**
   * Of `soldLots`: what no fill worked off, since an opposite position of the account was closed by
   * it, at the mark of that moment.
   */
  readonly nettedLots: Lots;
  /**
   * Signed credit that the fills brought: positive where a long was sold. Netted lots at their
   * mark.
   */
  readonly proceedsCredit: CreditUnits;
  /** Commissions paid; negative is a rebate. */
  readonly feesCredit: CreditUnits;
  /** Of the inherited sign. */
  readonly remainingLots: Lots;
  /** What remains, at the mark; undefined before the first mark. */
  readonly markCredit: CreditUnits | undefined;
  /** Exchange time. */
  readonly deadlineMs: Ms;
}
