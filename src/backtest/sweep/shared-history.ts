import type { MarketId } from "../../core/units.js";
import type { FundingTape, KlineTape, MarkTape, Tape } from "../../history/columns/tape.js";
import type { Span } from "../../history/spans.js";
import type { PlayedHistory, PlayedMarket } from "../run/played-history.js";

/** One market of it. */
export interface SharedMarket {
  readonly marketId: MarketId;
  readonly marks: MarkTape | undefined;
  readonly tellsFunding: boolean;
  readonly funding: FundingTape | undefined;
  readonly klines: KlineTape | undefined;
  readonly tape: Tape | undefined;
  readonly lacking: readonly Span[];
}

/** A history whose columns lie in shared memory: plain data, which a worker gets without a copy of them. How a store is opened is elsewhere, so that a thread loads no database. */
export interface SharedHistory extends Omit<PlayedHistory, "markets"> {
  readonly markets: readonly SharedMarket[];
}

/** The same as a run plays it. */
export function playedHistory(history: SharedHistory): PlayedHistory {
  const markets = history.markets.map(({ tape, marks, ...market }): PlayedMarket => {
    return { ...market, tapes: tape && once(tape), marks: marks && once(marks) };
  });
  return { ...history, markets };
}

function once<Block>(block: Block): AsyncIterable<Block> {
  return {
    async *[Symbol.asyncIterator]() {
      yield block;
    },
  };
}

/** The bytes of all columns. */
export function bytesOf(history: SharedHistory): number {
  let bytes = 0;
  for (const { marks, funding, klines, tape } of history.markets) {
    for (const columns of [marks, funding, klines, tape]) {
      for (const column of Object.values(columns ?? {}) as unknown[]) if (ArrayBuffer.isView(column)) bytes += column.byteLength;
    }
  }
  return bytes;
}
