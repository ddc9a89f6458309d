import type { Runtime } from "../../core/runtime/runtime.js";
import type { MarketId } from "../../core/units.js";
import type { Market } from "../markets/market.js";
import type { AccountFlow, FlowExchange } from "./flow-accounts.js";
import type { OrderFlow } from "./flow-market.js";
import type { MarketFlowPort } from "./market-flow-port.js";

/** Dependencies of {@link FlowRunner}. */
export interface FlowRunnerDeps {
  readonly runtime: Runtime;
  readonly creditDecimals: number;
  /** The exchange's option of that name. */
  createFlow(
    marketId: MarketId,
    restart: { readonly startPriceQuote: number } | null,
  ): OrderFlow | null;
  createAccountFlow(): AccountFlow | null;
  /** Creates the port through which a market's flow acts on the market. */
  createMarketPort(market: Market): MarketFlowPort;
  /** Creates the port through which participants with their own accounts act on the exchange. */
  createAccountPort(): FlowExchange;
}

/** The order flows between a start and a stop of the exchange. */
export class FlowRunner {
  readonly #parts: FlowRunnerDeps;
  #flows: { readonly flow: OrderFlow; readonly port: MarketFlowPort }[] = [];
  #accountFlow: AccountFlow | null = null;

  constructor(parts: FlowRunnerDeps) {
    this.#parts = parts;
  }

  /**
   * Creates all flows and starts them.
   * @param isRestart true if they continue from the present marks.
   */
  start(markets: Iterable<Market>, isRestart: boolean): void {
    for (const market of markets) {
      this.#startIn(market, isRestart);
    }
    this.#accountFlow = this.#parts.createAccountFlow();
    this.#accountFlow?.start(this.#parts.createAccountPort(), this.#parts.runtime);
  }

  /** Stops all flows, and cancels the resting orders of the markets' own flows. */
  stop(): void {
    for (const { flow, port } of this.#flows) {
      flow.stop();
      port.detach();
    }
    this.#flows = [];
    this.#accountFlow?.stop();
    this.#accountFlow = null;
  }

  #startIn(market: Market, isRestart: boolean): void {
    const { runtime, creditDecimals, createFlow, createMarketPort } = this.#parts;
    const { mark } = market.prices;
    const flow = createFlow(
      market.id,
      isRestart && mark > 0n ? { startPriceQuote: Number(mark) / 10 ** creditDecimals } : null,
    );
    if (flow === null) {
      return;
    }
    const port = createMarketPort(market);
    this.#flows.push({ flow, port });
    flow.start(port, runtime);
  }
}
