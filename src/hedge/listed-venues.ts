/**
 * The exchanges where positions can be laid off, by their names in ccxt. Each has a table of its
 * requests, errors and weights (docs/reference/hedge.md#another-exchange).
 */
export const HEDGE_VENUES = ["binanceusdm"] as const;

/** One of {@link HEDGE_VENUES}. */
export type HedgeVenueName = (typeof HEDGE_VENUES)[number];
