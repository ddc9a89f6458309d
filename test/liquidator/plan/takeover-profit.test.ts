import { describe, expect, it } from "vitest";
import { FormatError } from "#core/errors.js";
import type { LayOffTerms } from "#liquidator/lay-off-terms.js";
import { planTakeover } from "#liquidator/plan-takeover.js";
import { UnwindEstimator } from "#liquidator/unwind-estimate.js";
import { BTC, flatBook, GAS } from "../danger.js";
import { account, btc, COIN, input, plan, USD, victim } from "./planned-victims.js";

describe("profit", () => {
  const target = victim([btc(), COIN]);
  // 1 % of 20,000, less 5 bp of the sale and 1.8 of gas.
  const whole = 200n * USD - 10n * USD - 1_800_000n;

  it("is the discount less fee, slippage and gas; the insurance fee is the victim's", () => {
    const bids = [
      { ticks: 200_000, lots: 500 },
      { ticks: 199_000, lots: 500 },
    ];
    const decided = plan(target, input([btc({ bids })]));
    expect(decided.expected).toMatchObject({
      credit: -19_800n * USD,
      insuranceFee: 198n * USD,
      discountQuote: 200n * USD,
      slippageQuote: 50n * USD,
      takerFeeQuote: 9_975_000n,
      gasQuote: 1_800_000n,
      profitQuote: 200n * USD - 50n * USD - 9_975_000n - 1_800_000n,
    });
    // Half of it as maker at the best ask, at a rebate of 1 bp, and the better half of the bids as
    // taker.
    expect(decided.expected.makerFirstProfitQuote).toBe(
      200n * USD - 5n * USD + 1n * USD - 1_800_000n,
    );
  });

  it.each([1n, -1n])(
    "is at the bound the least one, whatever share of the rest gas may have (%s)",
    (sign) => {
      const who = victim([btc(), sign * COIN]);
      for (const gasShareBps of [0, 2_500, 10_000]) {
        const decided = plan(
          who,
          input([btc()], { rules: { gasShareBps, minProfitCredit: 20n * USD } }),
        );
        const spare = whole - 20n * USD;
        const gas = 1_800_000n + (spare * BigInt(gasShareBps)) / 10_000n;
        expect(decided.worstProfitQuote).toBe(20n * USD);
        expect(decided.maxCostWei).toBe((gas * COIN) / GAS.creditPerEth);
        // Both signs: what is paid at most for a long, received at least for a short.
        expect(decided.expected.credit - decided.expectCredit).toBe(spare - (gas - 1_800_000n));
      }
    },
  );

  it.each([1n, -1n])(
    "of a fill that a competitor capped is its share of least profit and gas, less the gas (%s)",
    (sign) => {
      const levels = [200_000, 199_900, 199_500].map((ticks, i) => ({
        ticks: sign > 0n ? ticks : 400_000 - ticks,
        lots: 200 + 300 * i,
      }));
      const market = btc(sign > 0n ? { bids: levels } : { asks: levels });
      const from = input([market], { rules: { minProfitCredit: 20n * USD, unwindReserveBps: 3 } });
      const { requestPaper, expectCredit, maxCostWei } = plan(victim([market, sign * COIN]), from);
      const gas = (maxCostWei * GAS.creditPerEth) / COIN;
      const book = new UnwindEstimator(market, 0n, sign, from.rules);
      for (const lots of [1n, 7n, 200n, 450n, 999n, 1000n]) {
        const paper = sign * lots * market.instrument.paperPerLot;
        // The most that is paid, or the least that is received, at a price that passes.
        const credit = (expectCredit * paper + (sign < 0n ? requestPaper + 1n : 0n)) / requestPaper;
        const profit = credit + (book.estimate(paper)?.worstCredit ?? 0n) - gas;
        const share = ((20n * USD + gas) * paper) / requestPaper;
        expect(profit).toBeGreaterThanOrEqual(share - gas - 3n);
        if (lots === 1000n) expect(profit).toBeLessThanOrEqual(20n * USD + 1n);
      }
    },
  );

  it("that falls short gives no takeover, but the shortfall and its cause", () => {
    const at = (minProfitCredit: bigint) =>
      planTakeover(target, input([btc()], { rules: { minProfitCredit } }));
    expect(at(whole)).toMatchObject({ kind: "takeover", expectCredit: -19_800n * USD });
    expect(at(whole + 1n)).toMatchObject({
      kind: "unprofitable",
      shortOfQuote: 1n,
      worstProfitQuote: whole,
      boundBy: "position",
      requestPaper: COIN,
    });
    const bound = planTakeover(
      target,
      input([btc({ limits: { maxPositionLots: 5 } })], { rules: { minProfitCredit: USD } }),
    );
    expect(bound).toMatchObject({
      kind: "unprofitable",
      boundBy: "max-position",
      shortOfQuote: 1_850_000n,
    });
  });

  it("never uses levels that pay less than the liquidation costs", () => {
    const below = flatBook(BTC, 19_700);
    expect(planTakeover(target, input([btc(below)]))).toMatchObject({
      kind: "unprofitable",
      boundBy: "depth",
      requestPaper: COIN / 1000n,
    });
    expect(planTakeover(target, input([btc({ bids: [] })]))).toMatchObject({
      kind: "refused",
      reason: "no-book",
    });
  });

  it("is reckoned with the unwind as much worse as the reserve says, in what is decided by and not in what is expected", () => {
    const rules = { unwindReserveBps: 50 };
    const decided = plan(target, input([btc()], { rules }));
    expect(decided.expected.profitQuote).toBe(whole);
    expect(decided.expectCredit).toBeGreaterThan(plan(target, input([btc()])).expectCredit);
    expect(
      planTakeover(target, input([btc()], { rules: { unwindReserveBps: 100 } })),
    ).toMatchObject({ kind: "unprofitable" });
  });

  it("of paper that only reduces the own position has no fee and no slippage, at the worse of mark and touch", () => {
    const own = account(100_000, [btc(), -COIN]);
    const decided = plan(
      target,
      input([btc({ bids: [{ ticks: 190_000, lots: 1 }] })], {
        own,
        rules: { minProfitCredit: -(2_000n * USD) },
      }),
    );
    expect(decided).toMatchObject({
      unwindLots: 0,
      expected: { takerFeeQuote: 0n, slippageQuote: 1_000n * USD },
    });
    const fair = plan(target, input([btc()], { own }));
    expect(fair.expected).toMatchObject({
      takerFeeQuote: 0n,
      slippageQuote: 0n,
      profitQuote: 200n * USD - 1_800_000n,
    });
    expect(fair.marginUseQuote).toBeLessThan(0n);
  });

  it("comes after what earlier takeovers still have to sell", () => {
    const bids = [
      { ticks: 200_000, lots: 600 },
      { ticks: 199_500, lots: 1_000 },
    ];
    expect(
      plan(target, input([btc({ bids, pendingUnwindLots: 600 })])).expected.slippageQuote,
    ).toBe(50n * USD);
    expect(
      plan(target, input([btc({ bids, pendingUnwindLots: -600 })])).expected.slippageQuote,
    ).toBe(20n * USD);
  });

  describe("where the position can be laid off at a hedge venue", () => {
    /** 1 bp to the touch, 2 bp of fee, 20 bp beyond the touch. */
    const layOff: LayOffTerms = {
      halfSpreadRate: COIN / 10_000n,
      slippageRate: (20n * COIN) / 10_000n,
      takerFeeRate: (2n * COIN) / 10_000n,
      touchLots: { buy: 600, sell: 600 },
      leastLots: 1,
      mostLots: 5_000,
    };

    it.each([1n, -1n])("uses the cheaper way, and says which (%s)", (sign) => {
      const who = victim([btc(), sign * COIN]);
      const decided = plan(who, input([btc({ layOff })]));
      // 600 lots at the touch, 400 at the worst price of a hedge: 8.6 bp, and 2 bp of fee.
      const cost = (20_000n * USD * 106n) / 100_000n;
      expect(decided).toMatchObject({ unwindWay: "here" });
      const near = { ...layOff, touchLots: { buy: 1_000, sell: 1_000 } };
      const laidOff = plan(who, input([btc({ layOff: near })]));
      expect(laidOff).toMatchObject({
        unwindWay: "hedge",
        requestPaper: sign * COIN,
        expected: { takerFeeQuote: 0n, layOffQuote: 6n * USD, slippageQuote: 0n },
      });
      expect(laidOff.expected.profitQuote).toBe(200n * USD - 6n * USD - 1_800_000n);
      const dear = plan(who, input([btc({ layOff, takerFeeRate: COIN / 100n / 2n })]));
      expect(dear).toMatchObject({ unwindWay: "hedge", expected: { layOffQuote: cost } });
    });

    it("takes more than the book here pays for, up to the touch of the hedge venue", () => {
      const thin = {
        bids: [
          { ticks: 200_000, lots: 100 },
          { ticks: 150_000, lots: 10_000 },
        ],
      };
      expect(plan(target, input([btc(thin)])).unwindLots).toBe(100);
      const decided = plan(target, input([btc({ ...thin, layOff })]));
      expect(decided).toMatchObject({ unwindLots: 600, unwindWay: "hedge", boundBy: "depth" });
    });

    it("leaves what the margin or the smallest hedge there does not allow to the book here", () => {
      for (const part of [{ mostLots: 999 }, { leastLots: 1_001 }])
        expect(
          plan(target, input([btc({ layOff: { ...layOff, ...part }, takerFeeRate: COIN / 500n })])),
        ).toMatchObject({ unwindWay: "here", unwindLots: 1_000 });
    });

    it("counts on the dearer way too where the file always lays off", () => {
      const dear = { ...layOff, takerFeeRate: (40n * COIN) / 10_000n };
      const decided = plan(target, input([btc({ layOff: { ...dear, isAlways: true } })]));
      expect(decided.unwindWay).toBe("hedge");
      const here = plan(target, input([btc({ layOff: dear })]));
      expect(here.unwindWay).toBe("here");
      expect(decided.worstProfitQuote).toBeLessThanOrEqual(here.expected.profitQuote);
      expect(decided.expected.profitQuote).toBeLessThan(here.expected.profitQuote);
    });

    it("leaves the touch and the margin there to earlier takeovers first", () => {
      const market = { layOff: { ...layOff, slippageRate: COIN / 50n }, takerFeeRate: COIN / 200n };
      const first = plan(target, input([btc(market)]));
      const second = plan(target, input([btc({ ...market, pendingUnwindLots: 600 })]));
      expect([first.unwindWay, second.unwindWay]).toEqual(["hedge", "here"]);
    });
  });

  it("cannot be computed without a price of ether", () => {
    expect(() =>
      planTakeover(target, { ...input([btc()]), gas: { ...GAS, creditPerEth: 0n } }),
    ).toThrow(FormatError);
  });
});
