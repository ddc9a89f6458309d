import type { Lots } from "../../core/units.js";
import { type KlineTape, type Tape, TapeKind } from "../../history/columns/tape/tape.js";
import type { FillCause } from "../matching/matcher.js";

/** Traded volume of one replayed market, and the volume of our fills in it. */
export class MarketVolume {
  /** Fills of our resting orders. */
  restedLots: Lots = 0;
  /** Fills of our orders that took on arrival. */
  takenLots: Lots = 0;
  #tradedLots: Lots = 0;
  #mostAtOnceLots: Lots = 0;
  /** Fills of resting orders that exceeded the largest volume traded at once so far, by size. */
  readonly #large = new Map<Lots, number>();
  /**
   * The newest part of history: it is counted when the volume is read, or when the next part comes.
   */
  #coming: { readonly tape: Tape; readonly fromUs: number } | undefined;
  #instantUs = Number.NEGATIVE_INFINITY;
  /** Lots bought, and lots sold, in that instant. */
  #boughtLots: Lots = 0;
  #soldLots: Lots = 0;

  /** Volume of others while our orders could have been filled. */
  get tradedLots(): Lots {
    this.#count();
    return this.#tradedLots;
  }

  /**
   * The largest volume in one instant by takers of one side: a taker prints a trade for each order
   * that it meets.
   */
  get largestBurstLots(): Lots {
    this.#count();
    return this.#mostAtOnceLots;
  }

  /**
   * Adds a part of history.
   * @param fromUs before it no order of ours could be filled.
   */
  add(tape: Tape, fromUs: number): void {
    this.#count();
    this.#coming = { tape, fromUs };
  }

  /** Adds candles in the same way. */
  addBars({ bars, startUs, lots }: KlineTape, fromUs: number): void {
    for (let bar = 0; bar < bars; bar++) if (startUs[bar] >= fromUs) this.#tradedLots += lots[bar];
  }

  /** Adds a fill of ours. */
  fill(lots: Lots, cause: FillCause): void {
    if (cause === "taker") {
      this.takenLots += lots;
      return;
    }
    this.restedLots += lots;
    if (lots > this.#mostAtOnceLots) this.#large.set(lots, (this.#large.get(lots) ?? 0) + 1);
  }

  /** Fills of resting orders, each larger than any volume traded at once. */
  get large(): { readonly fills: number; readonly lots: Lots } {
    const { largestBurstLots } = this;
    let [fills, lots] = [0, 0];
    for (const [size, count] of this.#large) {
      if (size <= largestBurstLots) continue;
      fills += count;
      lots += size * count;
    }
    return { fills, lots };
  }

  #count(): void {
    if (this.#coming === undefined) return;
    const { tape, fromUs } = this.#coming;
    const { messages, exchangeUs, kind, rowEnd, signedTicks, lots } = tape;
    this.#coming = undefined;
    let tradedLots = this.#tradedLots;
    let mostAtOnceLots = this.#mostAtOnceLots;
    let instantUs = this.#instantUs;
    let bought = this.#boughtLots;
    let sold = this.#soldLots;
    for (let message = 0; message < messages; message++) {
      if (kind[message] !== TapeKind.trade) continue;
      const atUs = exchangeUs[message];
      if (atUs < fromUs) continue;
      if (atUs !== instantUs) {
        instantUs = atUs;
        bought = sold = 0;
      }
      const row = rowEnd[message] - 1;
      const traded = lots[row];
      tradedLots += traded;
      if (signedTicks[row] > 0) bought += traded;
      else sold += traded;
      mostAtOnceLots = Math.max(mostAtOnceLots, bought, sold);
    }
    this.#tradedLots = tradedLots;
    this.#mostAtOnceLots = mostAtOnceLots;
    this.#instantUs = instantUs;
    this.#boughtLots = bought;
    this.#soldLots = sold;
  }
}
