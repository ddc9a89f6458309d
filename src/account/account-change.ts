import type { CreditUnits, Hex, Lots, MarketId, Ms } from "../core/units.js";
import type { VenueBalances, VenueIncome, VenueOrder, VenueTrade } from "../exchange/records.js";
import type { QuestionAction } from "../exchange/venue.js";
import type { OrderChange, OrderPhase, OwnOrder } from "./orders/order.js";

/** What a reconciliation was begun for. */
export type ReconcileCause = "start" | "reconnect" | "interval" | "unknown";

/** Kinds of difference between our table and the exchange: the label of the metric. */
export type DifferenceKind =
  /** An order that we held open, which the exchange does not. */
  | "order-missing"
  /** An open order of ours that was not in our table, or that we took for dead. */
  | "order-unexpected"
  /** Amounts of a known order that no stream told us. */
  | "amount"
  | "position"
  | "trade-missed"
  | "income-missed"
  | "balance";

/** One difference, in words fit for a log. */
export interface Difference {
  readonly kind: DifferenceKind;
  readonly marketId: MarketId | undefined;
  /** The order, trade or income that it is about. */
  readonly subject: string;
  readonly ours: string;
  readonly theirs: string;
}

/** What a finished reconciliation found. Differences that the stream may yet tell come later, as changes of their own. */
export interface ReconcileResult {
  readonly cause: ReconcileCause;
  readonly startedAtMs: Ms;
  readonly finishedAtMs: Ms;
  /** The exchange's own time, as answered in this reconciliation. */
  readonly exchangeTimeMs: Ms;
  readonly differences: readonly Difference[];
  /** Orders of an earlier run that were taken over. */
  readonly adopted: readonly Hex[];
  /** Unknown orders whose fate it told. */
  readonly resolved: readonly { readonly hash: Hex; readonly to: OrderPhase }[];
  readonly stillUnknown: readonly Hex[];
}

/** Everything that the account tells the rest of the bot, in the order in which it became known. */
export type AccountChange =
  | { readonly kind: "order"; readonly order: OwnOrder; readonly change: OrderChange }
  /** An order of an earlier run was recognised and taken over. */
  | { readonly kind: "adopted"; readonly order: OwnOrder }
  /**
   * An order that is not the bot's own was seen for the first time, or has changed. `isLeftOver`: an earlier run of this bot placed it, in a
   * market that is not this run's.
   */
  | {
      readonly kind: "foreign";
      readonly order: VenueOrder;
      readonly first: boolean;
      readonly isLeftOver: boolean;
    }
  /** A trade of the account, seen for the first time: it is in the position from now on. */
  | { readonly kind: "fill"; readonly trade: VenueTrade }
  | { readonly kind: "settled"; readonly trade: VenueTrade }
  /** The settlement failed. `lots`: signed change of the position; 0 when the trade was never counted. */
  | { readonly kind: "trade-failed"; readonly trade: VenueTrade; readonly lots: Lots }
  | { readonly kind: "income"; readonly income: VenueIncome }
  | { readonly kind: "balances"; readonly balances: VenueBalances; readonly atMs: Ms }
  /**
   * Of a trade from before this run's position, failed ones too: that is in the base already, and told for whoever kept books before. Told at
   * the start alone.
   */
  | { readonly kind: "earlier-trade"; readonly trade: VenueTrade }
  /**
   * A liquidation has changed a position and its credit, both signed: a takeover that was said (`takeoverId`; taken back: its opposite), or
   * one that the exchange told first, of this account as liquidator or as the liquidated.
   */
  | {
      readonly kind: "liquidation";
      readonly marketId: MarketId;
      readonly lots: Lots;
      readonly credit: CreditUnits;
      readonly takeoverId: string | undefined;
      /** Of one that the exchange reported first: this account took over, and nothing of its own was liquidated. */
      readonly isTakenOver?: boolean;
    }
  /** The position was set to what the exchange says, since nothing that we know explains the difference. */
  | {
      readonly kind: "position-set";
      readonly marketId: MarketId;
      readonly lots: Lots;
      readonly was: Lots;
    }
  | { readonly kind: "difference"; readonly difference: Difference }
  | { readonly kind: "reconciled"; readonly result: ReconcileResult }
  /** The start waits for trades of these markets to settle: the exchange's position may have them already, or only from then on. */
  | { readonly kind: "awaits-settlement"; readonly marketIds: readonly MarketId[] }
  /** A question of the reconciliation failed and is asked again at `retryAtMs`. */
  | {
      readonly kind: "reconcile-failed";
      readonly ask: string;
      readonly message: string;
      readonly retryAtMs: Ms;
    };

/** What one input did, and what is to be asked of the venue because of it. */
export interface AccountStep {
  readonly changes: readonly AccountChange[];
  readonly queries: readonly QuestionAction[];
}
