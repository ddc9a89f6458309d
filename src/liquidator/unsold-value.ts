import type { CreditUnits } from "../core/units.js";

/** Value of unsold paper, and the source of its mark price. */
export interface UnsoldValue {
  /** Signed as the paper: a short's value is negative. */
  readonly credit: CreditUnits;
  /** The last mark of the exchange's stream, or the mark of the newest block that was read. */
  readonly by: "exchange" | "chain";
}

/**
 * Values unsold paper at the worse of the two marks. Right after a shock one of them still has the
 * earlier price, and would show too much profit. Undefined while neither is known.
 */
export function pickWorseValue(
  byExchange: CreditUnits | undefined,
  byChain: CreditUnits | undefined,
): UnsoldValue | undefined {
  if (byChain !== undefined && (byExchange === undefined || byChain < byExchange))
    return { credit: byChain, by: "chain" };
  return byExchange === undefined ? undefined : { credit: byExchange, by: "exchange" };
}
