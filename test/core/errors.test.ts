import { describe, expect, it } from "vitest";
import { ConfigError, FormatError } from "#core/errors.js";

describe("the message of an error", () => {
  it("gives the field, the problem, the value and the expected value", () => {
    const error = new FormatError("is no price", {
      field: "price",
      value: "-1",
      expected: "a price above zero",
    });
    expect(error.message).toBe('price: is no price (got "-1"); expected a price above zero');
    expect(error).toMatchObject({ name: "FormatError", field: "price", value: "-1" });
  });

  it.each([
    ["an amount of money", 5n, "5"],
    ["a record with one", { credit: 5n }, '{"credit":"5"}'],
    ["a list with one", [1n, "x"], '["1","x"]'],
    ["nothing", null, "null"],
    ["a function", () => {}, "() => {}"],
  ])("shows %s", (_, value, text) => {
    expect(new FormatError("is wrong", { value }).message).toBe(`is wrong (got ${text})`);
  });

  // An alias of YAML may name what it lies in.
  it("shows a circular value, because formatting an error must not fail", () => {
    const value: Record<string, unknown> = { a: 1 };
    value.self = value;
    expect(new ConfigError("is unknown", { field: "x", value }).message).toBe(
      "x: is unknown (got [object Object])",
    );
  });
});
