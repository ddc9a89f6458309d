import { z } from "zod";
import { countField, durationField } from "../../bot/config/fields/config-fields.js";
import { FIGURE_NAMES } from "./results/figures.js";

const plainValue = z
  .union([z.number(), z.string().min(1), z.boolean()])
  .meta({ expected: "a number, a text, true or false" });

const list = z.strictObject({
  values: z.array(plainValue).min(1).describe("All values to try."),
});

const range = z
  .strictObject({
    min: z.number().describe("The lowest value."),
    max: z.number().describe("The highest value."),
    scale: z
      .enum(["linear", "log"])
      .describe("log: every doubling has the same number of points.")
      .default("linear"),
    integer: z.boolean().describe("Whole numbers only.").default(false),
    step: z
      .number()
      .gt(0)
      .describe(
        "Difference between neighbouring values; on a log scale their quotient, above 1. A grid needs it.",
      )
      .optional(),
  })
  .superRefine((held, context) => {
    const wrong = (key: string, input: unknown, message: string, expected: string): void =>
      context.addIssue({ code: "custom", path: [key], input, message, params: { expected } });
    if (held.max <= held.min)
      wrong("max", held.max, "is not above min", `a number above ${held.min}`);
    if (held.scale === "log" && held.min <= 0)
      wrong(
        "min",
        held.min,
        "has no logarithm, which scale: log needs",
        "a number above 0, or scale: linear",
      );
    if (held.scale === "log" && held.step !== undefined && held.step <= 1)
      wrong(
        "step",
        held.step,
        "does not increase a value on a log scale",
        "a quotient above 1, such as 2",
      );
    if (held.integer && !(Number.isSafeInteger(held.min) && Number.isSafeInteger(held.max)))
      wrong(
        "min",
        held.min,
        "is not a whole number",
        "whole numbers for min and max with integer: true",
      );
  });

const walkForward = z
  .strictObject({
    trainMs: durationField(
      "Milliseconds of history on which every point is run to choose the best.",
      {
        max: 3_660 * 86_400_000,
      },
    ),
    testMs: durationField("Milliseconds of history after it on which the best is then run.", {
      max: 3_660 * 86_400_000,
    }),
    stepMs: durationField(
      "Milliseconds from the start of one train window to the start of the next. At least testMs, the default, with which the test windows adjoin.",
      {
        max: 3_660 * 86_400_000,
      },
    ).optional(),
  })
  .superRefine(({ testMs, stepMs }, context) => {
    if (stepMs === undefined || stepMs >= testMs) return;
    context.addIssue({
      code: "custom",
      path: ["stepMs"],
      input: stepMs,
      message:
        "is shorter than testMs: test windows would overlap, and the profit of the overlap would count twice",
      params: { expected: `at least ${testMs}` },
    });
  })
  .describe(
    "Walk forward: repeatedly chooses the best point on one part of the history and tests it on the next.",
  );

const seed = z.union([z.string().min(1), z.int()]);

/** The zod schema of the sweep file. */
export const sweepSchema = z
  .strictObject({
    backtest: z.string().min(1).describe("The backtest's file, relative to this one."),
    parameters: z
      .record(
        z
          .string()
          .regex(/^[A-Za-z]\w*(\.[\w-]+)*$/)
          .meta({
            expected:
              "a path of keys such as fills.orderLatencyMs or markets.btcusdc.params.riskAversion",
          }),
        z.union([range, list]).meta({ expected: "{ min, max } or { values: [...] }" }),
      )
      .refine((held) => Object.keys(held).length > 0, {
        message: "names nothing to vary",
        params: { expected: "at least one path" },
      })
      .describe("The parameters to vary: paths into the backtest's file, else into the bot's."),
    method: z.enum(["grid", "random", "sobol"]).describe("How points are chosen.").default("sobol"),
    count: countField("Number of points. Not for a grid, whose steps give the number.").optional(),
    seed: seed
      .describe(
        "Seed of random points, or of a random shift of sobol points. Without it sobol points are not shifted.",
      )
      .optional(),
    objective: z
      .enum(FIGURE_NAMES)
      .describe("The figure of the report by which points are ranked.")
      .default("profit"),
    goal: z
      .enum(["maximise", "minimise"])
      .describe(
        "Whether a higher or lower figure is better. Default: minimise for maxDrawdown, maximise for all others.",
      )
      .optional(),
    walkForward: walkForward.optional(),
    workers: countField("Number of parallel runs. Default: the cores of this machine.", {
      max: 1024,
    }).optional(),
    name: z
      .string()
      .min(1)
      .max(200)
      .describe("Title of the page. Default: the name of the file.")
      .optional(),
  })
  .superRefine((held, context) => {
    const wrong = (key: string, input: unknown, message: string, expected: string): void =>
      context.addIssue({ code: "custom", path: [key], input, message, params: { expected } });
    if (held.method === "grid" && held.count !== undefined)
      wrong(
        "count",
        held.count,
        "cannot be set for a grid, whose steps give the number of points",
        "no count, or method: sobol or random",
      );
    if (held.method !== "grid" && held.count === undefined)
      wrong("count", held.count, "is missing", "the number of points, such as 64");
    if (held.method === "grid" && held.seed !== undefined)
      wrong(
        "seed",
        held.seed,
        "cannot be set for a grid, which has no random points",
        "no seed, or method: sobol or random",
      );
  })
  .meta({
    title: "Marketwright sweep",
    description: "A sweep: a backtest run with many parameter values.",
  });

/** The output of {@link sweepSchema}. */
export type SweepFile = z.output<typeof sweepSchema>;
