import type { MarketId, Ms } from "../../core/units.js";
import type { AccountBalances, Income, Position, UserTrade } from "../protocol/account.js";
import type { Kline, Level, PublicTrade } from "../protocol/market-data.js";
import type { Order } from "../protocol/order.js";
import type { MarketStateUpdate } from "../protocol/stream.js";

/** Connection events of every stream. */
export type LinkEvent =
  /** Connected: state derived from the stream must be rebuilt. */
  | { readonly type: "up" }
  /** The connection was lost, or could not be opened; a reconnect is in progress. */
  | { readonly type: "down"; readonly reason: string }
  /** A frame that violates the protocol; it has changed nothing. */
  | { readonly type: "malformed"; readonly where: string; readonly reason: string }
  /** A frame that the protocol does not define, unchanged. */
  | { readonly type: "unknown"; readonly name: string; readonly data: unknown };

/** The whole book of a market; it replaces the earlier one. */
export interface BookSnapshot {
  readonly type: "book-snapshot";
  readonly marketId: MarketId;
  /** Number of the last change that it holds; the next update begins one above it. */
  readonly sequence: number;
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

/** Changes of a book, without a gap after what came before: absolute amounts, 0 deletes a level. */
export interface BookUpdate {
  readonly type: "book-update";
  readonly marketId: MarketId;
  /** Number of the first change in it. */
  readonly beginSequence: number;
  /** Number of the last change in it. */
  readonly endSequence: number;
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

/** Events of the market streams. */
export type MarketEvent =
  | LinkEvent
  | BookSnapshot
  | BookUpdate
  /** An update was missing: the book is void, and a snapshot was requested. */
  | {
      readonly type: "book-gap";
      readonly marketId: MarketId;
      /** The sequence that was due. */
      readonly expected: number;
      /** The sequence that came. */
      readonly received: number;
    }
  | { readonly type: "market"; readonly marketId: MarketId; readonly figures: MarketStateUpdate }
  | { readonly type: "trade"; readonly marketId: MarketId; readonly trade: PublicTrade }
  | {
      readonly type: "klines";
      readonly marketId: MarketId;
      readonly interval: string;
      readonly klines: readonly Kline[];
    };

/** Events of the account stream. */
export type AccountEvent =
  | LinkEvent
  /** `timestamp`: time of the update, if the exchange reports it. */
  | { readonly type: "order"; readonly order: Order; readonly timestamp?: Ms }
  | { readonly type: "trade"; readonly trade: UserTrade }
  | {
      readonly type: "balances";
      readonly balances: AccountBalances;
      readonly positions: readonly Position[];
    }
  | { readonly type: "incomes"; readonly incomes: readonly Income[] };
