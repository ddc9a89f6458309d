import type { ReferenceTape } from "../../../history/columns/reference-tape.js";
import type { MarkTape, Tape } from "../../../history/columns/tape/tape.js";
import type { PlayedHistory, PlayedMarket } from "../played-history.js";

/** One market of a shared history: all its data, at once. */
export interface SharedMarket extends Omit<PlayedMarket, "marks" | "tapes"> {
  readonly marks: MarkTape | undefined;
  readonly tape: Tape | undefined;
}

/**
 * A history whose columns are in shared memory: plain data, which a worker receives without a copy.
 * Opening a store is in another module, so that a thread loads no database.
 */
export interface SharedHistory extends Omit<PlayedHistory, "markets" | "references"> {
  readonly markets: readonly SharedMarket[];
  readonly references?: readonly SharedReference[];
}

/** All prices of one source of reference prices. */
export interface SharedReference {
  readonly source: string;
  readonly prices: ReferenceTape;
}

/** Copies the prices of a source into shared memory. */
export function sharedReference(source: string, prices: ReferenceTape): SharedReference {
  return { source, prices: toSharedMemory(prices) };
}

/**
 * Copies a market's columns into shared memory; those already there stay as they are.
 * @param marks all of them, and `tape` all that was read tape after tape; none for candles.
 */
export function sharedMarket(market: PlayedMarket, marks?: MarkTape, tape?: Tape): SharedMarket {
  const { marketId, hasFundingSchedule, funding, klines, missingSpans } = market;
  const shared = <Columns extends object>(columns: Columns | undefined): Columns | undefined =>
    columns && toSharedMemory(columns);
  return {
    marketId,
    hasFundingSchedule,
    missingSpans,
    marks: shared(marks),
    funding: shared(funding),
    klines: shared(klines),
    tape: shared(tape),
  };
}

/**
 * Returns the columns with every array in shared memory, so that a thread receives them without a
 * copy. Arrays already in shared memory are kept.
 */
function toSharedMemory<Columns extends object>(columns: Columns): Columns {
  return Object.fromEntries(
    Object.entries(columns).map(([name, column]) => [
      name,
      ArrayBuffer.isView(column) ? inShared(column) : column,
    ]),
  ) as Columns;
}

function inShared(column: ArrayBufferView): ArrayBufferView {
  if (column.buffer instanceof SharedArrayBuffer) return column;
  const bytes = new Uint8Array(new SharedArrayBuffer(column.byteLength));
  bytes.set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength));
  const Column = column.constructor as new (buffer: SharedArrayBuffer) => ArrayBufferView;
  return new Column(bytes.buffer);
}

/** The same history in the form that a run plays. */
export function playedHistory(history: SharedHistory): PlayedHistory {
  const markets = history.markets.map(({ tape, marks, ...market }): PlayedMarket => {
    return { ...market, tapes: tape && once(tape), marks: marks && once(marks) };
  });
  const { references, ...rest } = history;
  if (references === undefined) return { ...rest, markets };
  return {
    ...rest,
    markets,
    references: references.map(({ source, prices }) => ({ source, prices: once(prices) })),
  };
}

function once<Block>(block: Block): AsyncIterable<Block> {
  return {
    async *[Symbol.asyncIterator]() {
      yield block;
    },
  };
}

/** The bytes of all columns. */
export function historyBytes(history: SharedHistory): number {
  let bytes = 0;
  const all = [
    ...history.markets.flatMap(({ marks, funding, klines, tape }) => [
      marks,
      funding,
      klines,
      tape,
    ]),
    ...(history.references ?? []).map(({ prices }) => prices),
  ];
  for (const columns of all) {
    for (const column of Object.values(columns ?? {}) as unknown[])
      if (ArrayBuffer.isView(column)) bytes += column.byteLength;
  }
  return bytes;
}
