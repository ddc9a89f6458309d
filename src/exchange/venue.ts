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

/** Correlates an action with its answer; unique within one run. */
export type ActionId = number;

interface ActionBase {
  readonly actionId: ActionId;
  /** The signed `timestamp` parameter of the request: exchange time as the bot estimates it. */
  readonly timestampMs: Ms;
}

/** Place an order whose structure, and so whose hash, is already fixed. */
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
  /** The order hash: what the order is recognised by. */
  readonly hash: Hex;
  /** Of a server-built order, when the service gave one. */
  readonly gasFeeQuotation?: string;
}

/** Ask the service to build an order (the other way of placing); answered with the structure to check and sign. */
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

/** Cancel one order by the id that the exchange gave it. */
export interface CancelAction extends ActionBase {
  readonly kind: "cancel";
  readonly marketId: MarketId;
  readonly orderId: Int64Id;
  readonly hash: Hex;
}

/** Cancel every open order of the account in a market, manual ones too. */
export interface CancelAllAction extends ActionBase {
  readonly kind: "cancel-all";
  readonly marketId: MarketId;
}

/** A question to the exchange; its answer is an `answer` event with the matching data. */
export type QuestionAction = ActionBase & { readonly kind: "question" } & Question;

/**
 * A question that a venue answers. Page limits are the maximum, 500, where the endpoint has one.
 */
export type Question =
  | { readonly ask: "time" }
  | { readonly ask: "rules" }
  | { readonly ask: "openOrders"; readonly marketId?: MarketId }
  | {
      readonly ask: "historyOrders";
      readonly marketId: MarketId;
      readonly startTimeMs?: Ms;
      readonly endTimeMs?: Ms;
    }
  /** Without `fromId`: the most recent ones. */
  | { readonly ask: "userTrades"; readonly marketId: MarketId; readonly fromId?: Int64Id }
  /** `type`: of one type alone, such as DEPOSIT. */
  | {
      readonly ask: "incomes";
      readonly marketId: MarketId;
      readonly type?: string;
      readonly startTimeMs?: Ms;
      readonly endTimeMs?: Ms;
    }
  | { readonly ask: "balances" }
  | { readonly ask: "positions" }
  /** Only the sequence is answered: tells a quiet market from a stalled stream. */
  | { readonly ask: "bookSequence"; readonly marketId: MarketId };

/** The answers, by the name of the question. */
export interface AnswerData {
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

/** Everything that a bot may ask of a venue. */
export type Action = PlaceAction | BuildAction | CancelAction | CancelAllAction | QuestionAction;

/**
 * The fate of an action, as far as its own answer tells it (docs/ideas/design.md#venue and
 * docs/ideas/design.md#unknown-outcomes).
 */
export type Outcome =
  /** A place that the exchange took, as the order was accepted. */
  | { readonly result: "accepted"; readonly order: VenueOrder }
  | {
      readonly result: "built";
      readonly order: OrderStruct;
      readonly hash: Hex;
      readonly gasFeeQuotation: string;
    }
  /** A cancel or cancel-all that the exchange took (204). */
  | { readonly result: "cancelled" }
  | {
      [Ask in keyof AnswerData]: {
        readonly result: "answered";
        readonly ask: Ask;
        readonly data: AnswerData[Ask];
      };
    }[keyof AnswerData]
  /**
   * A typed error of the exchange. What it proves of a place or a cancel is decided by `fateOf`.
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
  /** 429 or 418: refused by the rate limit, before it was looked at. */
  | {
      readonly result: "throttled";
      readonly httpStatus: 429 | 418;
      readonly retryAfterMs: Ms | undefined;
    }
  /** The answer did not come, or proves nothing: the action may or may not have happened. */
  | {
      readonly result: "unknown";
      readonly cause: "timeout" | "server-error" | "connection-lost" | "malformed-answer";
      readonly message: string;
    }
  /** It never left this machine (no connection, or withdrawn in the queue). */
  | { readonly result: "not-sent"; readonly message: string };

/** Everything that a venue can tell. One at a time, in the order in which it became known. */
export type VenueEvent =
  | {
      readonly type: "book-snapshot";
      readonly marketId: MarketId;
      /** Number of the last change that it holds. */
      readonly sequence: number;
      /** Flat pairs: ticks, lots, ticks, lots ... in wire order. */
      readonly bids: readonly number[];
      readonly asks: readonly number[];
      /** Amounts that lay between whole lots, and prices that lay between ticks, are in it as the next ones. */
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
      /** As of a snapshot. */
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
  /** Candles that began or changed, oldest first. */
  | {
      readonly type: "kline";
      readonly marketId: MarketId;
      readonly interval: KlineInterval;
      readonly bars: readonly VenueBar[];
    }
  /** `timestampMs`: of the update, where the exchange told it. */
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
  /** A frame or answer that was not what the protocol says; it has changed nothing. */
  | { readonly type: "malformed"; readonly where: string; readonly reason: string }
  | { readonly type: "answer"; readonly actionId: ActionId; readonly outcome: Outcome };

/**
 * Where the bot trades (docs/ideas/design.md#venue): the live exchange or replayed history. Nothing
 * above it knows which. `submit` returns nothing: every fate comes back as an event, never
 * synchronously inside `submit`.
 */
export interface Venue {
  readonly events$: Observable<VenueEvent>;
  submit(action: Action): void;
  /** Drops a market's book subscription and takes it again: after a sequence gap. */
  resubscribe(marketId: MarketId): void;
  close(): void;
}
