/** A price as a whole number of the market's ticks. Always positive on the wire. */
export type Ticks = number;

/**
 * A base amount as a whole number of the market's lots (steps). Signed if it is a position: long is
 * positive.
 */
export type Lots = number;

/** Quote credit in its smallest unit (`10^-creditDecimals` of the quote asset). Signed. */
export type CreditUnits = bigint;

/**
 * Paper of a position in its smallest units, 10^-paperDecimals of the base asset; signed, long
 * positive.
 */
export type PaperUnits = bigint;

/** Milliseconds: a duration, or an instant since the Unix epoch. Always an integer on the wire. */
export type Ms = number;

/** Milliseconds of a minute. */
export const MINUTE_MS: Ms = 60_000;
/** Milliseconds of a day; epoch time has no leap seconds. */
export const DAY_MS: Ms = 86_400_000;
/** Milliseconds of a week. */
export const WEEK_MS: Ms = 604_800_000;

/**
 * A 64-bit identifier of the exchange as a canonical decimal string: the one representation, since
 * ids pass 2^53.
 */
export type Int64Id = string;

/** The exchange's market id, such as `btcusdc`. */
export type MarketId = string;

/** `0x` and an even number of lower-case hex digits. */
export type Hex = string;

/** The side of an order, as the wire spells it. */
export type Side = "BUY" | "SELL";

/** Lots by side, without sign. */
export interface SideLots {
  readonly buy: Lots;
  readonly sell: Lots;
}

/** `+1` for BUY, `-1` for SELL: the sign of a fill's effect on a position. */
export function sideSign(side: Side): 1 | -1 {
  return side === "BUY" ? 1 : -1;
}

/**
 * Rounds a price between two ticks to the tick at which a book counts it: the one away from the
 * other side, where an order at a tick would meet it.
 */
export function roundAwayFromTouch(side: Side, ticks: number): Ticks {
  return side === "BUY" ? Math.floor(ticks) : Math.ceil(ticks);
}

/** The side that trades against `side`. */
export function oppositeSide(side: Side): Side {
  return side === "BUY" ? "SELL" : "BUY";
}
