import { append } from "../core/append.js";
import { type BestPrices, distanceToTouch } from "./crossing.js";
import type { PlannedCancel } from "./plan.js";
import type { WorkingOrder } from "./working-order.js";

/** A cancel with the lots that its order may still fill. They rank cancels at equal distance. */
export type RankedCancel = PlannedCancel & { readonly lots: number };

/** Creates the cancel of an order, ranked by its distance from the touch. */
export function rankedCancel(
  order: WorkingOrder & { readonly orderId: string },
  why: string,
  touch: BestPrices,
): RankedCancel {
  const { hash, orderId, side, level, mayFillLots: lots } = order;
  return {
    hash,
    orderId,
    side,
    level,
    distanceTicks: distanceToTouch(side, order.ticks, touch),
    why,
    lots,
  };
}

/** Compares two cancels, the most dangerous first. */
export function byDanger(a: RankedCancel, b: RankedCancel): number {
  // Infinity minus Infinity is NaN. Without a touch the larger order is more dangerous.
  const nearer = a.distanceTicks === b.distanceTicks ? 0 : a.distanceTicks - b.distanceTicks;
  return nearer || b.lots - a.lots || a.level - b.level;
}

/**
 * Inserts a cancel, the most dangerous first; of two equal ones, the earlier first. It is inserted
 * in place, since there is hardly ever more than one before it.
 */
export function withRankedCancel(cancels: RankedCancel[], cancel: RankedCancel): RankedCancel[] {
  const all = append(cancels, cancel);
  for (let at = all.length - 1; at > 0 && byDanger(cancel, all[at - 1]) < 0; at--) {
    all[at] = all[at - 1];
    all[at - 1] = cancel;
  }
  return all;
}
