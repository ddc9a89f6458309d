import { decimalToScaled, type Instrument } from "../../../core/instrument.js";
import {
  type CreditUnits,
  type Lots,
  MINUTE_MS,
  type Ms,
  type Side,
  type Ticks,
  WEEK_MS,
} from "../../../core/units.js";
import type { ErrorCode } from "../../../exchange/protocol/errors.js";
import { TIMES_IN_FORCE } from "../../../exchange/protocol/order.js";
import type { OrderType, TimeInForce } from "../../../exchange/records.js";
import type { ExchangeState } from "../../engine/exchange-state.js";
import type { Market } from "../../markets/market.js";
import { ApiError } from "../api-error.js";
import { oneOf, optionalInteger, required } from "../parameters.js";

/** A client's order after every check that needs neither account nor signature. */
export interface RequestedOrder {
  readonly market: Market;
  readonly side: Side;
  readonly type: OrderType;
  readonly timeInForce: TimeInForce;
  readonly ticks: Ticks;
  readonly lots: Lots;
  /** 0 if it is not GTT, or is GTT without the parameter where the venue allows that. */
  readonly expirationMs: Ms;
  /** Unsigned credit of the whole order, rounded by the venue's rule. */
  readonly credit: CreditUnits;
}

const SIDES = ["BUY", "SELL"] as const;
const ORDER_TYPES = ["LIMIT", "MARKET"] as const;
const DECIMAL = /^\d{1,30}(\.\d{1,30})?$/;

/**
 * Returns the market that a request names.
 * @throws ApiError 1111 when none is named, 1112 for an unknown market
 */
export function requireMarket(
  state: ExchangeState,
  parameters: ReadonlyMap<string, string>,
): Market {
  const id = required(parameters, "marketId");
  const market = state.markets.get(id);
  if (market === undefined) {
    throw new ApiError(1112, `unknown market ${id.slice(0, 64)}`);
  }
  return market;
}

/**
 * Reads and checks the terms of an order to be built or placed: enumerations, market, filters,
 * expiration.
 * @throws ApiError 1111, 1112, 2013, 2014, 2015, 2016, 4010, 4011
 */
export function requestedOrder(
  state: ExchangeState,
  parameters: ReadonlyMap<string, string>,
): RequestedOrder {
  const { choices } = state.config;
  const market = requireMarket(state, parameters);
  const side = oneOf(required(parameters, "side"), SIDES, "side");
  const type = oneOf(required(parameters, "orderType"), ORDER_TYPES, "orderType");
  const timeInForce = oneOf(parameters.get("timeInForce") || "GTC", TIMES_IN_FORCE, "timeInForce");
  if (timeInForce === "POST_ONLY" && choices.postOnly === "reject") {
    throw new ApiError(1111, "timeInForce POST_ONLY is not accepted");
  }
  requireTrading(market);
  const ticks = priceTicks(market, required(parameters, "price"));
  const lots = amountLots(market, required(parameters, "amount"), type);
  if (type === "MARKET" && (timeInForce === "POST_ONLY" || timeInForce === "GTT")) {
    throw new ApiError(2016, `a MARKET order never rests, so it cannot be ${timeInForce}`);
  }
  const expirationMs = expirationOf(state, parameters, timeInForce);
  const { instrument } = market;
  return {
    market,
    side,
    type,
    timeInForce,
    ticks,
    lots,
    expirationMs,
    credit: instrument.orderCredit(side, ticks, lots, choices.buyCreditRounding),
  };
}

function requireTrading({ status, id }: Market): void {
  if (status !== "TRADING") {
    const code: ErrorCode = status === "PENDING" ? 2013 : status === "SUSPENDED" ? 2014 : 2015;
    throw new ApiError(code, `market ${id} is ${status}`);
  }
}

function priceTicks({ instrument, rules }: Market, price: string): Ticks {
  const ticks = gridCount(price, instrument.tickSize, "price", instrument);
  if (ticks > rules.maxTicks) {
    throw new ApiError(4010, `price is above ${rules.config.priceQuote.max}`);
  }
  if (ticks < rules.minTicks) {
    throw new ApiError(4011, `price is below ${rules.config.priceQuote.min}`);
  }
  if (ticks % rules.tickStep !== 0) {
    throw new ApiError(2016, `price is not a multiple of ${rules.config.tickSize}`);
  }
  return ticks;
}

function amountLots({ instrument, rules }: Market, amount: string, type: OrderType): Lots {
  const lots = gridCount(amount, instrument.stepSize, "amount", instrument);
  const least = type === "MARKET" ? rules.marketMinLots : rules.minLots;
  const most = type === "MARKET" ? rules.marketMaxLots : rules.maxLots;
  if (lots % rules.lotStep !== 0 || lots < least || lots > most) {
    throw new ApiError(
      2016,
      `amount is not between ${instrument.formatAmount(least)} and ${instrument.formatAmount(most)} in steps of ${rules.config.stepSize}`,
    );
  }
  return lots;
}

/**
 * Converts a decimal to a number of steps: fractional when it is off the grid, so that bounds and
 * steps can be checked separately.
 * @throws ApiError 1111
 */
function gridCount(
  text: string,
  step: string,
  key: "price" | "amount",
  instrument: Instrument,
): number {
  try {
    return key === "price" ? instrument.parsePrice(text) : instrument.parseAmount(text);
  } catch {
    if (!DECIMAL.test(text)) {
      throw new ApiError(1111, `parameter ${key} is not a plain decimal`);
    }
    const scaled = decimalToScaled(text, 30);
    const unit = decimalToScaled(step, 30);
    const whole = Number(scaled / unit);
    return scaled % unit === 0n ? whole : whole + 0.5;
  }
}

function expirationOf(
  state: ExchangeState,
  parameters: ReadonlyMap<string, string>,
  timeInForce: TimeInForce,
): Ms {
  const { choices } = state.config;
  const given = optionalInteger(parameters, "expiration") ?? 0;
  if (timeInForce !== "GTT") {
    if (given !== 0 && choices.expirationWithoutGtt === "reject") {
      throw new ApiError(1111, "expiration is only for GTT orders");
    }
    return 0;
  }
  if (given === 0) {
    if (choices.gttWithoutExpiration === "reject") {
      throw new ApiError(1111, "a GTT order needs an expiration");
    }
    return 0;
  }
  const expirationMs = choices.expirationUnit === "s" ? given * 1000 : given;
  if (!isAcceptedGttLife(expirationMs - state.runtime.clock.nowMs())) {
    throw new ApiError(1111, "expiration is not more than 1 minute and less than 7 days ahead");
  }
  return expirationMs;
}

/** True if a GTT order may have this life (docs/reference/exchange-interface.md#expiration). */
export function isAcceptedGttLife(lifeMs: Ms): boolean {
  return lifeMs > MINUTE_MS && lifeMs < WEEK_MS;
}
