import type { HistoryStore } from "#history/history-store.js";
import { joinTapes, type OpenTapesOptions, openTapes } from "#history/open-tapes.js";
import type { Tape } from "#history/tape.js";

/** A span of a market's books and trades, as one tape. */
export async function openTape(
  store: HistoryStore,
  market: string,
  wish: OpenTapesOptions,
): Promise<Tape> {
  return joinTapes(await openTapes(store, market, wish));
}
