import type { Ticks } from "../../core/units.js";
import type { AmbiguousFillRule } from "../venue/ambiguous-fill-rule.js";
import type { LatencyModel } from "../venue/latency/latency.js";

/** How orders are filled by each grade of history. */
export interface FillOptions {
  /** Of books and trades: where our orders stand in the recorded queues, by its name in `core`. */
  readonly queue: string;
  /** False: any fill is a whole one. Only to compare with engines that count so. */
  readonly partialFills: boolean;
  /** What fills are charged of which history does not tell whether their orders had come to rest. */
  readonly doubtful: AmbiguousFillRule;
  /** Of trades alone: what stands ahead of us at our price, in base; undefined fills only beyond it. */
  readonly queueAheadBase: string | undefined;
  /** Of trades and of candles: how much worse than the last price a taker is filled. */
  readonly slippageTicks: Ticks;
  /** Of candles: the order of a bar's high and low. */
  readonly path: "ohlc" | "olhc" | "adaptive";
  /** Of candles: the most of a bar's volume that is ours. */
  readonly volumeShare: number;
}

/** How the orders of one market stand in its queues, and travel to it. */
export interface MarketFillModel {
  /** By its name in `core`. */
  readonly queue: string;
  readonly latency: LatencyModel;
}
