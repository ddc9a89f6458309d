import type { Observable } from "rxjs";
import type { Instrument } from "../core/instrument.js";
import type { Lots, Ms, Side, Ticks } from "../core/units.js";
import type { HedgeOrderKey } from "./hedge-order-key.js";

/** Money at a hedge venue in 10^-8 of an asset, signed: the precision that such venues publish. */
export type HedgeUnits = bigint;

/** Decimals of {@link HedgeUnits}. */
export const HEDGE_DECIMALS = 8;

/**
 * One linear contract of a hedge venue. Its lots and ticks are the venue's own, counted by
 * `instrument`, whose credit units are {@link HedgeUnits} and whose paper has 18 decimals.
 */
export interface HedgeContract {
  /** In the venue's own spelling, as the config names it. */
  readonly symbol: string;
  readonly instrument: Instrument;
  readonly baseAsset: string;
  readonly quoteAsset: string;
  /** Smallest order. */
  readonly minLots: Lots;
  /** Largest order. */
  readonly maxLots: Lots;
  /** Smallest value of an order that does not only reduce; 0 without such a rule. */
  readonly minNotional: HedgeUnits;
}

/**
 * An order of the bot as a hedge venue reports it. Reports may be late, repeated and in any order.
 */
export interface HedgeOrderReport {
  readonly key: HedgeOrderKey;
  readonly symbol: string;
  readonly side: Side;
  readonly lots: Lots;
  readonly filledLots: Lots;
  /** False once nothing more of it can fill, for whichever reason. */
  readonly isOpen: boolean;
  /** The venue's word for its status, for messages. */
  readonly status: string;
}

/** A fill of the account at a hedge venue. */
export interface HedgeFill {
  /** Unique among the fills of its symbol. */
  readonly id: string;
  readonly symbol: string;
  /** The order's key; undefined for an order that is not the bot's. */
  readonly key: HedgeOrderKey | undefined;
  readonly side: Side;
  readonly lots: Lots;
  /** Price times amount, unsigned, in the quote asset. */
  readonly quote: HedgeUnits;
  /** Paid; negative is a rebate received. */
  readonly fee: HedgeUnits;
  readonly feeAsset: string;
  readonly isMaker: boolean;
  /** Venue's time. */
  readonly timeMs: Ms;
  /**
   * True if the venue has taken this fill back, as after a settlement that failed: it moves the
   * position the other way, and its fee is returned. The id is that of the fill.
   */
  readonly isReversed: boolean;
}

/** A funding payment. */
export interface HedgeFunding {
  /** Unique among the payments of its symbol. */
  readonly id: string;
  readonly symbol: string;
  /** Received; negative is paid. */
  readonly amount: HedgeUnits;
  readonly asset: string;
  readonly timeMs: Ms;
}

/** The account at a hedge venue, read in one request. */
export interface HedgeAccountReport {
  /** Signed positions by symbol; a symbol without a position may be absent. */
  readonly positionLots: Readonly<Record<string, Lots>>;
  /** Margin that new positions may still use, in the quote asset. */
  readonly availableMargin: HedgeUnits;
  /** Initial margin as a fraction of the notional, by symbol: 1 / leverage. */
  readonly initialMarginFraction: Readonly<Record<string, number>>;
  /** Balance plus unrealised profit, in the quote asset. */
  readonly equity: HedgeUnits;
}

interface HedgeActionBase {
  /** Correlates the action with its answer; unique within one run. */
  readonly actionId: number;
  readonly symbol: string;
}

/** Places a limit order. Every order has a worst price. */
export interface HedgePlace extends HedgeActionBase {
  readonly kind: "place";
  readonly key: HedgeOrderKey;
  readonly side: Side;
  readonly lots: Lots;
  readonly ticks: Ticks;
  /** IOC takes what is there and ends; POST_ONLY rests and never takes. */
  readonly timeInForce: "IOC" | "POST_ONLY";
  /** True if it may only reduce the position at the venue. */
  readonly isReduceOnly: boolean;
}

/** Cancels one order. */
export interface HedgeCancel extends HedgeActionBase {
  readonly kind: "cancel";
  readonly key: HedgeOrderKey;
}

