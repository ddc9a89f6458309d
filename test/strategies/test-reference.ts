import type { ReferenceSnapshot } from "#reference/reference-snapshot.js";

/** A reference price of one source; not good if its price is NaN. */
export function testReference({
  priceTicks,
  basisBps = 0,
}: {
  readonly priceTicks: number;
  readonly basisBps?: number;
}): ReferenceSnapshot {
  const isGood = !Number.isNaN(priceTicks);
  return {
    priceTicks,
    fairTicks: priceTicks * (1 + basisBps / 10_000),
    ageMs: isGood ? 100 : Number.NaN,
    basisBps,
    sources: isGood ? ["index"] : [],
  };
}
