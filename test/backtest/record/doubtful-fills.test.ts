import { expect, it } from "vitest";
import { describeAmbiguousFees } from "#backtest/ambiguous-fills.js";

// A rebate was reported as "and would otherwise -0.116162".
it.each([
  [
    "0.5",
    "-0.116162",
    "they paid 0.5 in fees, and would have earned 0.116162 in rebates under the other rule",
  ],
  ["-0.1", "0", "they earned 0.1 in rebates, and would have paid 0 in fees under the other rule"],
  ["0.2", "0.3", "they paid 0.2 in fees, and would have paid 0.3 in fees under the other rule"],
  ["-0.1", "-0.1", "they earned 0.1 in rebates under either rule"],
])("fees of %s, and of %s by the other rule, are said in a sentence", (fees, other, text) => {
  expect(describeAmbiguousFees(fees, other)).toBe(text);
});
