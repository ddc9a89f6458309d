import { describe, expect, it } from "vitest";
import { type MarketTerms, marketTerms } from "#backtest/market-terms.js";
import { OrderGas } from "#backtest/order-gas.js";
import { ReplayAccount } from "#backtest/replay-account.js";
import { Instrument } from "#core/instrument.js";
import type { MarketRules } from "#exchange/records.js";
import { TapeBuilder } from "#history/tape-builder.js";
import type { Quote } from "#strategies/intent.js";
import { GRID, MARKET, NOON_US, quoting, ReplayStage, stageRules } from "../engine/replay-stage.js";

const ONE = 10n ** 18n;
const S = 1_000_000;
const MS = 1_000;
const INSTRUMENT = new Instrument({
  marketId: MARKET,
  ...GRID,
  creditDecimals: 6,
  paperDecimals: 18,
});
/**
 * 0.001875 of gas, which is 125,000 of it at 5,000,000 wei and 3,000 for an ether; waived from 10.
 */
const GAS = { waiveGasFeeMinimumQuote: 10_000_000n, orderGasCredit: 1_875n };

function terms(maker = "-0.0001"): MarketTerms {
  const rules = stageRules([MARKET], { maker, taker: "0.0005" }).markets[MARKET] as MarketRules;
  return marketTerms(rules, INSTRUMENT, { priceOff: 0n, insuranceFeeRate: 0n });
}

const order = (ticks: number, lots: number, side: "BUY" | "SELL" = "BUY") => ({
  side,
  ticks,
  lots,
});

// An order of 2 quote pays ten times a maker's usual fee in gas: a backtest without it shows a
// profit where live has a loss.
describe("the gas of small orders", () => {
  it("is a share of the value of an order below the waiver, and nothing of one at it or above", () => {
    const gas = new OrderGas(GAS, "quote");
    // 0.001 at 2,000.0 is worth 2; 1,875 of 2,000,000 units are 0.0009375.
    expect(gas.rateOf(order(20_000, 1), INSTRUMENT)).toBe(937_500_000_000_000n);
    expect(gas.rateOf(order(99_999, 1), INSTRUMENT)).toBeGreaterThan(0n);
    expect(gas.rateOf(order(100_000, 1), INSTRUMENT)).toBe(0n);
    expect(gas.rateOf(order(20_000, 5), INSTRUMENT)).toBe(0n);
    // Rounded up: 1,875 of 2,300,000.
    expect(gas.rateOf(order(23_000, 1, "SELL"), INSTRUMENT)).toBe((1_875n * ONE) / 2_300_000n + 1n);
  });

  it("is judged by the amount where the waiver is one of amounts", () => {
    const gas = new OrderGas({ ...GAS, waiveGasFeeMinimumQuote: 5_000n }, "base");
    expect(gas.rateOf(order(20_000, 4), INSTRUMENT)).toBeGreaterThan(0n);
    expect(gas.rateOf(order(20_000, 5), INSTRUMENT)).toBe(0n);
  });

  it("is none where the exchange names none, waives it for all, or the order may be of any value", () => {
    expect(
      new OrderGas({ waiveGasFeeMinimumQuote: 10_000_000n }, "quote").rateOf(
        order(20_000, 1),
        INSTRUMENT,
      ),
    ).toBe(0n);
    expect(
      new OrderGas({ ...GAS, waiveGasFeeMinimumQuote: 0n }, "quote").rateOf(
        order(20_000, 1),
        INSTRUMENT,
      ),
    ).toBe(0n);
    expect(new OrderGas(GAS, "quote").rateOf(order(Number.NaN, 1), INSTRUMENT)).toBe(0n);
  });

  it("refuses an order that is worth less than it: no rate of 1 or more is ever signed", () => {
    const gas = new OrderGas({ ...GAS, orderGasCredit: 1_998_999n }, "quote");
    expect(gas.findRefusal(order(20_000, 1), terms("0"))).toBeUndefined();
    // The taker's 0.0005 on top makes 1.
    expect(gas.findRefusal(order(19_999, 1), terms("0"))).toMatchObject({
      result: "rejected",
      code: 2016,
    });
    expect(gas.findRefusal(order(20_000, 5), terms("0"))).toBeUndefined();
  });

  it("comes on top of a fee or a rebate, and costs in parts what it costs whole", () => {
    const costOf = (parts: readonly number[], isMaker: boolean, hasRebate: boolean): bigint => {
      const account = new ReplayAccount(new Map([[MARKET, terms()]]), 1_000_000_000n);
      const gasRate = new OrderGas(GAS, "quote").rateOf(order(20_000, 4), INSTRUMENT);
      let [cost, before] = [0n, 0n];
      for (const lots of parts) {
        const part = {
          id: "1",
          marketId: MARKET,
          side: "BUY" as const,
          isMaker,
          ticks: 20_000,
          lots,
          timeMs: 0,
        };
        const { commission, quote } = account.fill(part, before, hasRebate, gasRate);
        cost += commission;
        before += quote;
      }
      return cost;
    };
    // 8 quote: a rebate of 0.0008, or a taker's fee of 0.004.
    for (const parts of [[4], [1, 3], [2, 1, 1]]) {
      expect(costOf(parts, true, true)).toBe(1_875n - 800n);
      expect(costOf(parts, false, true)).toBe(1_875n + 4_000n);
      expect(costOf(parts, true, false)).toBe(1_875n);
    }
  });

  it("is paid in a backtest whose rules name it, out of the profit's fees", () => {
    const bid = (lots: number): Quote => ({ side: "BUY", level: 0, ticks: 19_995, lots });
    const feesOf = (
      lots: number,
      gas?: { waivedFrom: string; orderQuote: string },
    ): readonly bigint[] => {
      const tape = new TapeBuilder({ marketId: MARKET, ...GRID }).snapshot(NOON_US, NOON_US + MS);
      for (let away = 1; away <= 3; away++)
        tape.level("BUY", 20_000 - away, 5).level("SELL", 20_000 + away, 5);
      for (let s = 1; s < 5; s++)
        tape.trade(NOON_US + s * S, NOON_US + s * S + MS, "BUY", 20_001, 1);
      tape.trade(NOON_US + 5 * S, NOON_US + 5 * S + MS, "SELL", 19_990, 50);
      for (let s = 6; s < 9; s++)
        tape.trade(NOON_US + s * S, NOON_US + s * S + MS, "BUY", 20_001, 1);
      const stage = new ReplayStage({
        markets: { [MARKET]: { grade: "books", tape: tape.build() } },
        strategies: { [MARKET]: quoting((view) => (view.positionLots === 0 ? [bid(lots)] : [])) },
        fees: { maker: "0.0001", taker: "0.0005" },
        ...(gas !== undefined && { rules: { gas } }),
      });
      stage.run.play(NOON_US + 9 * S);
      expect(stage.told.fills.map((fill) => fill.lots)).toEqual([lots]);
      expect(stage.told.samples.at(-1)?.profit.fees).toBe(-(stage.told.fills[0]?.fee ?? 0n) * 10n);
      return stage.told.fills.map(({ fee }) => fee);
    };
    const gas = { waivedFrom: "10", orderQuote: "0.001875" };
    // 3.999 at 1 basis point, without gas and with it; 11.997 is above the waiver.
    expect(feesOf(2)).toEqual([399n]);
    expect(feesOf(2, gas)).toEqual([399n + 1_875n]);
    expect(feesOf(6, gas)).toEqual([1_199n]);
  });
});
