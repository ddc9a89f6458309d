import type { Lots, MarketId, Ms } from "../../core/units.js";
import type { VenuePosition } from "../../exchange/records.js";
import {
  isPlausiblePosition,
  maxUnreportedFills,
  type PositionBooks,
} from "./is-plausible-position.js";

interface StreamedPosition {
  readonly position: VenuePosition;
  readonly atMs: Ms;
  /** Version of our books at that moment. A trade since then makes the position outdated. */
  readonly version: number;
  /**
   * Lots of our trades that it does not include yet, by the counting mode; undefined if that was
   * unknown.
   */
  readonly lackingLots: Lots | undefined;
}

/**
 * Positions as the account's stream reports them. Their order relative to other events is unknown,
 * so they prove nothing while trades arrive. Without trades they are as good as a list, and they
 * arrive when REST is too slow to be useful.
 */
export class StreamedPositions {
  readonly #books: PositionBooks;
  readonly #last = new Map<MarketId, StreamedPosition>();

  constructor(books: PositionBooks) {
    this.#books = books;
  }

  update(position: VenuePosition, nowMs: Ms): void {
    const { trades, countingMode } = this.#books;
    const { marketId } = position;
    if (!trades.hasBase(marketId)) return;
    const { count, buyLots, sellLots } = trades.pendingLots(marketId, Number.POSITIVE_INFINITY);
    const pending = countingMode.from === "settlement" ? buyLots - sellLots : undefined;
    const lackingLots = count === 0 || countingMode.from === "match" ? 0 : pending;
    this.#last.set(marketId, {
      position,
      atMs: nowMs,
      version: trades.version(marketId),
      lackingLots,
    });
  }

  /** Returns true if nothing known explains the newest position. */
  hasMismatch(marketId: MarketId, nowMs: Ms): boolean {
    const last = this.#last.get(marketId);
    return last !== undefined && !isPlausiblePosition(this.#books, last.position, true, nowMs);
  }

  /**
   * The lots by which the newest position of a market, reported since `sinceMs`, exceeds ours, if
   * only a liquidation can lie between the two. Undefined if it may or may not include a trade, an
   * open order or an unreported takeover.
   */
  movedLots(marketId: MarketId, sinceMs: Ms, nowMs: Ms): Lots | undefined {
    const { trades, takeovers, subLotBalances } = this.#books;
    const last = this.#last.get(marketId);
    if (last === undefined || last.atMs < sinceMs || last.lackingLots === undefined)
      return undefined;
    if (
      last.version !== trades.version(marketId) ||
      takeovers.unreportedLots(marketId, nowMs).length > 1
    )
      return undefined;
    if (
      trades.isRestUnsettled(marketId) ||
      SIDES.some((side) => maxUnreportedFills(this.#books, marketId, side) > 0)
    )
      return undefined;
    return (
      subLotBalances.splitByLots(marketId, last.position).lots +
      last.lackingLots -
      trades.positionLots(marketId)
    );
  }

  /** The sub-lot balance of the newest position. */
  restPaper(marketId: MarketId): bigint {
    const last = this.#last.get(marketId);
    return last === undefined
      ? 0n
      : this.#books.subLotBalances.splitByLots(marketId, last.position).restPaper;
  }
}

const SIDES = ["BUY", "SELL"] as const;
