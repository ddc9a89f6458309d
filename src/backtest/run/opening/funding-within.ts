import type { FundingTape } from "../../../history/columns/tape/tape.js";
import { BOUNDARY_LAG_US } from "../../engine/mark-replay.js";
import type { RequestedSpan } from "./recorded-days.js";

/** Boundaries of funding lie on whole minutes. */
const MINUTE_US = 60_000_000;

/** The stamps of a span's boundaries, its end among them: what is paid there is stamped then or some milliseconds later. */
export function fundingQuerySpan({ fromUs, toUs }: RequestedSpan): RequestedSpan {
  return { fromUs, toUs: Math.max(toUs + 1, minuteOf(toUs) + BOUNDARY_LAG_US) };
}

/**
 * The funding of a span, by its boundaries and not by its stamps. A run begins without a position, so what is paid at the boundary at which one ends and another
 * begins is paid by the one that ends: it keeps the funding of its last instant, however late that is stamped, and the other passes over it.
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

/** Whether a stamp after the beginning of a span is of a boundary before it, or of the beginning itself. */
function isLateFor(fromUs: number, stampUs: number): boolean {
  const boundaryUs = minuteOf(stampUs);
  return stampUs > boundaryUs && stampUs - boundaryUs < BOUNDARY_LAG_US && boundaryUs <= fromUs;
}

function minuteOf(us: number): number {
  return Math.floor(us / MINUTE_US) * MINUTE_US;
}
