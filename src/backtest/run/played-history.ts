import type { MarketId } from "../../core/units.js";
import type { ReferenceTape } from "../../history/columns/reference-tape.js";
import type { FundingTape, KlineTape, MarkTape, Tape } from "../../history/columns/tape/tape.js";
import type { Span } from "../../history/spans.js";
import type { MarketHistory } from "../engine/market-history.js";
import type { DataFile, InputGrade } from "../report/run-meta.js";

/** Books or trades, tape after tape: from the store's files, or from memory. */
export type TapeStream = AsyncIterable<Tape>;

/** One market's history: its beginning, and the streams that follow. */
export interface PlayedMarket {
  readonly marketId: MarketId;
  /** Block after block. */
  readonly marks: AsyncIterable<MarkTape> | undefined;
  /** True if marks announce the next funding payment. */
  readonly hasFundingSchedule: boolean;
  readonly funding: FundingTape | undefined;
  readonly tapes: TapeStream | undefined;
  readonly klines: KlineTape | undefined;
  /** Times missing from the store, milliseconds since 1970, ascending. */
  readonly missingSpans: readonly Span[];
}

/** The prices of one source outside the exchange, block after block. */
export interface PlayedReference {
  /** Its name in `references`. */
  readonly source: string;
  readonly prices: AsyncIterable<ReferenceTape>;
}

/** The history of a backtest, from a store or from memory. */
export interface PlayedHistory {
  readonly grade: InputGrade;
  readonly interval: string | undefined;
  readonly markets: readonly PlayedMarket[];
  /** Sources of reference prices; absent where no market has one. */
  readonly references?: readonly PlayedReference[];
  /** Start of a run: the requested one, or the first data of the store. */
  readonly startUs: number;
  /** End of a run: likewise, plus a moment for the last data to be received. */
  readonly endUs: number;
  /** Files that are read from the store, with checksums. */
  readonly files: readonly DataFile[];
  /** Gaps in the store's coverage of the span, as text. */
  readonly gaps: readonly string[];
  /**
   * Warnings against a run over these days from the store's notes, as text; absent where there are
   * none.
   */
  readonly warnings?: readonly string[];
}

/**
 * Builds a market's history for a run.
 * @param tape the first tape. It and the first marks are passed here; the rest follows during the
 * run.
 */
export function toMarketHistory(
  { marketId, marks, funding, klines, missingSpans }: PlayedMarket,
  grade: InputGrade,
  tape: Tape | undefined,
  firstMarks: MarkTape | undefined,
): MarketHistory {
  // Where marks were recorded, but none for that time, none are derived.
  const known = {
    marks: firstMarks ?? (marks === undefined ? undefined : NO_MARKS),
    funding,
    gaps: missingSpans,
  };
  if (grade === "klines") return { ...known, grade, klines: klines as KlineTape };
  return {
    ...known,
    grade,
    tape: tape === undefined ? emptyTape(marketId) : { ...tape, marketId },
  };
}

const NO_MARKS: MarkTape = {
  exchangeUs: new Float64Array(0),
  localUs: new Float64Array(0),
  markCredit: new BigInt64Array(0),
  indexCredit: new BigInt64Array(0),
  fundingRateE18: new BigInt64Array(0),
  nextFundingMs: new Float64Array(0),
};

function emptyTape(marketId: MarketId): Tape {
  const none = {
    exchangeUs: new Float64Array(0),
    localUs: new Float64Array(0),
    signedTicks: new Int32Array(0),
    byLocal: undefined,
  };
  const counts = { messages: 0, rows: 0, tickSize: "1", stepSize: "1" };
  return {
    ...none,
    ...counts,
    marketId,
    kind: new Uint8Array(0),
    rowEnd: new Uint32Array(0),
    lots: new Uint32Array(0),
  };
}
