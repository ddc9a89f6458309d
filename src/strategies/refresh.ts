import type { Quote } from "./intent.js";
import type { QuotingRoom } from "./shape-quotes.js";

/**
 * Whether the quotes of the last intent may stand in place of the new ones, so that nothing need be emitted: the same slots
 * and sizes, every price within the tolerance, and none that would cross the touch.
 */
export function standFor(
  last: readonly Quote[] | undefined,
  next: readonly Quote[],
  touch: Pick<QuotingRoom, "bidTicks" | "askTicks">,
  toleranceTicks: number,
): boolean {
  if (last === undefined || last.length !== next.length) return false;
  for (let at = 0; at < next.length; at++) {
    const wanted = next[at];
    const standing = last[at];
    if (
      standing.side !== wanted.side ||
      standing.level !== wanted.level ||
      standing.lots !== wanted.lots
    )
      return false;
    if (!(Math.abs(standing.ticks - wanted.ticks) <= toleranceTicks)) return false;
    if (
      standing.side === "BUY" ? standing.ticks >= touch.askTicks : standing.ticks <= touch.bidTicks
    )
      return false;
  }
  return true;
}
