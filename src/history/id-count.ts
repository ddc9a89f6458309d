import { msOfNs } from "./day.js";
import type { Span } from "./spans.js";

/** Ids that leave out more than a hundred for each trade count something else. */
const MOST_MISSING = 100;
/** An exchange's count of a market's trades goes on by one for all but one trade in a hundred; of a few trades, for all but three, and one in eight. */
const [BROKEN_SHARE, FEW_BREAKS, FEW_SHARE] = [1 / 100, 3, 1 / 8];

/** Whether ids count trades, which so many of so many steps between two of them do not. */
export function isCount(steps: number, breaks: number): boolean {
  return breaks <= Math.max(steps * BROKEN_SHARE, Math.min(FEW_BREAKS, steps * FEW_SHARE));
}

/** Whether so many missing trades may have been some of the same count. */
export function mayBeMissing(missing: bigint, rows: number): boolean {
  return missing > 0n && missing <= BigInt(rows * MOST_MISSING);
}

/** The whole milliseconds between two rows, of which one covers its own. */
export function betweenRows(fromNs: bigint, toNs: bigint): Span[] {
  const span: Span = [msOfNs(fromNs) + 1, msOfNs(toNs)];
  return span[1] > span[0] ? [span] : [];
}
