import type { Instrument } from "../../core/instrument.js";
import type { MarketId } from "../../core/units.js";
import type { LadderAction } from "../../risk/risk-ladder.js";
import type { OrderRefusal } from "../record/refusals.js";
import type { StrategyError } from "../record/strategy-errors.js";

/** What a run was fed with: books and trades, trades alone, or candles, whose results are indicative only. */
export type InputGrade = "books" | "trades" | "klines";

/** What is known of a run before it begins. */
export interface RunMeta {
  /** Title of the report. */
  readonly name: string;
  /** Of this package. */
  readonly version: string;
  readonly seed: string;
  readonly grade: InputGrade;
  /** Where the figures begin, microseconds since 1970: after the warm-up. */
  readonly startUs: number;
  /** The asset that everything is settled in: `USDC`. */
  readonly asset: string;
  readonly instruments: ReadonlyMap<MarketId, Instrument>;
  /** Name of the strategy of each market. */
  readonly strategies: ReadonlyMap<MarketId, string>;
  /** The files that made the run, whole, with every default resolved. Shown to whoever gets the report: no secrets. */
  readonly configuration: readonly { readonly name: string; readonly yaml: string }[];
  /** The history that was replayed, file by file. */
  readonly data: readonly DataFile[];
  /** What the store lacks of the span that was asked for, in words. */
  readonly gaps: readonly string[];
  /** Other files that the run read: strategies of one's own, recorded latencies. */
  readonly inputs: readonly InputFile[];
  /** The interval of the equity samples, milliseconds. */
  readonly sampleMs: number;
  /** How long after the fill of an order that rested a move of the mid is its adverse selection. Default 10,000. */
  readonly adverseSelectionMs?: number;
  /** Models and settings that a reader should see at once: queue model, latencies, fees. */
  readonly models?: readonly { readonly name: string; readonly value: string }[];
}

/** One file of history that was replayed. */
export interface DataFile {
  readonly marketId: MarketId;
  readonly kind: string;
  /** Below the store's folder, with slashes: the same on every machine. */
  readonly file: string;
  readonly rows: number;
  readonly sha256: string;
  /** Numbers that were rounded, and rows left out, in the files that it was imported from; absent for none. */
  readonly rounded?: number;
  readonly dropped?: number;
}

/** Another file that a run read. */
export interface InputFile {
  readonly name: string;
  /** Of a strategy: of the file and the user's own files that it imports. */
  readonly sha256: string;
}

/** Another rung of the risk ladder acted for a measure. */
export interface RungEvent {
  readonly atUs: number;
  readonly measure: string;
  /** Undefined for a measure of the account. */
  readonly marketId: MarketId | undefined;
  /** `none` where it was over. */
  readonly action: LadderAction | "none";
  readonly why: string;
}

/** All of a run, of which the first are kept. */
export interface RungEvents {
  readonly count: number;
  readonly first: readonly RungEvent[];
}

/** How a run ended. */
export interface RunOutcome {
  /** Where the figures end, microseconds since 1970: the bot has left. */
  readonly endUs: number;
  /** Where the history ended, or the run was interrupted: from then on the bot only took its orders down. By default {@link endUs}. */
  readonly historyEndUs?: number;
  readonly ended: "end-of-history" | "halted" | "liquidated" | "stopped";
  /** Why, where it did not go to the end of its history. */
  readonly reason?: string;
  /** How the bot's risk ladder acted, in order. */
  readonly rungs?: RungEvents;
  /** What makes it worth nothing, in words: for whoever reads no further. */
  readonly worthless?: readonly string[];
  /** The first error of each market's strategy. */
  readonly strategyErrors?: readonly StrategyError[];
  /** What makes it less believable than it looks, in words. */
  readonly doubts?: readonly string[];
  /** What was asked for and not done. */
  readonly refusals?: readonly OrderRefusal[];
  /** What the same run comes to under other assumptions, such as the other path through each candle. */
  readonly alternatives?: readonly AlternativeRun[];
}

/** Headline figures of the same run under another assumption. */
export interface AlternativeRun {
  readonly name: string;
  readonly ended: RunOutcome["ended"];
  /** Why, where it did not go to the end of its history. */
  readonly reason: string | null;
  /** Decimal strings of the quote asset. */
  readonly profit: string;
  readonly maxDrawdown: string;
  readonly fills: number;
}
