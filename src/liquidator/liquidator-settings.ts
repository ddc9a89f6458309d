import type { CreditUnits, Hex, Ms } from "../core/units.js";
import type { PlanRules } from "./plan/plan-input.js";

/** Settings of a liquidator, in the units of its calculations. */
export interface LiquidatorSettings {
  /**
   * Account that takes positions over, lower case: the key's own, or the one whose operator the key
   * is.
   */
  readonly account: Hex;
  /** Lower case. */
  readonly dealer: Hex;
  readonly rules: PlanRules;
  /** Largest total value of takeovers in flight and of unsold inventory from earlier ones. */
  readonly maxNotionalCredit: CreditUnits | undefined;
  /** Largest gas cost of one takeover. */
  readonly maxGasCredit: CreditUnits | undefined;
  /** The rollup's charge for one takeover beside its gas; 0 on a chain that charges nothing. */
  readonly l1FeeWei: bigint;
  /** Starting tip, wei per gas. */
  readonly tipWei: bigint;
  /** The dealer's `maxPositionAmount`. */
  readonly maxPositionAmount: number;
  /** Poll interval of the exchange's list of risky accounts. */
  readonly pollMs: Ms;
  /** Poll interval of the chain. */
  readonly chainPollMs: Ms;
  readonly maxInFlight: number;
  readonly maxCandidates: number;
  readonly deadlineMs: Ms;
  readonly cooldownMs: Ms;
  /**
   * First block of the scan for positions; undefined to use only the exchange's list and new
   * blocks.
   */
  readonly watchFromBlock: number | undefined;
}
