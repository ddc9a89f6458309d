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

/**
 * Settings of orders where the specification leaves a choice, or an account has an agreement of its
 * own.
 */
export interface OrderSettings {
  /**
   * Who builds the structure that is signed: this machine (default), or the exchange, one request more. An order below the waiver is
   * built by the exchange either way, because it needs the build's token.
   */
  readonly placement?: "local" | "server";
  /** When a build's `gasFeeQuotation` is sent on: for an order that needs it (default), or with every order that was built. */
  readonly gasFeeQuotation?: "below-waiver" | "always";
  /** What `waiveGasFeeMinimumAmount` is compared with; the order's value in quote when absent. */
  readonly waiverUnit?: WaiverUnit;
  /**
   * The most that a build may add to both fee rates for the gas of a small order, as a fraction;
   * 0.01 (1 %) when absent.
   */
  readonly maxGasFeeRate?: DecimalInput;
  /** By market id: rates that are signed instead of the market's. */
  readonly feeRates?: Readonly<Record<MarketId, FeeRates>>;
  /** How a BUY's credit is rounded to its smallest unit; up in magnitude when absent. */
  readonly buyRounding?: BuyRounding;
}

/** An order to be placed. */
export interface NewOrder {
  readonly marketId: MarketId;
  readonly side: Side;
  /** LIMIT when absent. */
  readonly orderType?: OrderType;
  /** Base units, on the market's step. */
  readonly amount: DecimalInput;
  /**
   * Worst accepted price in quote for one base unit, on the market's tick; a MARKET order has one
   * too.
   */
  readonly price: DecimalInput;
  /** GTC when absent. */
  readonly timeInForce?: TimeInForce;
  /** Of GTT alone: an instant more than a minute and less than seven days ahead. */
  readonly expiration?: Ms;
}

const rateSchema = z
  .custom<DecimalInput>(
    (rate) => typeof rate === "string" || typeof rate === "bigint" || Decimal.isDecimal(rate),
  )
  .meta({ expected: "a text, a bigint or a Decimal" });

/** What {@link OrderSettings} are checked with: every key known, every word one of its choices. */
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
