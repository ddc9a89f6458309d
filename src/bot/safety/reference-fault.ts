import type { ReferenceInstant } from "../../reference/market-reference.js";
import type { ReferenceFault } from "../../risk/guards.js";
import type { UsedReference } from "../market/used-reference.js";

/**
 * The fault of a reference price that halts its market now. Too few sources only halt with
 * `onStale: halt`; sources that disagree always do.
 */
export function findReferenceFault(
  { price, onStale }: UsedReference,
  now: ReferenceInstant,
): ReferenceFault | undefined {
  const state = price.state(now);
  if (state === "good" || (state !== "disagreeing" && onStale !== "halt")) return undefined;
  const name = state === "disagreeing" ? "reference-disagrees" : "stale-reference";
  return { name, why: `the reference price is missing: ${price.reading(now).why}` };
}
