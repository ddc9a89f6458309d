import {
  joinTapes,
  type OpenTapesOptions,
  openTapes,
} from "../../src/history/columns/tape/open-tapes.js";
import type { Tape } from "../../src/history/columns/tape/tape.js";
import type { HistoryStore } from "../../src/history/store/history-store.js";

/** A span of a market's books and trades, as one tape. */
export async function openTape(
  store: HistoryStore,
  market: string,
  wish: OpenTapesOptions,
): Promise<Tape> {
  return joinTapes(await openTapes(store, market, wish));
}
