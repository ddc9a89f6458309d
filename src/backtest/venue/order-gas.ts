import type { Instrument } from "../../core/instrument.js";
import type { CreditUnits } from "../../core/units.js";
import type { VenueRules } from "../../exchange/records.js";
import { isBelowWaiver, type WaiverUnit } from "../../exchange/signing/gas-fee-waiver.js";
import type { Outcome, PlaceAction } from "../../exchange/venue.js";
import { gasRate } from "../../perpetual/fees.js";
import { ONE } from "../../perpetual/fixed-point.js";
import { refuseWith } from "./find-place-refusal.js";
import type { MarketTerms } from "./market-terms.js";

/** What of an order decides its gas. */
type Sized = Pick<PlaceAction, "side" | "ticks" | "lots">;

/**
 * The gas of small orders as a replayed exchange charges it: one below the waiver pays that of its
 * settlement, as a share of its value that is added to both of its fee rates
 * (docs/reference/exchange-interface.md#fee-rates). At the price that the rules were told with,
 * which live moves.
 */
export class OrderGas {
  readonly #rules: Pick<VenueRules, "waiveGasFeeMinimumQuote">;
  readonly #unit: WaiverUnit;
  readonly #cost: CreditUnits;

  /** @param rules the exchange's own: a waiver of zero is one for all, and without a cost nothing can be charged. */
  constructor(
    rules: Pick<VenueRules, "waiveGasFeeMinimumQuote" | "orderGasCredit">,
    unit: WaiverUnit,
  ) {
    this.#rules = rules;
    this.#unit = unit;
    this.#cost = rules.orderGasCredit ?? 0n;
  }

  /** What is added to an order's fee rates, scaled by 10^18 and rounded up; 0 for one that is large enough. A MARKET order may be of any value. */
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

  /** Why an order is not built: its gas is worth more than itself. Undefined for any other. */
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
