import type { Clock, Random } from "#core/runtime.js";
import type { Signer } from "#core/signing.js";
import type { Ms } from "#core/units.js";
import { createInstruments, decodeRules } from "#exchange/decode-rules.js";
import { buildHashedOrder, infoExpirationSeconds } from "#exchange/order-building.js";
import { OrderHasher } from "#exchange/order-signing.js";
import { signParams } from "#exchange/request-signing.js";
import type { EmbeddedExchange } from "#simulator/exchange.js";
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
    const { exchange, random, signer, clock, witness } = this.#options;
    if (!exchange.isRunning) return;
    const info = exchange.handle({
      method: "GET",
      path: "/v1/exchangeInfo",
      query: "",
      body: "",
      ip: "10.0.0.9",
    });
    const rules = decodeRules(JSON.parse(info.body), []);
    const marketId = Object.keys(rules.markets)[0] as string;
    const market = rules.markets[marketId];
    const instrument = createInstruments(rules).get(marketId);
    const book = exchange.book(marketId);
    if (
      market === undefined ||
      instrument === undefined ||
      book.bids.length === 0 ||
      book.asks.length === 0
    )
      return;
    const side = random.uniform() < 0.5 ? "BUY" : "SELL";
    const taking = random.uniform() < 0.4;
    const [bid, ask] = [book.bids[0]?.[0] ?? 0, book.asks[0]?.[0] ?? 0];
    const ticks = taking
      ? side === "BUY"
        ? ask + 5
        : bid - 5
      : side === "BUY"
        ? bid - 200
        : ask + 200;
    const lots = 5 + Math.floor(random.uniform() * 15);
    const nowMs = clock.nowMs();
    const { order, hash, digest } = buildHashedOrder(
      new OrderHasher(rules.eip712.domainSeparator),
      {
        rules: market,
        instrument,
        side,
        ticks,
        lots,
        signer: signer.address,
        expirationSeconds: infoExpirationSeconds("GTC", nowMs, 0),
        nonce: random.uint64() & 0xffff_ffffn,
      },
    );
    const params = {
      marketId,
      side,
      orderType: "LIMIT",
      amount: instrument.formatAmount(lots),
      price: instrument.formatPrice(ticks),
      timeInForce: taking ? "IOC" : "GTC",
      orderSignature: signer.sign(digest),
      info: order.info,
    };
    witness.manuallyTraded(marketId, lots);
    const answer = exchange.handle({
      method: "POST",
      path: "/v1/order",
      query: "",
      body: signParams(params, signer.address, nowMs, signer),
      contentType: "application/x-www-form-urlencoded",
      ip: "10.0.0.9",
    });
    if (answer.status !== 200)
      throw new Error(`a manual order was refused: ${answer.body} (${hash})`);
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
    exchange.handle({ method: "DELETE", path: "/v1/order", query, body: "", ip: "10.0.0.9" });
  }
}
