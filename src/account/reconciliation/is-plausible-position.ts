import type { Instrument } from "../../core/instrument.js";
import type { MarketId, Ms, Side } from "../../core/units.js";
import type { VenuePosition } from "../../exchange/records.js";
import type { OwnOrders } from "../orders/own-orders.js";
import type { SubLotBalances } from "../positions/sub-lot-balances.js";
import type { TakeoverLedger } from "../positions/takeover-ledger.js";
import type { TradeLedger } from "../positions/trade-ledger.js";
import type { PositionCountingMode } from "./position-counting-mode.js";

/**
 * A stream may report a position before or after the settlement of a trade in it. Trades this
 * recent may or may not be in it.
 */
const LATELY_MS: Ms = 10_000;

/** The books that may explain a difference between the exchange's position and ours. */
export interface PositionBooks {
  readonly trades: TradeLedger;
  readonly orders: OwnOrders;
  readonly takeovers: TakeoverLedger;
  readonly subLotBalances: SubLotBalances;
  readonly countingMode: PositionCountingMode;
}

/** A position as the exchange reports it. */
type ReportedPosition = Pick<VenuePosition, "marketId" | "lots" | "restPaper">;

/** A market in which the exchange's position differs from ours, in base. */
export interface PositionMismatch {
  readonly marketId: MarketId;
  readonly positionBase: string;
  readonly exchangeBase: string;
}

/** The markets in which a complete, fresh list of positions contradicts ours. */
export function findPositionMismatches(
  books: PositionBooks,
  instruments: ReadonlyMap<MarketId, Instrument>,
  positions: readonly ReportedPosition[],
  nowMs: Ms,
): readonly PositionMismatch[] {
  const { subLotBalances, trades } = books;
  return [...instruments].flatMap(([marketId, instrument]) => {
    const reported = positions.find((position) => position.marketId === marketId) ?? {
      marketId,
      lots: 0,
    };
    if (isPlausiblePosition(books, reported, false, nowMs)) return [];
    const { lots, restPaper } = subLotBalances.splitByLots(marketId, reported);
    const positionBase = subLotBalances.formatBase(marketId, trades.positionLots(marketId));
    return [
      { marketId, positionBase, exchangeBase: instrument.formatReportedAmount(lots, restPaper) },
    ];
  });
}

/**
 * Checks that a reported position can be ours, given everything that may lie between the two:
 * unsettled trades, orders with unreported fills, and takeovers that only the chain has reported.
 * It does not determine the position; only a reconciliation does.
 * @param isStreamed true if the position came on the stream, whose order relative to other events
 * is unknown. Otherwise only what is certainly open explains a difference.
 */
export function isPlausiblePosition(
  books: PositionBooks,
  position: ReportedPosition,
  isStreamed: boolean,
  nowMs: Ms,
): boolean {
  const { marketId } = position;
  const { trades, subLotBalances, takeovers } = books;
  if (!trades.hasBase(marketId)) return true;
  const ours = trades.positionLots(marketId);
  const { lots: theirs } = subLotBalances.splitByLots(marketId, position);
  if (ours === theirs) return true;
  const pending = trades.pendingLots(
    marketId,
    isStreamed ? nowMs - LATELY_MS : Number.POSITIVE_INFINITY,
  );
  const unreported = isStreamed
    ? takeovers.unreportedLots(marketId, nowMs)
    : takeovers.certainlyUnreportedLots(marketId, nowMs);
  // Neither count includes a fraction of a lot.
  const spare = pending.count + 1;
  const highest =
    ours +
    pending.sellLots +
    maxUnreportedFills(books, marketId, "BUY") -
    Math.min(...unreported) +
    spare;
  const lowest =
    ours -
    pending.buyLots -
    maxUnreportedFills(books, marketId, "SELL") -
    Math.max(...unreported) -
    spare;
  return theirs <= highest && theirs >= lowest;
}

/** The lots that orders of one side may have filled, or may still fill, without a report. */
export function maxUnreportedFills(
  { orders }: Pick<PositionBooks, "orders">,
  marketId: MarketId,
  side: Side,
): number {
  let lots = orders.unmatchedLots(marketId, side);
  for (const order of orders.mayStillFill(marketId))
    if (order.side === side) lots += order.mayFillLots;
  for (const order of orders.foreign(marketId))
    if (order.side === side) lots += order.availableLots;
  return lots;
}
