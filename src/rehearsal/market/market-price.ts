import type { Clock } from "../../core/runtime/runtime.js";
import type { MarketId } from "../../core/units.js";
import type { EmbeddedExchange } from "../../simulator/exchange.js";
import { FundamentalPrice } from "../../simulator/flow/agents/fundamental.js";
import type { FlowConfig } from "../../simulator/flow/flow-config.js";
import { syntheticParams } from "../../simulator/flow/synthetic-params.js";
import type { MarketShocks } from "./shocked-flow.js";

/** The true price of a market: neither the bot's orders nor an outage of the exchange change it. */
export class MarketPrice {
  readonly #marketId: MarketId;
  readonly #clock: Clock;
  readonly #exchange: EmbeddedExchange;
  readonly #shocks: MarketShocks;
  readonly #path: FundamentalPrice | undefined;
  readonly #startedMs: number;

  /** @param seed of a synthetic flow; its own price is drawn from it. */
  constructor(deps: {
    readonly marketId: MarketId;
    readonly flow: FlowConfig;
    readonly seed: string;
    readonly clock: Clock;
    readonly exchange: EmbeddedExchange;
    readonly shocks: MarketShocks;
  }) {
    const { flow } = deps;
    this.#marketId = deps.marketId;
    this.#clock = deps.clock;
    this.#exchange = deps.exchange;
    this.#shocks = deps.shocks;
    this.#startedMs = deps.clock.monotonicMs();
    if (flow.kind === "synthetic") {
      const { fundamental, shocks } = syntheticParams(flow.preset, flow);
      const seed = String(flow.seed ?? deps.seed);
      this.#path = new FundamentalPrice(seed, fundamental, flow.startPriceQuote, 0, shocks);
    }
  }

  /** Quote units for one base unit now; the exchange's index for a recorded market. */
  get quote(): number {
    const market = this.#exchange.market(this.#marketId);
    const { tickQuote, creditDecimals } = market.instrument;
    if (this.#path === undefined) return Number(market.prices.index) / 10 ** creditDecimals;
    this.#path.advanceTo(this.#clock.monotonicMs() - this.#startedMs);
    return this.#path.price + this.#shocks.offsetTicks * tickQuote;
  }
}
