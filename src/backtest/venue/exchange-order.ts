import type { SignedFeeRates } from "../../bot/execution/signed-rates.js";
import type { CreditUnits, Int64Id, Lots, Ms } from "../../core/units.js";
import type { OrderStruct, VenueOrder } from "../../exchange/records.js";
import type { PlaceAction } from "../../exchange/venue.js";
import type { OrderEnd, ReplayOrder } from "../matching/matcher.js";

/** The terms of an order that the exchange keeps. */
export interface PlacedTerms
  extends Pick<
    PlaceAction,
    "actionId" | "marketId" | "side" | "type" | "ticks" | "lots" | "timeInForce" | "hash"
  > {
  readonly expirationMs: Ms;
  readonly order: Pick<OrderStruct, "info">;
}

/** An order of ours with the state that the exchange's records show. */
export class ExchangeOrder {
  readonly order: ReplayOrder;
  readonly action: PlacedTerms;
  readonly id: Int64Id;
  readonly createdAtMs: Ms;
  /**
   * The fee rates at its arrival: they belong to the order, and later rates of the market do not
   * apply.
   */
  readonly rates: SignedFeeRates;
  filledLots: Lots = 0;
  /** Its traded value, in credit units. */
  quote: CreditUnits = 0n;
  /** Ticks times lots of its fills. */
  #tickLots = 0;
  end: OrderEnd | undefined;

  constructor(order: ReplayOrder, action: PlacedTerms, createdAtMs: Ms, rates: SignedFeeRates) {
    this.order = order;
    this.action = action;
    this.id = String(order.id);
    this.createdAtMs = createdAtMs;
    this.rates = rates;
  }

  filled(ticks: number, lots: Lots, quote: CreditUnits): void {
    this.filledLots += lots;
    this.quote += quote;
    this.#tickLots += ticks * lots;
  }

  /**
   * The record that the exchange reports now. Trades settle with their match: none is ever pending,
   * or fails.
   */
  record(priceOf: (ticks: number) => string): VenueOrder {
    const { action, filledLots, end } = this;
    const rest = action.lots - filledLots;
    const isCancelled = end === "cancelled";
    return {
      id: this.id,
      hash: action.hash,
      info: action.order.info,
      marketId: action.marketId,
      side: action.side,
      type: action.type,
      timeInForce: action.timeInForce,
      ticks: action.ticks,
      lots: action.lots,
      availableLots: end === undefined ? rest : 0,
      pendingLots: 0,
      filledLots,
      canceledLots: isCancelled ? rest : 0,
      expiredLots: end !== undefined && !isCancelled ? rest : 0,
      failedLots: 0,
      averagePrice: filledLots === 0 ? undefined : priceOf(Math.round(this.#tickLots / filledLots)),
      status: this.#status(rest),
      createdAtMs: this.createdAtMs,
      expirationMs: action.expirationMs,
    };
  }

  #status(rest: Lots): string {
    if (rest === 0) return "FILLED";
    if (this.end === undefined) return this.filledLots > 0 ? "PARTIAL_FILLED" : "NEW";
    return this.end === "cancelled" ? "CANCELED" : "EXPIRED";
  }
}
