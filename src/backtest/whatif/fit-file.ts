import { resolve } from "node:path";
import { z } from "zod";
import { ConfigError } from "../../core/errors.js";
import { replaceFile } from "../../core/files/atomic-file.js";
import { readPlainText } from "../../core/files/plain-files.js";
import { isQueueModelName, QUEUE_MODEL_NAMES } from "../../core/queue/queue-model-names.js";

const FORMAT = 1;

const latency = z.number().min(0).max(60_000);

const fitShape = z.strictObject({
  format: z.literal(FORMAT),
  /** Where it was fitted. */
  session: z.strictObject({
    exchange: z.string(),
    mode: z.enum(["live", "paper"]),
    from: z.string(),
    to: z.string(),
  }),
  /** By market: the others of one market say nothing about those of another. */
  markets: z.record(
    z.string(),
    z.strictObject({
      queue: z.string().refine(isQueueModelName, { message: `is none of ${QUEUE_MODEL_NAMES}` }),
      orderLatencyMs: latency,
      responseLatencyMs: latency,
      /** Share of all filled size that the session and its replay both have. */
      alike: z.number().min(0).max(1),
      /** Fills of the session. */
      fills: z.int().nonnegative(),
      /** Number of models tried, and of those that fill as alike as the best within its error. */
      tried: z.int().positive(),
      plausible: z.int().positive(),
    }),
  ),
});

/** A fill model fitted to a recorded session, as a backtest can load it. */
export type FillModelFit = Omit<z.infer<typeof fitShape>, "format">;

/** Writes a fit. @throws an error of the file system */
export function writeFitFile(path: string, fit: FillModelFit): void {
  replaceFile(resolve(path), `${JSON.stringify({ format: FORMAT, ...fit }, null, 2)}\n`);
}

/**
 * Reads a fit.
 * @param field the key that names the file, for the error
 * @throws ConfigError where it cannot be read, or is of another format
 */
export function readFitFile(path: string, field: string): FillModelFit {
  try {
    const { format: _, ...fit } = fitShape.parse(JSON.parse(readPlainText(path)));
    return fit;
  } catch (cause) {
    const issue = cause instanceof z.ZodError ? cause.issues[0] : undefined;
    const where = issue === undefined ? "" : `: ${issue.path.join(".")} ${issue.message}`;
    throw new ConfigError(`is not a fit that this version reads${where}`, {
      field,
      value: path,
      expected: "a file that marketwright whatif --fit-out wrote",
      cause,
    });
  }
}
