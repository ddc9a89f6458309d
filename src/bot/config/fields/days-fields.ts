import { z } from "zod";
import { durationField } from "./config-fields.js";

const DAY_MS = 86_400_000;

/** The keys of the day files. */
export const daysShape = z
  .strictObject({
    record: z
      .boolean()
      .describe("True if the bot keeps day files in its state: reports and summaries need them.")
      .default(true),
    everyMs: durationField("Interval of their rows; it divides a day.", {
      min: 1_000,
      max: 3_600_000,
    })
      .refine((everyMs) => DAY_MS % everyMs === 0, {
        message: "does not divide a day",
        params: { expected: "milliseconds that divide a day, such as 60000" },
      })
      .default(60_000),
  })
  .describe("The files of equity, quoted time, fills and markouts that `report` reads.");
