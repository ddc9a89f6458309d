import type { VenueEvent } from "../../exchange/venue.js";
import { LEAST_TICKS, MOST_TICKS, type Tape } from "../../history/columns/tape/tape.js";
import { TapeBuilder, type TapeGrid } from "../../history/columns/tape/tape-builder.js";

/** The events of a live stream that a market's history consists of. */
export type MarketDataEvent = Extract<
  VenueEvent,
  { readonly type: "book-snapshot" | "book-update" | "public-trade" }
>;

/** Turns one message of a live stream into a tape of its own, for matchers that play history. */
export function toTape(
  grid: TapeGrid,
  event: MarketDataEvent,
  exchangeUs: number,
  localUs: number,
): Tape {
  const builder = new TapeBuilder(grid);
  if (event.type === "public-trade") {
    return builder
      .trade(exchangeUs, localUs, event.isBuyerMaker ? "SELL" : "BUY", event.ticks, event.lots)
      .build();
  }
  const isSnapshot = event.type === "book-snapshot";
  if (isSnapshot) builder.snapshot(exchangeUs, localUs);
  else builder.update(exchangeUs, localUs);
  for (const [side, flat] of [["BUY", event.bids] as const, ["SELL", event.asks] as const]) {
    for (let at = 0; at < flat.length; at += 2)
      builder.level(side, flat[at] as number, flat[at + 1] as number);
  }
  if (isSnapshot) builder.level("BUY", LEAST_TICKS, 0).level("SELL", MOST_TICKS, 0);
  return builder.build();
}

/** A tape without messages. */
export function emptyTape(grid: TapeGrid): Tape {
  return new TapeBuilder(grid).build();
}
