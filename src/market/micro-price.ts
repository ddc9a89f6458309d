import type { Level } from "./book/readable-book.js";

/**
 * The touch weighted by the opposite amounts, in fractional ticks: `(Pb Qa + Pa Qb) / (Qa + Qb)`
 * (the weighted mid of Gatheral and Oomen). It leans away from the heavier side and is always
 * between bid and ask.
 */
export function computeMicroPriceTicks(bid: Level, ask: Level): number {
  // Computed from the bid up, so that rounding cannot move it past the touch.
  return bid.ticks + (ask.ticks - bid.ticks) * (bid.lots / (bid.lots + ask.lots));
}
