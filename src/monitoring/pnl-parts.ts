/**
 * The parts of profit. With deposits, withdrawals and amounts in transit they sum to the change of
 * equity.
 */
export const PNL_PARTS = [
  "spread",
  "inventory",
  "fees",
  "funding",
  "basis",
  "failed",
  "liquidation",
  "other",
] as const;
/** One of {@link PNL_PARTS}. */
export type PnlPart = (typeof PNL_PARTS)[number];
