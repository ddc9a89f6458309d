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
  /** Our books at that moment: after a trade the position is one of before it. */
  readonly version: number;
  /** What it lacks of our trades, as the exchange counts them; undefined where that was not known. */
  readonly lackingLots: Lots | undefined;
}

/**
 * Positions as the account's stream reports them. They come beside other events, in no order that is known, and so prove nothing amid trades. Where nothing
 * trades, they are as good as a list, and come where REST is too slow to be of use.
 */
export class StreamedPositions {
  readonly #books: PositionBooks;
  readonly #last = new Map<MarketId, StreamedPosition>();

  constructor(books: PositionBooks) {
    this.#books = books;
  }

  update(position: VenuePosition, nowMs: Ms): void {
    const { trades, countingMode: counting } = this.#books;
    const { marketId } = position;
    if (!trades.hasBase(marketId)) return;
    const { count, buyLots, sellLots } = trades.pendingLots(marketId, Number.POSITIVE_INFINITY);
    const pending = counting.from === "settlement" ? buyLots - sellLots : undefined;
    const lackingLots = count === 0 || counting.from === "match" ? 0 : pending;
    this.#last.set(marketId, {
      position,
      atMs: nowMs,
      version: trades.version(marketId),
      lackingLots,
    });
  }

  /** Whether the newest one is none that anything explains. */
  hasMismatch(marketId: MarketId, nowMs: Ms): boolean {
    const last = this.#last.get(marketId);
    return last !== undefined && !isPlausiblePosition(this.#books, last.position, true, nowMs);
  }

  /**
   * By how many lots the newest position of a market, reported since `sinceMs`, is beyond ours, with nothing between the two but a liquidation. Undefined
   * where a trade, an open order or a takeover that the exchange has not reported may be in it or not.
   */
  movedLots(marketId: MarketId, sinceMs: Ms, nowMs: Ms): Lots | undefined {
    const { trades, takeovers, subLotBalances: rests } = this.#books;
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
      rests.splitByLots(marketId, last.position).lots +
      last.lackingLots -
      trades.positionLots(marketId)
    );
  }

  /** What is held beyond whole lots, by the newest one. */
  restPaper(marketId: MarketId): bigint {
    const last = this.#last.get(marketId);
    return last === undefined
      ? 0n
      : this.#books.subLotBalances.splitByLots(marketId, last.position).restPaper;
  }
}

const SIDES = ["BUY", "SELL"] as const;
