import type { Instrument } from "../../core/instrument.js";
import type { MarketId } from "../../core/units.js";
import type { LadderAction } from "../../risk/risk-ladder.js";
import type { OrderRefusal } from "../record/refusals.js";
import type { StrategyError } from "../record/strategy-errors.js";

/**
 * The kind of history of a run: books and trades, trades alone, or candles, whose results are
 * indicative only.
 */
export type InputGrade = "books" | "trades" | "klines";

/** Facts about a run that are known before it begins. */
export interface RunMeta {
  /** Title of the report. */
  readonly name: string;
  /** Version of this package. */
  readonly version: string;
  readonly seed: string;
  readonly grade: InputGrade;
  /** Where the figures begin, microseconds since 1970: after the warm-up. */
  readonly startUs: number;
  /** The settlement asset: `USDC`. */
  readonly asset: string;
  readonly instruments: ReadonlyMap<MarketId, Instrument>;
  /** Name of the strategy of each market. */
  readonly strategies: ReadonlyMap<MarketId, string>;
  /**
   * The complete files of the run, with every default resolved. Every reader of the report sees
   * them: no secrets.
   */
  readonly configuration: readonly { readonly name: string; readonly yaml: string }[];
  /** The history that was replayed, file by file. */
  readonly data: readonly DataFile[];
  /** Gaps in the store's coverage of the requested span, as text. */
  readonly gaps: readonly string[];
  /** Other files that the run read: the user's own strategies, recorded latencies. */
  readonly inputs: readonly InputFile[];
  /** The interval of the equity samples, milliseconds. */
  readonly sampleMs: number;
  /**
   * Horizon after the fill of a resting order within which a move of the mid is adverse selection.
   * Default 10,000.
   */
  readonly adverseSelectionMs?: number;
  /** Models and settings that a reader should see first: queue model, latencies, fees. */
  readonly models?: readonly { readonly name: string; readonly value: string }[];
}

/** One file of history that was replayed. */
export interface DataFile {
  readonly marketId: MarketId;
  readonly kind: string;
  /** Path in the store's folder, with slashes: the same on every machine. */
  readonly file: string;
  readonly rows: number;
  readonly sha256: string;
  /**
   * Numbers that were rounded, and rows left out, in the files that it was imported from; absent
   * for none.
   */
  readonly rounded?: number;
  readonly dropped?: number;
}

/** Another file that a run read. */
export interface InputFile {
  readonly name: string;
  /** For a strategy: of the file and the user's own files that it imports. */
  readonly sha256: string;
}

/** A change of the risk ladder's step for a measure. */
export interface RungEvent {
  readonly atUs: number;
  readonly measure: string;
  /** Undefined for a measure of the account. */
  readonly marketId: MarketId | undefined;
  /** `none` at its end. */
  readonly action: LadderAction | "none";
  readonly why: string;
}

/** All changes of a run, of which the first are kept. */
export interface RungEvents {
  readonly count: number;
  readonly first: readonly RungEvent[];
}

/** How a run ended. */
export interface RunOutcome {
  /** Where the figures end, microseconds since 1970: the bot has exited. */
  readonly endUs: number;
  /**
   * Where the history ended, or the run was interrupted: from then on the bot only cancelled its
   * orders. By default {@link endUs}.
   */
  readonly historyEndUs?: number;
  readonly ended: "end-of-history" | "halted" | "liquidated" | "stopped";
  /** The reason, where the run did not reach the end of its history. */
  readonly reason?: string;
  /** Steps of the bot's risk ladder, in order. */
  readonly rungs?: RungEvents;
  /** Reasons why the run is unusable, as text, for a reader who reads nothing else. */
  readonly worthless?: readonly string[];
  /** The first error of each market's strategy. */
  readonly strategyErrors?: readonly StrategyError[];
  /** Warnings that make the result less reliable, as text. */
  readonly doubts?: readonly string[];
  /** Intents and orders that were refused. */
  readonly refusals?: readonly OrderRefusal[];
  /**
   * Results of the same run under other assumptions, such as the other path through each candle.
   */
  readonly alternatives?: readonly AlternativeRun[];
}

/** Headline figures of the same run under another assumption. */
export interface AlternativeRun {
  readonly name: string;
  readonly ended: RunOutcome["ended"];
  /** The reason, where the run did not reach the end of its history. */
  readonly reason: string | null;
  /** Decimal strings of the quote asset. */
  readonly profit: string;
  readonly maxDrawdown: string;
  readonly fills: number;
}
