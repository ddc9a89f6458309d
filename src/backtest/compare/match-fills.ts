import type { Lots, Side, Ticks } from "../../core/units.js";

/** The properties by which a fill is recognised. */
export interface SidedFill {
  readonly side: Side;
  readonly ticks: Ticks;
  readonly lots: Lots;
  /** Exchange time, microseconds since 1970. */
  readonly atUs: number;
  /** Distance of the quote, where it distinguishes orders of one price. */
  readonly rank?: number;
}

/** The part of one fill that the other list does not have. */
export interface Unmatched<Fill> {
  readonly fill: Fill;
  readonly lots: Lots;
}

/** Two lists of fills, compared. */
export interface FillMatch<Live, Replayed> {
  /** Lots that both have. */
  readonly matchedLots: Lots;
  /** Lots in either list. Lots in both count once. */
  readonly unionLots: Lots;
  readonly liveOnly: readonly Unmatched<Live>[];
  readonly replayedOnly: readonly Unmatched<Replayed>[];
}

/**
 * Matches fills by side and price within a time window, each lot once, the earliest first. Two
 * lists are as alike as the share of their union's size that both have.
 * @param windowUs how far apart two equal fills may be.
 */
export function matchFills<Live extends SidedFill, Replayed extends SidedFill>(
  live: readonly Live[],
  replayed: readonly Replayed[],
  windowUs: number,
): FillMatch<Live, Replayed> {
  const waiting = new Map<string, { readonly fill: Replayed; left: Lots }[]>();
  const all: { readonly fill: Replayed; left: Lots }[] = [];
  for (const fill of byTime(replayed)) {
    const entry = { fill, left: fill.lots };
    all.push(entry);
    const key = keyOf(fill);
    const line = waiting.get(key);
    if (line === undefined) waiting.set(key, [entry]);
    else line.push(entry);
  }
  const liveOnly: Unmatched<Live>[] = [];
  let matchedLots = 0;
  let liveLots = 0;
  for (const fill of byTime(live)) {
    let left = fill.lots;
    liveLots += fill.lots;
    const line = waiting.get(keyOf(fill)) ?? [];
    // Live fills ascend too: a fill that is too early for this one is too early for all that
    // follow.
    while (
      line[0] !== undefined &&
      (line[0].left === 0 || line[0].fill.atUs < fill.atUs - windowUs)
    )
      line.shift();
    for (const entry of line) {
      if (left === 0 || entry.fill.atUs > fill.atUs + windowUs) break;
      const lots = Math.min(left, entry.left);
      entry.left -= lots;
      left -= lots;
      matchedLots += lots;
    }
    if (left > 0) liveOnly.push({ fill, lots: left });
  }
  const replayedLots = all.reduce((sum, { fill }) => sum + fill.lots, 0);
  return {
    matchedLots,
    unionLots: liveLots + replayedLots - matchedLots,
    liveOnly,
    replayedOnly: all.flatMap(({ fill, left }) => (left === 0 ? [] : [{ fill, lots: left }])),
  };
}

/**
 * Fills that {@link matchFills} may have matched with a fill: same side and price, within the
 * window. Their common size is matched, so the excess of one list is not a difference of time.
 */
export function findMatchableFills<Fill extends SidedFill>(
  fills: readonly Fill[],
  { side, ticks, atUs }: SidedFill,
  windowUs: number,
): Fill[] {
  return fills.filter(
    (each) => each.side === side && each.ticks === ticks && Math.abs(each.atUs - atUs) <= windowUs,
  );
}

/** Share of the union's size that both have; 1 where both are empty. */
export function matchedShare({
  matchedLots,
  unionLots,
}: Pick<FillMatch<unknown, unknown>, "matchedLots" | "unionLots">): number {
  return unionLots === 0 ? 1 : matchedLots / unionLots;
}

function keyOf({ side, ticks, rank = 0 }: SidedFill): string {
  return `${side} ${ticks} ${rank}`;
}

function byTime<Fill extends SidedFill>(fills: readonly Fill[]): Fill[] {
  return [...fills].sort((one, other) => one.atUs - other.atUs);
}
