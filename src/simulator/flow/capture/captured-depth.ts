import { RunError } from "../../../core/errors.js";
import type { Lots, Side, Ticks } from "../../../core/units.js";
import type { BookSide } from "../../../market/book/book-side.js";
import { OrderBook } from "../../../market/book/order-book.js";
import type { RecordedChange, RecordedDepth, RecordedMessage } from "../flow-market.js";

/**
 * The recorded book of a replayed market, less the lots that participants took
 * (docs/ideas/order-flow.md#replay). Diffs are applied in order, and a snapshot overwrites its
 * price range. A taken level shows the reduced amount until the capture changes that level again.
 * So the same recorded liquidity is never taken twice, and none is withheld longer than the capture
 * left it unchanged.
 */
export class CapturedDepth implements RecordedDepth {
  /** The capture's own levels. */
  readonly #recorded = new OrderBook();
  /** The same less the taken lots. */
  readonly #displayed = new OrderBook();

  /**
   * The number of levels of the capture on both sides, including those that participants have
   * emptied.
   */
  get levels(): number {
    return this.#recorded.bids.levels + this.#recorded.asks.levels;
  }

  apply(message: RecordedMessage): RecordedChange {
    return {
      bids: this.#applyTo("BUY", message.kind, message.bids),
      asks: this.#applyTo("SELL", message.kind, message.asks),
    };
  }

  best(side: Side): Ticks | undefined {
    const { levels, bestTicks } = this.#displayed.side(side);
    return levels === 0 ? undefined : bestTicks;
  }

  lotsAt(side: Side, ticks: Ticks): Lots {
    return this.#displayed.side(side).lotsAt(ticks);
  }

  /** @throws RunError when the level displays less than `lots`. */
  take(side: Side, ticks: Ticks, lots: Lots): void {
    const left = this.lotsAt(side, ticks);
    if (!(lots >= 0 && lots <= left)) {
      throw new RunError("is more than the recorded level has left", {
        field: `level ${ticks}`,
        value: lots,
        expected: `at most ${left} lots`,
      });
    }
    this.#displayed.set(side, ticks, left - lots);
  }

  forEachLevel(side: Side, visit: (ticks: Ticks, lots: Lots) => boolean): void {
    this.#displayed.side(side).walk(visit);
  }

  /**
   * Flat pairs of the levels that changed, with their new amount: a change always restores a level
   * in full.
   */
  #applyTo(side: Side, kind: RecordedMessage["kind"], pairs: readonly number[]): number[] {
    const changes: number[] = [];
    const set = (ticks: Ticks, lots: Lots): void => {
      if (!this.#recorded.set(side, ticks, lots)) return;
      this.#displayed.set(side, ticks, lots);
      changes.push(ticks, lots);
    };
    if (kind === "snapshot") {
      const kept = levelsOf(pairs);
      for (const ticks of missing(this.#recorded.side(side), kept)) set(ticks, 0);
      for (const [ticks, lots] of kept) set(ticks, lots);
    } else {
      for (let at = 0; at < pairs.length; at += 2)
        set(pairs[at] as number, pairs[at + 1] as number);
    }
    return changes;
  }
}

function levelsOf(pairs: readonly number[]): ReadonlyMap<Ticks, Lots> {
  const levels = new Map<Ticks, Lots>();
  for (let at = 0; at < pairs.length; at += 2)
    levels.set(pairs[at] as number, pairs[at + 1] as number);
  return levels;
}

/** The prices that a side has and a snapshot lacks, from the best down to the snapshot's worst. */
function missing(side: BookSide, kept: ReadonlyMap<Ticks, Lots>): readonly Ticks[] {
  const isBids = side.side === "BUY";
  let worst = isBids ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  for (const ticks of kept.keys()) worst = isBids ? Math.min(worst, ticks) : Math.max(worst, ticks);
  const gone: Ticks[] = [];
  side.walk((ticks) => {
    if (isBids ? ticks < worst : ticks > worst) return false;
    if (!kept.has(ticks)) gone.push(ticks);
    return true;
  });
  return gone;
}
