/**
 * What a doubtful fill is charged, one of which history does not tell whether its order had come to rest. `conservative`: the worse of what may have been. Who may take
 * pays as a taker at the order's own limit, or as a maker where that is more; a POST_ONLY order, which may have been refused, is filled and has no rebate. `by-book`: a maker's fee, since the recorded
 * book lets it rest, as other engines do.
 */
export type AmbiguousFillRule = "conservative" | "by-book";

/** Every {@link AmbiguousFillRule}; the first is the default. */
export const AMBIGUOUS_FILL_RULES = [
  "conservative",
  "by-book",
] as const satisfies readonly AmbiguousFillRule[];
