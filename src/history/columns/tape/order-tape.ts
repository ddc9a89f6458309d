import { ascendingOrder } from "./ascending-order.js";
import { columnLike } from "./lots-column.js";
import type { Tape } from "./tape.js";

/** What a tape is put together from: columns that may be longer than what is in them. */
type TapeColumns = Omit<Tape, "byLocal">;

/**
 * A tape of messages in the order of the exchange's clock, of its own memory.
 * @param order the place of each in `columns`; undefined where they lie in that order. @param exchangeUs their stamps, by place.
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
