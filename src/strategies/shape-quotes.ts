import type { Lots, Side, Ticks } from "../core/units.js";
import type { MarketView } from "../market/view.js";
import type { Quote } from "./intent.js";

/**
 * Maximum ask as a multiple of the best bid. Most exchanges have no higher price, and the intent
 * would be refused together with its bids.
 */
const REACH = 100;

/** One desired level, before the market's grid, the touch and the position limit are applied. */
export interface WantedLevel {
  /** Fractional ticks. */
  readonly bidTicks: number;
  readonly askTicks: number;
  /** 0 or less requests no quote on that side. */
  readonly bidLots: Lots;
  readonly askLots: Lots;
}

/** The bounds that quotes have to fit into. */
export interface QuotingBounds {
  /** The touch, net of our own orders. */
  readonly bidTicks: Ticks;
  readonly askTicks: Ticks;
  readonly positionLots: Lots;
  /** In either direction; Infinity without a limit. */
  readonly maxPositionLots: Lots;
}

/** The bounds that a view gives. */
export function toQuotingBounds({
  bids,
  asks,
  positionLots,
  maxPositionLots,
}: MarketView): QuotingBounds {
  return { bidTicks: bids[0].ticks, askTicks: asks[0].ticks, positionLots, maxPositionLots };
}

/** Returns true if a view gives the same bounds. */
export function hasQuotingBounds(
  { bids, asks, positionLots, maxPositionLots }: MarketView,
  room: QuotingBounds,
): boolean {
  return (
    room.bidTicks === bids[0].ticks &&
    room.askTicks === asks[0].ticks &&
    room.positionLots === positionLots &&
    room.maxPositionLots === maxPositionLots
  );
}

/** Quotes that may rest, and the limits that changed them. */
export interface ShapedQuotes {
  readonly quotes: readonly Quote[];
  /** Text for an intent's reason: `bid 0: post-only`. */
  readonly clamps: readonly string[];
}

/**
 * Creates quotes from desired levels, innermost first. Prices are rounded outward (bids down, asks
 * up), do not cross the view's touch (which is net of our own orders), and differ by at least one
 * tick from level to level. Sizes are cut, the outermost first, so that the position stays within
 * the view's `maxPositionLots` if every quote of a side fills.
 * @example
 * ```ts
 * import { type Level, type MarketView, shapeQuotes } from "marketwright";
 *
 * const bids: readonly Level[] = [{ ticks: 9999, lots: 100 }];
 * const asks: readonly Level[] = [{ ticks: 10_001, lots: 100 }];
 * // The fields of a view that this function reads.
 * const view = {
 *   bids,
 *   asks,
 *   positionLots: 0,
 *   maxPositionLots: 2000,
 * } as MarketView;
 * const { quotes, clamps } = shapeQuotes(view, [
 *   { bidTicks: 10_003.5, askTicks: 10_007.5, bidLots: 10, askLots: 10 },
 * ]);
 * quotes.map(({ ticks }) => ticks); // => [10_000, 10_008]
 * clamps; // => ["bid 0: post-only"]
 * ```
 */
export function shapeQuotes(view: MarketView, wanted: readonly WantedLevel[]): ShapedQuotes {
  return shapeQuotesWithin(toQuotingBounds(view), wanted);
}

/** The same with the bounds of a view that is not available. */
export function shapeQuotesWithin(
  room: QuotingBounds,
  wanted: readonly WantedLevel[],
): ShapedQuotes {
  const shaped = { quotes: [] as Quote[], clamps: [] as string[] };
  const { bidTicks, askTicks, maxPositionLots, positionLots } = room;
  shapeSide(shaped, wanted, "BUY", askTicks - 1, maxPositionLots - positionLots);
  shapeSide(shaped, wanted, "SELL", bidTicks + 1, maxPositionLots + positionLots);
  return shaped;
}

/**
 * @param passiveTicks the best price that does not cross
 * @param roomLots lots that may be added before the position limit
 */
function shapeSide(
  { quotes, clamps }: { readonly quotes: Quote[]; readonly clamps: string[] },
  wanted: readonly WantedLevel[],
  side: Side,
  passiveTicks: Ticks,
  roomLots: Lots,
): void {
  const isBid = side === "BUY";
  /** One tick further from the touch. */
  const step = isBid ? -1 : 1;
  let room = roomLots;
  let inner: Ticks | undefined;
  for (let level = 0; level < wanted.length; level++) {
    const price = isBid ? wanted[level].bidTicks : wanted[level].askTicks;
    const size = isBid ? wanted[level].bidLots : wanted[level].askLots;
    if (!(size >= 1)) continue;
    if (!Number.isFinite(price)) {
      clamps.push(clampText(side, level, "no price"));
      continue;
    }
    // To the grid, away from the other side.
    let ticks = isBid ? Math.floor(price) : Math.ceil(price);
    if (isNearer(side, ticks, passiveTicks)) {
      ticks = passiveTicks;
      clamps.push(clampText(side, level, "post-only"));
    }
    if (inner !== undefined && isNearer(side, ticks, inner + step)) {
      ticks = inner + step;
      clamps.push(clampText(side, level, "one tick behind the level before it"));
    }
    if (ticks < 1) {
      clamps.push(clampText(side, level, "below one tick"));
      continue;
    }
    if (!isBid && ticks > REACH * passiveTicks) {
      clamps.push(clampText(side, level, "out of reach"));
      continue;
    }
    inner = ticks;
    const lots = Math.min(Math.floor(size), room);
    if (lots < Math.floor(size))
      clamps.push(
        clampText(side, level, lots > 0 ? "cut to the position limit" : "position limit"),
      );
    if (!(lots >= 1)) continue;
    room -= lots;
    quotes.push({ side, level, ticks, lots });
  }
}

/** Returns true if a price is nearer to the other side than a limit. */
function isNearer(side: Side, ticks: Ticks, limit: Ticks): boolean {
  return side === "BUY" ? ticks > limit : ticks < limit;
}

function clampText(side: Side, level: number, what: string): string {
  return `${side === "BUY" ? "bid" : "ask"} ${level}: ${what}`;
}
