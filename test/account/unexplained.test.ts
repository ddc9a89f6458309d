import { describe, expect, it } from "vitest";
import { FillMatcher } from "#account/fill-matcher.js";
import { OwnOrders } from "#account/own-orders.js";
import { TradeLedger } from "#account/trade-ledger.js";
import { INSTRUMENT, MARKET, TAG, venueTrade } from "./exchange-story.js";

describe("orders compared with trades", () => {
  it("finds matched lots without a trade, and traded lots without an order", () => {
    const trades = new TradeLedger();
    const unexplained = new FillMatcher(trades);
    unexplained.addMatched(MARKET, "BUY", 5);
    expect([
      unexplained.unmatchedLots(MARKET, "BUY"),
      unexplained.orphanLots(MARKET, "BUY"),
    ]).toEqual([5, 0]);
    trades.trade(venueTrade(1, "BUY", 8));
    expect([
      unexplained.unmatchedLots(MARKET, "BUY"),
      unexplained.orphanLots(MARKET, "BUY"),
    ]).toEqual([0, 3]);
    expect(unexplained.orphanLots(MARKET, "SELL")).toBe(0);
  });

  it("sets a gap aside after two equal reviews of settled trades", () => {
    const trades = new TradeLedger();
    const unexplained = new FillMatcher(trades);
    trades.trade(venueTrade(1, "BUY", 8));
    expect([unexplained.reviewGaps(MARKET), unexplained.reviewGaps(MARKET)]).toEqual([
      false,
      false,
    ]);
    trades.trade(venueTrade(1, "BUY", 8, { status: "SETTLED" }));
    expect([unexplained.reviewGaps(MARKET), unexplained.orphanLots(MARKET, "BUY")]).toEqual([
      false,
      0,
    ]);
    trades.trade(venueTrade(2, "BUY", 3, { status: "SETTLED" }));
    expect([unexplained.reviewGaps(MARKET), unexplained.orphanLots(MARKET, "BUY")]).toEqual([
      true,
      3,
    ]);
    expect([unexplained.reviewGaps(MARKET), unexplained.orphanLots(MARKET, "BUY")]).toEqual([
      false,
      0,
    ]);
    expect(unexplained.reviewGaps(MARKET)).toBe(false);
  });

  it("counts a fraction of a lot as a whole one in planning and risk: a slice ended off the market's step, which no order can fill", () => {
    const unexplained = new FillMatcher(new TradeLedger());
    const orders = new OwnOrders({
      instruments: new Map([[MARKET, INSTRUMENT]]),
      nonceTag: TAG,
      rememberMs: 1,
      fillMatcher: unexplained,
    });
    unexplained.addMatched(MARKET, "BUY", 1);
    unexplained.addSubLots(MARKET, "BUY", 1 / 3);
    expect([orders.unmatchedLots(MARKET, "BUY"), orders.unmatchedLots(MARKET, "SELL")]).toEqual([
      1, 0,
    ]);
    unexplained.addSubLots(MARKET, "BUY", 1 / 3);
    unexplained.addSubLots(MARKET, "BUY", 1 / 3);
    expect([orders.unmatchedLots(MARKET, "BUY"), orders.unmatchedLots(MARKET, "SELL")]).toEqual([
      0, 0,
    ]);
    unexplained.addSubLots(MARKET, "BUY", 1 / 3);
    expect([orders.unmatchedLots(MARKET, "BUY"), orders.unmatchedLots(MARKET, "SELL")]).toEqual([
      0, 1,
    ]);
  });

  it("agrees to the lot even for tiny lots: a rounding error kept orders from being known as lost", () => {
    const trades = new TradeLedger();
    const unexplained = new FillMatcher(trades);
    trades.trade(venueTrade(1, "BUY", 816_653_608_287));
    unexplained.setAside(MARKET);
    expect([
      unexplained.unmatchedLots(MARKET, "BUY"),
      unexplained.orphanLots(MARKET, "BUY"),
    ]).toEqual([0, 0]);
  });
});
