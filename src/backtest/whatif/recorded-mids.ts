import type { Tape } from "../../history/columns/tape/tape.js";
import { ReplayBook } from "../book/replay-book.js";

/** The mids of one recorded market, on the exchange's clock. */
export class RecordedMids {
  readonly #atUs: number[] = [];
  readonly #midTicks: number[] = [];

  /** @param tape its books, without the bot's own orders */
  constructor(tape: Tape) {
    const book = new ReplayBook();
    let last = Number.NaN;
    for (let message = 0; message < tape.messages; message++) {
      book.applyMessage(tape, message);
      const midTicks = (book.bids.bestTicks + book.asks.bestTicks) / 2;
      if (Number.isNaN(midTicks) || midTicks === last) continue;
      this.#atUs.push(tape.exchangeUs[message] as number);
      this.#midTicks.push(midTicks);
      last = midTicks;
    }
  }

  /** Number of changes of the mid. */
  get changes(): number {
    return this.#atUs.length;
  }

  /**
   * The mid just before an instant, in ticks; the first one for an earlier instant, and NaN for a
   * market that never had two sides.
   */
  before(us: number): number {
    let [low, high] = [0, this.#atUs.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#atUs[middle] as number) < us) low = middle + 1;
      else high = middle;
    }
    return this.#midTicks[Math.max(0, low - 1)] ?? Number.NaN;
  }
}
