import { z } from "zod";
import { FIGURE_NAMES, type FigureName } from "./figures.js";

/** The format identifier of a sweep's results. Any change that a reader could notice changes it. */
export const SWEEP_FORMAT = "marketwright-sweep/3";

const instant = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  .describe("UTC, to the microsecond");
const value = z.union([z.string(), z.number(), z.boolean()]);
const figure = z
  .union([z.string().regex(/^-?\d+(\.\d+)?$/), z.number()])
  .nullable()
  .describe("Money as an exact decimal, a ratio as a number; null where it is not defined");
const figures = z
  .strictObject(
    Object.fromEntries(FIGURE_NAMES.map((name) => [name, figure])) as Record<
      FigureName,
      typeof figure
    >,
  )
  .describe("The figures of report.json");
const index = z.int().nonnegative();
const run = z.strictObject({
  figures,
  ended: z
    .enum(["end-of-history", "halted", "liquidated", "stopped", "refused"])
    .describe(
      "refused: not run, since the market does not accept its values; all figures are null",
    ),
  reason: z.string().describe("Why a run was refused").optional(),
  strategyError: z.string().describe("The market whose strategy failed, and the error").optional(),
  doubts: z
    .array(z.string())
    .describe(
      "First the reasons why the run is worthless, then those why it may be too optimistic, as in report.json",
    ),
});
const window = z.strictObject({
  name: z.string(),
  from: instant,
  to: instant.describe("Exclusive"),
});
const values = z.record(z.string(), value).describe("The value of each parameter, by its path");

/** The schema of `sweep.json`. */
export const sweepJsonShape = z
  .strictObject({
    format: z.literal(SWEEP_FORMAT),
    name: z.string(),
    version: z.string(),
    fingerprint: z.string().describe("Checksum of everything that a figure depends on"),
    grade: z.enum(["books", "trades", "klines"]),
    isIndicative: z.boolean().describe("Replayed on candles: fills are a guess"),
    method: z.strictObject({
      kind: z.enum(["grid", "random", "sobol"]),
      seed: z.string().nullable(),
    }),
    objective: z.strictObject({
      figure: z.enum(FIGURE_NAMES),
      goal: z.enum(["maximise", "minimise"]),
    }),
    parameters: z.array(
      z.strictObject({
        path: z.string(),
        scale: z.enum(["linear", "log", "list"]),
        values: z.array(value).describe("Its two ends, or all values of a list"),
      }),
    ),
    windows: z.array(window).describe("The parts of the history on which every point was run"),
    points: z.array(
      z.strictObject({
        index,
        values,
        rank: z
          .int()
          .positive()
          .describe("By the objective; 1 is the best; equal points are ordered by index"),
        objective: figure.describe(
          "The objective's figure; with several windows their mean, null if one has none",
        ),
        runs: z.array(run).describe("One for each window"),
      }),
    ),
    best: index.describe("The best point; in a walk forward the best of the last train window"),
    walkForward: z
      .strictObject({
        splits: z.array(
          z.strictObject({
            train: window,
            test: window,
            best: index,
            values,
            trained: run,
            tested: run,
          }),
        ),
        tested: z.strictObject({
          profit: z.string(),
          positive: index.describe("Test windows with a profit above zero"),
        }),
      })
      .nullable()
      .describe(
        "Each train window's best point, run on the test window after it, which did not influence the choice",
      ),
    data: z.array(
      z.strictObject({
        marketId: z.string(),
        kind: z.string(),
        file: z.string(),
        rows: index,
        sha256: z.string(),
      }),
    ),
    gaps: z.array(z.string()).describe("Gaps of the store's history in the requested span"),
  })
  .meta({
    title: "Marketwright sweep",
    description: "A backtest run with many parameter values, and the result of each.",
  });

/** The result of a sweep, the content of `sweep.json`. */
export type SweepResult = z.infer<typeof sweepJsonShape>;

/**
 * The text of `sweep.json`, point by point: a million runs exceed the longest string.
 * @param indent spaces a level; 0 for one line.
 */
export function* sweepJsonParts(result: SweepResult, indent = 0): Generator<string, void> {
  const lineAt = (depth: number): string => (indent === 0 ? "" : `\n${" ".repeat(indent * depth)}`);
  const textAt = (depth: number, value: unknown): string =>
    JSON.stringify(value, undefined, indent).replaceAll("\n", lineAt(depth));
  let before = "{";
  for (const [key, value] of Object.entries(result)) {
    yield `${before}${lineAt(1)}${JSON.stringify(key)}:${indent === 0 ? "" : " "}`;
    before = ",";
    if (key !== "points") yield textAt(1, value);
    else {
      for (const [at, point] of result.points.entries())
        yield `${at === 0 ? "[" : ","}${lineAt(2)}${textAt(2, point)}`;
      yield result.points.length === 0 ? "[]" : `${lineAt(1)}]`;
    }
  }
  yield `${lineAt(0)}}\n`;
}

/** The JSON Schema of `sweep.json` as text: the content of `config/sweep.schema.json`. */
export function sweepJsonSchema(): string {
  return `${JSON.stringify(z.toJSONSchema(sweepJsonShape), null, 2)}\n`;
}
