import type { Clock, Random } from "#core/runtime.js";
import type { Signer } from "#core/signing.js";
import type { Ms } from "#core/units.js";
import { signParams } from "#exchange/request-signing.js";
import type { EmbeddedExchange } from "#simulator/exchange.js";
import { MANUAL_IP, placeManualOrder } from "../support/manual-order.js";
import type { Witness } from "./witness.js";

export interface ManualTraderOptions {
  readonly exchange: EmbeddedExchange;
  readonly signer: Signer;
  readonly clock: Clock;
  readonly random: Random;
  readonly everyMs: Ms;
  readonly untilMs: Ms;
  readonly witness: Witness;
}

/**
 * A person who trades manually on the bot's account. The orders lack the bot's tag; some rest, some
 * take.
 */
export class ManualTrader {
  readonly #options: ManualTraderOptions;

  constructor(options: ManualTraderOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, random, everyMs, untilMs } = this.#options;
    clock.setTimer(Math.floor(everyMs * (0.5 + random.uniform())), () => {
      if (clock.nowMs() > untilMs) return;
      this.#trade();
      this.start();
    });
  }

  #trade(): void {
    const { exchange, random, clock, witness } = this.#options;
    if (!exchange.isRunning) return;
    let lots = 0;
    const placed = placeManualOrder(this.#options, (marketId, bidTicks, askTicks) => {
      const side = random.uniform() < 0.5 ? "BUY" : "SELL";
      const taking = random.uniform() < 0.4;
      const buyTicks = taking ? askTicks + 5 : bidTicks - 200;
      const sellTicks = taking ? bidTicks - 5 : askTicks + 200;
      lots = 5 + Math.floor(random.uniform() * 15);
      witness.manuallyTraded(marketId, lots);
      const ticks = side === "BUY" ? buyTicks : sellTicks;
      return { side, ticks, lots, timeInForce: taking ? "IOC" : "GTC" };
    });
    if (placed === undefined) return;
    const { marketId, hash } = placed;
    // A resting order may trade at any time until it is cancelled.
    clock.setTimer(60_000, () => witness.manuallyTraded(marketId, lots));
    clock.setTimer(120_000, () => witness.manuallyTraded(marketId, lots));
    clock.setTimer(150_000, () => this.#cancel(marketId, hash));
  }

  #cancel(marketId: string, hash: string): void {
    const { exchange, signer, clock } = this.#options;
    const order = exchange.openOrders(signer.address).find(({ terms }) => terms.hash === hash);
    if (order === undefined || !exchange.isRunning) return;
    const query = signParams(
      { marketId, orderId: order.terms.id },
      signer.address,
      clock.nowMs(),
      signer,
    );
    exchange.handle({ method: "DELETE", path: "/v1/order", query, body: "", ip: MANUAL_IP });
  }
}
