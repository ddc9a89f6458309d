import { absolute } from "../../../../core/bigints.js";
import { hexToBytes } from "../../../../core/crypto/hex.js";
import type { Lots, Side, Ticks } from "../../../../core/units.js";
import type { WireBuildResult } from "../../../../exchange/protocol/order.js";
import type { ExchangeAccount, Order } from "../../../accounts/account.js";
import { ApiError } from "../../../rest/api-error.js";
import type { DialectDeps } from "../../dialect.js";
import { usdmQuantity } from "../records/usdm-decimals.js";
import type { UsdmOrder } from "../records/usdm-order-wire.js";
import type { UsdmKey } from "../usdm-api-keys.js";
import type { UsdmConfig } from "../usdm-config.js";
import { UsdmError, type UsdmErrorCode } from "../usdm-error.js";
import type { UsdmLeverages } from "../usdm-leverages.js";
import type { UsdmOrders } from "../usdm-orders.js";
import type { UsdmSymbols } from "../usdm-symbols.js";
import { readUsdmOrderTerms, type UsdmOrderTerms } from "./usdm-order-terms.js";
import type { UsdmParameters } from "./usdm-parameters.js";

/** The dialect's codes of the exchange's own refusals. */
const REFUSALS: Readonly<Record<number, UsdmErrorCode>> = {
  1010: "-2015",
  1012: "-2015",
  2012: "-2019",
  2013: "-4140",
  2014: "-4140",
  2015: "-4141",
  2017: "-2025",
  4010: "-4002",
  4011: "-4013",
  4013: "-2027",
};

/** Places the orders of the dialect: the exchange signs them for the account. */
export class UsdmOrderEntry {
  readonly #deps: DialectDeps;
  readonly #symbols: UsdmSymbols;
  readonly #config: UsdmConfig;
  readonly #orders: UsdmOrders;
  readonly #leverages: UsdmLeverages;

  constructor(
    deps: DialectDeps,
    symbols: UsdmSymbols,
    config: UsdmConfig,
    orders: UsdmOrders,
    leverages: UsdmLeverages,
  ) {
    this.#deps = deps;
    this.#symbols = symbols;
    this.#config = config;
    this.#orders = orders;
    this.#leverages = leverages;
  }

  /**
   * Places an order. The response is its state at acceptance, or with `newOrderRespType=RESULT`
   * after its trades.
   * @throws UsdmError with the code of the interface; nothing has changed then
   */
  place(key: UsdmKey, parameters: UsdmParameters): UsdmOrder {
    const terms = readUsdmOrderTerms(this.#deps.state, this.#symbols, this.#config, parameters);
    const order = this.#accept(key, terms);
    const record = this.#orders.record(order);
    if (terms.wantsResult) return record;
    const nothing = usdmQuantity(order.terms.market.instrument, 0);
    return {
      ...record,
      status: "NEW",
      avgPrice: "0",
      executedQty: nothing,
      cumQty: nothing,
      cumQuote: "0",
      updateTime: order.terms.createdAtMs,
    };
  }

  #accept(key: UsdmKey, given: UsdmOrderTerms): Order {
    const { account } = key;
    const { market, side, type, clientOrderId, isReduceOnly } = given;
    if (clientOrderId !== undefined && this.#orders.isOpen(account, clientOrderId)) {
      throw new UsdmError("-4116");
    }
    const lots = isReduceOnly ? this.#reducingLots(account, given) : given.lots;
    const ticks = given.ticks ?? this.#marketTicks(account, given, lots);
    const notional = market.instrument.creditCeil(ticks, lots);
    if (!isReduceOnly && !this.#leverages.allows(account, market, side, lots, notional)) {
      throw new UsdmError("-2019");
    }
    this.#requireExecutable(account, given, ticks, lots);
    const parameters = new Map(
      Object.entries({
        marketId: market.id,
        side,
        orderType: type,
        timeInForce: given.timeInForce,
        price: market.instrument.formatPrice(ticks),
        amount: market.instrument.formatAmount(lots),
        ...(given.expirationMs > 0 ? { expiration: this.#expiration(given.expirationMs) } : {}),
      }),
    );
    const id = this.#signed(key, parameters, {
      ...(clientOrderId === undefined ? {} : { clientOrderId }),
      ...(isReduceOnly ? { isReduceOnly } : {}),
    });
    const order = this.#orders.withId(account, market, id);
    if (order === undefined) throw new UsdmError("-1000", "the order was accepted and not found");
    return order;
  }

