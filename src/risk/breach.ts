import type { CreditUnits, Lots, MarketId } from "../core/units.js";
import type { MarketExposure } from "./exposure.js";

/** The limits by name: the label of a metric and the name in logs. */
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

/** A limit that the worst case would breach. */
export interface Breach {
  readonly limit: LimitName;
  readonly scope: "market" | "account";
  /** The market of the limit, or of the order that was checked. */
  readonly marketId: MarketId;
  /** The worst case, in the limit's unit: lots, credit units, orders, basis points, a ratio. */
  readonly value: string;
  readonly allowed: string;
  /** A sentence without its full stop and without the limit's name, which precedes it. */
  readonly why: string;
}

/**
 * Creates a breach of a numeric limit.
 * @param text formats a value with its unit for display
 */
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

/**
 * Creates a breach without a number.
 * @param why a sentence without its full stop
 */
export function explainedBreach(
  limit: LimitName,
  marketId: MarketId,
  value: string,
  allowed: string,
  why: string,
): Breach {
  return { limit, scope: "market", marketId, value, allowed, why };
}

/** Creates a breach of a limit on `part` as a share of the net value. */
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

/** Text for a share of a net value that is not above zero. */
const INFINITE = "infinite";

/** Formats lots in base for display. A sum of lots may exceed exact integers. */
export function inBase({ instrument }: MarketExposure): (lots: Lots) => string {
  return (lots) => `${instrument.formatReportedAmount(lots)} base`;
}

/** Formats credit units for display. */
export function inQuote(market: MarketExposure | undefined): (units: CreditUnits) => string {
  return (units) =>
    market === undefined ? String(units) : `${market.instrument.creditToDecimal(units)} quote`;
}
