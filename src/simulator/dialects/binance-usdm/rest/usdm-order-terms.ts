import { Decimal } from "decimal.js";
import { z } from "zod";
import { decimalToScaled } from "../../../../core/instrument.js";
import type { CreditUnits, Lots, Side, Ticks } from "../../../../core/units.js";
import type { TimeInForce } from "../../../../exchange/records.js";
import type { ExchangeState } from "../../../engine/exchange-state.js";
import type { Market } from "../../../markets/market.js";
import { usdmSelfTradeMode } from "../records/usdm-order-record.js";
import type { UsdmConfig } from "../usdm-config.js";
import { UsdmError, type UsdmErrorCode } from "../usdm-error.js";
import type { UsdmSymbols } from "../usdm-symbols.js";
import { USDM_ORDER_TYPES, USDM_TIMES_IN_FORCE } from "./usdm-exchange-info.js";
import {
  clientIdText,
  decimalText,
  flag,
  missing,
  readUsdmParameters,
  symbolText,
  type UsdmParameters,
  wholeNumber,
} from "./usdm-parameters.js";

/** Types that the interface has moved to another endpoint, which the exchange does not have. */
const CONDITIONAL_TYPES = [
  "STOP",
  "STOP_MARKET",
  "TAKE_PROFIT",
  "TAKE_PROFIT_MARKET",
  "TRAILING_STOP_MARKET",
] as const;

const shape = z.object({
  symbol: symbolText,
  side: z.enum(["BUY", "SELL"]),
  type: z.enum([...USDM_ORDER_TYPES, ...CONDITIONAL_TYPES]),
  positionSide: z.enum(["BOTH"]).optional(),
  timeInForce: z.enum(USDM_TIMES_IN_FORCE).optional(),
  quantity: decimalText.optional(),
  price: decimalText.optional(),
  reduceOnly: flag.optional(),
  newClientOrderId: clientIdText.optional(),
  newOrderRespType: z.enum(["ACK", "RESULT"]).optional(),
  goodTillDate: wholeNumber.optional(),
  closePosition: flag.optional(),
  stopPrice: decimalText.optional(),
  priceMatch: z.enum(["NONE"]).optional(),
  selfTradePreventionMode: z.string().optional(),
});

const TIMES_IN_FORCE: Readonly<Record<(typeof USDM_TIMES_IN_FORCE)[number], TimeInForce>> = {
  GTC: "GTC",
  IOC: "IOC",
  FOK: "FOK",
  GTX: "POST_ONLY",
  GTD: "GTT",
};
/** The shortest life of a GTD order. */
const LEAST_LIFE_MS = 600_000;
/** The exchange's own limit of an order that expires. */
const LIFE_BELOW_MS = 604_800_000;

/** A client's order, checked except for what depends on its account and on the book. */
export interface UsdmOrderTerms {
  readonly market: Market;
  readonly side: Side;
  readonly type: (typeof USDM_ORDER_TYPES)[number];
  readonly timeInForce: TimeInForce;
  /** Of a MARKET order null: its price depends on the book. */
  readonly ticks: Ticks | null;
  readonly lots: Lots;
  readonly expirationMs: number;
  readonly isReduceOnly: boolean;
  readonly clientOrderId: string | undefined;
  readonly wantsResult: boolean;
}

/**
 * Reads and checks the terms of a new order.
 * @throws UsdmError naming the filter or parameter
 */
export function readUsdmOrderTerms(
  state: ExchangeState,
  symbols: UsdmSymbols,
  config: UsdmConfig,
  parameters: UsdmParameters,
): UsdmOrderTerms {
  const given = readUsdmParameters(shape, parameters);
  const market = symbols.market(given.symbol);
  requireOffered(given, state);
  const { type } = given;
  if (type !== "LIMIT" && type !== "MARKET") throw new UsdmError("-4120");
  requireTrading(market);
  if (given.quantity === undefined) throw missing("quantity");
  const isMarket = type === "MARKET";
  for (const name of ["price", "timeInForce"] as const) {
    if (isMarket && given[name] !== undefined) {
      throw new UsdmError("-1106", `Parameter '${name}' sent when not required.`);
    }
    if (!isMarket && given[name] === undefined) throw missing(name);
  }
  const { rules } = market;
  const lots = readLots(
    market,
    given.quantity,
    isMarket ? rules.marketMinLots : rules.minLots,
    isMarket ? rules.marketMaxLots : rules.maxLots,
  );
  const ticks = isMarket ? null : readTicks(market, given.price ?? "", given.side, config);
  const isReduceOnly = given.reduceOnly ?? false;
  requireNotional(market, ticks, lots, isReduceOnly, config);
  return {
    market,
    side: given.side,
    type,
    timeInForce: isMarket ? "GTC" : TIMES_IN_FORCE[given.timeInForce ?? "GTC"],
    ticks,
    lots,
    expirationMs: expirationOf(given, state),
    isReduceOnly,
    clientOrderId: given.newClientOrderId,
    wantsResult: given.newOrderRespType === "RESULT",
  };
}

