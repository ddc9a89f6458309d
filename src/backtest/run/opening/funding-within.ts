import type { FundingTape } from "../../../history/columns/tape/tape.js";
import { BOUNDARY_LAG_US } from "../../engine/mark-replay.js";
import type { RequestedSpan } from "./recorded-days.js";

/** Boundaries of funding lie on whole minutes. */
const MINUTE_US = 60_000_000;

/**
 * The stamps of the funding boundaries of a span, its end included: a payment there is stamped then
 * or some milliseconds later.
 */
export function fundingQuerySpan({ fromUs, toUs }: RequestedSpan): RequestedSpan {
  return { fromUs, toUs: Math.max(toUs + 1, minuteOf(toUs) + BOUNDARY_LAG_US) };
}

/**
 * The funding of a span, by its boundaries and not by its stamps. A run begins without a position.
 * So where one run ends and another begins, the one that ends pays the funding of that boundary. A
 * span includes the funding of its last instant, however late that is stamped, and excludes that of
 * its first.
 * @param reached funding of {@link fundingQuerySpan}
 */
export function fundingWithin(
  { timeUs, rateE18 }: FundingTape,
  { fromUs, toUs }: RequestedSpan,
): FundingTape {
  const kept = [...timeUs.keys()].filter((at) => !isLateFor(fromUs, timeUs[at] as number));
  return {
    timeUs: Float64Array.from(kept, (at) => Math.min(timeUs[at] as number, toUs)),
    rateE18: BigInt64Array.from(kept, (at) => rateE18[at] as bigint),
  };
}

/**
 * True if a stamp after the beginning of a span belongs to a boundary before it, or to the
 * beginning itself.
 */
function isLateFor(fromUs: number, stampUs: number): boolean {
  const boundaryUs = minuteOf(stampUs);
  return stampUs > boundaryUs && stampUs - boundaryUs < BOUNDARY_LAG_US && boundaryUs <= fromUs;
}

function minuteOf(us: number): number {
  return Math.floor(us / MINUTE_US) * MINUTE_US;
}
