import type { CreditUnits } from "../core/units.js";

/** What paper that is not sold yet is worth, and by whose mark. */
export interface UnsoldValue {
  /** Signed as the paper is: a short's is negative. */
  readonly credit: CreditUnits;
  /** The mark that the exchange's stream told last, or that of the newest block that was read. */
  readonly by: "exchange" | "chain";
}

/**
 * The worse of what the two marks make of a rest: right after a shock one of them still has the price of before, and a profit by that one
 * would flatter. Undefined while neither is known.
 */
export function pickWorseValue(
  byExchange: CreditUnits | undefined,
  byChain: CreditUnits | undefined,
): UnsoldValue | undefined {
  if (byChain !== undefined && (byExchange === undefined || byChain < byExchange))
    return { credit: byChain, by: "chain" };
  return byExchange === undefined ? undefined : { credit: byExchange, by: "exchange" };
}
