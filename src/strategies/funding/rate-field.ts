import { z } from "zod";
import { DAY_MS, MINUTE_MS } from "../../core/units.js";

const EIGHT_HOURS_MS = 480 * MINUTE_MS;

/** The model of the rates of a market: {@link FundingRateModel}. */
export const rateField = z
  .strictObject({
    persistence: z
      .number()
      .min(0)
      .max(0.99)
      .describe("Share of a rate's distance from its mean that the next rate keeps.")
      .default(0.8),
    longRunBps: z
      .number()
      .min(-100)
      .max(100)
      .describe("Mean of the rates, in basis points a funding; longs pay if it is positive.")
      .default(0),
    residualBps: z
      .number()
      .min(0)
      .max(100)
      .describe("Standard deviation of what the model does not predict, in basis points.")
      .default(2),
    periodMs: z
      .int()
      .min(MINUTE_MS)
      .max(7 * DAY_MS)
      .describe("Time between two fundings, until two were seen.")
      .default(EIGHT_HOURS_MS),
    windowRates: z
      .int()
      .min(10)
      .max(100_000)
      .describe("Rates that the fit counts, the newest.")
      .default(270),
    leastRates: z
      .int()
      .min(10)
      .max(100_000)
      .describe(
        "Rates that the fit needs, at most windowRates; the first three values hold until then.",
      )
      .default(30),
  })
  .describe("The process of the funding rates, fitted while the bot runs.")
  .prefault({});
