import type { Observable } from "rxjs";
import type { CreditUnits, Hex, Int64Id, Lots, MarketId, Ms, Side, Ticks } from "../core/units.js";
import type {
  OrderStruct,
  OrderType,
  TimeInForce,
  VenueBalances,
  VenueBar,
  VenueIncome,
  VenueOrder,
  VenuePosition,
  VenueRules,
  VenueTrade,
} from "./records.js";
import type { KlineInterval } from "./streams/stream-names.js";

/** Correlates an action with its response; unique within one run. */
export type ActionId = number;

interface ActionBase {
  readonly actionId: ActionId;
  /** The signed `timestamp` parameter of the request: exchange time as the bot estimates it. */
  readonly timestampMs: Ms;
}

/** Places an order whose structure, and so whose hash, is already fixed. */
export interface PlaceAction extends ActionBase {
  readonly kind: "place";
  readonly marketId: MarketId;
  readonly side: Side;
  readonly type: OrderType;
  readonly ticks: Ticks;
  readonly lots: Lots;
  readonly timeInForce: TimeInForce;
  /** The `expiration` parameter; 0 unless GTT. */
  readonly expirationMs: Ms;
  readonly order: OrderStruct;
  /** The order hash, which identifies the order. */
  readonly hash: Hex;
  /** For a server-built order, if the service gave one. */
  readonly gasFeeQuotation?: string;
}

/**
 * Requests the service to build an order (the other way of placing); the response is the structure
 * to check and sign.
 */
export interface BuildAction extends ActionBase {
  readonly kind: "build";
  readonly marketId: MarketId;
  readonly side: Side;
  readonly type: OrderType;
  readonly ticks: Ticks;
  readonly lots: Lots;
  readonly timeInForce: TimeInForce;
  readonly expirationMs: Ms;
}

/** Cancels one order by its exchange id. */
export interface CancelAction extends ActionBase {
  readonly kind: "cancel";
  readonly marketId: MarketId;
  readonly orderId: Int64Id;
  readonly hash: Hex;
}

/** Cancels every open order of the account in a market, manual ones too. */
export interface CancelAllAction extends ActionBase {
  readonly kind: "cancel-all";
  readonly marketId: MarketId;
}

/** A read request to the exchange; the response is an `answer` event with the matching data. */
export type QueryAction = ActionBase & { readonly kind: "question" } & Query;

/** The read requests. Page limits are the maximum, 500, where the endpoint has one. */
export type Query =
  | { readonly ask: "time" }
  | { readonly ask: "rules" }
  | { readonly ask: "openOrders"; readonly marketId?: MarketId }
  | {
      readonly ask: "historyOrders";
      readonly marketId: MarketId;
      readonly startTimeMs?: Ms;
      readonly endTimeMs?: Ms;
    }
  /**
   * Without `fromId` and `startTimeMs`: the most recent trades. With one of them, and never both:
   * the first ones from there.
   */
  | {
      readonly ask: "userTrades";
      readonly marketId: MarketId;
      readonly fromId?: Int64Id;
      readonly startTimeMs?: Ms;
    }
  /** `type`: only one type, such as DEPOSIT. */
  | {
      readonly ask: "incomes";
      readonly marketId: MarketId;
      readonly type?: string;
      readonly startTimeMs?: Ms;
      readonly endTimeMs?: Ms;
    }
  | { readonly ask: "balances" }
  | { readonly ask: "positions" }
  /** Returns only the sequence, to distinguish a quiet market from a stalled stream. */
  | { readonly ask: "bookSequence"; readonly marketId: MarketId };

/** The responses, by the name of the request. */
export interface QueryResponses {
  time: { readonly serverTimeMs: Ms };
  rules: VenueRules;
  openOrders: readonly VenueOrder[];
  historyOrders: readonly VenueOrder[];
  userTrades: readonly VenueTrade[];
  incomes: readonly VenueIncome[];
  balances: { readonly balances: VenueBalances; readonly positions: readonly VenuePosition[] };
  positions: readonly VenuePosition[];
  bookSequence: { readonly sequence: number };
}

/** Every action that a bot may submit to a venue. */
export type Action = PlaceAction | BuildAction | CancelAction | CancelAllAction | QueryAction;

/**
 * The outcome of an action, as far as its own response shows it (docs/ideas/design.md#venue and
 * docs/ideas/design.md#unknown-outcomes).
 */
