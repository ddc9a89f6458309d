import { MINUTE_MS, type Ms } from "../../core/units.js";
import type { MarketView } from "../../market/view.js";
import type { AnnouncedFunding } from "../models/funding-carry.js";
import type { FundingRateModel } from "../models/funding-rate-model.js";

const BPS_IN_ONE = 10_000;
/** How long before its funding time an announcement may be, to count as what was paid. */
const MOST_EARLY_MS: Ms = 60 * MINUTE_MS;

/** Figures of a view about its market's funding. */
export type FundingView = Pick<MarketView, "timeMs" | "fundingRate" | "nextFundingMs">;

/** The announced funding of a view; undefined while none is, or the announced time has passed. */
export function announcedFunding({
  timeMs,
  fundingRate,
  nextFundingMs,
}: FundingView): AnnouncedFunding | undefined {
  const untilMs = nextFundingMs - timeMs;
  return untilMs > 0 && Number.isFinite(fundingRate)
    ? { rateBps: fundingRate * BPS_IN_ONE, untilMs }
    : undefined;
}

/**
 * The rates that were paid, as the announcements show them: the last one before each funding time.
 * An announcement may change until then, so an early one does not count.
 */
export class AnnouncedRates {
  readonly #model: FundingRateModel;
  #last: { readonly rateBps: number; readonly stampMs: Ms; readonly seenMs: Ms } | undefined;

  constructor(model: FundingRateModel) {
    this.#model = model;
  }

  /** Observes a view, in the order of their times. */
  observe(view: FundingView): void {
    const last = this.#last;
    if (last !== undefined && view.timeMs >= last.stampMs) {
      this.#last = undefined;
      if (last.stampMs - last.seenMs <= MOST_EARLY_MS)
        this.#model.observe(last.rateBps, last.stampMs);
    }
    const announced = announcedFunding(view);
    if (announced !== undefined)
      this.#last = {
        rateBps: announced.rateBps,
        stampMs: view.nextFundingMs,
        seenMs: view.timeMs,
      };
  }
}
