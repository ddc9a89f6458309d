import type { Lots, MarketId, Side } from "../../core/units.js";
import type { TradeLedger } from "./trade-ledger.js";

/**
 * Orders tell what has matched, trades tell what the position became; neither names the other. By
 * market and side, this holds the one against the other: what is matched but in no known trade
 * counts in the worst case, and what is traded but matched by no known order may be the doing of an
 * order whose fate is unknown (docs/ideas/design.md#unknown-outcomes).
 */
export class FillMatcher {
  readonly #trades: TradeLedger;
  readonly #markets = new Map<MarketId, Readonly<Record<Side, SideMatches>>>();

  constructor(trades: TradeLedger) {
    this.#trades = trades;
  }

  /** A known order's matched lots have changed by so many. */
  addMatched(marketId: MarketId, side: Side, lots: Lots): void {
    if (lots !== 0) this.#side(marketId, side).matchedLots += lots;
  }

  /** A trade shows this part of a lot beyond its whole ones; below zero, where its settlement failed. */
  addSubLots(marketId: MarketId, side: Side, lots: number): void {
    this.#side(marketId, side).subLots += lots;
  }

  /** Lots that known orders have matched and no known trade shows: they are coming. Parts of one where trades came between the market's steps. */
  unmatchedLots(marketId: MarketId, side: Side): Lots {
    return Math.max(0, -this.#gap(marketId, side));
  }

  /** Lots that trades show and no known order has matched, likewise. */
  orphanLots(marketId: MarketId, side: Side): Lots {
    return Math.max(0, this.#gap(marketId, side));
  }

  /** From here on both are taken to agree: at the start, and when the exchange has settled a gap for good. */
  setAside(marketId: MarketId): void {
    for (const side of SIDES) {
      this.#side(marketId, side).settledAsideLots += this.#gap(marketId, side);
    }
  }

  /**
   * After a full reconciliation: a gap that stood just so after the one before, with every trade settled or failed,
   * will not close any more; it is set aside. Returns whether one stands that the next reconciliation may set aside:
   * until then it counts in the worst case, which is too wide by it.
   */
  reviewGaps(marketId: MarketId): boolean {
    let stands = false;
    for (const side of SIDES) {
      const matches = this.#side(marketId, side);
      const gap = this.#gap(marketId, side);
      const standing = `${gap}/${matches.matchedLots}/${this.#trades.tradedLots(marketId, side)}`;
      if (gap !== 0 && this.#trades.isSettled(marketId)) {
        if (matches.lastGap === standing) matches.settledAsideLots += gap;
        else stands = true;
      }
      matches.lastGap = standing;
    }
    return stands;
  }

  #gap(marketId: MarketId, side: Side): Lots {
    const { matchedLots, settledAsideLots, subLots: beyondLots } = this.#side(marketId, side);
    const gap =
      this.#trades.tradedLots(marketId, side) + beyondLots - matchedLots - settledAsideLots;
    // Parts of lots are told as they are divided: thirds sum to a whole one but for their last digits. Of hundreds of billions the way there and back is not exact.
    return Number.isInteger(gap) ? gap : Math.round(gap * ROUND) / ROUND;
  }

  #side(marketId: MarketId, side: Side): SideMatches {
    let market = this.#markets.get(marketId);
    if (market === undefined) {
      market = { BUY: noMatches(), SELL: noMatches() };
      this.#markets.set(marketId, market);
    }
    return market[side];
  }
}

interface SideMatches {
  /** What known orders have matched. */
  matchedLots: Lots;
  /** What trades show beyond their whole lots. */
  subLots: number;
  /** The gap that was taken for settled. */
  settledAsideLots: Lots;
  /** How the gap stood at the last review. */
  lastGap: string | undefined;
}

function noMatches(): SideMatches {
  return { matchedLots: 0, subLots: 0, settledAsideLots: 0, lastGap: undefined };
}

const ROUND = 1e6;
const SIDES: readonly Side[] = ["BUY", "SELL"];
