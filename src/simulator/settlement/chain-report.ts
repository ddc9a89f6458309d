import type { Hex } from "../../core/units.js";

/**
 * A failed request of an exchange to its chain, or a change that the chain made by itself, for the
 * operator's log.
 */
export interface ChainReport {
  readonly kind:
    | "deposit-failed"
    | "withdrawal-failed"
    | "operator-failed"
    | "gas-failed"
    | "mark-failed"
    | "funding-refused"
    | "trade-failed"
    | "chain-fault";
  /** The account or market concerned; empty for the chain itself. */
  readonly about: Hex | string;
  /** The contract's error, or the chain's action. */
  readonly reason: string;
  /** The transaction, if there is one. */
  readonly hash: Hex | null;
}
