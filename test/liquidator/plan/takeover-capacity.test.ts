import { describe, expect, it } from "vitest";
import type { OwnAccount, TakeoverMarket } from "#liquidator/plan-input.js";
import { takeoverCapacity } from "#liquidator/takeover-capacity.js";
import { applyBalanceChange, type MarginAccount } from "#perpetual/margin-account.js";
import { BTC, flatBook, RULES, venueMarket } from "../danger.js";

const USD = 10n ** 6n;
const COIN = 10n ** 18n;
const PERCENT = COIN / 100n;
const market: TakeoverMarket = {
  ...venueMarket(BTC, flatBook(BTC, 20_000)),
  perp: `0x${"b".repeat(40)}`,
  markPrice: 20_000n * USD,
  initialMarginRatio: 5n * PERCENT,
  maintenanceMarginRatio: 3n * PERCENT,
  liquidationPriceOff: PERCENT,
  insuranceFeeRate: PERCENT,
};

/** An account of so many dollars that holds so many coins, bought at the mark. */
function own(dollars: bigint, coins = 0n, part: Partial<OwnAccount> = {}): OwnAccount {
  const start: MarginAccount = {
    netValueCredit: dollars * USD,
    exposureCredit: 0n,
    initialMarginCredit: 0n,
    maintenanceMarginCredit: 0n,
    papers: new Map(),
  };
  const margin =
    coins === 0n
      ? start
      : applyBalanceChange(start, market, coins * COIN, -coins * market.markPrice);
  return { account: `0x${"0".repeat(40)}`, margin, limits: {}, maxPositionAmount: 10, ...part };
}

/** The only market that there is. */
function input(account: OwnAccount, only: TakeoverMarket) {
  return { own: account, markets: new Map([[only.perp, only]]), rules: RULES };
}

describe("how much an account could take over", () => {
  // 9,000 dollars carry one and a half times 3 % of 200,000 dollars: ten coins, to the lot.
  it.each([
    ["its margin with the buffer", own(9_000n), 1n, { lots: 10_000, boundBy: "margin" }],
    ["the same of shorts", own(9_000n), -1n, { lots: 10_000, boundBy: "margin" }],
    ["less of what it holds already", own(9_000n, 4n), 1n, { lots: 6_000, boundBy: "margin" }],
    ["more of what closes that first", own(9_000n, 4n), -1n, { lots: 14_000, boundBy: "margin" }],
    ["nothing without margin", own(0n), 1n, { lots: 0, boundBy: "margin" }],
    [
      "no new market where it has as many as it may",
      own(9_000n, 0n, { maxPositionAmount: 0 }),
      1n,
      { lots: 0, boundBy: "too-many-positions" },
    ],
    [
      "its own limit",
      own(9_000n, 0n, { limits: { maxNotional: 40_000n * USD } }),
      1n,
      { lots: 2_000, boundBy: "account-notional" },
    ],
  ] as const)("is bounded by %s", (_, account, sign, capacity) => {
    expect(takeoverCapacity(input(account, market), market, sign)).toEqual(capacity);
  });

  it("is unbounded if no limit of the account applies", () => {
    const free = { ...market, initialMarginRatio: 0n, maintenanceMarginRatio: 0n };
    expect(takeoverCapacity(input(own(9_000n), free), free, 1n).boundBy).toBeUndefined();
  });
});
