import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TradeLedger } from "#account/trade-ledger.js";
import type { VenueTrade } from "#exchange/records.js";
import { MARKET, venueTrade } from "./exchange-story.js";

describe("the position by trades", () => {
  it("counts a trade once, pending or settled, and reverses it when the settlement fails", () => {
    const ledger = new TradeLedger();
    ledger.setPosition(MARKET, 100);
    expect(ledger.trade(venueTrade(1, "BUY", 7))).toEqual({ news: "fill" });
    expect(ledger.trade(venueTrade(1, "BUY", 7))).toBeUndefined();
    expect(ledger.trade(venueTrade(2, "SELL", 3, { status: "SETTLED" }))).toEqual({ news: "fill" });
    expect(ledger.positionLots(MARKET)).toBe(104);
    expect(ledger.trade(venueTrade(1, "BUY", 7, { status: "SETTLED" }))).toEqual({
      news: "settled",
    });
    expect(ledger.trade(venueTrade(1, "BUY", 7))).toBeUndefined();
    expect(ledger.trade(venueTrade(1, "BUY", 7, { status: "FAILED" }))).toMatchObject({
      news: "failed",
      lots: -7,
    });
    expect(ledger.positionLots(MARKET)).toBe(97);
  });

  it("never counts a trade first reported as failed", () => {
    const ledger = new TradeLedger();
    expect(ledger.trade(venueTrade(1, "BUY", 7, { status: "FAILED" }))).toMatchObject({
      news: "failed",
      lots: 0,
      counted: undefined,
    });
    expect(ledger.trade(venueTrade(1, "BUY", 7))).toBeUndefined();
    expect(ledger.positionLots(MARKET)).toBe(0);
  });

  it("recognises a position of any moment since the query", () => {
    const ledger = new TradeLedger();
    ledger.trade(venueTrade(9, "SELL", 4));
    ledger.beginPositionHistory(MARKET);
    const list = [
      venueTrade(9, "SELL", 4, { status: "FAILED" }),
      venueTrade(12, "BUY", 7),
      venueTrade(13, "BUY", 3),
    ];
    ledger.beginList(MARKET, list);
    for (const trade of list) ledger.trade(trade);
    const trail = ledger.positionHistory(MARKET);
    // With 9 alone; made since; 9 failed since.
    for (const lots of [-4, 3, 6, 0, 7, 10]) expect(trail).toContain(lots);
    expect(trail.at(-1)).toBe(10);
    ledger.beginPositionHistory(MARKET);
    ledger.beginList(MARKET, list);
    expect(ledger.positionHistory(MARKET)).toEqual([10]);
  });

  it("keeps the total of a whole page of trades, however many intermediate positions there are", () => {
    const ledger = new TradeLedger();
    ledger.trade(venueTrade(1, "SELL", 4));
    ledger.beginPositionHistory(MARKET);
    const page = [
      venueTrade(1, "SELL", 4, { status: "FAILED" }),
      ...Array.from({ length: 499 }, (_, at) => venueTrade(at + 2, "BUY", 1)),
    ];
    ledger.beginList(MARKET, page);
    for (const trade of page) ledger.trade(trade);
    expect(ledger.positionHistory(MARKET).at(-1)).toBe(499);
  });

  it("counts a trade with an undocumented status, and still applies its end", () => {
    const ledger = new TradeLedger();
    ledger.trade(venueTrade(1, "BUY", 7, { status: "BATCHED" }));
    expect([ledger.positionLots(MARKET), ledger.isSettled(MARKET)]).toEqual([7, false]);
    ledger.trade(venueTrade(1, "BUY", 7, { status: "FAILED" }));
    expect([ledger.positionLots(MARKET), ledger.isSettled(MARKET)]).toEqual([0, true]);
  });

  it("gives the same position for any order, repetition and folding", () => {
    const lives = fc.array(
      fc.record({
        side: fc.constantFrom("BUY" as const, "SELL" as const),
        lots: fc.integer({ min: 1, max: 50 }),
        end: fc.constantFrom("CREATED", "SETTLED", "FAILED"),
      }),
      { minLength: 1, maxLength: 25 },
    );
    const told = lives.chain((trades) => {
      const events = trades.flatMap(({ side, lots, end }, index): VenueTrade[] => {
        const created = venueTrade(index + 1, side, lots);
        return end === "CREATED"
          ? [created, created]
          : [created, { ...created, status: end }, created];
      });
      return fc.record({
        trades: fc.constant(trades),
        events: fc.shuffledSubarray(events, { minLength: events.length }),
        cut: fc.nat(events.length),
      });
    });
    fc.assert(
      fc.property(told, ({ trades, events, cut }) => {
        const ledger = new TradeLedger();
        ledger.setPosition(MARKET, 0);
        ledger.readLatest(MARKET, []);
        const all = [...events.slice(0, cut), ...events, ...events.slice(cut)];
        all.forEach((trade, index) => {
          ledger.trade(trade);
          // Only a read from the exchange itself allows folding: here, once every trade has been
          // reported.
          if (index >= cut + events.length - 1) {
            ledger.readTo(MARKET, String(trades.length));
            ledger.fold();
          }
        });
        const truth = trades.reduce(
          (sum, { side, lots, end }) =>
            sum + (end === "FAILED" ? 0 : side === "BUY" ? lots : -lots),
          0,
        );
        expect(ledger.positionLots(MARKET)).toBe(truth);
        const mayFail = (of: string) =>
          trades.reduce(
            (sum, { side, lots, end }) => sum + (end === "CREATED" && side === of ? lots : 0),
            0,
          );
        expect(ledger.unsettledBySide(MARKET)).toEqual({
          buy: mayFail("BUY"),
          sell: mayFail("SELL"),
        });
      }),
    );
  });

  it("rounds fractions of lots of unsettled trades up to a lot, and treats an undocumented status as not final", () => {
    const ledger = new TradeLedger();
    ledger.trade(venueTrade(1, "BUY", 7, { status: "BATCHED", restPaper: 5n }));
    ledger.trade(venueTrade(2, "SELL", 3));
    expect(ledger.unsettledBySide(MARKET)).toEqual({ buy: 8, sell: 3 });
    ledger.trade(venueTrade(1, "BUY", 7, { status: "SETTLED", restPaper: 5n }));
    ledger.trade(venueTrade(2, "SELL", 3, { status: "FAILED" }));
    expect(ledger.unsettledBySide(MARKET)).toEqual({ buy: 0, sell: 0 });
  });

  it("keeps only trades that may still change and the last interval, over a day of trades", () => {
    const ledger = new TradeLedger();
    ledger.setPosition(MARKET, 0);
    ledger.readLatest(MARKET, []);
    ledger.trade(venueTrade(1, "BUY", 1));
    for (let id = 2; id <= 20_000; id += 1) {
      ledger.trade(venueTrade(id, "BUY", 1, { status: "SETTLED" }));
      if (id % 100 === 0) {
        ledger.readTo(MARKET, String(id));
        ledger.fold();
      }
    }
    expect(ledger.positionLots(MARKET)).toBe(20_000);
    expect(ledger.heldTrades).toBeLessThanOrEqual(201);
    expect(ledger.trade(venueTrade(1, "BUY", 1, { status: "FAILED" }))).toMatchObject({ lots: -1 });
    expect(ledger.trade(venueTrade(500, "BUY", 1))).toBeUndefined();
  });
});

