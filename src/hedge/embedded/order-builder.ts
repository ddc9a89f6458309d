import type { Instrument } from "../../core/instrument.js";
import type { Hex, MarketId, Ms } from "../../core/units.js";
import { createInstruments } from "../../exchange/protocol/decode-rules.js";
import type { VenueRules } from "../../exchange/records.js";
import { buildHashedOrder, infoExpirationSeconds } from "../../exchange/signing/order-building.js";
import { OrderHasher } from "../../exchange/signing/order-signing.js";
import { hedgeKeyNonce } from "../hedge-order-key.js";
import type { HedgePlace } from "../hedge-venue.js";
import type { ExchangeRequest } from "./venue-requests.js";

/** Builds the exchange's orders from hedges. */
export class OrderBuilder {
  readonly #rules: VenueRules;
  readonly #account: Hex;
  readonly #hasher: OrderHasher;
  readonly #instruments: ReadonlyMap<MarketId, Instrument>;

  constructor(rules: VenueRules, account: Hex) {
    this.#rules = rules;
    this.#account = account;
    this.#hasher = new OrderHasher(rules.eip712.domainSeparator);
    this.#instruments = createInstruments(rules);
  }

  /**
   * Builds the request that places a hedge in a market of the rules. The order's number is that of
   * the hedge's key.
   * @param nowMs exchange's time
   * @throws FormatError for a price or an amount that no order can have
   */
  build(place: HedgePlace, nowMs: Ms): ExchangeRequest {
    const { symbol, side, ticks, lots, timeInForce } = place;
    const rules = this.#rules.markets[symbol] as VenueRules["markets"][string];
    const { order, hash } = buildHashedOrder(this.#hasher, {
      rules,
      instrument: this.#instruments.get(symbol) as Instrument,
      side,
      ticks,
      lots,
      signer: this.#account,
      expirationSeconds: infoExpirationSeconds(timeInForce, nowMs, 0),
      nonce: hedgeKeyNonce(place.key),
    });
    return {
      kind: "place",
      marketId: symbol,
      side,
      type: "LIMIT",
      ticks,
      lots,
      timeInForce,
      expirationMs: 0,
      order,
      hash,
    };
  }
}
