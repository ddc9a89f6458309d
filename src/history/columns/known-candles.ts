import { DAY_MS, type Ms } from "../../core/units.js";
import { requireDayStart } from "../day.js";
import { clipSpans, type Span, subtractSpans } from "../spans.js";
import { candleHoles } from "../staging/candle-holes.js";
import type { DayManifest } from "../store/day-manifest.js";
import type { KlineTape } from "./tape/tape.js";

/**
 * Returns the time of a span for which a store has the candles. Days written by an earlier version
 * do not list missing candles, so the candles themselves are checked.
 * @param days of the store that reach into the span
 * @param klines all that begin in the span
 */
export function knownCandles(
  days: readonly DayManifest[],
  { startUs, bars }: Pick<KlineTape, "startUs" | "bars">,
  span: Span,
): Span[] {
  const byDay = new Map<Ms, Ms[]>();
  for (const us of startUs.subarray(0, bars)) {
    const dayMs = Math.floor(us / 1000 / DAY_MS) * DAY_MS;
    const starts = byDay.get(dayMs) ?? [];
    starts.push(us / 1000);
    byDay.set(dayMs, starts);
  }
  return days.flatMap(({ kind, day, covered, holes }) => {
    const known = clipSpans(covered, span);
    return holes === undefined
      ? subtractSpans(known, candleHoles(kind, known, byDay.get(requireDayStart(day)) ?? []).holes)
      : known;
  });
}
