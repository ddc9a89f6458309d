import type { ProfitParts } from "../../../account/profit/account-profit.js";
import type { CreditUnits } from "../../../core/units.js";
import type { Bot } from "../../engine/bot.js";

/** What a run has earned, and what that is made of, all of it of one moment. */
export interface Earnings {
  /** The exchange's net value at our marks, credit units; undefined before it was told. */
  readonly equity: CreditUnits | undefined;
  /** Of {@link equity} since the start; undefined before the account is confirmed. */
  readonly change: CreditUnits | undefined;
  /** Deposits less withdrawals since the start, credit units. */
  readonly transfers: CreditUnits;
  /** The change without transfers, credit units. */
  readonly earned: CreditUnits | undefined;
  /** Scaled by `10^decimals`, as {@link inTransit} is. */
  readonly parts: ProfitParts;
  /**
   * By how much {@link earned} is beyond the parts. Trades, incomes and transfers reach the bot as
   * records and as balances, one a moment after the other: until both are there, what only one of
   * them has is here. Zero once all is told.
   */
  readonly inTransit: bigint | undefined;
}

/** Reads the earnings of a bot. `parts.total + underWay` is `earned`, to the last digit. */
export function computeEarnings({ context: { account, rules } }: Bot): Earnings {
  const { equity, startEquity } = account;
  const parts = account.profit();
  const unit = 10n ** BigInt(parts.decimals - rules.creditDecimals);
  const transfers = parts.transfers / unit;
  const change =
    equity === undefined || startEquity === undefined ? undefined : equity - startEquity;
  const earned = change === undefined ? undefined : change - transfers;
  return {
    equity,
    change,
    transfers,
    earned,
    parts,
    inTransit: earned === undefined ? undefined : earned * unit - parts.total,
  };
}
