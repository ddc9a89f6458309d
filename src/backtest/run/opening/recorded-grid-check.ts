import { Decimal } from "decimal.js";
import type { MarketId } from "../../../core/units.js";
import type { KlineTape, Tape } from "../../../history/columns/tape/tape.js";
import { instantText } from "../../../history/day.js";
import type { PlayedHistory, TapeStream } from "../played-history.js";
import { type CoarseEvidence, type CoarseStretch, CoarseStretches } from "./coarse-stretches.js";

/** Prices of a traded market lie side by side. */
const PRICES: CoarseEvidence = { values: 100, distinct: { all: 1, day: 5, hours: 20 } };
/** Amounts are often round, so many different ones are needed to rule out chance. */
const AMOUNTS: CoarseEvidence = { values: 100, distinct: { all: 20, day: 20, hours: 20 } };
/** Intervals are listed singly up to this number. */
const TOLD_ALONE = 3;

/**
 * Checks whether a market's rules have a finer tick or step than its recording, at any time: all
 * prices, or amounts, of that time then lie on a coarser grid. Quotes between recorded prices have
 * no queue ahead of them, so such a run is too optimistic.
 */
export class RecordedGridCheck {
  #tickSize = "";
  #stepSize = "";
  readonly #prices = new CoarseStretches(PRICES);
  readonly #amounts = new CoarseStretches(AMOUNTS);

  /**
   * Adds the next part of books and trades. Rows without lots are not offers: a whole book begins
   * by deleting the highest price and the lowest.
   */
  addTape({ tickSize, stepSize, exchangeUs, rowEnd, signedTicks, lots }: SeenTape): void {
    for (let message = 0; message < rowEnd.length; ) {
      const atUs = exchangeUs[message] as number;
      if (!this.#isOpen(atUs)) {
        message = firstFrom(exchangeUs, CoarseStretches.endOf(atUs), message + 1, rowEnd.length);
        continue;
      }
      for (
        let row = message === 0 ? 0 : (rowEnd[message - 1] as number);
        row < (rowEnd[message] as number);
        row++
      ) {
        if ((lots[row] as number) > 0)
          this.#value(atUs, Math.abs(signedTicks[row] as number), lots[row] as number);
      }
      message += 1;
    }
    this.#tickSize = tickSize;
    this.#stepSize = stepSize;
  }

  /** Adds candles. */
  addKlines({
    tickSize,
    stepSize,
    bars,
    startUs,
    openTicks,
    highTicks,
    lowTicks,
    closeTicks,
    lots,
  }: KlineTape): void {
    for (let bar = 0; bar < bars; bar++) {
      const atUs = startUs[bar] as number;
      if (!this.#isOpen(atUs)) continue;
      for (const ticks of [openTicks, highTicks, lowTicks, closeTicks])
        this.#prices.add(atUs, ticks[bar] as number);
      if ((lots[bar] as number) > 0) this.#amounts.add(atUs, lots[bar] as number);
    }
    this.#tickSize = tickSize;
    this.#stepSize = stepSize;
  }

  /**
   * States how much finer the tick is; undefined where the recording's prices need it at all times,
   * or are too few to judge.
   */
  get finerTickText(): string | undefined {
    return this.#texts()[0];
  }

  /** States how much finer tick and step are, interval by interval. */
  get warnings(): readonly string[] {
    return [...this.#texts(), ...this.#stepTexts()];
  }

  #texts(): string[] {
    return textsOf(
      this.#prices.found,
      `a tick of ${this.#tickSize}`,
      "prices",
      this.#tickSize,
      QUOTES_ALONE,
    );
  }

  #stepTexts(): string[] {
    return textsOf(
      this.#amounts.found,
      `a step of ${this.#stepSize}`,
      "amounts",
      this.#stepSize,
      ORDERS_REFUSED,
    );
  }

  #isOpen(atUs: number): boolean {
    return this.#prices.isOpen(atUs) || this.#amounts.isOpen(atUs);
  }

  #value(atUs: number, ticks: number, lots: number): void {
    if (this.#prices.isOpen(atUs)) this.#prices.add(atUs, ticks);
    if (this.#amounts.isOpen(atUs)) this.#amounts.add(atUs, lots);
  }
}

type SeenTape = Pick<
  Tape,
  "tickSize" | "stepSize" | "exchangeUs" | "rowEnd" | "signedTicks" | "lots"
>;

const QUOTES_ALONE =
  "a quote between two recorded prices has no orders ahead of it, which is too optimistic";
const ORDERS_REFUSED =
  "the exchange would have rejected an order with an amount between two of them";

function textsOf(
  found: readonly CoarseStretch[],
  what: string,
  values: string,
  unit: string,
  why: string,
): string[] {
  const text = ({ fromUs, toUs, divisor, values: count, isAll }: CoarseStretch): string => {
    const recorded = new Decimal(unit).times(divisor).toFixed();
    if (isAll)
      return `${what} is finer than that of the recording, whose first ${count} ${values} are all multiples of ${recorded}: ${why}`;
    const span = `from ${instantText(fromUs / 1000)} to ${instantText(toUs / 1000)}`;
    return `${what} is finer than that of the recording ${span}, whose ${count} ${values} are all multiples of ${recorded}: ${why}; run each period with its own rules`;
  };
  const more = found.length - TOLD_ALONE;
  return [
    ...found.slice(0, TOLD_ALONE).map(text),
    ...(more > 0 ? [`${what} is also finer at ${more} more times`] : []),
  ];
}

/** The first index from `from` on with an instant that is not before `us`. */
function firstFrom(stamps: Float64Array, us: number, from: number, end: number): number {
  let [low, high] = [from, end];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((stamps[middle] as number) < us) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The same history, whose books, trades and candles are checked as they are played.
 * @param tickOf the check of a market.
 */
export function observePlayback(
  history: PlayedHistory,
  tickOf: (marketId: MarketId) => RecordedGridCheck,
): PlayedHistory {
  const markets = history.markets.map((market) => {
    const { marketId, tapes, klines } = market;
    if (klines !== undefined) tickOf(marketId).addKlines(klines);
    return tapes === undefined ? market : { ...market, tapes: seen(tapes, tickOf(marketId)) };
  });
  return { ...history, markets };
}

async function* seen(tapes: TapeStream, tick: RecordedGridCheck): AsyncGenerator<Tape, void> {
  for await (const tape of tapes) {
    tick.addTape(tape);
    yield tape;
  }
}
