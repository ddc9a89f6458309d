import type { Lots, MarketId, Side } from "../../core/units.js";
import type { TradeLedger } from "./trade-ledger.js";

/**
 * Compares the fills of orders with trades. Orders report the matched amounts, trades report the
 * change of the position, and neither refers to the other. The comparison is by market and side. An
 * amount that is matched but in no known trade counts in the worst case. An amount that is traded
 * but matched by no known order may belong to an order with an unknown outcome
 * (docs/ideas/design.md#unknown-outcomes).
 */
export class FillMatcher {
  readonly #trades: TradeLedger;
  readonly #markets = new Map<MarketId, Readonly<Record<Side, SideMatches>>>();

  constructor(trades: TradeLedger) {
    this.#trades = trades;
  }

  /** Adds a change of a known order's matched lots. */
  addMatched(marketId: MarketId, side: Side, lots: Lots): void {
    if (lots !== 0) this.#side(marketId, side).matchedLots += lots;
  }

  /**
   * Adds the fraction of a lot that a trade shows beyond whole lots; negative if its settlement
   * failed.
   */
  addSubLots(marketId: MarketId, side: Side, lots: number): void {
    this.#side(marketId, side).subLots += lots;
  }

  /**
   * Lots that known orders have matched and no known trade shows: their trades are expected.
   * Fractional if trades were off the market's step.
   */
  unmatchedLots(marketId: MarketId, side: Side): Lots {
    return Math.max(0, -this.#gap(marketId, side));
  }

  /** Lots that trades show and no known order has matched. Fractional as {@link unmatchedLots}. */
  orphanLots(marketId: MarketId, side: Side): Lots {
    return Math.max(0, this.#gap(marketId, side));
  }

  /**
   * Takes the present gap as settled: at the start, and when the exchange has settled a gap for
   * good.
   */
  setAside(marketId: MarketId): void {
    for (const side of SIDES) {
      this.#side(marketId, side).settledAsideLots += this.#gap(marketId, side);
    }
  }

  /**
   * Reviews the gaps after a full reconciliation. A gap that is unchanged since the previous one,
   * with every trade settled or failed, will not close any more and is set aside. Returns true if
   * the next reconciliation may set a gap aside. Until then the gap counts in the worst case, which
   * is too wide by it.
   */
  reviewGaps(marketId: MarketId): boolean {
    let stands = false;
    for (const side of SIDES) {
      const matches = this.#side(marketId, side);
      const gap = this.#gap(marketId, side);
      const state = `${gap}/${matches.matchedLots}/${this.#trades.tradedLots(marketId, side)}`;
      if (gap !== 0 && this.#trades.isSettled(marketId)) {
        if (matches.lastGap === state) matches.settledAsideLots += gap;
        else stands = true;
      }
      matches.lastGap = state;
    }
    return stands;
  }

  #gap(marketId: MarketId, side: Side): Lots {
    const { matchedLots, settledAsideLots, subLots } = this.#side(marketId, side);
    const gap = this.#trades.tradedLots(marketId, side) + subLots - matchedLots - settledAsideLots;
    // Fractions of lots are rounded when divided: thirds sum to one except for the last digits. For
    // hundreds of billions of lots the conversion back is not exact.
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
  /** Lots that known orders have matched. */
  matchedLots: Lots;
  /** Lots that trades show beyond their whole lots. */
  subLots: number;
  /** The gap that was taken as settled. */
  settledAsideLots: Lots;
  /** The gap at the last review. */
  lastGap: string | undefined;
}

function noMatches(): SideMatches {
  return { matchedLots: 0, subLots: 0, settledAsideLots: 0, lastGap: undefined };
}

const ROUND = 1e6;
const SIDES: readonly Side[] = ["BUY", "SELL"];
