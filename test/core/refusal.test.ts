import { describe, expect, it } from "vitest";
import { z } from "zod";
import { findSchemaViolation, type SchemaViolation } from "#core/schema-violation.js";

function refused(schema: z.ZodType, value: unknown): SchemaViolation {
  const read = schema.safeParse(value);
  if (read.success) throw new Error("it was taken");
  return findSchemaViolation(read.error, value);
}

const side = z.enum(["BUY", "SELL"]);

describe("what a schema refuses of a record that a person has to find the fault in", () => {
  it.each<[string, z.ZodType, unknown, string]>([
    ["part of a whole one", z.int(), 1.5, "a whole number"],
    ["a text for a number", z.number(), "1", "a number"],
    ["a number for a text", z.string(), 1, "a text"],
    ["no list", z.array(z.string()), "a", "a list"],
    ["no mapping", z.object({}), "a", "a mapping"],
    ["neither true nor false", z.boolean(), "yes", "true or false"],
    ["what is missing", z.string(), undefined, "a text"],
    ["too little", z.int().min(0), -1, "at least 0"],
    ["as little as must be passed", z.number().positive(), 0, "more than 0"],
    ["too much", z.number().max(1), 2, "at most 1"],
    ["as much as must not be reached", z.number().lt(1), 1, "less than 1"],
    ["too short", z.string().min(1), "", "at least 1 character"],
    ["too short a list", z.array(z.string()).min(2), ["a"], "at least 2 entries"],
    ["none of the choices", side, "HOLD", "one of BUY, SELL"],
    ["not the one", z.literal(1), 2, "1"],
    ["another form", z.string().regex(/^\d+$/), "x", "a text of the form /^\\d+$/"],
    ["off the grid", z.number().multipleOf(5), 3, "a multiple of 5"],
    ["none of several", z.union([z.number(), side]), true, "a number or one of BUY, SELL"],
    [
      "a key that nobody knows",
      z.strictObject({ a: z.int() }),
      { a: 1, untilMs: 2 },
      "no key untilMs",
    ],
    [
      "what the schema has words for",
      z.string().refine(() => false, "a price above zero"),
      "0",
      "a price above zero",
    ],
    ["what it has none for", z.string().refine(() => false), "0", "another value"],
  ])("says of %s what would be right", (_what, schema, value, expected) => {
    expect(refused(schema, value).expected).toBe(expected);
  });

  it("names where it is, and what is there", () => {
    const schema = z.object({ orders: z.array(z.object({ amount: z.int() })) });
    expect(refused(schema, { orders: [{ amount: 1 }, { amount: 1.5 }] })).toEqual({
      path: "orders.1.amount",
      value: 1.5,
      expected: "a whole number",
    });
    expect(refused(schema, { orders: [1] })).toEqual({
      path: "orders.0",
      value: 1,
      expected: "a mapping",
    });
    expect(refused(schema, [])).toMatchObject({ path: "" });
  });
});
