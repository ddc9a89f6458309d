import { describe, expect, it } from "vitest";
import type { OwnOrder } from "#account/order.js";
import { FillLevels } from "#bot/fill-levels.js";
import type { Side } from "#core/units.js";
import type { VenueTrade } from "#exchange/records.js";
import { TARGET_LEVEL } from "#executor/plan-target.js";

const order = (side: Side, level: number, ticks: number): OwnOrder =>
  ({ marketId: "btcusdc", side, level, ticks, phase: "open" }) as OwnOrder;
const trade = (side: Side, ticks: number, lots: number, isMaker = true): VenueTrade =>
  ({ marketId: "btcusdc", side, ticks, lots, isMaker }) as VenueTrade;

describe("the level of a fill", () => {
  const [inner, outer] = [order("BUY", 0, 100), order("BUY", 1, 98)];

  it("is that of the order whose match was reported before it", () => {
    const levels = new FillLevels();
    levels.onMatched(inner, 3);
    levels.onMatched(outer, 2);
    expect(levels.levelOf(trade("BUY", 98, 2), [])).toBe(1);
    expect(levels.levelOf(trade("BUY", 100, 1), [])).toBe(0);
    expect(levels.levelOf(trade("BUY", 100, 2), [])).toBe(0);
    expect(levels.levelOf(trade("BUY", 100, 1), []), "all its lots are explained").toBe(-1);
  });

  it("is that of the order that is open at its price, where the trade is reported first", () => {
    const levels = new FillLevels();
    expect(levels.levelOf(trade("BUY", 98, 2), [inner, outer])).toBe(1);
    // The match that follows belongs to that trade, and explains no other.
    levels.onMatched(outer, 2);
    expect(levels.levelOf(trade("BUY", 98, 2), [])).toBe(-1);
  });

  it("may be that of an order with a worse limit only if it took", () => {
    const levels = new FillLevels();
    expect(levels.levelOf(trade("BUY", 97, 1, true), [inner, outer])).toBe(-1);
    expect(levels.levelOf(trade("BUY", 99, 1, false), [outer, inner])).toBe(0);
    expect(levels.levelOf(trade("SELL", 100, 1, false), [inner, outer])).toBe(-1);
  });

  it("is none for an order that works a position, or that the bot did not place", () => {
    const levels = new FillLevels();
    levels.onMatched(order("SELL", TARGET_LEVEL, 95), 1);
    expect(levels.levelOf(trade("SELL", 96, 1, false), [])).toBe(-1);
    expect(levels.levelOf(trade("SELL", 96, 1), [])).toBe(-1);
  });
});
