/**
 * The fee rule for ambiguous fills: history does not show whether their orders rested first.
 * `conservative`: the worse case. An order that may take pays as a taker at the order's own limit,
 * or as a maker where that is more. A POST_ONLY order, which may have been refused, is filled
 * without a rebate. `by-book`: a maker's fee, since the recorded book lets the order rest, as in
 * other engines.
 */
export type AmbiguousFillRule = "conservative" | "by-book";

/** Every {@link AmbiguousFillRule}; the first is the default. */
export const AMBIGUOUS_FILL_RULES = [
  "conservative",
  "by-book",
] as const satisfies readonly AmbiguousFillRule[];
