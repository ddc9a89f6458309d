/** Profit by its parts, each a bigint scaled by `10^decimals` of the quote asset; they sum to `total` exactly. */
export interface ProfitParts {
  readonly decimals: number;
  /** Fills against the mid at their time. */
  readonly spread: bigint;
  /** Position times the moves of the mid. */
  readonly inventory: bigint;
  /** Commissions, negative when paid. */
  readonly fees: bigint;
  readonly funding: bigint;
  /** The contract's mark value against the mid value, rounding of the contract included. */
  readonly basis: bigint;
  /** Reversals of trades whose settlement failed. */
  readonly failed: bigint;
  /** Liquidations, bonuses and other incomes, and positions taken over without a trade. */
  readonly other: bigint;
  /** Deposits and withdrawals: in the net value, not in the profit. */
  readonly transfers: bigint;
  /** All but transfers. */
  readonly total: bigint;
}
