import type { ReferenceStatus } from "./reference-status.js";

type Shown = Pick<
  ReferenceStatus,
  "state" | "why" | "price" | "fairPrice" | "ageMs" | "basisBps" | "basisFrozen" | "sources"
>;

/**
 * The reference price of a market in one line: price, fair price, basis, age, and the sources that
 * count; or why it is not good.
 */
export function referenceText(reference: Shown): string {
  const { state, why, price, fairPrice, ageMs, basisBps, basisFrozen, sources } = reference;
  if (state !== "good") return `${state}: ${why ?? "no reason given"}`;
  const counting = sources.filter(({ counts }) => counts).map(({ name }) => name);
  const basis =
    basisBps === undefined
      ? ""
      : `, fair ${fairPrice ?? "unknown"} (basis ${basisBps > 0 ? "+" : ""}${basisBps.toFixed(2)} bps${basisFrozen === undefined ? "" : ", frozen"})`;
  const of = counting.length === sources.length ? "" : `${counting.length} of ${sources.length}: `;
  return `${price ?? "unknown"}${basis}, ${((ageMs ?? 0) / 1000).toFixed(1)} s old, ${of}${counting.join(", ")}`;
}
