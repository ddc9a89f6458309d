import type { Random, Runtime, Timer } from "#core/runtime.js";
import type { Side } from "#core/units.js";
import type { FlowMarket, FlowOrderRef, OrderFlow } from "#simulator/flow-market.js";

/** Distance of the other makers' best orders from their fair price: the bot's are inside. */
const NEIGHBOUR_BPS = 8;
const LEVEL_BPS = 3;
const LEVELS = 3;
const LEVEL_LOTS = 5_000;
/** They move their orders once the price has moved by this. */
const TOLERANCE_BPS = 0.3;
const LOOK_EVERY_MS = 50;
/** Farthest price of a taker from the fair price: it never reaches the other makers. */
const TAKER_BPS = 6;
const TAKER_LOTS = 15;
const TAKES_PER_LOOK = 0.04;

/**
 * The other side of a small exchange with a wide book: makers at a fixed distance from the true
 * price plus a basis, and takers of either side who trade with the bot's better quotes.
 */
export class ReferenceVenue implements OrderFlow {
  readonly #fairQuote: () => number;
  readonly #random: Random;
  #resting: FlowOrderRef[] = [];
  #quotedFair = Number.NaN;
  #timer: Timer | undefined;

  /** @param fairQuote the exchange's fair price now, in quote units */
  constructor(fairQuote: () => number, random: Random) {
    this.#fairQuote = fairQuote;
    this.#random = random;
  }

  start(market: FlowMarket, runtime: Runtime): void {
    const fair = this.#fairQuote() / market.instrument.tickQuote;
    if (!(Math.abs(fair / this.#quotedFair - 1) * 10_000 < TOLERANCE_BPS))
      this.#quote(market, fair);
    market.setReference(fair, fair);
    if (this.#random.uniform() < TAKES_PER_LOOK) this.#take(market, fair);
    this.#timer = runtime.clock.setTimer(LOOK_EVERY_MS, () => this.start(market, runtime));
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #quote(market: FlowMarket, fair: number): void {
    for (const order of this.#resting) market.cancel(order);
    this.#resting = [];
    this.#quotedFair = fair;
    for (const side of ["BUY", "SELL"] as const)
      for (let level = 0; level < LEVELS; level += 1) {
        const order = market.place({
          agent: "neighbour",
          side,
          ticks: away(fair, side, NEIGHBOUR_BPS + level * LEVEL_BPS),
          lots: LEVEL_LOTS,
          timeInForce: "POST_ONLY",
        });
        if (order !== null) this.#resting.push(order);
      }
  }

  #take(market: FlowMarket, fair: number): void {
    const side: Side = this.#random.uniform() < 0.5 ? "BUY" : "SELL";
    market.place({
      agent: "taker",
      side,
      ticks: away(fair, side === "BUY" ? "SELL" : "BUY", TAKER_BPS),
      lots: TAKER_LOTS,
      timeInForce: "IOC",
    });
  }
}

/** The price at a distance from the fair price, on the side of a maker's order. */
function away(fair: number, side: Side, bps: number): number {
  return Math.round(fair * (1 + ((side === "BUY" ? -1 : 1) * bps) / 10_000));
}
