import { z } from "zod";
import { DAY_MS, MINUTE_MS } from "../../core/units.js";
import { ladderFields, ladderUnits } from "../ladder.js";
import { sigmaField } from "../models/sigma.js";
import { withEitherUnits } from "../param-fields.js";
import { rateField } from "./rate-field.js";

const { targetPositionBase: _, ...quoteFields } = ladderFields;

const thresholdField = (most: number, description: string) =>
  z.number().min(0).max(most).describe(`${description}, in basis points of one leg's value.`);

/** The carry trade: a position here, and the opposite one at the market's hedge. */
const carryField = z
  .strictObject({
    legBase: z
      .number()
      .gt(0)
      .describe("Position of each leg while the trade is on, in base units."),
    entryMarginBps: thresholdField(
      1000,
      "Least that an entry leaves after the fees of four fills",
    ).default(2),
    exitBps: thresholdField(1000, "The trade ends when less is expected of the rest").default(0),
    maxLossBps: thresholdField(
      10_000,
      "Largest loss of an entry in the worst case, fees included",
    ).default(50),
    worstShare: z
      .number()
      .gt(0)
      .max(0.5)
      .describe("Share of the times in the rates' history that were worse than the worst case.")
      .default(0.05),
    leastTimes: z
      .int()
      .min(10)
      .max(100_000)
      .describe("Times of the length of holdingMs that a worst case needs.")
      .default(30),
    basisWindowMs: z
      .int()
      .min(MINUTE_MS)
      .max(30 * DAY_MS)
      .describe("Time in which the weight of a basis in its mean falls to 1/e.")
      .default(DAY_MS),
    basisHalfLifeMs: z
      .int()
      .min(MINUTE_MS)
      .max(365 * DAY_MS)
      .describe("Time in which half of the basis' distance from its mean goes away.")
      .default(DAY_MS),
    rateFiles: z
      .strictObject({
        here: z.string().min(1).describe("Rates that this exchange has paid."),
        there: z.string().min(1).describe("Rates that the hedge venue has paid."),
      })
      .describe(
        "Files of rates, NDJSON or NDJSON with gzip: fundingRate and fundingTime a line. Relative to the bot's file.",
      )
      .optional(),
  })
  .describe("The carry trade with the market's hedge, in place of the lean.");

/** Parameters of `funding` (formulas in `docs/reference/built-in-strategies.md`). */
export const fundingParams = withEitherUnits(
  z.strictObject({
    fair: z
      .enum(["mid", "micro", "reference"])
      .describe("The fair price, as of ladder.")
      .default("mid"),
    riskAversion: z
      .number()
      .gt(0)
      .max(1000)
      .describe("gamma: per basis point of value and per order of sizeBase held. Not of carry.")
      .default(0.0001),
    holdingMs: z
      .int()
      .min(1000)
      .max(30 * DAY_MS)
      .describe("Mean time that a position is held; of carry, the time that it is judged over.")
      .default(480 * MINUTE_MS),
    sigma: sigmaField,
    rate: rateField,
    carry: carryField.optional(),
    ...quoteFields,
  }),
  ladderUnits,
);

/** The strategy's parameters, validated. */
export type FundingParams = z.output<typeof fundingParams>;

/** Parameters with a carry trade. */
export type CarryParams = FundingParams & {
  readonly carry: NonNullable<FundingParams["carry"]>;
};
