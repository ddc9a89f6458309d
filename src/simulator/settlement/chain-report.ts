import type { Hex } from "../../core/units.js";

/**
 * Something that an exchange asked of its chain and did not get, or that its chain did of its own:
 * for the log of whoever runs it.
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
  /** Whose account, or which market's, it was; empty for the chain itself. */
  readonly about: Hex | string;
  /** What the contract said, or what the chain did. */
  readonly reason: string;
  /** The transaction, where there is one. */
  readonly hash: Hex | null;
}