/** Questions to a hedge venue. They change nothing there. */
export type HedgeQuery = HedgeActionBase &
  (
    | { readonly kind: "order"; readonly key: HedgeOrderKey }
    | { readonly kind: "open-orders" }
    /** The account's fills of the symbol from an instant on, other clients' included. */
    | { readonly kind: "fills"; readonly sinceMs: Ms }
    | { readonly kind: "funding"; readonly sinceMs: Ms }
    | { readonly kind: "account" }
  );

/** Every action that may be submitted to a hedge venue. */
export type HedgeAction = HedgePlace | HedgeCancel | HedgeQuery;

/** The answer to an action, as far as the venue's own words prove it. */
export type HedgeOutcome =
  /** The venue has the order: the answer to a place, a cancel or a query of it. */
  | { readonly result: "order"; readonly order: HedgeOrderReport }
  /** The venue processed the request and refused it by a listed code: nothing has changed. */
  | { readonly result: "rejected"; readonly code: string; readonly message: string }
  /**
   * The venue knows no such order. It proves nothing alone: the request that places it may be on
   * its way, and finished orders are forgotten.
   */
  | { readonly result: "absent"; readonly message: string }
  /** Refused before it was processed, or never sent. */
  | {
      readonly result: "not-sent";
      readonly message: string;
      /** Time to wait before the next request, if the venue named one. */
      readonly retryAfterMs: Ms | undefined;
    }
  /** The request may or may not have been processed. */
  | { readonly result: "unknown"; readonly message: string }
  | { readonly result: "open-orders"; readonly orders: readonly HedgeOrderReport[] }
  /** `isWhole` is false if there may be more than one page held. */
  | { readonly result: "fills"; readonly fills: readonly HedgeFill[]; readonly isWhole: boolean }
  | { readonly result: "funding"; readonly payments: readonly HedgeFunding[] }
  | { readonly result: "account"; readonly account: HedgeAccountReport };

/** Best bid and ask of a symbol, with their sizes. */
export interface HedgeTouchReport {
  readonly type: "touch";
  readonly symbol: string;
  readonly bidTicks: Ticks;
  readonly bidLots: Lots;
  readonly askTicks: Ticks;
  readonly askLots: Lots;
}

/** The next funding of a symbol, as its venue announces it. */
export interface HedgeFundingRate {
  readonly type: "funding-rate";
  readonly symbol: string;
  /** As a fraction; longs pay if it is positive. It may change until it is paid. */
  readonly fundingRate: number;
  /** Venue's time; 0 while it has announced none. */
  readonly nextFundingMs: Ms;
}

/** The events of a hedge venue, one at a time, in the order in which they became known. */
export type HedgeEvent =
  /**
   * The account's stream and the books are up (before their first data), or one of them is down.
   * Events of the time between are lost.
   */
  | { readonly type: "stream"; readonly state: "up" | "down"; readonly reason: string }
  | HedgeTouchReport
  | HedgeFundingRate
  | { readonly type: "order"; readonly order: HedgeOrderReport }
  | { readonly type: "fill"; readonly fill: HedgeFill }
  /** The account changed without a fill: funding, a transfer, an adjustment. It is read again. */
  | { readonly type: "account-changed"; readonly reason: string }
  /** A message that cannot be read. It has changed nothing. */
  | { readonly type: "malformed"; readonly where: string; readonly reason: string }
  | { readonly type: "answer"; readonly actionId: number; readonly outcome: HedgeOutcome };

/**
 * A venue where the position of an exchange is laid off (docs/reference/hedge.md). Prices and
 * amounts are in ticks and lots of its own. `submit` returns nothing: every fate comes back as an
 * event, never synchronously inside `submit`, and exactly one answer for each action.
 */
export interface HedgeVenue {
  /** By symbol, as read when the venue was opened. */
  readonly contracts: ReadonlyMap<string, HedgeContract>;
  /** The venue refuses a request that reaches it later than this after it was sent. */
  readonly acceptanceWindowMs: Ms;
  readonly events$: Observable<HedgeEvent>;
  /** Opens the streams. Its first event is a `stream`. */
  start(): void;
  submit(action: HedgeAction): void;
  /** Ends every connection, request and timer at once. */
  close(): void;
}
