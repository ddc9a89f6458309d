import type { Instrument } from "../core/instrument.js";
import type { CreditUnits, Lots, Ms, Ticks } from "../core/units.js";
import type { ReferenceSnapshot } from "../reference/reference-snapshot.js";
import { netLevels } from "./book/net-book.js";
import type { OwnRestingOrder } from "./book/own-order-overlay.js";
import type { ReadableBook } from "./book/readable-book.js";
import { computeMicroPriceTicks } from "./micro-price.js";
import type { DecisionCause, HedgeView, MarketView } from "./view.js";

/** The figures of a market in a view, apart from its book. */
interface MarkFigures {
  readonly markTicks: number;
  readonly indexTicks: number;
  readonly fundingRate: number;
  readonly nextFundingMs: Ms;
  readonly tradedHighTicks: Ticks;
  readonly tradedLowTicks: Ticks;
  readonly tradedLots: Lots;
}

/** The inputs of a view. */
export interface MarketViewSource {
  readonly instrument: Instrument;
  /** A synchronised book, the bot's own orders included. */
  readonly book: ReadableBook;
  /** The bot's own orders with their amounts that are still on the exchange's book. */
  readonly ownOrders: readonly OwnRestingOrder[];
  /** The market's figures; a `MarketState` has them. */
  readonly state: MarkFigures;
  /** The previous view; its unchanged levels are reused. */
  readonly before?: Pick<MarketView, "bids" | "asks"> | undefined;
  readonly sequence: number;
  /** Exchange time as the bot estimates it. */
  readonly timeMs: Ms;
  readonly cause: DecisionCause;
  /** Maximum number of levels per side, 1 or more. */
  readonly depthLevels: number;
  readonly positionLots: Lots;
  /** The market's hedge, frozen; undefined without one. */
  readonly hedge?: HedgeView | undefined;
  readonly equity: CreditUnits;
  readonly maxPositionLots: Lots;
  /** The market's reference price, frozen; undefined without one. */
  readonly reference?: ReferenceSnapshot | undefined;
}

/**
 * Creates an immutable view (docs/ideas/design.md#strategies): depth, mid and micro-price net of
 * the bot's own orders. Null if a side is empty without them: there is no market to quote against.
 */
export function createMarketView(source: MarketViewSource): MarketView | null {
  const bids = netLevels(
    source.book.bids,
    source.ownOrders,
    source.depthLevels,
    source.before?.bids,
  );
  const asks = netLevels(
    source.book.asks,
    source.ownOrders,
    source.depthLevels,
    source.before?.asks,
  );
  if (bids.length === 0 || asks.length === 0) return null;
  const microPrice = computeMicroPriceTicks(bids[0], asks[0]);
  return Object.freeze<MarketView>({
    marketId: source.instrument.marketId,
    instrument: source.instrument,
    sequence: source.sequence,
    timeMs: source.timeMs,
    cause: source.cause,
    bids,
    asks,
    midTicks: (bids[0].ticks + asks[0].ticks) / 2,
    microPriceTicks: microPrice,
    microPrice,
    reference: source.reference,
    markTicks: source.state.markTicks,
    indexTicks: source.state.indexTicks,
    fundingRate: source.state.fundingRate,
    nextFundingMs: source.state.nextFundingMs,
    tradedHighTicks: source.state.tradedHighTicks,
    tradedLowTicks: source.state.tradedLowTicks,
    tradedLots: source.state.tradedLots,
    positionLots: source.positionLots,
    hedge: source.hedge,
    equity: source.equity,
    maxPositionLots: source.maxPositionLots,
  });
}
