import { describe, expect, it } from "vitest";
import { findPlaceRefusal } from "#backtest/find-place-refusal.js";
import { marketTerms } from "#backtest/market-terms.js";
import { ReplayAccount } from "#backtest/replay-account.js";
import { Instrument } from "#core/instrument.js";
import type { MarketRules } from "#exchange/records.js";
import type { PlaceAction } from "#exchange/venue.js";
import { GRID, MARKET, stageRules } from "../engine/replay-stage.js";

const QUOTE = 1_000_000n;
const NOW_MS = 1_767_600_000_000;
const RULES = stageRules([MARKET], { maker: "0", taker: "0" }).markets[MARKET] as MarketRules;
/** One lot at 50,000 is 50 quote. */
const ORDER = {
  kind: "place",
  marketId: MARKET,
  side: "BUY",
  type: "LIMIT",
  timeInForce: "GTC",
  expirationMs: 0,
  ticks: 500_000,
  lots: 10,
};

interface Stage {
  readonly rules?: Partial<MarketRules>;
  readonly openCount?: number;
  readonly creditQuote?: bigint;
  /** Opening position, bought or sold at the mark of 50,000. */
  readonly heldLots?: number;
}

/** The code of the refusal of such an order; undefined when it is accepted. */
function codeOf(
  action: Partial<PlaceAction>,
  { rules, openCount = 0, creditQuote = 1000n, heldLots = 0 }: Stage = {},
): number | undefined {
  const instrument = new Instrument({
    marketId: MARKET,
    ...GRID,
    creditDecimals: 6,
    paperDecimals: 18,
  });
  const terms = marketTerms({ ...RULES, ...rules }, instrument, {
    priceOff: 0n,
    insuranceFeeRate: 0n,
  });
  const account = new ReplayAccount(new Map([[MARKET, terms]]), creditQuote * QUOTE);
  account.mark(MARKET, 50_000n * QUOTE);
  if (heldLots !== 0) {
    const [side, lots] =
      heldLots > 0 ? (["BUY", heldLots] as const) : (["SELL", -heldLots] as const);
    account.fill(
      { id: "1", marketId: MARKET, side, isMaker: true, ticks: 500_000, lots, timeMs: NOW_MS },
      0n,
    );
  }
  const refusal = findPlaceRefusal(
    { ...ORDER, ...action } as PlaceAction,
    { terms, openCount },
    account,
    NOW_MS,
  );
  return refusal?.result === "rejected" ? refusal.code : undefined;
}

// An order refused live and accepted in a backtest gives an impossible profit. The other way round,
// a possible profit is missed.
describe("an order that the replayed exchange refuses", () => {
  it("is anything in a market that does not trade", () => {
    expect(
      ["PENDING", "SUSPENDED", "LIQUIDATED"].map((status) => codeOf({}, { rules: { status } })),
    ).toEqual([2013, 2014, 2015]);
    expect(codeOf({})).toBeUndefined();
  });

  it("is a price or an amount beyond the market's filters, bounds included", () => {
    const rules = {
      minTicks: 400_000,
      maxTicks: 500_000,
      minLots: 10,
      maxLots: 20,
      marketMinLots: 2,
      marketMaxLots: 5,
    };
    const limit = (ticks: number, lots: number) => codeOf({ ticks, lots }, { rules });
    expect([
      limit(399_999, 10),
      limit(400_000, 10),
      limit(500_000, 10),
      limit(500_001, 10),
    ]).toEqual([4011, undefined, undefined, 4010]);
    expect([limit(450_000, 9), limit(450_000, 20), limit(450_000, 21)]).toEqual([
      2016,
      undefined,
      2016,
    ]);
    const market = (lots: number) => codeOf({ type: "MARKET", ticks: 600_000, lots }, { rules });
    expect([market(1), market(2), market(5), market(6)]).toEqual([
      2016,
      undefined,
      undefined,
      2016,
    ]);
    const steps = { ...rules, marketStepLots: 2 };
    expect(
      [4, 5].map((lots) => codeOf({ type: "MARKET", ticks: 600_000, lots }, { rules: steps })),
    ).toEqual([undefined, 2016]);
  });

  it("is a GTT order whose life, once it arrives, is a minute or less, or a week or more", () => {
    const ofLife = (lifeMs: number) =>
      codeOf({ timeInForce: "GTT", expirationMs: NOW_MS + lifeMs });
    expect([0, 60_000, 60_001, 604_799_999, 604_800_000].map(ofLife)).toEqual([
      1111,
      1111,
      undefined,
      undefined,
      1111,
    ]);
    expect(codeOf({ timeInForce: "POST_ONLY", expirationMs: NOW_MS })).toBeUndefined();
  });

  it("is one more resting order than the market allows", () => {
    expect(codeOf({}, { rules: { maxOpenOrders: 3 }, openCount: 2 })).toBeUndefined();
    expect(codeOf({}, { rules: { maxOpenOrders: 3 }, openCount: 3 })).toBe(2017);
    // Orders that never rest do not count.
    expect(
      codeOf({ timeInForce: "IOC" }, { rules: { maxOpenOrders: 3 }, openCount: 3 }),
    ).toBeUndefined();
  });

  it("is one that exceeds the margin, unless it only reduces the position", () => {
    // 100 quote at 20 times carry 2,000, which are 40 lots.
    expect(codeOf({ lots: 40 }, { creditQuote: 100n })).toBeUndefined();
    expect(codeOf({ lots: 41 }, { creditQuote: 100n })).toBe(2012);
    expect(codeOf({ side: "SELL", lots: 40 }, { creditQuote: 100n })).toBeUndefined();
    expect(codeOf({ side: "SELL", lots: 41 }, { creditQuote: 100n })).toBe(2012);
    // 45 lots held exceed the margin: no more may be bought, but all of them may be sold.
    expect(codeOf({ lots: 1 }, { creditQuote: 100n, heldLots: 45 })).toBe(2012);
    expect(codeOf({ side: "SELL", lots: 45 }, { creditQuote: 100n, heldLots: 45 })).toBeUndefined();
    expect(codeOf({ lots: 45 }, { creditQuote: 100n, heldLots: -45 })).toBeUndefined();
  });

  it("is one that exceeds the market's exposure limit, with a code of its own, since more margin does not help", () => {
    const rules = { maxExposure: 1_500n * QUOTE };
    expect(codeOf({ lots: 30 }, { rules })).toBeUndefined();
    expect(codeOf({ lots: 31 }, { rules })).toBe(4013);
    expect(codeOf({ side: "SELL", lots: 31 }, { rules })).toBe(4013);
    expect(codeOf({ lots: 11 }, { rules, heldLots: 20 })).toBe(4013);
    expect(codeOf({ side: "SELL", lots: 50 }, { rules, heldLots: 20 })).toBeUndefined();
    expect(codeOf({ side: "SELL", lots: 51 }, { rules, heldLots: 20 })).toBe(4013);
    // The margin is what binds here: more of it is needed.
    expect(codeOf({ lots: 31 }, { rules, creditQuote: 70n })).toBe(2012);
  });
});
