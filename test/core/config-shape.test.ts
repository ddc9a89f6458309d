import { describe, expect, it } from "vitest";
import { z } from "zod";
import { checkShape, textPaths } from "#core/config-shape.js";
import { ConfigError } from "#core/errors.js";

/** Building blocks of a strategy's own schema. */
const schema = z.object({
  form: z
    .discriminatedUnion("by", [
      z.strictObject({ by: z.literal("time"), everyMs: z.int() }),
      z.strictObject({ by: z.literal("fill") }),
    ])
    .optional(),
  sigma: z
    .union([
      z.strictObject({ sigmaTicks: z.number() }),
      z.strictObject({ sigmaBps: z.number().min(0) }),
    ])
    .optional(),
  size: z.union([z.number().positive(), z.string()]).optional(),
  name: z.enum(["slow", "fast"]).optional(),
  listOf: z.array(z.number()).min(1).optional(),
  pair: z.tuple([z.number(), z.string()]).optional(),
  stepBase: z.number().multipleOf(0.5).optional(),
  on: z.boolean().optional(),
  price: z.number().nullable().optional(),
  note: z.string().min(1).optional(),
  byMarket: z
    .record(
      z
        .string()
        .regex(/^[a-z]+$/)
        .meta({ expected: "lower-case letters" }),
      z.number(),
    )
    .optional(),
});

function messageOf(value: unknown): string {
  try {
    checkShape(schema, value, { at: ["params"] });
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message;
  }
  throw new Error("it was taken");
}

describe("a value of the wrong shape", () => {
  it.each<[string, unknown, string]>([
    [
      "an unknown choice of forms",
      { form: { by: "tme" } },
      'params.form.by: is not one of the allowed values, did you mean time? (got "tme"); expected one of time, fill',
    ],
    ["no choice of forms", { form: {} }, "params.form.by: is missing; expected one of time, fill"],
    [
      "a choice in the place of its form",
      { form: "fill" },
      'params.form: is of the wrong type (got "fill"); expected a mapping whose by is one of time, fill',
    ],
    [
      "a key of another form",
      { form: { by: "fill", everyMs: 5 } },
      "params.form.everyMs: unknown key (got 5); expected one of by",
    ],
    [
      "a wrong value in a chosen form",
      { form: { by: "time", everyMs: 1.5 } },
      "params.form.everyMs: is not a whole number (got 1.5); expected a whole number of milliseconds",
    ],
    [
      "a wrong value in the form that was meant",
      { sigma: { sigmaBps: -1 } },
      "params.sigma.sigmaBps: is too low (got -1); expected a number in basis points from 0",
    ],
    [
      "a slip in the key that tells the form",
      { sigma: { sigmaBp: 1 } },
      "did you mean sigmaBps (in basis points)?",
    ],
    [
      "two forms at once",
      { sigma: { sigmaBps: 1, sigmaTicks: 2 } },
      "cannot be combined with the keys beside it",
    ],
    [
      "no form at all",
      { sigma: {} },
      "params.sigma: has none of the allowed forms (got {}); expected a mapping of sigmaTicks or a mapping of sigmaBps",
    ],
    [
      "neither number nor text",
      { size: [] },
      "params.size: has none of the allowed forms (got []); expected a number above 0 or a text",
    ],
    [
      "an empty list",
      { listOf: [] },
      "params.listOf: has too few entries (got []); expected a list of at least 1",
    ],
    [
      "an entry of a list",
      { listOf: [1, "a"] },
      'params.listOf.1: is of the wrong type (got "a"); expected a number',
    ],
    [
      "a short pair",
      { pair: [1] },
      "params.pair: has too few entries (got [1]); expected a list of 2: a number, a text",
    ],
    [
      "half of a pair",
      { pair: [1, 2] },
      "params.pair.1: is of the wrong type, write a text in quotes (got 2); expected a text",
    ],
    [
      "an amount off its grid",
      { stepBase: 0.3 },
      "params.stepBase: is not a multiple of its step (got 0.3); expected a number in units of the base asset, a multiple of 0.5",
    ],
    [
      "a word for a switch",
      { on: "no" },
      'params.on: is of the wrong type, did you mean false? (got "no"); expected true or false',
    ],
    ["a number in quotes", { stepBase: "0.5" }, "write a number without quotes"],
    [
      "a number without end",
      { stepBase: Number.POSITIVE_INFINITY },
      "params.stepBase: is not a finite number (got Infinity)",
    ],
    [
      "a text for a number or nothing",
      { price: "x" },
      'params.price: is of the wrong type (got "x"); expected a number or nothing',
    ],
    [
      "an empty text",
      { note: "" },
      'params.note: is empty (got ""); expected a text that is not empty',
    ],
    [
      "a name in the wrong case",
      { byMarket: { BTC: 1 } },
      'params.byMarket.BTC: is not a valid name, did you mean btc? (got "BTC"); expected lower-case letters',
    ],
    [
      "what a comma cut off",
      { stepBase: 1, "000": null },
      "params.000: unknown key, since the comma ended the value before it",
    ],
  ])("is told by its path, its value and what would be right: %s", (_name, value, message) => {
    expect(messageOf(value)).toContain(message);
  });
});

describe("paths that hold texts of a fixed form", () => {
  it("are those where a number's digits must not be rounded, in records and optional keys too", () => {
    const isText = textPaths(
      z.object({
        tick: z.string().regex(/^\d+$/).optional(),
        folder: z.string().min(1),
        seed: z.union([z.int(), z.string()]),
        by: z.record(z.string(), z.object({ rate: z.string().regex(/^\d+$/).default("1") })),
      }),
    );
    const paths = [["tick"], ["folder"], ["seed"], ["by", "x", "rate"], ["none"], ["by"]];
    expect(paths.map(isText)).toEqual([true, false, false, true, false, false]);
  });
});