  /** Signs and places an order. @returns its id */
  #signed(
    { account, signer }: UsdmKey,
    parameters: ReadonlyMap<string, string>,
    marks: { readonly clientOrderId?: string; readonly isReduceOnly?: boolean },
  ): string {
    const { orders } = this.#deps;
    try {
      const built: WireBuildResult = JSON.parse(orders.build(account, parameters));
      const { order, orderHash, gasFeeQuotation } = built;
      const orderSignature = signer.sign(hexToBytes(orderHash, "orderHash"));
      const signed = new Map([
        ...parameters,
        ["info", order.info],
        ["orderSignature", orderSignature],
        ["gasFeeQuotation", gasFeeQuotation],
      ] as [string, string][]);
      // Parsed as text: the identifier may be beyond 2^53.
      return /^\{"id":(\d+)/.exec(orders.place(account, signed, marks))?.[1] ?? "";
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const code = REFUSALS[error.code] ?? "-2010";
      throw new UsdmError(code, code === "-2010" ? error.message : undefined);
    }
  }

  #expiration(expirationMs: number): string {
    const { expirationUnit } = this.#deps.state.config.choices;
    return String(expirationUnit === "ms" ? expirationMs : Math.floor(expirationMs / 1000));
  }

  /**
   * The lots of a reduce-only order. One that trades at once is cut to the position; one that may
   * rest must fit in it.
   * @throws UsdmError -2022
   */
  #reducingLots(account: ExchangeAccount, given: UsdmOrderTerms): Lots {
    const { market, side, lots, type, timeInForce } = given;
    const paper = account.markets.get(market.id)?.position.matched.paper ?? 0n;
    const held = market.orderLots(market.toWholeLots(absolute(paper)));
    if (held === 0 || paper > 0n === (side === "BUY")) throw new UsdmError("-2022");
    if (type === "MARKET" || timeInForce === "IOC") return Math.min(lots, held);
    const open = this.#orders
      .open(account, market)
      .filter(({ terms }) => terms.isReduceOnly === true && terms.side === side)
      .reduce((sum, { openLots }) => sum + openLots, 0);
    if (open + lots > held) throw new UsdmError("-2022");
    return lots;
  }

  /**
   * The limit that a MARKET order is sent with: the last price that it needs, but no further from
   * the mark than the bound.
   * @throws UsdmError -4131 when the best price is beyond it
   */
  #marketTicks(account: ExchangeAccount, given: UsdmOrderTerms, lots: Lots): Ticks {
    const { market, side } = given;
    const { instrument, prices, rules } = market;
    const factor = 1 + (side === "BUY" ? 1 : -1) * Number(this.#config.marketTakeBound);
    const markTicks = Number(prices.mark) / 10 ** instrument.creditDecimals / instrument.tickQuote;
    const inward = side === "BUY" ? Math.floor : Math.ceil;
    const bound = market.orderTicks(side, inward(markTicks * factor));
    const isWithin = (ticks: Ticks) => (side === "BUY" ? ticks <= bound : ticks >= bound);
    // An order does not trade with its own account's, so these do not count.
    const own = new Map<Ticks, Lots>();
    for (const { terms, ticks, openLots } of this.#orders.open(account, market)) {
      if (terms.side !== side) own.set(ticks, (own.get(ticks) ?? 0) + openLots);
    }
    let missing = lots;
    let last: Ticks | null = null;
    market.engine.forEachLevel(side === "BUY" ? "SELL" : "BUY", (ticks, shown) => {
      if (!isWithin(ticks)) return false;
      last = ticks;
      missing -= shown - (own.get(ticks) ?? 0);
      return missing > 0;
    });
    if (last === null) throw new UsdmError("-4131");
    const opposite = side === "BUY" ? Math.ceil : Math.floor;
    return opposite(last / rules.tickStep) * rules.tickStep;
  }

  /** @throws UsdmError -5021, -5022 */
  #requireExecutable(
    account: ExchangeAccount,
    { market, side, timeInForce }: UsdmOrderTerms,
    ticks: Ticks,
    lots: Lots,
  ): void {
    const { orderManager } = this.#deps;
    if (timeInForce === "POST_ONLY" && orderManager.wouldCross(market, side as Side, ticks)) {
      throw new UsdmError("-5022");
    }
    if (timeInForce === "FOK" && !orderManager.couldFill(account, market, side, ticks, lots)) {
      throw new UsdmError("-5021");
    }
  }
}
