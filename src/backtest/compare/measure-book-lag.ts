import { type Tape, TapeKind } from "../../history/columns/tape/tape.js";
import type { RecordedOrder } from "../session/recorded-orders.js";

/**
 * The quantile of the measured delays that is the exchange's own delay. It is near the longest: a
 * batch that others had opened already published our change sooner.
 */
const QUANTILE = 0.95;
/** A level that is published later than this was published for another reason. */
const MOST_US = 5_000_000;

/**
 * Measures how long the exchange takes to publish a book change, in whole milliseconds, from our
 * own orders: from the time at which it accepted one to the first message with that order's price.
 * 0 where no order shows it.
 * @param tape as it was recorded, with our orders in it.
 */
export function measureBookLagMs(tape: Tape, orders: readonly RecordedOrder[]): number {
  const coming = orders.flatMap(({ acceptedUs, side, ticks, steps }) =>
    acceptedUs !== undefined && (steps[0]?.openLots ?? 0) > 0
      ? [{ atUs: acceptedUs, key: side === "BUY" ? ticks : -ticks }]
      : [],
  );
  coming.sort((one, other) => one.atUs - other.atUs);
  const waiting = new Map<number, number>();
  const delaysUs: number[] = [];
  let next = 0;
  for (let message = 0; message < tape.messages; message++) {
    if (tape.kind[message] === TapeKind.trade) continue;
    const publishedUs = tape.exchangeUs[message] as number;
    for (
      let order = coming[next];
      order !== undefined && order.atUs <= publishedUs;
      order = coming[++next]
    )
      waiting.set(order.key, order.atUs);
    if (waiting.size === 0) continue;
    const end = tape.rowEnd[message] as number;
    for (let row = message === 0 ? 0 : (tape.rowEnd[message - 1] as number); row < end; row++) {
      const key = tape.signedTicks[row] as number;
      const takenUs = waiting.get(key);
      if (takenUs === undefined) continue;
      waiting.delete(key);
      if (publishedUs - takenUs <= MOST_US) delaysUs.push(publishedUs - takenUs);
    }
  }
  delaysUs.sort((one, other) => one - other);
  return Math.round((delaysUs[Math.floor(QUANTILE * (delaysUs.length - 1))] ?? 0) / 1000);
}
