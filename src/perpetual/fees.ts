import { ceilDivide } from "../core/bigints.js";
import type { CreditUnits } from "../core/units.js";
import { mulFixed, ONE } from "./fixed-point.js";

/**
 * The fee of a trade, below zero for a rebate. The contracts charge the sum that an order trades in
 * one transaction and truncate the fee (docs/reference/protocol.md#trades). The fees of an order's
 * parts therefore sum to the fee of the whole.
 * @param rate in fixed point
 * @param before the credit that the same order has traded until then
 */
export function tradeFee(quote: CreditUnits, rate: bigint, before: CreditUnits = 0n): CreditUnits {
  return mulFixed(before + quote, rate) - mulFixed(before, rate);
}

/**
 * The rate, in fixed point and rounded up, by which both fees of a small order grow to cover the
 * gas of its settlement (docs/reference/exchange-interface.md#fee-rates).
 * @param value of the whole order, above zero
 */
export function gasRate(cost: CreditUnits, value: CreditUnits): bigint {
  return ceilDivide(cost * ONE, value);
}
