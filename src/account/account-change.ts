import type { CreditUnits, Hex, Lots, MarketId, Ms } from "../core/units.js";
import type { VenueBalances, VenueIncome, VenueOrder, VenueTrade } from "../exchange/records.js";
import type { QueryAction } from "../exchange/venue.js";
import type { OrderChange, OrderPhase, OwnOrder } from "./orders/order.js";

/** The cause of a reconciliation. */
export type ReconcileCause = "start" | "reconnect" | "interval" | "unknown";

/** Kinds of difference between our table and the exchange's state: the label of the metric. */
export type DifferenceKind =
  /** An order open in our table and not at the exchange. */
  | "order-missing"
  /** An open own order that was not in our table, or was presumed dead. */
  | "order-unexpected"
  /** Amounts of a known order that no stream reported. */
  | "amount"
  | "position"
  | "trade-missed"
  | "income-missed"
  | "balance";

/** One difference, as text for a log. */
export interface Difference {
  readonly kind: DifferenceKind;
  readonly marketId: MarketId | undefined;
  /** The order, trade or income concerned. */
  readonly subject: string;
  readonly ours: string;
  readonly theirs: string;
}

/**
 * The result of a finished reconciliation. Differences that the stream may still report follow as
 * separate changes.
 */
export interface ReconcileResult {
  readonly cause: ReconcileCause;
  readonly startedAtMs: Ms;
  readonly finishedAtMs: Ms;
  /** The exchange's own time, as reported in this reconciliation. */
  readonly exchangeTimeMs: Ms;
  readonly differences: readonly Difference[];
  /** Orders that were adopted from an earlier run. */
  readonly adopted: readonly Hex[];
  /** Unknown orders whose outcome was found. */
  readonly resolved: readonly { readonly hash: Hex; readonly to: OrderPhase }[];
  readonly stillUnknown: readonly Hex[];
}

/**
 * Everything that the account reports to the rest of the bot, in the order in which it became
 * known.
 */
export type AccountChange =
  | { readonly kind: "order"; readonly order: OwnOrder; readonly change: OrderChange }
  /** An order of an earlier run was recognised and adopted. */
  | { readonly kind: "adopted"; readonly order: OwnOrder }
  /**
   * A foreign order was seen for the first time, or has changed. `isLeftOver`: an earlier run of
   * this bot placed it, in a market outside this run.
   */
  | {
      readonly kind: "foreign";
      readonly order: VenueOrder;
      readonly first: boolean;
      readonly isLeftOver: boolean;
    }
  /** A trade of the account, seen for the first time: the position includes it from now on. */
  | { readonly kind: "fill"; readonly trade: VenueTrade }
  | { readonly kind: "settled"; readonly trade: VenueTrade }
  /**
   * The settlement failed. `lots`: signed change of the position; 0 if the trade was never counted.
   */
  | { readonly kind: "trade-failed"; readonly trade: VenueTrade; readonly lots: Lots }
  | { readonly kind: "income"; readonly income: VenueIncome }
  | { readonly kind: "balances"; readonly balances: VenueBalances; readonly atMs: Ms }
  /**
   * A trade from before this run's position, possibly failed. The opening position already includes
   * it. Reported only at the start, for readers that kept books before.
   */
  | { readonly kind: "earlier-trade"; readonly trade: VenueTrade }
  /**
   * A liquidation changed a position and its credit, both signed. It is a recorded takeover
   * (`takeoverId`), or its opposite after a revert, or one that the exchange reported first, of
   * this account as liquidator or as the liquidated.
   */
  | {
      readonly kind: "liquidation";
      readonly marketId: MarketId;
      readonly lots: Lots;
      readonly credit: CreditUnits;
      readonly takeoverId: string | undefined;
      /**
       * Set if the exchange reported it first: this account acquired the position, and nothing of
       * its own was liquidated.
       */
      readonly isTakenOver?: boolean;
    }
  /** The position was set to the exchange's, because nothing known explains the difference. */
  | {
      readonly kind: "position-set";
      readonly marketId: MarketId;
      readonly lots: Lots;
      readonly was: Lots;
    }
  | { readonly kind: "difference"; readonly difference: Difference }
  | { readonly kind: "reconciled"; readonly result: ReconcileResult }
  /**
   * The start waits for trades of these markets to settle: the exchange's position may include them
   * already, or only after settlement.
   */
  | { readonly kind: "awaits-settlement"; readonly marketIds: readonly MarketId[] }
  /** A query of the reconciliation failed and is retried at `retryAtMs`. */
  | {
      readonly kind: "reconcile-failed";
      readonly ask: string;
      readonly message: string;
      readonly retryAtMs: Ms;
    };

/** The changes of one input, and the queries that it requires. */
export interface AccountStep {
  readonly changes: readonly AccountChange[];
  readonly queries: readonly QueryAction[];
}
