import type { Random, Runtime, Timer } from "../core/runtime/runtime.js";
import type { Lots, Ms, Side } from "../core/units.js";
import { oppositeSide } from "../core/units.js";
import type { FlowMarket, FlowOrderRef, OrderFlow } from "../simulator/flow/flow-market.js";

/** Distances of the makers' levels from the true price. */
const LEVELS_BPS = [1, 2, 4, 6];
const LOOK_EVERY_MS: Ms = 100;
/** The makers move their orders once the price has moved by this. */
const TOLERANCE_BPS = 0.3;
/** Takers reach the makers' first level. */
const TAKER_BPS = 1.2;
const TAKES_PER_LOOK = 0.08;

/**
 * The other side of a deep exchange: makers close around the true price, of whose levels one
 * sometimes holds less than a hedge needs, and takers.
 */
export class DeepVenue implements OrderFlow {
  readonly #trueQuote: () => number;
  readonly #random: Random;
  readonly #levelLots: Lots;
  #resting: FlowOrderRef[] = [];
  #quotedFair = Number.NaN;
  #timer: Timer | undefined;

  /** @param levelLots most lots of a level */
  constructor(trueQuote: () => number, random: Random, levelLots: Lots) {
    this.#trueQuote = trueQuote;
    this.#random = random;
    this.#levelLots = levelLots;
  }

  start(market: FlowMarket, runtime: Runtime): void {
    const fair = this.#trueQuote() / market.instrument.tickQuote;
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
      for (const bps of LEVELS_BPS) {
        const order = market.place({
          agent: "maker",
          side,
          ticks: away(fair, side, bps),
          lots: this.#lots(),
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
      ticks: away(fair, oppositeSide(side), TAKER_BPS),
      lots: this.#lots(),
      timeInForce: "IOC",
    });
    this.#quotedFair = Number.NaN;
  }

  #lots(): Lots {
    return 1 + Math.floor(this.#random.uniform() * this.#levelLots);
  }
}

/** The price at a distance from the fair price, on the side of a maker's order. */
function away(fair: number, side: Side, bps: number): number {
  return Math.round(fair * (1 + ((side === "BUY" ? -1 : 1) * bps) / 10_000));
}
