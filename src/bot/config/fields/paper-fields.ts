import { z } from "zod";
import {
  isQueueModelName,
  QUEUE_MODEL_NAMES,
  QUEUE_MODEL_PATTERN,
} from "../../../core/queue/queue-model-names.js";
import { quoteField } from "./config-fields.js";

/** How the orders of a dry run travel and are filled in this process. */
export const paperShape = z
  .strictObject({
    queue: z
      .string()
      .refine(isQueueModelName, {
        message: "is not a queue model",
        params: { expected: QUEUE_MODEL_NAMES },
      })
      .meta({
        description: `Queue position of paper orders in the live book: ${QUEUE_MODEL_NAMES}.`,
        pattern: QUEUE_MODEL_PATTERN,
      })
      .default("risk-averse"),
    orderLatencyMs: z
      .number()
      .min(0)
      .max(60_000)
      .describe("Delay from sending a paper request to its arrival.")
      .default(40),
    responseLatencyMs: z
      .number()
      .min(0)
      .max(60_000)
      .describe("Delay from an event of a paper order to its arrival at the bot.")
      .default(40),
    creditQuote: quoteField("Initial balance of the paper account").default("100000"),
  })
  .describe("How the orders of run --dry-run are filled.");

/** A bot's paper models, with defaults for absent ones. */
export function paperModels({
  paper,
}: {
  readonly paper?: z.output<typeof paperShape> | undefined;
}): z.output<typeof paperShape> {
  return paper ?? paperShape.parse({});
}
