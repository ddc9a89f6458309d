import { Decimal } from "decimal.js";
import type { Report } from "./report-schema.js";

/**
 * States for each market by how much the fees of ambiguous fills would be worse by the other rule,
 * where this run's rule is the optimistic one.
 */
export function describeOptimisticFees({
  markets,
  asset,
}: Pick<Report, "markets" | "asset">): string[] {
  return markets.flatMap(({ marketId, fills: { doubtful } }) => {
    const better = [doubtful.asMakers, doubtful.postOnly].reduce(
      (sum, { fees, feesOtherwise }) =>
        Decimal.max(0, new Decimal(feesOtherwise).minus(fees)).plus(sum),
      new Decimal(0),
    );
    if (better.isZero()) return [];
    return [
      `${marketId}: fills whose orders may have taken or been refused are charged as makers': the profit is too good by up to ${better.toFixed()} ${asset} of fees`,
    ];
  });
}
