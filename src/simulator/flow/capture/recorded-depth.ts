import type { Lots, Side, Ticks } from "../../../core/units.js";
import type { RecordedChange, RecordedDepth, RecordedMessage } from "../flow-market.js";
import { RecordedSide } from "./recorded-side.js";

/**
 * The recorded book of a replayed market, under the rule "apply every diff in order, the snapshot overwrites its price
 * range", with an overlay of what participants took: a level displays recorded less taken, and its overlay is gone as soon
 * as the capture changes that level's amount (backtest rules B2, "liquidity consumption"). So the same recorded liquidity
 * is never taken twice, and none is withheld longer than the capture itself left it standing.
 */
export class CapturedDepth implements RecordedDepth {
  readonly #bids = new RecordedSide("BUY");
  readonly #asks = new RecordedSide("SELL");

  /** How many levels the capture has on both sides, those that participants have emptied included. */
  get levels(): number {
    return this.#bids.levels + this.#asks.levels;
  }

  apply(message: RecordedMessage): RecordedChange {
    return {
      bids: applyTo(this.#bids, message.kind, message.bids),
      asks: applyTo(this.#asks, message.kind, message.asks),
    };
  }

  best(side: Side): Ticks | undefined {
    return this.#side(side).best();
  }

  lotsAt(side: Side, ticks: Ticks): Lots {
    return this.#side(side).displayed(ticks);
  }

  /** @throws RunError when the level displays less than `lots`. */
  take(side: Side, ticks: Ticks, lots: Lots): void {
    this.#side(side).take(ticks, lots);
  }

  forEachLevel(side: Side, visit: (ticks: Ticks, lots: Lots) => boolean): void {
    this.#side(side).walk(visit);
  }

  #side(side: Side): RecordedSide {
    return side === "BUY" ? this.#bids : this.#asks;
  }
}

/** Flat pairs of the levels that changed, with their new amount: a change always makes a level whole again. */
function applyTo(
  side: RecordedSide,
  kind: RecordedMessage["kind"],
  pairs: readonly number[],
): number[] {
  const changes: number[] = [];
  if (kind === "snapshot") {
    side.overwrite(pairs, (ticks, lots) => changes.push(ticks, lots));
    return changes;
  }
  for (let i = 0; i < pairs.length; i += 2) {
    if (side.set(pairs[i], pairs[i + 1])) changes.push(pairs[i], pairs[i + 1]);
  }
  return changes;
}
