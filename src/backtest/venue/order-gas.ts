import type { Instrument } from "../../core/instrument.js";
import type { CreditUnits } from "../../core/units.js";
import type { VenueRules } from "../../exchange/records.js";
import { isBelowWaiver, type WaiverUnit } from "../../exchange/signing/gas-fee-waiver.js";
import type { Outcome, PlaceAction } from "../../exchange/venue.js";
import { gasRate } from "../../perpetual/fees.js";
import { ONE } from "../../perpetual/fixed-point.js";
import { refuseWith } from "./find-place-refusal.js";
import type { MarketTerms } from "./market-terms.js";

/** The fields of an order that decide its gas. */
type Sized = Pick<PlaceAction, "side" | "ticks" | "lots">;

/**
 * The gas of small orders as a replayed exchange charges it. An order below the waiver pays the gas
 * of its settlement, as a share of its value that is added to both of its fee rates
 * (docs/reference/exchange-interface.md#fee-rates). The gas price is the one of the rules; live it
 * moves.
 */
export class OrderGas {
  readonly #rules: Pick<VenueRules, "waiveGasFeeMinimumQuote">;
  readonly #unit: WaiverUnit;
  readonly #cost: CreditUnits;

  /**
   * @param rules the exchange's own: a waiver of zero exempts every order, and without a cost
   * nothing can be charged.
   */
  constructor(
    rules: Pick<VenueRules, "waiveGasFeeMinimumQuote" | "orderGasCredit">,
    unit: WaiverUnit,
  ) {
    this.#rules = rules;
    this.#unit = unit;
    this.#cost = rules.orderGasCredit ?? 0n;
  }

  /**
   * Addition to an order's fee rates, scaled by 10^18 and rounded up; 0 for an order that is large
   * enough. A MARKET order may be of any value.
   */
  rateOf({ side, ticks, lots }: Sized, instrument: Instrument): bigint {
    if (
      this.#cost === 0n ||
      Number.isNaN(ticks) ||
      !isBelowWaiver(this.#rules, instrument, { ticks, lots }, this.#unit)
    )
      return 0n;
    const value = instrument.orderCredit(side, ticks, lots);
    return value === 0n ? ONE : gasRate(this.#cost, value);
  }

  /** The refusal of an order whose gas exceeds its value; undefined for any other. */
  findRefusal(action: Sized, { instrument, rules }: MarketTerms): Outcome | undefined {
    const rate = this.rateOf(action, instrument);
    if (rate === 0n || (rate + rules.makerFeeRate < ONE && rate + rules.takerFeeRate < ONE))
      return undefined;
    return refuseWith(
      2016,
      `it is worth less than the ${instrument.creditToDecimal(this.#cost)} of gas of its settlement`,
    );
  }
}
