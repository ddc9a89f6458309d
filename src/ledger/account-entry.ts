import type { Hex, MarketId, Ms, PaperUnits } from "../core/units.js";

/** Kinds of a ledger's lines (docs/reference/ledger.md#kinds). */
export type EntryKind =
  | "opening"
  | "deposit"
  | "withdrawal"
  | "fill"
  | "takeover"
  | "liquidated"
  | "cost"
  | "realised-profit"
  | "fee"
  | "funding"
  | "gas"
  | "other"
  | "hedge-fill"
  | "hedge-cash"
  | "hedge-fee"
  | "hedge-funding"
  | "difference";

/** Where a line was found; `computed` for one that neither a file nor the exchange states. */
export type EntrySource = "file" | "exchange" | "both" | "computed";

/** One line of the ledger: a change of one asset. Amounts are signed as the account sees them. */
export interface AccountEntry {
  readonly timeMs: Ms;
  readonly kind: EntryKind;
  /** `exchange`, `chain`, or the name of a hedge venue. */
  readonly venue: string;
  readonly marketId: MarketId | undefined;
  readonly asset: string;
  /** Decimals of `amount` and `balance`: they are counted in 10^-decimals of the asset. */
  readonly decimals: number;
  /** Positive if the account has more of the asset afterwards. */
  readonly amount: bigint;
  /** The asset's balance after the line; of a base asset, the position in its market. */
  readonly balance: bigint;
  /** Position in the market after the line, if the line has a market. */
  readonly position: PaperUnits | undefined;
  /** Quote for one base unit, an exact decimal. */
  readonly price: string | undefined;
  /** Unsigned base amount of the trade or takeover that the line belongs to. */
  readonly base: PaperUnits | undefined;
  /** Unique within a ledger, and the same in each export. */
  readonly id: string;
  readonly hash: Hex | undefined;
  /** The line that this one takes back: its settlement failed. */
  readonly reverses: string | undefined;
  readonly source: EntrySource;
  /** Anything else that an accountant should read, as text. */
  readonly detail: string | undefined;
}
