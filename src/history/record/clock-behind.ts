import type { MarketId } from "../../core/units.js";
import type { HistoryStore } from "../store/history-store.js";
import { RECORDED_KINDS } from "./recording-part.js";

/** A clock that is further behind is not one that a recording was cut short by, but was set: which of the two is wrong nobody knows. */
const MOST_US = 60_000_000;

/**
 * How far a clock is behind the exchange's, at least: what the store covers is past. A recording that follows at once on another may hear nothing that the
 * exchange stamps, and would put its own book before the end of that one's.
 * @returns microseconds below zero; undefined where the clock may be right
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
