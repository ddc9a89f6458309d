import type { AccountChange } from "../../account/account-change.js";
import type { MarketId, Ms } from "../../core/units.js";
import type { Action, Outcome } from "../../exchange/venue.js";
import type { Bucket, DispatchKind } from "../../executor/dispatch-budget.js";
import type { Plan } from "../../executor/plan.js";
import type { HedgeNotice } from "../../hedge/market-hedger.js";
import type { Clip } from "../../risk/check-intent.js";
import type { LadderAction, LadderMeasure } from "../../risk/risk-ladder.js";
import type { Intent } from "../../strategies/intent.js";
import type { LeftoverOrder } from "../execution/leftover-order.js";
import type { UnwindReport } from "../unwind/unwind-report.js";

/** Result of a run. */
export interface StopResult {
  readonly reason: string;
  /** Our orders that may still fill: empty after a clean shutdown. */
  readonly ordersLeft: readonly LeftoverOrder[];
  /** Our open orders as the exchange last reported them; undefined if it could not be queried. */
  readonly openOrdersLeft: number | undefined;
  /**
   * Markets whose position differs at the exchange, or that it has not reported; absent if there
   * are none.
   */
  readonly positionsApart?: readonly PositionAtEnd[];
  /** Hedges with an open order or with too much unhedged; absent if there are none. */
  readonly hedgesLeft?: readonly HedgeAtEnd[];
  /**
   * Hedged fills whose settlement was still pending when the wait for it was over; absent if there
   * are none.
   */
  readonly unsettledHedges?: readonly UnsettledHedge[];
}

/**
 * Hedged fills of a market whose settlement may still fail. If it does, the next run undoes their
 * hedge.
 */
export interface UnsettledHedge {
  readonly marketId: MarketId;
  readonly venue: string;
  /** Bought and sold on this exchange, unsigned base. */
  readonly buyBase: string;
  readonly sellBase: string;
}

/** A hedge at the end of a run that is not done, in base. */
export interface HedgeAtEnd {
  readonly marketId: MarketId;
  readonly venue: string;
  /** Signed: what is still to be bought there; undefined while a position is not known. */
  readonly neededBase: string | undefined;
  /** Client ids of orders that may still fill. */
  readonly ordersLeft: readonly string[];
}

/**
 * A position at the end of a run that differs at the exchange, or that it has not reported
 * (undefined), in base.
 */
export interface PositionAtEnd {
  readonly marketId: MarketId;
  readonly positionBase: string;
  readonly exchangeBase: string | undefined;
}

/**
 * Every event that a bot emits to its listeners: log, metrics, screen, a test. Listeners do not
 * affect the bot.
 */
export type BotEvent =
  | {
      readonly kind: "log";
      readonly level: "info" | "warn" | "error";
      readonly message: string;
      readonly fields: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: "account"; readonly change: AccountChange }
  /**
   * An action was handed to the venue. `causeMonotonicMs`: when the message that led to it was
   * received.
   */
  | {
      readonly kind: "dispatched";
      readonly action: Action;
      readonly causeMonotonicMs: number | undefined;
    }
  | {
      readonly kind: "answered";
      readonly action: Action;
      readonly outcome: Outcome;
      readonly tookMs: Ms;
    }
  | {
      readonly kind: "book-lost";
      readonly marketId: MarketId;
      readonly reason: string;
      readonly gap: boolean;
    }
  | {
      readonly kind: "stream";
      readonly stream: "market" | "account";
      readonly state: "up" | "down";
      readonly reason: string;
    }
  | { readonly kind: "malformed"; readonly where: string; readonly reason: string }
  /** An intent was accepted; with `clips`, smaller than requested. */
  | { readonly kind: "intent"; readonly intent: Intent; readonly clips?: readonly Clip[] }
  /** A strategy expects this move of the mid from its newest view on, in fractional ticks. */
  | { readonly kind: "prediction"; readonly marketId: MarketId; readonly moveTicks: number }
  /**
   * A strategy threw, or emitted an invalid intent, which halts its market. `stack`: where, in the
   * author's own lines; undefined for failures that have none.
   */
  | {
      readonly kind: "strategy-failed";
      readonly marketId: MarketId;
      readonly why: string;
      readonly stack: string | undefined;
    }
  | {
      readonly kind: "intent-refused";
      readonly marketId: MarketId;
      readonly refusal: string;
      readonly why: string;
    }
  /** A place that the pre-trade check stopped. */
  | {
      readonly kind: "held-back";
      readonly marketId: MarketId;
      readonly limit: string;
      readonly why: string;
    }
  /**
   * An action waits for tokens of a rate limit, until `retryAtMs` at least on the monotonic clock.
   * Infinity if the limit is below the action's cost.
   */
  | {
      readonly kind: "tokens-short";
      readonly bucket: Bucket;
      readonly action: DispatchKind;
      readonly why: string;
      readonly retryAtMs: Ms;
    }
  /** Dry run only: the plan that would be executed now. Emitted when it changes. */
  | { readonly kind: "dry-plan"; readonly marketId: MarketId; readonly plan: Plan }
  | {
      readonly kind: "halted";
      readonly reason: string;
      readonly marketId: MarketId | undefined;
      readonly on: boolean;
      readonly why: string;
      /**
       * True if the halt is normal at a start: the first confirmation, snapshot or reading of the
       * clock had yet to come when it began.
       */
      readonly isStarting?: boolean;
    }
  /**
   * Another rung of the risk ladder acts for a measure, of one market or of all; none if `action`
   * is undefined.
   */
  | {
      readonly kind: "rung";
      readonly measure: LadderMeasure;
      readonly marketId: MarketId | undefined;
      readonly action: LadderAction | undefined;
      readonly widenFactor: number | undefined;
      readonly why: string;
    }
  /**
   * State of a takeover: emitted whenever anything but the mark has changed, and once for each open
   * one when the bot starts.
   */
  | { readonly kind: "unwind"; readonly unwind: UnwindReport }
  /** Something happened to the hedge of a market. */
  | {
      readonly kind: "hedge";
      readonly marketId: MarketId;
      readonly venue: string;
      readonly notice: HedgeNotice;
    }
  | { readonly kind: "stopped"; readonly result: StopResult };

/** Receives events; must not throw. */
export type BotListener = (notice: BotEvent) => void;
