import type { MarketId } from "../../core/units.js";
import type { FundingTape, KlineTape, MarkTape, Tape } from "../../history/columns/tape/tape.js";
import type { Span } from "../../history/spans.js";
import type { MarketHistory } from "../engine/market-history.js";
import type { DataFile, InputGrade } from "../report/run-meta.js";

/** Books or trades, tape after tape: from the store's files, or out of memory. */
export type TapeStream = AsyncIterable<Tape>;

/** One market's history: what a run begins with, and what follows. */
export interface PlayedMarket {
  readonly marketId: MarketId;
  /** Block after block. */
  readonly marks: AsyncIterable<MarkTape> | undefined;
  /** Whether marks say when funding is paid next. */
  readonly hasFundingSchedule: boolean;
  readonly funding: FundingTape | undefined;
  readonly tapes: TapeStream | undefined;
  readonly klines: KlineTape | undefined;
  /** Times of which the store has none of it, milliseconds since 1970, ascending. */
  readonly missingSpans: readonly Span[];
}

/** The history of a backtest, wherever it lies. */
export interface PlayedHistory {
  readonly grade: InputGrade;
  readonly interval: string | undefined;
  readonly markets: readonly PlayedMarket[];
  /** Where a run begins: what is asked for, or the first thing that the store has of it. */
  readonly startUs: number;
  /** Where it ends: likewise, with a moment for what was sent last to be heard. */
  readonly endUs: number;
  /** What of the store is read, with checksums. */
  readonly files: readonly DataFile[];
  /** What the store lacks of the span, in words. */
  readonly gaps: readonly string[];
  /** What the store's notes of its days say against a run over them, in words; absent where it has none. */
  readonly warnings?: readonly string[];
}

/** A market's history as a run takes it. @param tape the first one, and the first marks: what follows is told as it comes. */
export function toMarketHistory(
  { marketId, marks, funding, klines, missingSpans: lacking }: PlayedMarket,
  grade: InputGrade,
  tape: Tape | undefined,
  firstMarks: MarkTape | undefined,
): MarketHistory {
  // Where marks are recorded, and none of that time, none are made.
  const known = {
    marks: firstMarks ?? (marks === undefined ? undefined : NO_MARKS),
    funding,
    gaps: lacking,
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
