import type { Runtime, Timer } from "#core/runtime.js";
import type { Ms, Side } from "#core/units.js";
import type { FlowMarket, FlowOrderRef, OrderFlow } from "#simulator/flow-market.js";
import type { CapturedPrice } from "./captured-price.js";

/** How often the book follows the recording. */
const EVERY_MS: Ms = 50;
/** Amount at each of the two prices. */
const DEPTH_BASE = 20;

/** A deep book with the recorded best bid and ask, and nobody who takes. */
export class CapturedTouchFlow implements OrderFlow {
  readonly #price: CapturedPrice;
  readonly #resting = new Map<Side, FlowOrderRef>();
  #timer: Timer | undefined;
  #startedMs = 0;

  constructor(price: CapturedPrice) {
    this.#price = price;
  }

  start(market: FlowMarket, runtime: Runtime): void {
    this.#startedMs = runtime.clock.monotonicMs();
    this.#follow(market, runtime);
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #follow(market: FlowMarket, runtime: Runtime): void {
    const { bid, ask } = this.#price.touchAt(runtime.clock.monotonicMs() - this.#startedMs);
    const { tickQuote, lotBase } = market.instrument;
    const wanted = { BUY: Math.round(bid / tickQuote), SELL: Math.round(ask / tickQuote) };
    const moved = (["BUY", "SELL"] as const).filter(
      (side) => this.#resting.get(side)?.ticks !== wanted[side],
    );
    // Both are cancelled before either is placed: a book that has moved would cross itself.
    for (const side of moved) {
      const order = this.#resting.get(side);
      if (order !== undefined) market.cancel(order);
      this.#resting.delete(side);
    }
    for (const side of moved) {
      const lots = Math.round(DEPTH_BASE / lotBase);
      const order = { agent: "touch", side, ticks: wanted[side], lots } as const;
      const resting = market.place({ ...order, timeInForce: "POST_ONLY" });
      if (resting !== null) this.#resting.set(side, resting);
    }
    if (moved.length > 0) {
      const midTicks = (wanted.BUY + wanted.SELL) / 2;
      market.setReference(midTicks, midTicks);
    }
    this.#timer = runtime.clock.setTimer(EVERY_MS, () => this.#follow(market, runtime));
  }
}
