import { ceilDivide } from "../core/bigints.js";
import type { CreditUnits } from "../core/units.js";
import { mulFixed, ONE } from "./fixed-point.js";

/**
 * The fee of a trade, below zero for a rebate. The contracts take a fee of the sum that an order
 * trades in one transaction and cut it off (docs/reference/protocol.md#trades), so that its parts
 * cost together as much as the whole.
 * @param rate in fixed point @param before the credit that the same order has traded until then
 */
export function tradeFee(quote: CreditUnits, rate: bigint, before: CreditUnits = 0n): CreditUnits {
  return mulFixed(before + quote, rate) - mulFixed(before, rate);
}

/**
 * The rate, in fixed point and rounded up, by which both fees of a small order grow so that it pays
 * the gas of its settlement (docs/reference/exchange-interface.md#fee-rates).
 * @param value of the whole order, above zero
 */
export function gasRate(cost: CreditUnits, value: CreditUnits): bigint {
  return ceilDivide(cost * ONE, value);
}
