import type { MarketId, Side } from "../../core/units.js";

/** A value that a command changes. Values are text as the file has them; null is an absent key. */
export interface ChangedValue {
  /** `markets.btcusdc.params.halfSpreadBps` */
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** A value of the running bot that its file does not have. */
export interface DifferentFromFile {
  readonly path: string;
  /** As it is in force; empty for an absent key. */
  readonly running: string;
  /** As the file has it now; empty for an absent key. */
  readonly file: string;
}

/** One quote, as `explain` shows it. */
export interface QuotedOrder {
  readonly side: Side;
  readonly level: number;
  readonly price: string;
  readonly amountBase: string;
  /** Distance from the mid, net of our own orders, in basis points. */
  readonly fromMidBps: number;
  /** `keep`: it rests already; `place`: it will be placed; `withheld`: it will not. */
  readonly fate: "keep" | "place" | "withheld";
  readonly why: string;
}

/** The quotes of a market by its plan at one moment. */
export interface QuotedMarket {
  /** Bids and then asks, the innermost first. */
  readonly quotes: readonly QuotedOrder[];
  /** Resting orders that the plan cancels. */
  readonly cancels: number;
  /** Why it does not quote, or not everything. */
  readonly reasons: readonly string[];
}

/**
 * The effect on a strategy: `kept` goes on with its estimates, `restarted` is created again
 * without them, `unchanged` has the same parameters, `idle` does not run now and takes them when it
 * starts.
 */
export type StrategyEffect = "unchanged" | "kept" | "restarted" | "idle";

/** One market of a {@link ConfigDifference}. */
export interface MarketDifference {
  readonly strategy: StrategyEffect;
  readonly before: QuotedMarket;
  /** Right after the change, in the same turn; for a preview, as far as it can be foreseen. */
  readonly after: QuotedMarket;
}

/** The effect of a `set` or a `reload`: the `difference` of its answer. */
export interface ConfigDifference {
  /** `same`: the values were in force already, and nothing was done. */
  readonly state: "applied" | "preview" | "same";
  readonly changes: readonly ChangedValue[];
  /** The markets whose parameters, limits or quotes change; a change of all markets has all. */
  readonly markets: Readonly<Record<MarketId, MarketDifference>>;
  /** Sentences for the operator, such as that the file has other values. */
  readonly notes: readonly string[];
  /** True if the values were written to the file. */
  readonly saved: boolean;
  /**
   * Values that a save wrote: the file's former values and its values now, also of keys that were
   * set before. Absent where nothing is saved.
   */
  readonly written?: readonly ChangedValue[];
}
