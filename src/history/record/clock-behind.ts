import type { MarketId } from "../../core/units.js";
import type { HistoryStore } from "../store/history-store.js";
import { RECORDED_KINDS } from "./recording-part.js";

/**
 * A clock that is further behind was set, instead of stopped with a recording. It is unknown which
 * of the two clocks is wrong.
 */
const MOST_US = 60_000_000;

/**
 * The least amount by which a clock lags the exchange's: the time that the store covers is in the
 * past. A recording that begins right after another may receive no exchange stamp, and would put
 * its own book before the end of the earlier one.
 * @returns microseconds below zero; undefined if the clock may be right
 */
export function clockBehindUs(
  store: HistoryStore,
  market: MarketId,
  nowUs: number,
): number | undefined {
  const ends = RECORDED_KINDS.flatMap(
    (kind) => store.writtenDays({ market, kind }).at(-1)?.covered.at(-1)?.[1] ?? [],
  );
  const behindUs = nowUs - Math.max(...ends) * 1000;
  return behindUs < 0 && behindUs >= -MOST_US ? behindUs : undefined;
}
