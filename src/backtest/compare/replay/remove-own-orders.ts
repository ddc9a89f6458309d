import type { Lots } from "../../../core/units.js";
import { type Tape, TapeKind } from "../../../history/columns/tape/tape.js";
import type { RecordedOrder } from "../../session/recorded-orders.js";

interface Change {
  readonly atUs: number;
  /** Ticks, positive for a bid and negative for an ask, as in a tape. */
  readonly key: number;
  readonly lots: Lots;
}

/**
 * The tape of a live session as it would have been recorded without our orders. It subtracts from
 * each level the size that the exchange reported open for us at that instant. Otherwise a replay
 * that inserts the same orders would queue behind itself. Trades stay: their takers came to that
 * price anyway.
 */
export function removeOwnOrders(tape: Tape, orders: readonly RecordedOrder[]): Tape {
  const changes = changesOf(orders);
  if (changes.length === 0) return tape;
  const lots = tape.lots.slice();
  const own = new Map<number, Lots>();
  let next = 0;
  let row = 0;
  for (let message = 0; message < tape.messages; message++) {
    const atUs = tape.exchangeUs[message] as number;
    for (
      let change = changes[next];
      change !== undefined && change.atUs <= atUs;
      change = changes[++next]
    ) {
      own.set(change.key, (own.get(change.key) ?? 0) + change.lots);
    }
    const end = tape.rowEnd[message] as number;
    if (tape.kind[message] !== TapeKind.trade) {
      for (let at = row; at < end; at++) {
        const ours = own.get(tape.signedTicks[at] as number) ?? 0;
        if (ours > 0) lots[at] = Math.max(0, (lots[at] as number) - ours);
      }
    }
    row = end;
  }
  return { ...tape, lots };
}

function changesOf(orders: readonly RecordedOrder[]): Change[] {
  const changes: Change[] = [];
  for (const { side, ticks, steps } of orders) {
    let before = 0;
    for (const { atUs, openLots } of steps) {
      if (openLots !== before)
        changes.push({ atUs, key: side === "BUY" ? ticks : -ticks, lots: openLots - before });
      before = openLots;
    }
  }
  return changes.sort((one, other) => one.atUs - other.atUs);
}
