import { describe, expect, it } from "vitest";
import { type LostRace, suggestTip } from "#liquidator/suggest-tip.js";

const USD = 10n ** 6n;
const GWEI = 10n ** 9n;
const PRICE = 2_000n * USD;

// 300,000 gas at 1 gwei more are 0.0003 ether: 0.6 dollars.
const race = (part: Partial<LostRace>): LostRace => ({
  victim: "0xvictim",
  perp: "0xperp",
  winner: "0xwinner",
  blocksBefore: 0,
  winnerTipWei: 2n * GWEI,
  ourTipWei: GWEI,
  gas: 300_000n,
  missedProfitCredit: 100n * USD,
  ...part,
});

describe("the tip that lost races suggest", () => {
  it("is a wei above the winner's, where the profit pays for it", () => {
    const { tipWei, wins, recoveredCredit } = suggestTip([race({})], PRICE);
    expect([tipWei, wins]).toEqual([2n * GWEI + 1n, 1]);
    expect(recoveredCredit).toBe(100n * USD - 600_001n);
  });

  it("is the one that would have brought most over all races, not the one that would have won most", () => {
    const dear = race({ winnerTipWei: 500n * GWEI, missedProfitCredit: 10n * USD });
    const lost = [race({}), race({ winnerTipWei: 3n * GWEI }), dear];
    expect(suggestTip(lost, PRICE)).toMatchObject({ tipWei: 3n * GWEI + 1n, wins: 2 });
  });

  it("is none if no tip would have paid, or all races were lost by time", () => {
    expect(suggestTip([race({ winnerTipWei: 500n * GWEI })], PRICE)).toMatchObject({
      tipWei: undefined,
      wins: 0,
      recoveredCredit: 0n,
    });
    expect(suggestTip([race({ blocksBefore: 1 }), race({ blocksBefore: 2 })], PRICE)).toMatchObject(
      { tipWei: undefined, lostByTime: 2 },
    );
    expect(suggestTip([], PRICE)).toEqual({
      tipWei: undefined,
      wins: 0,
      recoveredCredit: 0n,
      lostByTime: 0,
    });
  });

  it("is unchanged by a race in which our tip was the higher one", () => {
    expect(suggestTip([race({ ourTipWei: 5n * GWEI })], PRICE).tipWei).toBeUndefined();
  });
});
