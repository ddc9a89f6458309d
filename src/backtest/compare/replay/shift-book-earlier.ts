import { orderTape } from "../../../history/columns/tape/order-tape.js";
import { type Tape, TapeKind } from "../../../history/columns/tape/tape.js";
import type { RecordedOrder } from "../../session/recorded-orders.js";

/**
 * Tolerance for a message that arrives after its batching delay: the delay of the connection
 * varies.
 */
const JITTER_US = 2_000;

/**
 * Times at which our requests changed the exchange's book, microseconds on its clock, ascending:
 * orders that began to rest, and orders that were cancelled. A fill does not count: the same event
 * that filled us changed the book.
 */
export function ownBookChangesUs(orders: readonly RecordedOrder[]): readonly number[] {
  const changes: number[] = [];
  for (const { acceptedUs, ended, steps } of orders) {
    if (acceptedUs !== undefined && steps.some(({ openLots }) => openLots > 0))
      changes.push(acceptedUs);
    if (ended !== undefined) changes.push(ended.atUs);
  }
  return changes.sort((one, other) => one - other);
}

/**
 * Moves batched book updates back by the batching delay. Trades stay, and so does the time at which
 * anything was received. An exchange that batches book changes publishes them `byUs` after the
 * first of them, without a stamp, while its trades have one. Nothing in a batch happened before the
 * previous message was published. Where our own request was the first change of a batch, the others
 * came between it and the publication. They are placed in the middle.
 */
export function shiftBookEarlier(tape: Tape, byUs: number, ownUs: readonly number[] = []): Tape {
  if (byUs === 0) return tape;
  const { messages } = tape;
  const [books, trades]: [number[], number[]] = [[], []];
  for (let message = 0; message < messages; message++)
    (tape.kind[message] === TapeKind.trade ? trades : books).push(message);
  const stamps = happenedUs(tape, books, byUs, ownUs);
  const order = new Uint32Array(messages);
  let [book, trade] = [0, 0];
  for (let to = 0; to < messages; to++) {
    const [nextBook, nextTrade] = [books[book], trades[trade]];
    const isTrade =
      nextBook === undefined ||
      (nextTrade !== undefined && (stamps[nextTrade] as number) <= (stamps[nextBook] as number));
    order[to] = (isTrade ? nextTrade : nextBook) as number;
    if (isTrade) trade += 1;
    else book += 1;
  }
  return orderTape(tape, order, stamps);
}

/** Exchange time of each message. */
function happenedUs(
  tape: Tape,
  books: readonly number[],
  byUs: number,
  ownUs: readonly number[],
): Float64Array {
  const stamps = Float64Array.from(tape.exchangeUs);
  let beforeUs = Number.NEGATIVE_INFINITY;
  let next = 0;
  for (const message of books) {
    const publishedUs = tape.exchangeUs[message] as number;
    while (next < ownUs.length && (ownUs[next] as number) <= beforeUs) next += 1;
    const ownFirstUs = ownUs[next] ?? Number.POSITIVE_INFINITY;
    const firstUs = Math.max(beforeUs, publishedUs - byUs);
    stamps[message] =
      ownFirstUs <= firstUs + JITTER_US
        ? Math.round((Math.max(firstUs, ownFirstUs) + publishedUs) / 2)
        : firstUs;
    beforeUs = publishedUs;
  }
  return stamps;
}
