import { describe, expect, it } from "vitest";
import { FillMatcher } from "#account/fill-matcher.js";
import { OwnOrders } from "#account/own-orders.js";
import { TradeLedger } from "#account/trade-ledger.js";
import { INSTRUMENT, MARKET, TAG, venueTrade } from "./exchange-story.js";

describe("orders held against trades", () => {
  it("sees what is matched but in no trade, and what is traded but matched by no order", () => {
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

  it("sets a gap aside only when it has stood through two reconciliations with every trade settled, and asks for the second", () => {
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

  it("has a part of a lot count for a whole one where orders are planned and judged: a slice ended between the market's steps, which nobody takes", () => {
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

  it("agrees to the lot where a lot is next to nothing: what a rounding left over kept orders from being known as lost", () => {
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
