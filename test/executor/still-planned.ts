import type { Plan, PlannedPlace } from "#executor/plan.js";

/**
 * Returns true if a newer plan, made without the waiting place among the working orders, would
 * still place it.
 */
export function isStillPlanned(
  plan: Plan,
  place: Pick<PlannedPlace, "side" | "level" | "ticks" | "lots" | "timeInForce">,
): boolean {
  return plan.places.some(
    (other) =>
      other.side === place.side &&
      other.level === place.level &&
      other.ticks === place.ticks &&
      other.lots === place.lots &&
      other.timeInForce === place.timeInForce,
  );
}
