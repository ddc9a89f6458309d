import type { CreditUnits, Hex, Int64Id, MarketId, Ms, PaperUnits, Side } from "../core/units.js";
import type { EntryKind, EntrySource } from "./account-entry.js";

/** The state of a trade: settled on the chain, waiting for it, or taken back. */
export type FillState = "settled" | "pending" | "failed";

/** A trade of the account. */
export interface FillEvent {
  readonly kind: "fill";
  /** Instant of the match. */
  readonly timeMs: Ms;
  readonly marketId: MarketId;
  readonly id: Int64Id;
  readonly side: Side;
  readonly isMaker: boolean;
  /** Unsigned. */
  readonly paper: PaperUnits;
  /** Unsigned credit that changed hands, without the fee. */
  readonly quote: CreditUnits;
  /** Credit paid; negative for a rebate. */
  readonly commission: CreditUnits;
  readonly price: string;
  readonly state: FillState;
  readonly source: EntrySource;
}

/** A change of credit that moves no position. */
export interface CreditEvent {
  readonly kind: "credit";
  readonly entry: Extract<EntryKind, "deposit" | "withdrawal" | "funding" | "other">;
  readonly timeMs: Ms;
  readonly marketId: MarketId | undefined;
  readonly id: string;
  /** Signed. */
  readonly amount: CreditUnits;
  readonly source: EntrySource;
  readonly detail: string | undefined;
}

/** A position that came or went with a liquidation. */
export interface InventoryEvent {
  readonly kind: "inventory";
  readonly entry: Extract<EntryKind, "takeover" | "liquidated">;
  readonly timeMs: Ms;
  readonly marketId: MarketId;
  readonly id: string;
  /** Signed; undefined while nothing states it. */
  readonly paper: PaperUnits | undefined;
  /** Signed. */
  readonly credit: CreditUnits;
  readonly hash: Hex | undefined;
  readonly source: EntrySource;
  readonly detail: string | undefined;
}

/** A change of an asset outside the exchange's credit: gas, and the other leg at a hedge venue. */
export interface OutsideEvent {
  readonly kind: "outside";
  readonly entry: Extract<
    EntryKind,
    "gas" | "hedge-fill" | "hedge-cash" | "hedge-fee" | "hedge-funding"
  >;
  readonly venue: string;
  readonly timeMs: Ms;
  readonly marketId: MarketId | undefined;
  readonly asset: string;
  readonly decimals: number;
  /** Signed, in 10^-decimals of the asset. */
  readonly amount: bigint;
  readonly id: string;
  readonly hash: Hex | undefined;
  readonly detail: string | undefined;
}

/** One thing that happened to the account, before it becomes lines. */
export type LedgerEvent = FillEvent | CreditEvent | InventoryEvent | OutsideEvent;

/** The change of the exchange's credit; 0 for a failed trade. */
export function creditChange(event: LedgerEvent): CreditUnits {
  switch (event.kind) {
    case "fill":
      if (event.state === "failed") return 0n;
      return (event.side === "BUY" ? -event.quote : event.quote) - event.commission;
    case "credit":
      return event.amount;
    case "inventory":
      return event.credit;
    case "outside":
      return 0n;
  }
}

/** The change of the position in its market; 0 for a failed trade. */
export function paperChange(event: LedgerEvent): PaperUnits {
  switch (event.kind) {
    case "fill":
      if (event.state === "failed") return 0n;
      return event.side === "BUY" ? event.paper : -event.paper;
    case "inventory":
      return event.paper ?? 0n;
    case "credit":
    case "outside":
      return 0n;
  }
}

/** Identifies a trade of the account: both sides of a trade with itself have one id. */
export function fillKey({
  marketId,
  id,
  side,
}: Pick<FillEvent, "marketId" | "id" | "side">): string {
  return `${marketId} ${id} ${side}`;
}
