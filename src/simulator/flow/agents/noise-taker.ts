import type { Random } from "../../../core/runtime/runtime.js";
import type { Ms } from "../../../core/units.js";
import type { NoiseParams } from "../synthetic-params.js";
import { type AgentView, type FlowAgent, notionalToLots, take } from "./flow-agent.js";
import { sampleArrivalMs, sampleLognormal } from "./sampling.js";

/**
 * Takers without a view: Poisson arrivals, both sides alike, lognormal sizes (the noise traders of
 * Kyle 1985).
 */
export class NoiseTaker implements FlowAgent {
  readonly name = "noise";
  readonly #params: NoiseParams;
  readonly #random: Random;

  constructor(params: NoiseParams, random: Random) {
    this.#params = params;
    this.#random = random;
  }

  open(): Ms {
    return sampleArrivalMs(this.#random, this.#params.arrivalsPerSecond);
  }

  act(view: AgentView): Ms {
    const side = this.#random.uniform() < 0.5 ? "BUY" : "SELL";
    const quote = sampleLognormal(this.#random, this.#params.orderQuote, this.#params.sizeSigma);
    take(
      view,
      this.name,
      side,
      notionalToLots(view, quote, Math.max(1, Math.round(view.fundamentalTicks))),
    );
    return sampleArrivalMs(this.#random, this.#params.arrivalsPerSecond);
  }
}
