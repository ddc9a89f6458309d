import { seededRandom } from "#core/seeded-random.js";
import type { Tape } from "#history/tape.js";
import { TapeBuilder } from "#history/tape-builder.js";
import { OrderBook } from "#market/order-book.js";
import { bookChanges, updateOf } from "./book-changes.js";
import { effort } from "./effort.js";

/**
 * The shape of the seeded book: a message every 50 ms, with about as many rows as the capture's,
 * and a trade before seven of ten.
 */
const SEEDED = {
  changes: effort(200_000, 5000),
  levels: 1000,
  changesAMessage: 68,
  everyUs: 50_000,
  latencyUs: 4000,
};

/**
 * A history as an exchange would send it. An update names each price of a side once. The book is
 * never crossed after a message. A trade prints at the best price that the taker met, with at most
 * the displayed amount.
 */
export function seededBooks(): Tape {
  const random = seededRandom("book-tape");
  const changes = bookChanges(SEEDED.levels, SEEDED.changes, "book-tape");
  const builder = new TapeBuilder({ marketId: "btcusdt", tickSize: "0.1", stepSize: "0.001" });
  const book = new OrderBook();
  const level = (side: "BUY" | "SELL", ticks: number, lots: number): void => {
    book.set(side, ticks, lots);
    builder.level(side, ticks, lots);
  };
  const { bids, asks } = changes.initial;
  builder.snapshot(0, SEEDED.latencyUs);
  for (let at = 0; at < bids.length; at += 2)
    level("BUY", bids[at] as number, bids[at + 1] as number);
  for (let at = 0; at < asks.length; at += 2)
    level("SELL", asks[at] as number, asks[at + 1] as number);
  for (let at = 0, message = 1; at < SEEDED.changes; message++) {
    const atUs = message * SEEDED.everyUs;
    const localUs = atUs + SEEDED.latencyUs + Math.floor(random.uniform() * SEEDED.latencyUs);
    if (random.uniform() < 0.7) {
      const side = random.uniform() < 0.5 ? "BUY" : "SELL";
      const met = side === "BUY" ? book.asks : book.bids;
      const lots = 1 + Math.floor(random.uniform() * 50);
      builder.trade(atUs, localUs, side, met.bestTicks, Math.min(lots, met.bestLots));
    }
    builder.update(atUs, localUs);
    const end = Math.min(
      SEEDED.changes,
      at + 1 + Math.floor(random.uniform() * 2 * SEEDED.changesAMessage),
    );
    for (const { side, ticks, lots } of updateOf(changes, at, end)) level(side, ticks, lots);
    at = end;
  }
  return builder.build();
}
