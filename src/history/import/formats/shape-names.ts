/** The shapes of files that an import knows by name. */
export const SHAPES = [
  "trades",
  "book",
  "bbo",
  "marks",
  "klines",
  "funding",
  "binance-trades",
  "binance-aggTrades",
  "binance-klines",
  "binance-bookTicker",
  "tardis-trades",
  "tardis-book",
] as const;

/** One of {@link SHAPES}. */
export type Shape = (typeof SHAPES)[number];
