import type { Plan, PlannedPlace } from "#executor/plan.js";

/** Whether a place that waited in the outbox is still what a newer plan (made without it among the working orders) would place. */
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
