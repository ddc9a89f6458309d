import type { FundingTape, KlineTape, MarkTape, Tape } from "../../history/columns/tape/tape.js";
import type { Span } from "../../history/spans.js";

/**
 * The history of one market: books and trades, trades alone, or candles; with marks and funding
 * where they were recorded.
 */
export type MarketHistory = {
  readonly marks?: MarkTape | undefined;
  readonly funding?: FundingTape | undefined;
  /**
   * Times missing from the recording, milliseconds of the exchange's clock since 1970, ascending.
   * Silence there does not mean a quiet market.
   */
  readonly gaps?: readonly Span[];
} & (
  | { readonly grade: "books" | "trades"; readonly tape: Tape }
  | { readonly grade: "klines"; readonly klines: KlineTape }
);
