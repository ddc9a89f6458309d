import { FormatError } from "../core/errors.js";
import type { CreditUnits } from "../core/units.js";

/** The highest net value that the account ever had, without deposits and withdrawals. Immutable. */
export interface PeakEquity {
  /** In credit units; shifted by every deposit and withdrawal since. */
  readonly peak: CreditUnits;
  /**
   * Deposits less withdrawals over the account's life as of the last observation. The peak is
   * already shifted by them.
   */
  readonly netDeposits: CreditUnits;
}

/** One reading of the account. */
export interface EquityReading {
  /** Net value, in credit units. */
  readonly equity: CreditUnits;
  /** Deposits less withdrawals over the account's life, in credit units. */
  readonly netDeposits: CreditUnits;
  /**
   * The part of the equity that may be a deposit (above zero) or a withdrawal (below) not yet in
   * `netDeposits`. Absent if there is none.
   */
  readonly possibleTransfer?: CreditUnits;
}

/** The result of a reading. */
export interface DrawdownReading {
  /** The peak of this run. */
  readonly peak: PeakEquity;
  /**
   * The reference of the loss: the higher of this run's peak and the earlier runs' peak, in credit
   * units.
   */
  readonly highest: CreditUnits;
  /** Loss from the peak, in credit units; never negative. */
  readonly loss: CreditUnits;
  /**
   * True if the loss exceeds the limit. Everything halts and does not resume automatically: a
   * person must check first.
   */
  readonly isOver: boolean;
}

/**
 * Computes the drawdown after a reading, from peak equity and not from the start. A deposit raises
 * the peak by its amount and a withdrawal lowers it, so that neither is a profit or a loss. A
 * possible transfer in transit is neither as well. `before` is the result of {@link restorePeak} or
 * of the last call; undefined the first time ever. `earlier` is the present peak of earlier runs by
 * {@link shiftPeak}, because a transfer may shift one peak and not the other.
 */
export function observeEquity(
  before: PeakEquity | undefined,
  reading: EquityReading,
  maxDrawdown: CreditUnits,
  earlier?: CreditUnits,
): DrawdownReading {
  const { equity, netDeposits, possibleTransfer = 0n } = reading;
  const [least, most] =
    possibleTransfer > 0n
      ? [equity - possibleTransfer, equity]
      : [equity, equity - possibleTransfer];
  const peak = higher(before === undefined ? least : shiftPeak(before, netDeposits), least);
  const highest = higher(peak, earlier ?? peak);
  const loss = highest > most ? highest - most : 0n;
  return { peak: { peak, netDeposits }, highest, loss, isOver: loss > maxDrawdown };
}

/** A peak shifted by the deposits and withdrawals since, in credit units. */
export function shiftPeak(before: PeakEquity, netDeposits: CreditUnits): CreditUnits {
  return before.peak + netDeposits - before.netDeposits;
}

function higher(a: CreditUnits, b: CreditUnits): CreditUnits {
  return a > b ? a : b;
}

/**
 * The peak after a person has checked a drawdown and resumed: the present net value without a
 * possible transfer in transit. Without the reset the same loss would halt again at once.
 */
export function resetPeak({
  equity,
  netDeposits,
  possibleTransfer = 0n,
}: EquityReading): PeakEquity {
  return { peak: equity - possibleTransfer, netDeposits };
}

/**
 * The peak as a line of JSON for the state directory.
 * @param beside further fields to store with it
 */
export function serialisePeak(
  peak: PeakEquity,
  beside: Readonly<Record<string, unknown>> = {},
): string {
  return JSON.stringify({
    version: 1,
    peak: peak.peak.toString(),
    netDeposits: peak.netDeposits.toString(),
    ...beside,
  });
}

/**
 * Reads the peak that {@link serialisePeak} wrote.
 * @throws FormatError when the text is anything else: an unreadable peak must not be dropped
 * silently
 */
export function restorePeak(text: string): PeakEquity {
  let held: unknown;
  try {
    held = JSON.parse(text);
  } catch (cause) {
    throw new FormatError("not a stored peak", {
      field: "peakEquity",
      value: text,
      expected: "JSON",
      cause,
    });
  }
  const { version, peak, netDeposits } = (
    typeof held === "object" && held !== null ? held : {}
  ) as Partial<Record<string, unknown>>;
  if (version !== 1)
    throw new FormatError("not a stored peak", {
      field: "peakEquity.version",
      value: version,
      expected: "1",
    });
  return {
    peak: creditOf(peak, "peakEquity.peak"),
    netDeposits: creditOf(netDeposits, "peakEquity.netDeposits"),
  };
}

function creditOf(value: unknown, field: string): CreditUnits {
  if (typeof value !== "string" || !/^-?\d{1,60}$/.test(value)) {
    throw new FormatError("not an amount", {
      field,
      value,
      expected: "credit units as a string of digits",
    });
  }
  return BigInt(value);
}
