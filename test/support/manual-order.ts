import type { Clock, Random } from "#core/runtime.js";
import type { Signer } from "#core/signing.js";
import type { Hex, Lots, MarketId, Side, Ticks } from "#core/units.js";
import { createInstruments, decodeRules } from "#exchange/decode-rules.js";
import { buildHashedOrder, infoExpirationSeconds } from "#exchange/order-building.js";
import { OrderHasher } from "#exchange/order-signing.js";
import { signParams } from "#exchange/request-signing.js";
import type { EmbeddedExchange } from "#simulator/exchange.js";

/** The address from which a person sends. */
export const MANUAL_IP = "10.0.0.9";

/** A person at an exchange. */
export interface ManualOrderDeps {
  readonly exchange: EmbeddedExchange;
  readonly signer: Signer;
  readonly clock: Clock;
  readonly random: Random;
}

/** The terms of a limit order that is placed manually. */
export interface ManualOrderTerms {
  readonly side: Side;
  readonly ticks: Ticks;
  readonly lots: Lots;
  readonly timeInForce: "IOC" | "GTC";
}

/**
 * Places an order in the exchange's first market that lacks the tag of a bot.
 * @param chooseTerms by the best prices of the market
 * @returns undefined where a side of the book is empty
 */
export function placeManualOrder(
  { exchange, signer, clock, random }: ManualOrderDeps,
  chooseTerms: (marketId: MarketId, bidTicks: Ticks, askTicks: Ticks) => ManualOrderTerms,
): { readonly marketId: MarketId; readonly hash: Hex } | undefined {
  const info = exchange.handle({
    method: "GET",
    path: "/v1/exchangeInfo",
    query: "",
    body: "",
    ip: MANUAL_IP,
  });
  const rules = decodeRules(JSON.parse(info.body), []);
  const marketId = Object.keys(rules.markets)[0] as string;
  const market = rules.markets[marketId];
  const instrument = createInstruments(rules).get(marketId);
  const book = exchange.book(marketId);
  const [bidTicks, askTicks] = [book.bids[0]?.[0], book.asks[0]?.[0]];
  if (!market || !instrument || bidTicks === undefined || askTicks === undefined) return undefined;
  const { side, ticks, lots, timeInForce } = chooseTerms(marketId, bidTicks, askTicks);
  const nowMs = clock.nowMs();
  const { order, hash, digest } = buildHashedOrder(new OrderHasher(rules.eip712.domainSeparator), {
    rules: market,
    instrument,
    side,
    ticks,
    lots,
    signer: signer.address,
    expirationSeconds: infoExpirationSeconds("GTC", nowMs, 0),
    nonce: random.uint64() & 0xffff_ffffn,
  });
  const params = {
    marketId,
    side,
    orderType: "LIMIT",
    amount: instrument.formatAmount(lots),
    price: instrument.formatPrice(ticks),
    timeInForce,
    orderSignature: signer.sign(digest),
    info: order.info,
  };
  const answer = exchange.handle({
    method: "POST",
    path: "/v1/order",
    query: "",
    body: signParams(params, signer.address, nowMs, signer),
    contentType: "application/x-www-form-urlencoded",
    ip: MANUAL_IP,
  });
  if (answer.status !== 200)
    throw new Error(`a manual order was refused: ${answer.body} (${hash})`);
  return { marketId, hash };
}
