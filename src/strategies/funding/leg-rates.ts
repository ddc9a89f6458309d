import type { Ms } from "../../core/units.js";
import { FundingRateModel, type PaidRate } from "../models/funding-rate-model.js";
import { AnnouncedRates, type FundingView } from "./announced-rates.js";
import type { FundingParams } from "./funding-params.js";

/**
 * The rates that one leg has paid: those of a file, as far as they are in the past of the views,
 * and those that were announced.
 */
export class LegRates {
  readonly model: FundingRateModel;
  readonly #announced: AnnouncedRates;
  readonly #recorded: readonly PaidRate[];
  #next = 0;

  /** @param recorded oldest first; they may go on beyond the time of a backtest */
  constructor(rate: FundingParams["rate"], recorded: readonly PaidRate[] = []) {
    this.model = new FundingRateModel(rate);
    this.#announced = new AnnouncedRates(this.model);
    this.#recorded = recorded;
  }

  /** Observes a view, in the order of their times. */
  observe(view: FundingView): void {
    this.#takeRecorded(view.timeMs);
    this.#announced.observe(view);
  }

  #takeRecorded(timeMs: Ms): void {
    for (; this.#next < this.#recorded.length; this.#next++) {
      const { rateBps, stampMs } = this.#recorded[this.#next];
      if (stampMs > timeMs) return;
      this.model.observe(rateBps, stampMs);
    }
  }
}
