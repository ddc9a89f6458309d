import type { PartDifference, TurnPart } from "../bot/bisect/compare-journals.js";
import type { LinkText } from "../bot/bisect/describe-link.js";
import type { FieldChange } from "../bot/bisect/search-journal.js";
import type { ValueRange } from "../bot/bisect/value-ranges.js";
import type { DifferentValue } from "../bot/config/config-change.js";
import type { BotStatus } from "../bot/status/bot-status.js";
import type { FrameBook } from "../bot/status/frame.js";
import type { MarketId, Ms } from "../core/units.js";

/** The newest intent of a market. */
export interface ShownIntent {
  /** The turn in which the strategy answered. */
  readonly turn: number;
  readonly atMs: Ms;
  /** In words, as `bisect` prints it. */
  readonly text: string;
}

/** A bot after a turn, as the page shows it: plain JSON. */
export interface ShownState {
  readonly status: BotStatus;
  readonly books: Readonly<Record<MarketId, FrameBook>>;
  /** Of markets that have had one. */
  readonly intents: Readonly<Record<MarketId, ShownIntent>>;
}

/** A turn of one run. */
export interface ShownTurn {
  readonly turn: number;
  /** Of the journal's file, counted from 1. */
  readonly line: number;
  readonly atMs: Ms;
  readonly state: ShownState;
  /** Values of the status that the turn changed, as `bisect --turn` lists them. */
  readonly changes: readonly FieldChange[];
  /** The causes of the turn, its own links and what followed, as `bisect --turn` lists them. */
  readonly chain: readonly LinkText[];
}

/** The answer to `/turn`: a turn of each run. */
export interface TurnAnswer {
  readonly turn: number;
  /** Null for a run that does not have the turn. */
  readonly runs: readonly (ShownTurn | null)[];
  /** Where the two runs differ in it; empty for one run, and for equal turns. */
  readonly parts: readonly PartDifference[];
}

/** One run on the page. */
export interface ViewedRunSummary {
  readonly journal: string;
  /** The bot's file. */
  readonly config: string;
  readonly account: string;
  readonly markets: readonly MarketId[];
  /** Kept turns: the ones that the page can show. Both undefined while there are none. */
  readonly firstTurn: number | undefined;
  readonly lastTurn: number | undefined;
  /** Compressed size of the kept turns. */
  readonly keptBytes: number;
  /** Part of the file that has been read, 0 to 1. */
  readonly readFraction: number;
  /** Warnings about the replay, such as a changed strategy or a difference from the journal. */
  readonly notes: readonly string[];
}

/** The answer to `/journal`. */
export interface JournalSummary {
  /** The run, and the one that it is compared with. */
  readonly runs: readonly ViewedRunSummary[];
  /** True once the journals have been read to the end, or as far as they can be. */
  readonly isRead: boolean;
  /** The turn that the page shows first. */
  readonly startTurn: number | undefined;
  /** Settings in which the runs differ. */
  readonly settings: readonly DifferentValue[];
  /** Turns in which the runs differ. */
  readonly differing: number;
}

/** The lowest and the highest value in each interval; null while it is not known. */
export interface LowHigh {
  readonly low: readonly (number | null)[];
  readonly high: readonly (number | null)[];
}

/** The answer to `/timeline`: a run in intervals of equal length. */
export interface TimelineAnswer {
  readonly fromTurn: number;
  readonly toTurn: number;
  readonly fromMs: Ms;
  readonly toMs: Ms;
  /** The newest turn at the end of each interval. */
  readonly turns: readonly number[];
  readonly equityQuote: LowHigh;
  readonly positionBase: Readonly<Record<MarketId, LowHigh>>;
  /** Fills in each interval. */
  readonly buys: readonly number[];
  readonly sells: readonly number[];
  /** The newest halts in each interval, in words; empty without any. */
  readonly halts: readonly string[];
  /** True where a stream of the exchange was down. */
  readonly outages: readonly boolean[];
  /** Turns in each interval in which the two runs differ. */
  readonly differing: readonly number[];
}

/** The answer to `/search`. */
export interface SearchAnswer {
  /** The turn that was found; null if there is none. */
  readonly turn: number | null;
  /** True if the condition holds after that turn. */
  readonly holds: boolean;
  /** Turns in which the condition was evaluated. */
  readonly searched: number;
  /** The extremes of the fields in those turns. */
  readonly ranges: readonly ValueRange[];
}

/** A turn in which two runs differ. */
export interface DifferingTurn {
  readonly turn: number;
  /** Empty if only one of the runs has the turn. */
  readonly parts: readonly TurnPart[];
}

/** The answer to `/differences`. */
export interface DifferencesAnswer {
  readonly turns: readonly DifferingTurn[];
  /** Differing turns after the last of them. */
  readonly more: number;
}
