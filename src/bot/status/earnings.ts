import type { ProfitParts } from "../../account/profit/account-profit.js";
import type { CreditUnits } from "../../core/units.js";
import type { Bot } from "../engine/bot.js";

/** A run's earnings and their parts, all at one moment. */
export interface Earnings {
  /** The exchange's net value at our marks, credit units; undefined before it was reported. */
  readonly equity: CreditUnits | undefined;
  /** Deposits less withdrawals since the start, credit units. */
  readonly transfers: CreditUnits;
  /**
   * The change of {@link equity} since the start, without transfers, in credit units; undefined
   * before the account is confirmed.
   */
  readonly earned: CreditUnits | undefined;
  /** Scaled by `10^decimals`, like {@link inTransit}. */
  readonly parts: ProfitParts;
  /**
   * Difference between {@link earned} and the parts. Trades, incomes and transfers reach the bot as
   * records and as balances, one a moment after the other. An amount that only one of them has so
   * far is in here. Zero once both have all.
   */
  readonly inTransit: bigint | undefined;
}

/** Reads the earnings of a bot. `parts.total + inTransit` is `earned`, to the last digit. */
export function computeEarnings({ context: { account, rules } }: Bot): Earnings {
  const { equity, startEquity } = account;
  const parts = account.profit();
  const unit = 10n ** BigInt(parts.decimals - rules.creditDecimals);
  const transfers = parts.transfers / unit;
  const earned =
    equity === undefined || startEquity === undefined
      ? undefined
      : equity - startEquity - transfers;
  return {
    equity,
    transfers,
    earned,
    parts,
    inTransit: earned === undefined ? undefined : earned * unit - parts.total,
  };
}
