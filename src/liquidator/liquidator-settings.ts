import type { CreditUnits, Hex, Ms } from "../core/units.js";
import type { PlanRules } from "./plan/plan-input.js";

/** A liquidator's settings, in the units that it reckons in. */
export interface LiquidatorSettings {
  /** Whose margin and position it is, lower case: the key's own, or that of the account whose operator the key is. */
  readonly account: Hex;
  /** Lower case. */
  readonly dealer: Hex;
  readonly rules: PlanRules;
  /** Most that takeovers in flight and what is to be sold of earlier ones may be worth together. */
  readonly maxNotionalCredit: CreditUnits | undefined;
  /** Most that the gas of one takeover may cost. */
  readonly maxGasCredit: CreditUnits | undefined;
  /** What a rollup charges for one takeover beside its gas; 0 where a chain charges nothing. */
  readonly l1FeeWei: bigint;
  /** Tip to begin with, wei per gas. */
  readonly tipWei: bigint;
  /** The dealer's `maxPositionAmount`. */
  readonly maxPositionAmount: number;
  /** Of the exchange's list of risky accounts. */
  readonly pollMs: Ms;
  /** Of the chain. */
  readonly chainPollMs: Ms;
  readonly maxInFlight: number;
  readonly maxCandidates: number;
  readonly deadlineMs: Ms;
  readonly cooldownMs: Ms;
  /** Where the history of positions begins; undefined to go by the exchange's list and new blocks alone. */
  readonly watchFromBlock: number | undefined;
}
