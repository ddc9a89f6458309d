import type { CreditUnits, Lots, MarketId } from "../core/units.js";
import type { MarketExposure } from "./exposure.js";

/** The limits by name: the label of a metric, and what a log speaks of. */
export type LimitName =
  | "unknown-market"
  | "order-size"
  | "open-orders"
  | "account-open-orders"
  | "no-mark"
  | "distance-from-mark"
  | "position"
  | "notional"
  | "open-notional"
  | "account-notional"
  | "leverage"
  | "margin-use"
  | "available-credit"
  | "liquidation-distance";

/** The limit that a worst case would breach. */
export interface Breach {
  readonly limit: LimitName;
  readonly scope: "market" | "account";
  /** The market whose limit it is, or whose order was judged. */
  readonly marketId: MarketId;
  /** Of the worst case, in the limit's unit: lots, credit units, orders, basis points, a ratio. */
  readonly value: string;
  readonly allowed: string;
  /** A sentence without its full stop and without the limit's name, which is put before it. */
  readonly why: string;
}

/** A breach of a limit on a number. @param text a value as people read it, with its unit. */
export function measuredBreach<T>(
  limit: LimitName,
  scope: Breach["scope"],
  marketId: MarketId,
  value: T,
  allowed: T,
  what: string,
  text: (amount: T) => string = String,
): Breach {
  const why = `${text(value)} ${what}, allowed ${text(allowed)}`;
  return { limit, scope, marketId, value: String(value), allowed: String(allowed), why };
}

/** A breach of what is no number. @param why a sentence without its full stop */
export function explainedBreach(
  limit: LimitName,
  marketId: MarketId,
  value: string,
  allowed: string,
  why: string,
): Breach {
  return { limit, scope: "market", marketId, value, allowed, why };
}

/** A breach of a limit on `part` as a share of the net value. */
export function netValueBreach(
  limit: LimitName,
  marketId: MarketId,
  part: CreditUnits,
  netValue: CreditUnits,
  allowed: number,
  what: string,
): Breach {
  const value = ratio(part, netValue);
  const worst =
    value === INFINITE
      ? "the net value is not above 0 in the worst case"
      : `${value} ${what} in the worst case`;
  const most = value === INFINITE ? `${allowed} ${what}` : allowed;
  return {
    limit,
    scope: "account",
    marketId,
    value,
    allowed: String(allowed),
    why: `${worst}, allowed ${most}`,
  };
}

function ratio(numerator: CreditUnits, denominator: CreditUnits): string {
  return denominator > 0n ? (Number(numerator) / Number(denominator)).toFixed(4) : INFINITE;
}

/** Of a net value that is not above zero. */
const INFINITE = "infinite";

/** Lots as people read them; a sum of them may pass what is exact. */
export function inBase({ instrument }: MarketExposure): (lots: Lots) => string {
  return (lots) => `${instrument.toldAmountOf(lots)} base`;
}

/** Credit units as people read them. */
export function inQuote(market: MarketExposure | undefined): (units: CreditUnits) => string {
  return (units) =>
    market === undefined ? String(units) : `${market.instrument.creditToDecimal(units)} quote`;
}
