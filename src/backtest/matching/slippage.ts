import { ConfigError } from "../../core/errors.js";
import { sideSign, type Ticks } from "../../core/units.js";
import type { ReplayOrder } from "./matcher.js";
import { priceKey } from "./open-orders.js";

/** @throws ConfigError when the slippage is not valid */
export function requireSlippage(slippageTicks: Ticks): Ticks {
  if (Number.isSafeInteger(slippageTicks) && slippageTicks >= 0) return slippageTicks;
  throw new ConfigError("is out of range", {
    field: "slippageTicks",
    value: slippageTicks,
    expected: "whole ticks, zero or above",
  });
}

/**
 * A price that is worse for a taker by the slippage, but not worse than its limit and not below one
 * tick.
 */
export function applySlippage(order: ReplayOrder, ticks: Ticks, slippageTicks: Ticks): Ticks {
  const sign = sideSign(order.side);
  const key = sign * ticks + slippageTicks;
  const worst = Number.isNaN(order.ticks) ? key : Math.min(key, priceKey(order));
  return Math.max(1, worst * sign);
}
