import type { ProfitParts } from "../../account/profit/account-profit.js";

/** The parts of a profit in a report, in the order of its charts. */
export const REPORT_PARTS = [
  "spread",
  "adverseSelection",
  "inventory",
  "fees",
  "funding",
  "basis",
  "liquidation",
  "failed",
  "other",
] as const;

/** One of {@link REPORT_PARTS}. */
export type ReportPart = (typeof REPORT_PARTS)[number];

/**
 * Profit with adverse selection as a separate part, in units of `ProfitParts.decimals`. The parts
 * sum to `total` exactly.
 */
export type SplitProfit = Readonly<Record<ReportPart | "total", bigint>>;

/**
 * Moves the effect of the mid on resting orders soon after their fills from the inventory's part to
 * a part of its own. The sum does not change.
 */
export function splitProfit(parts: ProfitParts, adverseSelection: bigint): SplitProfit {
  const { spread, inventory, fees, funding, basis, failed, liquidation, other, total } = parts;
  return {
    spread,
    adverseSelection,
    inventory: inventory - adverseSelection,
    fees,
    funding,
    basis,
    liquidation,
    failed,
    other,
    total,
  };
}

/** Profit between two instants, part by part. */
export function earnedBetween(before: SplitProfit, after: SplitProfit): SplitProfit {
  const names = [...REPORT_PARTS, "total"] as const;
  return Object.fromEntries(names.map((name) => [name, after[name] - before[name]])) as SplitProfit;
}

/** Zero profit. */
export const NO_PROFIT = Object.fromEntries(
  [...REPORT_PARTS, "total"].map((name) => [name, 0n]),
) as SplitProfit;
