import type { Instrument } from "../../core/instrument.js";
import type { QueueModel, QueuePlace } from "../../core/queue/queue-models.js";
import type { Runtime } from "../../core/runtime/runtime.js";
import type { Lots, MarketId, Ms, Side, Ticks } from "../../core/units.js";

/** One published price level: recorded depth and every participant's open amount together. */
export interface FlowLevel {
  readonly ticks: Ticks;
  readonly lots: Lots;
}

/** An order of a house agent. A MARKET order is an IOC with a far price. */
export interface FlowOrder {
  /** The agent's name; all agents of a market trade for one house account with unlimited margin. */
  readonly agent: string;
  readonly side: Side;
  readonly ticks: Ticks;
  readonly lots: Lots;
  readonly timeInForce: "GTC" | "IOC" | "FOK" | "POST_ONLY";
}

/**
 * A resting order of a house agent. `openLots` is live, and 0 once it has traded in full or was
 * cancelled.
 */
export interface FlowOrderRef {
  readonly agent: string;
  readonly side: Side;
  readonly ticks: Ticks;
  readonly openLots: Lots;
}

/**
 * A recorded book message in ticks and lots: flat pairs (ticks, lots, ticks, lots ...), absolute
 * amounts, 0 deletes.
 */
export interface RecordedMessage {
  /**
   * A snapshot overwrites the price range that it spans, on each side; an update changes the listed
   * levels.
   */
  readonly kind: "snapshot" | "update";
  readonly bids: readonly number[];
  readonly asks: readonly number[];
}

/** A recorded trade between recorded participants. */
export interface RecordedPrint {
  /** The side of the taker: SELL when the buyer was the maker. */
  readonly aggressor: Side;
  readonly ticks: Ticks;
  readonly lots: Lots;
  readonly timeMs: Ms;
}

/** Levels whose available amount changed: flat pairs (ticks, lots left), in any order. */
export interface RecordedChange {
  readonly bids: readonly number[];
  readonly asks: readonly number[];
}

/**
 * The recorded levels of a replayed market, less the lots that participants have taken of each
 * since it last changed (docs/ideas/order-flow.md#replay). A level that the recording changes again
 * is whole again. `side` is the side on which the level rests: BUY for bids.
 */
export interface RecordedDepth {
  /** Applies one message as a whole and returns the levels whose amount changed. */
  apply(message: RecordedMessage): RecordedChange;
  /** The best price with an available amount on that side. */
  best(side: Side): Ticks | undefined;
  /** The available amount at a price: recorded less taken. */
  lotsAt(side: Side, ticks: Ticks): Lots;
  /** Takes from a level. Never more than `lotsAt`. */
  take(side: Side, ticks: Ticks, lots: Lots): void;
  /** Visits levels with an available amount, best first, until `visit` returns false. */
  forEachLevel(side: Side, visit: (ticks: Ticks, lots: Lots) => boolean): void;
}

/**
 * A market of the embedded exchange, as an order flow sees and uses it. Every call is atomic and
 * synchronous.
 */
export interface FlowMarket {
  readonly marketId: MarketId;
  readonly instrument: Instrument;
  nowMs(): Ms;
  bestBid(): Ticks | undefined;
  bestAsk(): Ticks | undefined;
  /** The published book, best first, at most `count` levels a side. */
  depth(count: number): {
    readonly bids: readonly FlowLevel[];
    readonly asks: readonly FlowLevel[];
  };
  lastTradeTicks(): Ticks | undefined;
  /**
   * Places a house agent's order. Returns null if no part of it rests (it traded in full, expired,
   * or POST_ONLY would have crossed).
   */
  place(order: FlowOrder): FlowOrderRef | null;
  /** Cancels the open part of an order; false if there was none. */
  cancel(ref: FlowOrderRef): boolean;
  /**
   * Sets index and mark in fractional ticks. Until the first call both are the book's mid averaged
   * over one second.
   */
  setReference(indexTicks: number, markTicks: number): void;
  /**
   * Adds recorded depth to the book; participants' orders queue behind it by the model. Called
   * once, before the first `applyRecorded`.
   */
  attachRecorded(depth: RecordedDepth, queue?: QueueModel<QueuePlace>): void;
  /** Applies a recorded message whole, then tests it against participants' orders. */
  applyRecorded(message: RecordedMessage): void;
  /**
   * Publishes a recorded trade and fills the participants' orders that it reaches; recorded levels
   * are not swept.
   */
  recordedPrint(print: RecordedPrint): void;
}

/**
 * The other side of a market: agents, or a recording. Owns its timers, all of them from the
 * runtime.
 */
export interface OrderFlow {
  start(market: FlowMarket, runtime: Runtime): void;
  stop(): void;
}
