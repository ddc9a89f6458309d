import { z } from "zod";
import { LEAST_INDEPENDENT_MOVES } from "../record/signal/signal-horizon.js";

const interval = z
  .strictObject({ value: z.number(), low: z.number(), high: z.number() })
  .describe("With its 95 % interval over blocks of time");

const horizon = z.strictObject({
  seconds: z.number().positive().describe("After the prediction"),
  predictions: z.int().nonnegative().describe("Predictions whose horizon ended before the run"),
  independentMoves: z
    .int()
    .nonnegative()
    .describe("Windows of the horizon that do not overlap, in which the mid moved"),
  figures: z
    .strictObject({
      slope: interval.describe(
        "Slope of the realised on the predicted move, through the origin: 1 for a calibrated signal, 0 for a worthless one",
      ),
      correlation: z
        .number()
        .min(-1)
        .max(1)
        .describe("Of predicted and realised moves, about zero; its square is the share explained"),
      hitRate: interval.describe("Share of the moves in the predicted direction"),
      predictedBps: z
        .number()
        .nonnegative()
        .describe("Mean size of the predicted moves, basis points of the mid"),
      realisedBps: interval.describe(
        "Mean realised move in the predicted direction, basis points of the mid",
      ),
    })
    .nullable()
    .describe(
      `null if the run is too short to tell: with fewer than ${LEAST_INDEPENDENT_MOVES} independent moves`,
    ),
});

/** The schema of the worth of a market's signal. */
export const signalSchema = z
  .array(horizon)
  .describe(
    "The worth of the strategy's signal: predicted against realised moves of the mid, by horizon. Absent if the strategy predicted nothing, in live reports, and in reports of older versions",
  );

/** The worth of a market's signal in `report.json`. */
export type SignalReport = z.infer<typeof signalSchema>;
