import type { Ticks } from "../../core/units.js";
import type { AmbiguousFillRule } from "../venue/ambiguous-fill-rule.js";
import type { LatencyModel } from "../venue/latency/latency.js";

/** Fill rules for each grade of history. */
export interface FillOptions {
  /**
   * Books and trades: the queue model that places our orders in the recorded queues, by its name in
   * `core`.
   */
  readonly queue: string;
  /** False: any fill fills the whole order. Only for comparison with engines that count so. */
  readonly partialFills: boolean;
  /** Fee rule for ambiguous fills: history does not show whether their orders rested first. */
  readonly doubtful: AmbiguousFillRule;
  /**
   * Trades alone: the assumed queue ahead at our price, in base; undefined fills only beyond our
   * price.
   */
  readonly queueAheadBase: string | undefined;
  /** Trades and candles: how much worse than the last price a taker is filled. */
  readonly slippageTicks: Ticks;
  /** Candles: the order of a bar's high and low. */
  readonly path: "ohlc" | "olhc" | "adaptive";
  /** Candles: the largest part of a bar's volume that our orders can have. */
  readonly volumeShare: number;
}

/** Queue model and latency of one market. */
export interface MarketFillModel {
  /** Queue model, by its name in `core`. */
  readonly queue: string;
  readonly latency: LatencyModel;
}
