import { z } from "zod";
import { countField, durationField } from "../../bot/config/config-fields.js";
import { FIGURE_NAMES } from "./results/figures.js";

const plainValue = z
  .union([z.number(), z.string().min(1), z.boolean()])
  .meta({ expected: "a number, a text, true or false" });

const list = z.strictObject({
  values: z.array(plainValue).min(1).describe("All values that are tried."),
});

const range = z
  .strictObject({
    min: z.number().describe("The lowest value."),
    max: z.number().describe("The highest value."),
    scale: z
      .enum(["linear", "log"])
      .describe("log: each doubling has as many points as any other.")
      .default("linear"),
    integer: z.boolean().describe("Whole numbers only.").default(false),
    step: z
      .number()
      .gt(0)
      .describe(
        "From one value to the next; on a log scale their quotient, above 1. A grid needs it.",
      )
      .optional(),
  })
  .superRefine((held, context) => {
    const wrong = (key: string, input: unknown, message: string, expected: string): void =>
      context.addIssue({ code: "custom", path: [key], input, message, params: { expected } });
    if (held.max <= held.min)
      wrong("max", held.max, "is not above min", `a number above ${held.min}`);
    if (held.scale === "log" && held.min <= 0)
      wrong("min", held.min, "has no logarithm", "a number above 0, or scale: linear");
    if (held.scale === "log" && held.step !== undefined && held.step <= 1)
      wrong("step", held.step, "leads nowhere on a log scale", "a quotient above 1, such as 2");
    if (held.integer && !(Number.isSafeInteger(held.min) && Number.isSafeInteger(held.max)))
      wrong(
        "min",
        held.min,
        "is no whole number",
        "whole numbers for min and max beside integer: true",
      );
  });

const walkForward = z
  .strictObject({
    trainMs: durationField("How long every point is run to choose the best.", {
      max: 3_660 * 86_400_000,
    }),
    testMs: durationField("How long the best is then run, on what follows.", {
      max: 3_660 * 86_400_000,
    }),
    stepMs: durationField(
      "From one train window's beginning to the next one's. At least testMs, the default, with which the tests join up.",
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
        "is shorter than testMs: test windows would overlap, and what they share would count twice in the profit",
      params: { expected: `at least ${testMs}` },
    });
  })
  .describe("Chooses on one stretch of history and judges on the next, again and again.");

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
      .describe("What is varied: paths into the backtest's file, or else the bot's."),
    method: z.enum(["grid", "random", "sobol"]).describe("How points are chosen.").default("sobol"),
    count: countField(
      "How many points are drawn. Not for a grid, which has its own number.",
    ).optional(),
    seed: seed
      .describe("Of random, and of a shift of sobol; without it sobol gives its plain points.")
      .optional(),
    objective: z
      .enum(FIGURE_NAMES)
      .describe("The figure of the report by which points are ranked.")
      .default("profit"),
    goal: z
      .enum(["maximise", "minimise"])
      .describe("Which way is better. Default: minimise of maxDrawdown, maximise of all others.")
      .optional(),
    walkForward: walkForward.optional(),
    workers: countField("Runs at once. Default: the cores of this machine.", {
      max: 1024,
    }).optional(),
    name: z
      .string()
      .min(1)
      .max(200)
      .describe("Title of the page. Default: the file's own name.")
      .optional(),
  })
  .superRefine((held, context) => {
    const wrong = (key: string, input: unknown, message: string, expected: string): void =>
      context.addIssue({ code: "custom", path: [key], input, message, params: { expected } });
    if (held.method === "grid" && held.count !== undefined)
      wrong(
        "count",
        held.count,
        "does not go with a grid, whose steps make its number",
        "no count, or method: sobol or random",
      );
    if (held.method !== "grid" && held.count === undefined)
      wrong("count", held.count, "is missing", "how many points are drawn, such as 64");
    if (held.method === "grid" && held.seed !== undefined)
      wrong(
        "seed",
        held.seed,
        "does not go with a grid, in which nothing is drawn",
        "no seed, or method: sobol or random",
      );
  })
  .meta({ title: "Marketwright sweep", description: "A backtest, run with many parameters." });

/** The output of {@link sweepSchema}. */
export type SweepFile = z.output<typeof sweepSchema>;
