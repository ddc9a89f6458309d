import type { MarketView } from "../market/view.js";

/** The price that a strategy takes as fair. */
export type FairPrice = "mid" | "micro" | "reference";

/**
 * The fair price of a view, in fractional ticks. `micro` is the touch weighted by the opposite
 * amounts. `reference` is the market's reference price plus the basis; the mid while there is no
 * good one, which is when the market falls back to its book (`onStale: widen` or `book`).
 */
export function fairTicksFor(fair: FairPrice, view: MarketView): number {
  if (fair === "micro") return view.microPriceTicks;
  return fair === "reference" ? (goodFairTicks(view) ?? view.midTicks) : view.midTicks;
}

/** True if the fair price of a view is its reference price. */
export function isFairReference(fair: FairPrice, view: MarketView): boolean {
  return fair === "reference" && goodFairTicks(view) !== undefined;
}

/** The reference price plus the basis, in fractional ticks; undefined unless it is good. */
export function goodFairTicks({ reference }: Pick<MarketView, "reference">): number | undefined {
  return reference !== undefined && reference.fairTicks > 0 ? reference.fairTicks : undefined;
}

/**
 * The term of a reason that says if the fair price is the reference price: 1, or 0 for the mid in
 * its place. None for another fair price.
 */
export function fairTerms(fair: FairPrice, isReference: boolean): Readonly<Record<string, number>> {
  return fair === "reference" ? { fairIsReference: isReference ? 1 : 0 } : {};
}

/** The `needsReference` of a strategy that has the parameter `fair`. */
export function needsFairReference({ fair }: { readonly fair: FairPrice }): boolean {
  return fair === "reference";
}
