import { atLeastZero } from "../core/bigints.js";
import { FormatError } from "../core/errors.js";
import { type CreditUnits, DAY_MS, type Ms } from "../core/units.js";
import type { EquityReading } from "./drawdown.js";

/** The account at the start of a day. Immutable. */
export interface DayStart {
  /** Whole days of UTC since 1970. */
  readonly day: number;
  /** Net value at the first reading of that day, in credit units. */
  readonly equity: CreditUnits;
  /** Deposits less withdrawals over the account's life, as of the same reading. */
  readonly netDeposits: CreditUnits;
}

/**
 * The UTC day of an instant.
 * @param atMs exchange time
 */
export function toUtcDay(atMs: Ms): number {
  return Math.floor(atMs / DAY_MS);
}

/**
 * The start of the day of a reading. A new day starts with its first reading, without a possible
 * deposit in transit. A clock that steps back over midnight does not restart a day.
 */
export function observeDay(
  before: DayStart | undefined,
  reading: EquityReading,
  day: number,
): DayStart {
  if (before !== undefined && day <= before.day) return before;
  const { equity, netDeposits, possibleTransfer = 0n } = reading;
  return { day, equity: possibleTransfer > 0n ? equity - possibleTransfer : equity, netDeposits };
}

/**
 * The loss since the start of the day, in credit units; never negative. Deposits and withdrawals
 * are neither profit nor loss, and a possible transfer in transit is left out as well.
 */
export function computeDayLoss(
  start: DayStart,
  { equity, netDeposits, possibleTransfer = 0n }: EquityReading,
): CreditUnits {
  const most = possibleTransfer < 0n ? equity - possibleTransfer : equity;
  const loss = start.equity + netDeposits - start.netDeposits - most;
  return atLeastZero(loss);
}

/** The start of a day as plain JSON, for the state directory. */
export function serialiseDayStart({
  day,
  equity,
  netDeposits,
}: DayStart): Readonly<Record<string, unknown>> {
  return { fromMs: day * DAY_MS, equity: equity.toString(), netDeposits: netDeposits.toString() };
}

/**
 * Reads the result of {@link serialiseDayStart}; undefined if it is absent, as in files of earlier
 * versions.
 * @throws FormatError when it is anything else
 */
export function restoreDayStart(value: unknown): DayStart | undefined {
  if (value === undefined) return undefined;
  const { fromMs, equity, netDeposits } = (
    typeof value === "object" && value !== null ? value : {}
  ) as Partial<Record<string, unknown>>;
  if (typeof fromMs !== "number" || !Number.isSafeInteger(fromMs) || fromMs % DAY_MS !== 0) {
    throw new FormatError("not the beginning of a day", {
      field: "day.fromMs",
      value: fromMs,
      expected: "midnight UTC in milliseconds",
    });
  }
  return {
    day: toUtcDay(fromMs),
    equity: creditOf(equity, "day.equity"),
    netDeposits: creditOf(netDeposits, "day.netDeposits"),
  };
}

function creditOf(value: unknown, field: string): CreditUnits {
  if (typeof value === "string" && /^-?\d{1,60}$/.test(value)) return BigInt(value);
  throw new FormatError("not an amount", {
    field,
    value,
    expected: "credit units as a string of digits",
  });
}
