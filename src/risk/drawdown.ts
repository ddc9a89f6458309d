import { FormatError } from "../core/errors.js";
import type { CreditUnits } from "../core/units.js";

/** The highest net value that the account ever had, deposits and withdrawals taken out. Immutable. */
export interface PeakEquity {
  /** In credit units; shifted by every deposit and withdrawal since. */
  readonly peak: CreditUnits;
  /** Deposits less withdrawals over the account's life, as of the last observation: what the peak has been shifted by already. */
  readonly netDeposits: CreditUnits;
}

/** One reading of the account. */
export interface EquityReading {
  /** Net value, in credit units. */
  readonly equity: CreditUnits;
  /** Deposits less withdrawals over the account's life, in credit units. */
  readonly netDeposits: CreditUnits;
  /** What of the equity may be a deposit (above zero) or a withdrawal (below) that is not in `netDeposits` yet; absent where nothing is. */
  readonly possibleTransfer?: CreditUnits;
}

/** What a reading came to. */
export interface DrawdownReading {
  /** This run's own. */
  readonly peak: PeakEquity;
  /** What the loss is from: the higher one of this run's peak and the one of before, in credit units. */
  readonly highest: CreditUnits;
  /** Loss from the peak, in credit units; never negative. */
  readonly loss: CreditUnits;
  /** Whether it is over the limit: everything halts, and does not resume by itself: a person looks first. */
  readonly isOver: boolean;
}

/**
 * The drawdown after a reading (from peak equity, not from the start: what a trader means by it). A deposit raises the peak by its
 * amount and a withdrawal lowers it, so that neither is a profit or a loss: while one may be on its way, it is neither too. `before`: what {@link restorePeak} or the last call gave;
 * undefined the first time ever. `earlier`: the peak of earlier runs as it is now, by {@link shiftPeak}: a transfer may shift the one and not the other.
 */
export function observeEquity(
  before: PeakEquity | undefined,
  reading: EquityReading,
  maxDrawdown: CreditUnits,
  earlier?: CreditUnits,
): DrawdownReading {
  const { equity, netDeposits, possibleTransfer: doubtful = 0n } = reading;
  const [least, most] = doubtful > 0n ? [equity - doubtful, equity] : [equity, equity - doubtful];
  const peak = higher(before === undefined ? least : shiftPeak(before, netDeposits), least);
  const highest = higher(peak, earlier ?? peak);
  const loss = highest > most ? highest - most : 0n;
  return { peak: { peak, netDeposits }, highest, loss, isOver: loss > maxDrawdown };
}

/** What a peak is after the deposits and withdrawals since, in credit units. */
export function shiftPeak(before: PeakEquity, netDeposits: CreditUnits): CreditUnits {
  return before.peak + netDeposits - before.netDeposits;
}

function higher(a: CreditUnits, b: CreditUnits): CreditUnits {
  return a > b ? a : b;
}

/**
 * The peak after somebody has looked at a drawdown and resumed: the present net value, without what may be a transfer on its way. Without it the
 * same loss would halt again at once.
 */
export function resetPeak({
  equity,
  netDeposits,
  possibleTransfer: doubtful = 0n,
}: EquityReading): PeakEquity {
  return { peak: equity - doubtful, netDeposits };
}

/** The peak as a line of JSON for the state directory. @param beside what is remembered together with it. */
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
 * The peak that {@link serialisePeak} wrote.
 * @throws FormatError when the text is anything else: a peak that cannot be read must not be forgotten silently.
 */
export function restorePeak(text: string): PeakEquity {
  let held: unknown;
  try {
    held = JSON.parse(text);
  } catch (cause) {
    throw new FormatError("not the memory of a peak", {
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
    throw new FormatError("not the memory of a peak", {
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
