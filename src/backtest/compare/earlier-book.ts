import { ascendingOrder } from "../../history/columns/ascending-order.js";
import { type Tape, TapeKind } from "../../history/columns/tape.js";

/**
 * A tape whose book messages happened so much earlier at the exchange than it says; trades stay. An exchange that gathers changes of its book tells
 * them late and without a stamp, while its trades carry one. When anything was heard stays too.
 */
export function earlierBook(tape: Tape, byUs: number): Tape {
  if (byUs === 0) return tape;
  const { messages, rows } = tape;
  const [books, trades]: [number[], number[]] = [[], []];
  for (let message = 0; message < messages; message++) (tape.kind[message] === TapeKind.trade ? trades : books).push(message);
  const moved = {
    ...tape,
    exchangeUs: new Float64Array(messages),
    localUs: new Float64Array(messages),
    kind: new Uint8Array(messages),
    rowEnd: new Uint32Array(messages),
    signedTicks: new Int32Array(rows),
    lots: new Uint32Array(rows),
  };
  const stampOf = (message: number): number => (tape.exchangeUs[message] as number) - (tape.kind[message] === TapeKind.trade ? 0 : byUs);
  let [book, trade, end] = [0, 0, 0];
  for (let to = 0; to < messages; to++) {
    const [nextBook, nextTrade] = [books[book], trades[trade]];
    const isTrade = nextBook === undefined || (nextTrade !== undefined && stampOf(nextTrade) <= stampOf(nextBook));
    const from = (isTrade ? nextTrade : nextBook) as number;
    if (isTrade) trade += 1;
    else book += 1;
    const firstRow = from === 0 ? 0 : (tape.rowEnd[from - 1] as number);
    const lastRow = tape.rowEnd[from] as number;
    moved.exchangeUs[to] = stampOf(from);
    moved.localUs[to] = tape.localUs[from] as number;
    moved.kind[to] = tape.kind[from] as number;
    moved.signedTicks.set(tape.signedTicks.subarray(firstRow, lastRow), end);
    moved.lots.set(tape.lots.subarray(firstRow, lastRow), end);
    end += lastRow - firstRow;
    moved.rowEnd[to] = end;
  }
  return { ...moved, byLocal: ascendingOrder(moved.localUs) };
}
