import type { Random } from "../../../core/runtime/runtime.js";
import type { Ms, Side, Ticks } from "../../../core/units.js";
import type { MomentumParams } from "../synthetic-params.js";
import { type AgentView, type FlowAgent, notionalToLots, take } from "./flow-agent.js";
import { sampleArrivalMs, sampleGeometric, sampleLognormal } from "./sampling.js";

/**
 * A trend follower: when the last trade has moved enough since its previous check, it sends a burst
 * of orders in the same direction.
 */
export class MomentumTaker implements FlowAgent {
  readonly name = "momentum";
  readonly #params: MomentumParams;
  readonly #random: Random;
  #seenTicks: Ticks | undefined;
  #burstLeft = 0;
  #burstSide: Side = "BUY";

  constructor(params: MomentumParams, random: Random) {
    this.#params = params;
    this.#random = random;
  }

  open(): Ms {
    return sampleArrivalMs(this.#random, this.#params.looksPerSecond);
  }

  act(view: AgentView): Ms {
    if (this.#burstLeft === 0) this.#detectMove(view);
    if (this.#burstLeft > 0) {
      this.#burstLeft -= 1;
      const quote = sampleLognormal(this.#random, this.#params.orderQuote, this.#params.sizeSigma);
      take(
        view,
        this.name,
        this.#burstSide,
        notionalToLots(view, quote, Math.max(1, Math.round(view.fundamentalTicks))),
      );
      // After its own burst the agent measures from the price that the burst left, or it would
      // follow itself.
      this.#seenTicks = view.market.lastTradeTicks();
    }
    return sampleArrivalMs(
      this.#random,
      this.#burstLeft > 0 ? this.#params.burstOrdersPerSecond : this.#params.looksPerSecond,
    );
  }

  #detectMove(view: AgentView): void {
    const last = view.market.lastTradeTicks();
    const before = this.#seenTicks;
    this.#seenTicks = last;
    if (last === undefined || before === undefined) return;
    const movedBps = (10_000 * (last - before)) / before;
    if (Math.abs(movedBps) <= this.#params.thresholdBps) return;
    this.#burstSide = movedBps > 0 ? "BUY" : "SELL";
    this.#burstLeft = sampleGeometric(this.#random, this.#params.burstOrders);
  }
}
