import type { KlineTape } from "../../history/columns/tape.js";
import { instantText } from "../../history/day.js";

/** So many stretches are told one by one: a market of few trades has thousands of minutes without one. */
const TOLD_ALONE = 10;

/**
 * What of a span has no candles, in words, whether the store covers it or not: an exchange that was down lists none, and a bot quotes nothing meanwhile.
 * @param fromUs where the first candle of the span would begin, microseconds since 1970 @param toUs where the last would end
 */
export function missingCandles(
  { bars, intervalUs, startUs }: Pick<KlineTape, "bars" | "intervalUs" | "startUs">,
  fromUs: number,
  toUs: number,
): string[] {
  const stretches: { readonly fromUs: number; readonly toUs: number; readonly candles: number }[] = [];
  let endUs = fromUs;
  for (let bar = 0; bar <= bars; bar++) {
    const nextUs = bar < bars ? (startUs[bar] as number) : toUs;
    const candles = Math.floor((nextUs - endUs) / intervalUs);
    if (candles > 0) stretches.push({ fromUs: endUs, toUs: nextUs, candles });
    endUs = nextUs + intervalUs;
  }
  const text = (stretch: (typeof stretches)[number]): string => `${instant(stretch.fromUs)} to ${instant(stretch.toUs)}`;
  if (stretches.length <= TOLD_ALONE) return stretches.map(text);
  const missing = stretches.reduce((sum, { candles }) => sum + candles, 0);
  const longest = stretches.reduce((most, stretch) => (stretch.candles > most.candles ? stretch : most));
  return [`${missing} of ${missing + bars} candles, in ${stretches.length} stretches, the longest ${text(longest)}`];
}

function instant(us: number): string {
  return instantText(Math.floor(us / 1000));
}