/** @throws UsdmError for what the exchange does not have */
function requireOffered(given: z.output<typeof shape>, state: ExchangeState): void {
  if (given.closePosition === true || given.stopPrice !== undefined) throw new UsdmError("-4120");
  const { selfTradePreventionMode: mode } = given;
  if (mode !== undefined && mode !== usdmSelfTradeMode(state.config.choices.selfMatch)) {
    throw new UsdmError("-1130", `Data sent for parameter 'selfTradePreventionMode' is not valid.`);
  }
}

function requireTrading({ status }: Market): void {
  if (status === "DELISTED") throw new UsdmError("-4141");
  if (status !== "TRADING") throw new UsdmError("-4140");
}

function readLots(market: Market, quantity: string, least: Lots, most: Lots): Lots {
  const { instrument, rules } = market;
  const amount = new Decimal(quantity);
  if (amount.lte(0)) throw new UsdmError("-4003", "Quantity less than or equal to zero.");
  requirePrecision(amount, instrument.amountDecimals);
  const lots = amount.div(instrument.stepSize);
  if (lots.gt(most)) throw new UsdmError("-4005");
  if (lots.lt(least)) throw new UsdmError("-4004");
  if (!lots.isInteger() || lots.toNumber() % rules.lotStep !== 0) throw new UsdmError("-4023");
  return lots.toNumber();
}

function readTicks(market: Market, price: string, side: Side, config: UsdmConfig): Ticks {
  const { instrument, rules, prices } = market;
  const amount = new Decimal(price);
  if (amount.lte(0)) throw new UsdmError("-4001", "Price less than or equal to zero.");
  requirePrecision(amount, instrument.priceDecimals);
  const ticks = amount.div(instrument.tickSize);
  if (ticks.gt(rules.maxTicks)) throw new UsdmError("-4002");
  if (ticks.lt(rules.minTicks)) throw new UsdmError("-4013");
  if (!ticks.isInteger() || ticks.toNumber() % rules.tickStep !== 0) throw new UsdmError("-4014");
  const mark = new Decimal(instrument.creditToDecimal(prices.mark));
  // Before the first mark there is nothing to compare with.
  if (mark.gt(0)) {
    const cap = mark.times(config.percentPrice.up);
    const floor = mark.times(config.percentPrice.down);
    if (side === "BUY" && amount.gt(cap))
      throw beyond("-4016", "higher", cap, instrument.priceDecimals);
    if (side === "SELL" && amount.lt(floor)) {
      throw beyond("-4024", "lower", floor, instrument.priceDecimals);
    }
  }
  return ticks.toNumber();
}

function beyond(code: UsdmErrorCode, than: string, bound: Decimal, decimals: number): UsdmError {
  return new UsdmError(code, `Limit price can't be ${than} than ${bound.toFixed(decimals)}.`);
}

function requirePrecision(amount: Decimal, decimals: number): void {
  if (amount.decimalPlaces() > decimals) throw new UsdmError("-1111");
}

function requireNotional(
  market: Market,
  ticks: Ticks | null,
  lots: Lots,
  isReduceOnly: boolean,
  { minNotionalQuote }: UsdmConfig,
): void {
  const { instrument } = market;
  const notional: CreditUnits =
    ticks === null
      ? market.valueAtMark(instrument.lotsToPaper(lots))
      : instrument.creditFloor(ticks, lots);
  if (!isReduceOnly && notional < decimalToScaled(minNotionalQuote, instrument.creditDecimals)) {
    throw new UsdmError(
      "-4164",
      `Order's notional must be no smaller than ${minNotionalQuote} (unless you choose reduce only).`,
    );
  }
}

function expirationOf(given: z.output<typeof shape>, state: ExchangeState): number {
  if (given.timeInForce !== "GTD") return 0;
  const { goodTillDate } = given;
  if (goodTillDate === undefined) throw missing("goodTillDate");
  // Only whole seconds count, as there.
  const expirationMs = goodTillDate - (goodTillDate % 1000);
  const lifeMs = expirationMs - state.runtime.clock.nowMs();
  if (lifeMs <= LEAST_LIFE_MS || lifeMs >= LIFE_BELOW_MS) {
    throw new UsdmError("-1130", "Data sent for parameter 'goodTillDate' is not valid.");
  }
  return expirationMs;
}
