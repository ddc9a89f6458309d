import { decimalToScaled, scaledToDecimal } from "../../../core/instrument.js";
import type { CreditUnits, Hex } from "../../../core/units.js";
import { gasRate } from "../../../perpetual/fees.js";
import { ONE } from "../../../perpetual/fixed-point.js";
import type { ExchangeAccount } from "../../accounts/account.js";
import type { ExchangeState } from "../../engine/exchange-state.js";
import type { SignedOrderInfo } from "../../signing/order-info.js";
import { ApiError } from "../api-error.js";
import { FeeSchedule, type ScheduledFees } from "./fee-schedule.js";
import { GasFeeQuotations } from "./gas-fee-quotation.js";
import type { RequestedOrder } from "./order-terms.js";

/** Decimals of a fixed waiver, with which amounts of any unit are compared. */
const WAIVER_DECIMALS = 30;

/**
 * The fee rates that an order's `info` must carry (docs/reference/exchange-interface.md#fee-rates;
 * docs/reference/protocol.md#fees-and-gas). These are the account's rates and, for an order below
 * the waiver, the gas of its settlement as a share of its value. Rates with gas are accepted only
 * with the token of the build that returned them.
 */
export class OrderFees {
  readonly #state: ExchangeState;
  readonly #schedule: FeeSchedule;
  readonly #quotations: GasFeeQuotations;
  /** Scaled by 10^{@link WAIVER_DECIMALS}; null if the waiver is dynamic. */
  readonly #fixedWaiver: bigint | null;

  /** @throws ConfigError for an invalid fee agreement */
  constructor(state: ExchangeState) {
    this.#state = state;
    this.#schedule = new FeeSchedule(state.config);
    this.#quotations = new GasFeeQuotations(
      () => state.quotationSecret,
      state.config.choices.gasFeeQuotationLifeMs,
    );
    const { waiveGasFeeMinimumAmount } = state.config.choices;
    this.#fixedWaiver =
      waiveGasFeeMinimumAmount === "dynamic"
        ? null
        : decimalToScaled(waiveGasFeeMinimumAmount, WAIVER_DECIMALS);
  }

  /**
   * The rates for an order that the service builds.
   * @throws ApiError 2016 when its gas costs more than the order's value
   */
  ratesToBuild(account: ExchangeAccount, requested: RequestedOrder): ScheduledFees {
    const base = this.#schedule.ratesFor(account.address, requested.market);
    if (!this.#isBelowWaiver(requested)) {
      return base;
    }
    const cost = this.#state.gas.orderCost(this.#state.nowMs());
    const offset = gasRate(cost, requested.credit);
    const rates = { makerRate: base.makerRate + offset, takerRate: base.takerRate + offset };
    if (rates.makerRate >= ONE || rates.takerRate >= ONE) {
      throw new ApiError(2016, "the order is worth less than the gas of its settlement");
    }
    return rates;
  }

  /** The token of a build. */
  quote(orderHash: Hex): string {
    return this.#quotations.issue(orderHash, this.#state.runtime.clock.nowMs());
  }

  /** @param token the order's `gasFeeQuotation`, if any. @throws ApiError 4012 */
  check(
    account: ExchangeAccount,
    requested: RequestedOrder,
    info: SignedOrderInfo,
    hash: Hex,
    token: string | undefined,
  ): void {
    if (token !== undefined && token !== "") {
      // A built order carries the rates of its build, and its hash commits to them.
      if (!this.#quotations.isValid(token, hash, this.#state.runtime.clock.nowMs())) {
        throw new ApiError(4012, "gasFeeQuotation is forged, expired or for another order");
      }
      return;
    }
    if (!carriesRates(info, this.#schedule.ratesFor(account.address, requested.market))) {
      throw new ApiError(4012, "info does not contain the account's fee rates");
    }
    if (this.#isBelowWaiver(requested)) {
      throw new ApiError(4012, `an order below ${waiverText(this.#state)} needs a gasFeeQuotation`);
    }
  }

  #isBelowWaiver({ market, lots, credit }: RequestedOrder): boolean {
    const { choices, creditDecimals, paperDecimals } = this.#state.config;
    if (this.#fixedWaiver === null) {
      return credit < dynamicWaiver(this.#state);
    }
    return choices.waiverUnit === "quote"
      ? credit * 10n ** BigInt(WAIVER_DECIMALS - creditDecimals) < this.#fixedWaiver
      : market.instrument.lotsToPaper(lots) * 10n ** BigInt(WAIVER_DECIMALS - paperDecimals) <
          this.#fixedWaiver;
  }
}

function carriesRates(info: SignedOrderInfo, { makerRate, takerRate }: ScheduledFees): boolean {
  return info.makerRate === makerRate && info.takerRate === takerRate;
}

/** The current `waiveGasFeeMinimumAmount`: fixed, or a multiple of the gas of one order. */
export function waiverText(state: ExchangeState): string {
  const { choices, creditDecimals } = state.config;
  return choices.waiveGasFeeMinimumAmount === "dynamic"
    ? scaledToDecimal(dynamicWaiver(state), creditDecimals)
    : choices.waiveGasFeeMinimumAmount;
}

function dynamicWaiver(state: ExchangeState): CreditUnits {
  return state.gas.orderCost(state.nowMs()) * BigInt(state.config.gasFee.waiverMultiple);
}