export type Outcome =
  /** The exchange accepted a place, with the order as accepted. */
  | { readonly result: "accepted"; readonly order: VenueOrder }
  | {
      readonly result: "built";
      readonly order: OrderStruct;
      readonly hash: Hex;
      readonly gasFeeQuotation: string;
    }
  /** The exchange accepted a cancel or cancel-all (204). */
  | { readonly result: "cancelled" }
  | {
      [Ask in keyof QueryResponses]: {
        readonly result: "answered";
        readonly ask: Ask;
        readonly data: QueryResponses[Ask];
      };
    }[keyof QueryResponses]
  /**
   * A typed error of the exchange. `determineFate` decides what it proves about a place or a
   * cancel.
   */
  | {
      readonly result: "rejected";
      /** Of the exchange's error codes. */
      readonly code: number;
      readonly codeText: string;
      readonly message: string;
      /** The status of the HTTP answer. */
      readonly httpStatus: number;
    }
  /** 429 or 418: rejected by the rate limit, before it was processed. */
  | {
      readonly result: "throttled";
      readonly httpStatus: 429 | 418;
      readonly retryAfterMs: Ms | undefined;
    }
  /** There was no response, or it proves nothing: the action may or may not have happened. */
  | {
      readonly result: "unknown";
      readonly cause: "timeout" | "server-error" | "connection-lost" | "malformed-answer";
      readonly message: string;
    }
  /** It was never sent (no connection, or withdrawn from the queue). */
  | { readonly result: "not-sent"; readonly message: string };

/** The events of a venue, one at a time, in the order in which they became known. */
export type VenueEvent =
  | {
      readonly type: "book-snapshot";
      readonly marketId: MarketId;
      /** Number of the last change that it holds. */
      readonly sequence: number;
      /** Flat pairs: ticks, lots, ticks, lots ... in wire order. */
      readonly bids: readonly number[];
      readonly asks: readonly number[];
      /**
       * True if amounts between whole lots, or prices between ticks, were rounded to the next ones.
       */
      readonly isRounded?: boolean;
    }
  | {
      readonly type: "book-update";
      readonly marketId: MarketId;
      /** Number of the first change in it. */
      readonly beginSequence: number;
      /** Number of the last change in it. */
      readonly endSequence: number;
      /** Flat pairs, absolute lots, 0 deletes. */
      readonly bids: readonly number[];
      readonly asks: readonly number[];
      /** As in a snapshot. */
      readonly isRounded?: boolean;
    }
  | {
      readonly type: "market-state";
      readonly marketId: MarketId;
      /** Credit units per one whole base unit, as the contract's mark is. */
      readonly mark: CreditUnits;
      /** Credit units per one whole base unit. */
      readonly index: CreditUnits;
      /** The next rate, as a fraction: longs pay when positive. */
      readonly fundingRate: number;
      readonly nextFundingMs: Ms;
    }
  | {
      readonly type: "public-trade";
      readonly marketId: MarketId;
      readonly id: Int64Id;
      readonly ticks: Ticks;
      readonly lots: Lots;
      readonly timeMs: Ms;
      readonly isBuyerMaker: boolean;
    }
  /** Candles that started or changed, oldest first. */
  | {
      readonly type: "kline";
      readonly marketId: MarketId;
      readonly interval: KlineInterval;
      readonly bars: readonly VenueBar[];
    }
  /** `timestampMs`: time of the update, if the exchange reports it. */
  | { readonly type: "order-update"; readonly order: VenueOrder; readonly timestampMs?: Ms }
  | { readonly type: "trade-update"; readonly trade: VenueTrade }
  | {
      readonly type: "account-update";
      readonly balances: VenueBalances;
      readonly positions: readonly VenuePosition[];
    }
  | { readonly type: "income-update"; readonly incomes: readonly VenueIncome[] }
  /** A stream came up (subscribed, before its first data) or went down. */
  | {
      readonly type: "stream";
      readonly stream: "market" | "account";
      readonly state: "up" | "down";
      readonly reason: string;
    }
  /** A frame or response that violates the protocol; it has changed nothing. */
  | { readonly type: "malformed"; readonly where: string; readonly reason: string }
  | { readonly type: "answer"; readonly actionId: ActionId; readonly outcome: Outcome };

/**
 * A venue where the bot trades (docs/ideas/design.md#venue): the live exchange or replayed history.
 * Nothing above it knows which. `submit` returns nothing: every fate comes back as an event, never
 * synchronously inside `submit`.
 */
export interface Venue {
  readonly events$: Observable<VenueEvent>;
  submit(action: Action): void;
  /** Drops a market's book subscription and subscribes again, after a sequence gap. */
  resubscribe(marketId: MarketId): void;
  close(): void;
}
