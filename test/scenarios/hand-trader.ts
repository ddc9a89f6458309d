import type { Clock } from "#core/runtime.js";
import type { Signer } from "#core/signing.js";
import type { Hex, Int64Id, Lots, MarketId, Side, Ticks } from "#core/units.js";
import { decodeRules } from "#exchange/decode-rules.js";
import { buildHashedOrder, infoExpirationSeconds } from "#exchange/order-building.js";
import { OrderHasher } from "#exchange/order-signing.js";
import type { TimeInForce } from "#exchange/records.js";
import { signParams } from "#exchange/request-signing.js";
import type { EmbeddedExchange } from "#simulator/exchange.js";

/** An order that was placed by hand. */
export interface HandOrder {
  readonly id: Int64Id;
  readonly hash: Hex;
}

/**
 * A trader by hand, one request at a time and without delay: a counterparty, or the
 * bot's own owner.
 */
export class HandTrader {
  readonly #exchange: EmbeddedExchange;
  readonly #clock: Clock;
  readonly #signer: Signer;
  readonly #marketId: MarketId;
  readonly #ip: string;
  #nonce = 0n;

  constructor(
    exchange: EmbeddedExchange,
    clock: Clock,
    signer: Signer,
    marketId: MarketId,
    ip: string,
  ) {
    this.#exchange = exchange;
    this.#clock = clock;
    this.#signer = signer;
    this.#marketId = marketId;
    this.#ip = ip;
    exchange.register(signer.address);
  }

  get address(): Hex {
    return this.#signer.address;
  }

  /** Buys at once up to a price; what does not fill is gone. */
  buys(lots: Lots, worstTicks: Ticks): HandOrder {
    return this.#place("BUY", lots, worstTicks, "IOC");
  }

  sells(lots: Lots, worstTicks: Ticks): HandOrder {
    return this.#place("SELL", lots, worstTicks, "IOC");
  }

  /** Leaves an order in the book. */
  rests(side: Side, lots: Lots, ticks: Ticks): HandOrder {
    return this.#place(side, lots, ticks, "GTC");
  }

  cancels(order: HandOrder): void {
    const query = signParams(
      { marketId: this.#marketId, orderId: order.id },
      this.#signer.address,
      this.#clock.nowMs(),
      this.#signer,
    );
    const { status, body } = this.#exchange.handle({
      method: "DELETE",
      path: "/v1/order",
      query,
      body: "",
      ip: this.#ip,
    });
    if (status >= 300) throw new Error(`a cancel by hand was refused: ${body}`);
  }

  /** Takes credit out of the exchange. @param amountQuote a decimal string */
  withdraws(amountQuote: string): void {
    const body = signParams(
      { amount: amountQuote },
      this.#signer.address,
      this.#clock.nowMs(),
      this.#signer,
    );
    const contentType = "application/x-www-form-urlencoded";
    const answer = this.#exchange.handle({
      method: "POST",
      path: "/withdraw",
      query: "",
      body,
      contentType,
      ip: this.#ip,
    });
    if (answer.status >= 300) throw new Error(`a withdrawal by hand was refused: ${answer.body}`);
  }

  #place(side: Side, lots: Lots, ticks: Ticks, timeInForce: TimeInForce): HandOrder {
    const info = this.#exchange.handle({
      method: "GET",
      path: "/v1/exchangeInfo",
      query: "",
      body: "",
      ip: this.#ip,
    });
    const rules = decodeRules(JSON.parse(info.body), [this.#marketId]);
    const market = rules.markets[this.#marketId];
    // Of the book, so that a story's ticks and lots stay what they are when the market's rules
    // change.
    const { instrument } = this.#exchange.market(this.#marketId);
    if (market === undefined) throw new Error(`no market ${this.#marketId}`);
    const nowMs = this.#clock.nowMs();
    this.#nonce += 1n;
    const { order, hash, digest } = buildHashedOrder(
      new OrderHasher(rules.eip712.domainSeparator),
      {
        rules: market,
        instrument,
        side,
        ticks,
        lots,
        signer: this.#signer.address,
        expirationSeconds: infoExpirationSeconds(timeInForce, nowMs, 0),
        nonce: this.#nonce,
      },
    );
    const params = {
      marketId: this.#marketId,
      side,
      orderType: "LIMIT",
      amount: instrument.formatAmount(lots),
      price: instrument.formatPrice(ticks),
      timeInForce,
      orderSignature: this.#signer.sign(digest),
      info: order.info,
    };
    const { status, body } = this.#exchange.handle({
      method: "POST",
      path: "/v1/order",
      query: "",
      body: signParams(params, this.#signer.address, nowMs, this.#signer),
      contentType: "application/x-www-form-urlencoded",
      ip: this.#ip,
    });
    const id = /"id":\s*"?(\d+)/.exec(body)?.[1];
    if (status !== 200 || id === undefined)
      throw new Error(`an order by hand was refused: ${body}`);
    return { id, hash };
  }
}
