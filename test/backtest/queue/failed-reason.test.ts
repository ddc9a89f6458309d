import { describe, expect, it } from "vitest";
import { decodeFailure, encodeFailure } from "#backtest/job-failure.js";
import { FormatError, RunError } from "#core/errors.js";

describe("the failure of a job in a queue", () => {
  it("arrives as it was thrown, its field and its stack with it", () => {
    const thrown = new FormatError("is too long:\nsecond line", {
      field: "account.creditQuote",
      value: 10n ** 20n,
      expected: "a decimal",
    });
    const there = decodeFailure(encodeFailure(thrown));
    expect(there).toBeInstanceOf(FormatError);
    expect(there).toMatchObject({
      field: thrown.field,
      value: thrown.value,
      expected: thrown.expected,
      stack: thrown.stack,
    });
    expect(there.message).toBe(thrown.message);
  });

  it("begins with words that people read", () => {
    expect(encodeFailure(new TypeError("quotes.map is not a function"))).toMatch(
      /^quotes\.map is not a function\n/,
    );
    expect(encodeFailure("only words")).toMatch(/^only words\n/);
  });

  it.each([
    "job stalled more than allowable limit",
    "two\nlines",
    "null",
    "7",
    '{"message":"x"}',
    "",
  ])("is a run error where the queue itself says it: %j", (said) => {
    expect(decodeFailure(said)).toBeInstanceOf(RunError);
    expect(decodeFailure(said).message).toBe(said);
  });
});
