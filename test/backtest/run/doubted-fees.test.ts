import { describe, expect, it } from "vitest";
import { describeImplausibleFees } from "#backtest/implausible-results.js";
import { backtest, LadderHistory } from "./ladder-history.js";

const ladder = new LadderHistory();

// A rebate of half the turnover was accepted, and the run earned it.
describe("fee rates that no exchange has", () => {
  const doubts = (maker: string, taker: string): string[] =>
    describeImplausibleFees(
      ladder.written(
        backtest().replace(
          /makerFeeRate: .*?, takerFeeRate: [\d.]+/,
          `makerFeeRate: ${maker}, takerFeeRate: ${taker}`,
        ),
        "fees",
      ),
    );

  it.each([
    [
      "-0.5",
      "0.0005",
      /^btcusdc: makers pay -50 %, takers 0.05 %: no exchange is known to pay so much/,
    ],
    ["0.05", "0.0005", /makers pay 5 %.*no exchange is known to charge so much/],
    ["-0.0003", "0.0002", /the exchange would pay more for each trade than it charges/],
  ])("of %s for makers and %s for takers are doubted", (maker, taker, text) => {
    expect(doubts(maker, taker)).toEqual([expect.stringMatching(text)]);
  });

  it.each([
    ["-0.0001", "0.0003"],
    ["0", "0"],
    ["0.006", "0.012"],
  ])("are not those of %s for makers and %s for takers", (maker, taker) => {
    expect(doubts(maker, taker)).toEqual([]);
  });
});
