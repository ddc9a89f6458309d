import type { KlineTape } from "../../../history/columns/tape/tape.js";
import { instantText } from "../../../history/day.js";
import { overlaps, type Span } from "../../../history/spans.js";

/**
 * Gaps are listed singly up to this number: a thinly traded market has thousands of minutes without
 * a trade.
 */
const TOLD_ALONE = 10;

interface Stretch {
  readonly fromUs: number;
  readonly toUs: number;
  readonly candles: number;
}

/**
 * Times of a span without candles, as text. First come gaps of the store, in which a bot quotes
 * nothing, then times that count as without trades.
 * @param fromUs where the first candle of the span would begin, microseconds since 1970
 * @param toUs where the last would end
 * @param lacking the time that the store lacks, in milliseconds
 */
export function missingCandles(
  { bars, intervalUs, startUs }: Pick<KlineTape, "bars" | "intervalUs" | "startUs">,
  fromUs: number,
  toUs: number,
  lacking: readonly Span[],
): string[] {
  const stretches: Stretch[] = [];
  let endUs = fromUs;
  for (let bar = 0; bar <= bars; bar++) {
    const nextUs = bar < bars ? (startUs[bar] as number) : toUs;
    const candles = Math.floor((nextUs - endUs) / intervalUs);
    if (candles > 0) stretches.push({ fromUs: endUs, toUs: nextUs, candles });
    endUs = nextUs + intervalUs;
  }
  const of = stretches.reduce((sum, { candles }) => sum + candles, bars);
  const isLacking = (stretch: Stretch): boolean =>
    overlaps(lacking, [stretch.fromUs / 1000, stretch.toUs / 1000]);
  const holes = stretches.filter(isLacking);
  const quiet = stretches.filter((stretch) => !isLacking(stretch));
  return [
    ...(holes.length <= TOLD_ALONE ? holes.map(spanText) : [together(holes, of)]),
    ...(quiet.length === 0
      ? []
      : [`${together(quiet, of)}, taken for times without a trade: quotes stay`]),
  ];
}

function together(stretches: readonly Stretch[], of: number): string {
  const missing = stretches.reduce((sum, { candles }) => sum + candles, 0);
  const longest = stretches.reduce((most, stretch) =>
    stretch.candles > most.candles ? stretch : most,
  );
  return `${missing} of ${of} candles, in ${stretches.length} ${stretches.length === 1 ? "stretch" : "stretches"}, the longest ${spanText(longest)}`;
}

function spanText({ fromUs, toUs }: Stretch): string {
  return `${instant(fromUs)} to ${instant(toUs)}`;
}

function instant(us: number): string {
  return instantText(Math.floor(us / 1000));
}
