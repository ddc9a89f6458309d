import type { Lots, Side, Ticks } from "../../core/units.js";
import type { OrderType, TimeInForce } from "../../exchange/records.js";

/** A step of an order's open amount, on the exchange's clock. */
export interface OpenStep {
  readonly atUs: number;
  readonly openLots: Lots;
}

/** One order of a recorded session, from its request to its end. Instants are whole microseconds since 1970. */
export interface RecordedOrder {
  readonly hash: string;
  readonly side: Side;
  readonly type: OrderType;
  readonly timeInForce: TimeInForce;
  /** NaN of a MARKET order that told none. */
  readonly ticks: Ticks;
  readonly lots: Lots;
  readonly expirationMs: number;
  /** Distance rank of its quote; -1 where it worked a position. */
  readonly level: number;
  /** When it left. */
  readonly sentUs: number;
  /** When the exchange took it, on its clock; undefined where it never said so. */
  readonly acceptedUs: number | undefined;
  /** When its acceptance was heard. */
  readonly answeredUs: number | undefined;
  /** Whether the exchange refused it, it never left, or nobody ever heard of it. */
  readonly refused: string | undefined;
  /** Its open amount as the exchange told it, ascending. */
  readonly steps: readonly OpenStep[];
  /** How it ended without being wholly filled, and when, on the exchange's clock. */
  readonly ended: { readonly atUs: number; readonly status: string } | undefined;
}

/** A cancel, or a cancel of everything where it names no order. */
export interface RecordedCancel {
  readonly sentUs: number;
  readonly hash: string | undefined;
  /** When the exchange took it, on its clock: the instant at which it ended the order that it names; undefined where it never said so. */
  readonly acceptedUs: number | undefined;
  /** Of one that the exchange refused, or did not answer: when it first told that nothing of its order was open, or last that some was. Until then it took nothing down. */
  readonly notBeforeUs: number | undefined;
}

/** An order or a cancel as it left, on the bot's clock as the market's tape has it: whole microseconds since 1970. */
export interface RecordedRequest {
  readonly leftUs: number;
  /** When the exchange's answer was heard; undefined where it gave none. */
  readonly answeredUs: number | undefined;
}

/** A fill of a recorded session. */
export interface RecordedFill {
  readonly side: Side;
  readonly ticks: Ticks;
  readonly lots: Lots;
  /** At the exchange. */
  readonly atUs: number;
  readonly isMaker: boolean;
  /** In the quote asset, as recorded. */
  readonly fee: string;
}

/** What a session recorded of its own account in one market. */
export interface RecordedAccount {
  readonly orders: readonly RecordedOrder[];
  readonly cancels: readonly RecordedCancel[];
  readonly requests: readonly RecordedRequest[];
  readonly fills: readonly RecordedFill[];
}
