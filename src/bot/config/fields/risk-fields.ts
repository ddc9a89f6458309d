import { z } from "zod";
import { needs } from "../../../core/config/key-rules.js";
import { countField, durationField, fractionField, quoteField } from "./config-fields.js";
import { lossShape } from "./ladder-fields.js";

/** The limits of the whole account, with its losses and the risk ladder. */
export const riskShape = z
  .strictObject({
    ...lossShape,
    maxBookAgeMs: durationField("Quotes are cancelled when the book is older than this.", {
      max: 600_000,
    }).default(2000),
    maxAccountAgeMs: durationField(
      "Quotes are cancelled when the account has not been confirmed for this long.",
      { max: 3_600_000 },
    ).default(90_000),
    maxRulesAgeMs: durationField(
      "Quotes are cancelled when exchangeInfo could not be read for this long. Default: three times exchange.rulesRefreshMs.",
    ).optional(),
    maxLoopLagMs: durationField(
      "Quotes are cancelled while the bot's event loop reacts later than this, on the mean of two seconds; from a tenth of it on, load is shed.",
      { min: 100, max: 60_000 },
    ).default(500),
    maxLeverage: z
      .number()
      .gt(0)
      .max(1000)
      .describe("Largest exposure of the account as a multiple of its net value.")
      .optional(),
    maxNotionalQuote: quoteField("Largest worst-case exposure over all markets").optional(),
    maxOpenOrders: countField("Most own orders over all markets.", { max: 10_000 }).optional(),
    minLiquidationDistanceBps: z
      .number()
      .gt(0)
      .max(10_000)
      .describe("Only reducing orders when the mark is nearer to the liquidation price than this.")
      .optional(),
    maxMarginUseFraction: fractionField(
      "Largest share of the account's margin that positions and orders may use.",
    ).optional(),
    maxRejectsPerMinute: countField(
      "A market with more refused places than this in one minute is halted.",
      { max: 10_000 },
    ).default(30),
  })
  .meta({
    description: "Limits of the whole account, and what counts as too old to trade on.",
    allOf: [needs("onDailyLoss", "maxDailyLossQuote")],
  });
