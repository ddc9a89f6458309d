import type { MarketId } from "../core/units.js";

/** A contradiction between two records of the account. */
export interface LedgerFinding {
  readonly kind: /** A file and the exchange state different values of one trade. */
    | "values-differ"
    /** The exchange does not list what a file has, although it lists older records. */
    | "only-in-file"
    /** The credit that the exchange booked for a trade is not what its list of trades says. */
    | "trade-and-income-differ"
    /** A settled trade for which the exchange booked no credit. */
    | "trade-without-income"
    /** The two positions that the exchange states differ by more than what is not settled. */
    | "positions-differ"
    /** The totals of a hedge have more or less than the record of its fills. */
    | "hedge-record-differs"
    /** A file has lines that cannot be read. */
    | "unreadable-lines";
  readonly marketId: MarketId | undefined;
  /** The record, as the lines name it. */
  readonly id: string;
  readonly detail: string;
}