describe("the next query for trades", () => {
  it("asks for the most recent trades first, then from the first one not yet listed twice", () => {
    const ledger = new TradeLedger();
    ledger.trade(venueTrade(70, "BUY", 1));
    expect(ledger.nextTradeId(MARKET)).toBeUndefined();
    for (const id of [68, 69, 70]) ledger.trade(venueTrade(id, "BUY", 1, { status: "SETTLED" }));
    ledger.readLatest(MARKET, ["68", "69", "70"]);
    expect(ledger.nextTradeId(MARKET)).toBe("68");
    ledger.fold();
    ledger.readTo(MARKET, "70");
    ledger.fold();
    expect(ledger.nextTradeId(MARKET)).toBe("71");
  });

  it("goes back to the oldest trade that is not final, and skips final ones from there", () => {
    const ledger = new TradeLedger();
    ledger.readLatest(MARKET, []);
    for (let id = 1; id <= 2000; id += 1)
      ledger.trade(
        venueTrade(id, "BUY", 1, { status: id === 5 || id === 900 ? "CREATED" : "SETTLED" }),
      );
    ledger.readTo(MARKET, "2000");
    ledger.fold();
    ledger.fold();
    expect([
      ledger.nextTradeId(MARKET),
      ledger.nextTradeId(MARKET, "504"),
      ledger.nextTradeId(MARKET, "1399"),
    ]).toEqual(["5", "900", "2001"]);
  });

  it("leaves trades older than the most recent page in the opening position", () => {
    const ledger = new TradeLedger();
    for (let id = 1000; id < 1500; id += 1)
      ledger.trade(venueTrade(id, "BUY", 1, { status: "SETTLED" }));
    ledger.readLatest(
      MARKET,
      Array.from({ length: 500 }, (_, index) => String(1000 + index)),
    );
    expect(ledger.trade(venueTrade(400, "BUY", 9, { status: "SETTLED" }))).toBeUndefined();
  });

  it("keeps ids beyond 2^53 apart", () => {
    const ledger = new TradeLedger();
    ledger.readLatest(MARKET, []);
    ledger.trade(venueTrade(1, "BUY", 1, { id: "9007199254740993", status: "SETTLED" }));
    ledger.trade(venueTrade(1, "BUY", 1, { id: "9007199254740992", status: "SETTLED" }));
    expect(ledger.positionLots(MARKET)).toBe(2);
    ledger.readTo(MARKET, "9007199254740993");
    ledger.fold();
    ledger.fold();
    expect(ledger.nextTradeId(MARKET)).toBe("9007199254740994");
  });
});
