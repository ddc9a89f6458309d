import type { HedgeContract, HedgeFill } from "../../hedge/hedge-venue.js";

/** A venue rounds fees: this is below any step of its schedule. */
const ROUNDING_BPS = 0.05;

/**
 * A text that names another taker fee than the file's, as a fill has paid it; undefined if they
 * agree, or if the fill does not show it: a maker's, or one whose fee is in another asset.
 */
export function takerFeeDifference(
  fill: HedgeFill,
  contract: Pick<HedgeContract, "quoteAsset">,
  venue: string,
  takerFeeBps: number | undefined,
): string | undefined {
  const { isMaker, isReversed, feeAsset, fee, quote } = fill;
  if (takerFeeBps === undefined || isMaker || isReversed || quote <= 0n) return undefined;
  if (feeAsset !== contract.quoteAsset) return undefined;
  const paidBps = (Number(fee) / Number(quote)) * 10_000;
  return Math.abs(paidBps - takerFeeBps) <= ROUNDING_BPS
    ? undefined
    : `hedgeVenues.${venue}.takerFeeBps is ${takerFeeBps}, and a fill has paid ${Number(paidBps.toFixed(3))}: the costs of laying an acquired position off are wrong by the difference`;
}
