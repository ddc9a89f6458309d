import { describe, expect, it } from "vitest";
import { failureOf, reasonOf } from "../../../src/backtest/queue/job-failure.js";
import { FormatError, RunError } from "../../../src/core/errors.js";

describe("what a job in a queue failed with", () => {
  it("arrives as it was thrown, its field and its stack with it", () => {
    const thrown = new FormatError("is too long:\nsecond line", {
      field: "account.creditQuote",
      value: 10n ** 20n,
      expected: "a decimal",
    });
    const there = failureOf(reasonOf(thrown));
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
    expect(reasonOf(new TypeError("quotes.map is not a function"))).toMatch(
      /^quotes\.map is not a function\n/,
    );
    expect(reasonOf("only words")).toMatch(/^only words\n/);
  });

  it.each([
    "job stalled more than allowable limit",
    "two\nlines",
    "null",
    "7",
    '{"message":"x"}',
    "",
  ])("is a run error where the queue itself says it: %j", (said) => {
    expect(failureOf(said)).toBeInstanceOf(RunError);
    expect(failureOf(said).message).toBe(said);
  });
});
