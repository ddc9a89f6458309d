import { Decimal } from "decimal.js";
import type { MarketId } from "../../core/units.js";
import type { KlineTape, Tape } from "../../history/columns/tape.js";
import type { PlayedHistory, TapeStream } from "./played-history.js";

/** So many prices tell a grid; fewer may lie on a coarser one by chance. */
const ENOUGH_PRICES = 100;
/** More of them tell no more. */
const MOST_PRICES = 100_000;

/**
 * Whether a market's rules have a finer tick than its recording: all prices of what is played first then lie on a coarser grid. Quotes between
 * recorded prices have nobody ahead of them in any queue, so such a run flatters.
 */
export class RecordedTick {
  #tickSize = "";
  /** What all prices that were seen are multiples of, in ticks. */
  #divisor = 0;
  #prices = 0;

  /** Sees the next stretch of books and trades; rows without lots are of no offer (a whole book is told by deleting the highest price and the lowest). */
  see({ tickSize, signedTicks, lots }: Pick<Tape, "tickSize" | "signedTicks" | "lots">): void {
    for (let row = 0; row < signedTicks.length && this.#isOpen; row++) if (lots[row] > 0) this.#price(signedTicks[row]);
    this.#tickSize = tickSize;
  }

  /** Sees candles. */
  seeKlines({ tickSize, openTicks, highTicks, lowTicks, closeTicks }: KlineTape): void {
    for (const column of [openTicks, highTicks, lowTicks, closeTicks]) for (const ticks of column) if (this.#isOpen) this.#price(ticks);
    this.#tickSize = tickSize;
  }

  /** In words, how much finer it is; undefined where the recording's prices need the tick, or are too few to tell. */
  get finer(): string | undefined {
    if (this.#prices < ENOUGH_PRICES || this.#divisor === 1) return undefined;
    const recorded = new Decimal(this.#tickSize).times(this.#divisor).toFixed();
    return `a tick of ${this.#tickSize} is finer than that of the recording, whose first ${this.#prices} prices are all multiples of ${recorded}: a quote between two of them has nobody ahead of it, which flatters`;
  }

  get #isOpen(): boolean {
    return this.#divisor !== 1 && this.#prices < MOST_PRICES;
  }

  #price(ticks: number): void {
    this.#divisor = greatestCommonDivisor(Math.abs(ticks), this.#divisor);
    this.#prices += 1;
  }
}

/** The same history, whose books, trades and candles are seen as they are played. @param tickOf what sees those of a market. */
export function seenBy(history: PlayedHistory, tickOf: (marketId: MarketId) => RecordedTick): PlayedHistory {
  const markets = history.markets.map((market) => {
    const { marketId, tapes, klines } = market;
    if (klines !== undefined) tickOf(marketId).seeKlines(klines);
    return tapes === undefined ? market : { ...market, tapes: seen(tapes, tickOf(marketId)) };
  });
  return { ...history, markets };
}

async function* seen(tapes: TapeStream, tick: RecordedTick): AsyncGenerator<Tape, void> {
  for await (const tape of tapes) {
    tick.see(tape);
    yield tape;
  }
}

function greatestCommonDivisor(a: number, b: number): number {
  let [larger, smaller] = [a, b];
  while (smaller !== 0) [larger, smaller] = [smaller, larger % smaller];
  return larger;
}
