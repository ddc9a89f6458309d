import { ascendingOrder } from "./ascending-order.js";
import { columnLike } from "./lots-column.js";
import type { Tape } from "./tape.js";

/** The columns from which a tape is assembled. They may be longer than their contents. */
type TapeColumns = Omit<Tape, "byLocal">;

/**
 * Builds a tape in the order of the exchange's clock, in separate memory.
 * @param order the index of each message in `columns`; undefined if they are in that order.
 * @param exchangeUs their stamps, by index.
 */
export function orderTape(
  columns: TapeColumns,
  order: Uint32Array | undefined,
  exchangeUs = columns.exchangeUs,
): Tape {
  const { messages, rows } = columns;
  const tape = {
    ...columns,
    exchangeUs: new Float64Array(messages),
    localUs: new Float64Array(messages),
    kind: new Uint8Array(messages),
    rowEnd: new Uint32Array(messages),
    signedTicks: new Int32Array(rows),
    lots: columnLike(columns.lots, rows),
  };
  let end = 0;
  for (let to = 0; to < messages; to++) {
    const from = order === undefined ? to : (order[to] as number);
    const firstRow = from === 0 ? 0 : (columns.rowEnd[from - 1] as number);
    const lastRow = columns.rowEnd[from] as number;
    tape.exchangeUs[to] = exchangeUs[from] as number;
    tape.localUs[to] = columns.localUs[from] as number;
    tape.kind[to] = columns.kind[from] as number;
    tape.signedTicks.set(columns.signedTicks.subarray(firstRow, lastRow), end);
    tape.lots.set(columns.lots.subarray(firstRow, lastRow), end);
    end += lastRow - firstRow;
    tape.rowEnd[to] = end;
  }
  return { ...tape, byLocal: ascendingOrder(tape.localUs) };
}
