import { Decimal } from "decimal.js";
import { z } from "zod";
import type { BuyRounding } from "../../core/instrument.js";
import type { MarketId, Ms, Side } from "../../core/units.js";
import type { DecimalInput } from "../protocol/decimal.js";
import type { OrderType, TimeInForce } from "../records.js";
import type { WaiverUnit } from "../signing/gas-fee-waiver.js";

/** Fee rates of a special agreement, as fractions; a negative maker rate is a rebate. */
export interface FeeRates {
  /** A fraction of the order's value: 0.0002 is 2 bps. */
  readonly makerFeeRate: DecimalInput;
  /** A fraction of the order's value. */
  readonly takerFeeRate: DecimalInput;
}

/** Choices that the specification leaves open, and special agreements of an account. */
export interface OrderSettings {
  /**
   * Builder of the signed structure: this machine (default), or the exchange, with one more
   * request. The exchange always builds an order below the waiver, because it needs the build's
   * token.
   */
  readonly placement?: "local" | "server";
  /**
   * Orders that carry a build's `gasFeeQuotation`: those that need it (default), or every built
   * order.
   */
  readonly gasFeeQuotation?: "below-waiver" | "always";
  /** Value to compare `waiveGasFeeMinimumAmount` with; default: the order's value in quote. */
  readonly waiverUnit?: WaiverUnit;
  /**
   * Largest increase of both fee rates that a build may add for the gas of a small order; default
   * 0.01.
   */
  readonly maxGasFeeRate?: DecimalInput;
  /** By market id: fee rates to sign in place of the market's. */
  readonly feeRates?: Readonly<Record<MarketId, FeeRates>>;
  /** Rounding of a BUY's credit to its smallest unit; default: up in magnitude. */
  readonly buyRounding?: BuyRounding;
}

/** An order to place. */
export interface NewOrder {
  readonly marketId: MarketId;
  readonly side: Side;
  /** Default LIMIT. */
  readonly orderType?: OrderType;
  /** Base units, on the market's step. */
  readonly amount: DecimalInput;
  /** Worst accepted price, on the market's tick; MARKET orders need one too. */
  readonly price: DecimalInput;
  /** Default GTC. */
  readonly timeInForce?: TimeInForce;
  /** For GTT only: more than a minute and less than seven days ahead. */
  readonly expiration?: Ms;
}

const rateSchema = z
  .custom<DecimalInput>(
    (rate) => typeof rate === "string" || typeof rate === "bigint" || Decimal.isDecimal(rate),
  )
  .meta({ expected: "a text, a bigint or a Decimal" });

/** Validates {@link OrderSettings}: every key known, every value one of its choices. */
export const orderSettingsSchema = z.strictObject({
  placement: z.enum(["local", "server"]).optional(),
  gasFeeQuotation: z.enum(["below-waiver", "always"]).optional(),
  waiverUnit: z.enum(["quote", "base"]).optional(),
  maxGasFeeRate: rateSchema.optional(),
  feeRates: z
    .record(z.string(), z.strictObject({ makerFeeRate: rateSchema, takerFeeRate: rateSchema }))
    .optional(),
  buyRounding: z.enum(["up", "down"]).optional(),
});
