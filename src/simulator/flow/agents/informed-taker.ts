import type { Random } from "../../../core/runtime/runtime.js";
import type { Ms } from "../../../core/units.js";
import type { InformedParams } from "../synthetic-params.js";
import { type AgentView, type FlowAgent, notionalToLots, take } from "./flow-agent.js";
import { sampleArrivalMs, sampleLognormal } from "./sampling.js";

/**
 * A taker that knows the fundamental (Glosten and Milgrom 1985). It takes asks below and bids above
 * the fundamental by more than its edge, and never pays worse than the fundamental less that edge.
 * It trades against stale quotes.
 */
export class InformedTaker implements FlowAgent {
  readonly name = "informed";
  readonly #params: InformedParams;
  readonly #random: Random;

  constructor(params: InformedParams, random: Random) {
    this.#params = params;
    this.#random = random;
  }

  open(): Ms {
    return sampleArrivalMs(this.#random, this.#params.looksPerSecond);
  }

  act(view: AgentView): Ms {
    const edge = this.#params.edgeBps / 10_000;
    const buyLimit = Math.floor(view.fundamentalTicks * (1 - edge));
    const sellLimit = Math.ceil(view.fundamentalTicks * (1 + edge));
    const ask = view.market.bestAsk();
    const bid = view.market.bestBid();
    const quote = sampleLognormal(this.#random, this.#params.orderQuote, this.#params.sizeSigma);
    if (ask !== undefined && ask <= buyLimit) {
      take(view, this.name, "BUY", notionalToLots(view, quote, ask), buyLimit);
    } else if (bid !== undefined && bid >= sellLimit) {
      take(view, this.name, "SELL", notionalToLots(view, quote, bid), sellLimit);
    }
    return sampleArrivalMs(this.#random, this.#params.looksPerSecond);
  }
}
