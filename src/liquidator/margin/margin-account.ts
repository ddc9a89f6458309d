import type { CreditUnits, Hex } from "../../core/units.js";

/** Smallest units of paper (1e-18 coins), signed: long is positive. */
export type Paper = bigint;

/** A market as the margin of its holders depends on it, at one block. Ratios and rates are 1e18. */
export interface MarginMarket {
  /** Lower case. */
  readonly perp: Hex;
  /** Credit units per 1e18 paper. */
  readonly markPrice: bigint;
  readonly initialMarginRatio: bigint;
  readonly maintenanceMarginRatio: bigint;
  /** The discount at which a liquidator takes over. */
  readonly liquidationPriceOff: bigint;
  readonly insuranceFeeRate: bigint;
}

/** An account's margin at one block, as `getTraderRisk` tells it, with the size of each of its positions. Credit units. */
export interface MarginAccount {
  readonly netValueCredit: CreditUnits;
  readonly exposureCredit: CreditUnits;
  readonly initialMarginCredit: CreditUnits;
  readonly maintenanceMarginCredit: CreditUnits;
  /** By perp in lower case; none is zero. */
  readonly papers: ReadonlyMap<Hex, Paper>;
}
