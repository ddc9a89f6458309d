/**
 * Messages of one source of reference prices as columns, in the order in which they were received.
 */
export interface ReferenceTape {
  /** When each was received, on the replay's local clock: whole microseconds, ascending. */
  readonly localUs: Float64Array;
  /** The source's own time, milliseconds; NaN if it sent none. */
  readonly sourceMs: Float64Array;
  /** Best prices; NaN for a missing side, and while the source was down. */
  readonly bid: Float64Array;
  readonly ask: Float64Array;
  /** The rows that say that the source was gone, ascending. */
  readonly downs: readonly { readonly row: number; readonly reason: string }[];
}

/** The rows of a tape up to one, exclusive. */
export function firstRows(tape: ReferenceTape, rows: number): ReferenceTape {
  return rows >= tape.localUs.length
    ? tape
    : {
        localUs: tape.localUs.slice(0, rows),
        sourceMs: tape.sourceMs.slice(0, rows),
        bid: tape.bid.slice(0, rows),
        ask: tape.ask.slice(0, rows),
        downs: tape.downs.filter(({ row }) => row < rows),
      };
}
