import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FillMatcher } from "#account/fill-matcher.js";
import { OwnOrders } from "#account/own-orders.js";
import { TradeLedger } from "#account/trade-ledger.js";
import { FormatError, RunError } from "#core/errors.js";
import type { VenueOrder } from "#exchange/records.js";
import {
  hashOf,
  INSTRUMENT,
  infoOf,
  MARKET,
  placeAction,
  T0,
  TAG,
  venueOrder,
  venueTrade,
} from "./exchange-story.js";
import { mayTrade } from "./worst-position.js";

function table(options: { nonceTag?: number; builtHashes?: readonly string[] } = {}): OwnOrders {
  const unexplained = new FillMatcher(new TradeLedger());
  const orders = new OwnOrders({
    instruments: new Map([[MARKET, INSTRUMENT]]),
    nonceTag: TAG,
    rememberMs: 600_000,
    fillMatcher: unexplained,
    ...options,
  });
  orders.begin(T0);
  return orders;
}

describe("recognising an order", () => {
  it("is by hash, then by info, then by the id from a response", () => {
    const orders = table();
    orders.intend({ action: placeAction(1), level: 0 });
    expect(orders.recognise(venueOrder(1))?.hash).toBe(hashOf(1));
    expect(orders.recognise(venueOrder(1, { hash: "0xff" }))?.hash).toBe(hashOf(1));
    orders.report(venueOrder(1), "stream", T0);
    expect(orders.recognise(venueOrder(1, { hash: "0xff", info: "0xff" }))?.hash).toBe(hashOf(1));
    expect(orders.recognise(venueOrder(2))).toBeUndefined();
  });

  it("recognises an earlier run's orders by the nonce tag, server-built ones by their stored hash, manual ones by neither", () => {
    const orders = table({ builtHashes: [hashOf(3)] });
    orders.report(venueOrder(2), "open-orders", T0);
    orders.report(venueOrder(3, { info: infoOf(3, 1) }), "open-orders", T0);
    orders.report(venueOrder(4, { info: infoOf(4, 1) }), "open-orders", T0);
    expect([
      orders.get(hashOf(2))?.adopted,
      orders.get(hashOf(3))?.adopted,
      orders.get(hashOf(4)),
    ]).toEqual([true, true, undefined]);
    expect(orders.foreign(MARKET).map((order) => order.hash)).toEqual([hashOf(4)]);
    expect(orders.builtHashes()).toEqual([hashOf(3)]);
  });

  it("leaves orders alone in markets that the bot does not trade, whatever their tag", () => {
    const orders = table();
    orders.report(venueOrder(2, { marketId: "ethusdc" }), "open-orders", T0);
    expect([orders.get(hashOf(2)), orders.foreign("ethusdc").length]).toEqual([undefined, 1]);
  });

  it("reports if an earlier run left such an order, and keeps the hash of a server-built one", () => {
    const orders = table({ builtHashes: [hashOf(3)] });
    const elsewhere = (serial: number, tag?: number) =>
      venueOrder(serial, {
        marketId: "ethusdc",
        ...(tag === undefined ? {} : { info: infoOf(serial, tag) }),
      });
    expect(orders.report(elsewhere(2), "open-orders", T0)).toMatchObject([
      { kind: "foreign", isLeftOver: true },
    ]);
    expect(orders.report(elsewhere(3, 1), "open-orders", T0)).toMatchObject([
      { kind: "foreign", isLeftOver: true },
    ]);
    expect(orders.report(elsewhere(4, 1), "open-orders", T0)).toMatchObject([
      { kind: "foreign", isLeftOver: false },
    ]);
    expect(orders.report(venueOrder(5, { info: infoOf(5, 1) }), "open-orders", T0)).toMatchObject([
      { kind: "foreign", isLeftOver: false },
    ]);
    expect(orders.builtHashes(), "a run in that market again knows it by that").toEqual([
      hashOf(3),
    ]);
  });

  it("refuses a second order with the same nonce, and a tag that is not 16 bits", () => {
    const orders = table();
    orders.intend({ action: placeAction(1), level: 0 });
    expect(() => orders.intend({ action: placeAction(1), level: 1 })).toThrow(RunError);
    const sameInfo = placeAction(2, { order: placeAction(1).order });
    expect(() => orders.intend({ action: sameInfo, level: 1 })).toThrow(RunError);
    for (const nonceTag of [-1, 65_536, 0.5])
      expect(() => table({ nonceTag })).toThrow(FormatError);
  });
});

describe("the worst case", () => {
  it("counts every order that may still fill at full size: intended, sent, unknown, open, cancelling, manual", () => {
    const orders = table();
    for (const serial of [1, 2, 3, 4])
      orders.intend({
        action: placeAction(serial, { side: serial === 4 ? "SELL" : "BUY" }),
        level: serial,
      });
    orders.apply(hashOf(2), { kind: "sent", atMs: T0, requestTimestampMs: T0 });
    orders.apply(hashOf(3), { kind: "unknown", atMs: T0, text: "" });
    orders.report(venueOrder(4, { side: "SELL", pendingLots: 4 }), "stream", T0);
    orders.apply(hashOf(4), { kind: "cancel-sent", atMs: T0, actionId: 1 });
    orders.report(venueOrder(5, { info: infoOf(5, 1), lots: 3 }), "stream", T0);
    expect(
      orders.mayStillFill(MARKET).map(({ side, mayFillLots }) => `${side} ${mayFillLots}`),
    ).toEqual(["BUY 10", "BUY 10", "BUY 10", "SELL 6"]);
    expect(
      orders.foreign(MARKET).map(({ side, availableLots }) => `${side} ${availableLots}`),
    ).toEqual(["BUY 3"]);
    expect([orders.unmatchedLots(MARKET, "BUY"), orders.unmatchedLots(MARKET, "SELL")]).toEqual([
      0, 4,
    ]);
    expect(mayTrade(orders, MARKET)).toEqual({ BUY: 33, SELL: 10 });
    expect(orders.mayStillFill(MARKET)).toHaveLength(4);
  });

  it("counts a failed settlement as soon as the order reports it, before its trade does", () => {
    const ledger = new TradeLedger();
    const unexplained = new FillMatcher(ledger);
    const orders = new OwnOrders({
      instruments: new Map([[MARKET, INSTRUMENT]]),
      nonceTag: TAG,
      rememberMs: 600_000,
      fillMatcher: unexplained,
    });
    orders.begin(T0);
    orders.intend({ action: placeAction(1, { side: "SELL" }), level: 0 });
    orders.report(
      venueOrder(1, { side: "SELL", pendingLots: 10, status: "FILLED" }),
      "stream",
      T0 + 10,
    );
    ledger.trade(venueTrade(1, "SELL", 10));
    expect(mayTrade(orders, MARKET)).toEqual({ BUY: 0, SELL: 0 });
    orders.report(
      venueOrder(1, { side: "SELL", failedLots: 10, status: "FAILED" }),
      "stream",
      T0 + 20,
    );
    expect(mayTrade(orders, MARKET)).toEqual({ BUY: 10, SELL: 0 });
    ledger.trade(venueTrade(1, "SELL", 10, { status: "FAILED" }));
    expect(mayTrade(orders, MARKET)).toEqual({ BUY: 0, SELL: 0 });
  });

  it("keeps a slot closed while anything in it may fill, and open for the order itself", () => {
    const orders = table();
    orders.intend({ action: placeAction(1), level: 0 });
    expect([
      orders.slotOccupied(MARKET, "BUY", 0),
      orders.slotOccupied(MARKET, "BUY", 0, hashOf(1)),
      orders.slotOccupied(MARKET, "SELL", 0),
    ]).toEqual([true, false, false]);
    orders.apply(hashOf(1), { kind: "withdrawn", atMs: T0, text: "superseded" });
    expect(orders.slotOccupied(MARKET, "BUY", 0)).toBe(false);
  });

  it("gives an adopted order the slot that it is kept in", () => {
    const orders = table();
    orders.report(venueOrder(2), "open-orders", T0);
    expect(orders.slotOccupied(MARKET, "BUY", 1)).toBe(false);
    orders.assignLevel(hashOf(2), 1);
    expect(orders.slotOccupied(MARKET, "BUY", 1)).toBe(true);
    expect(() => orders.assignLevel(hashOf(9), 1)).toThrow(RunError);
  });
});

describe("memory", () => {
  it("forgets final orders after a while, never open ones, and stays bounded over a day", () => {
    const orders = table();
    orders.intend({ action: placeAction(1), level: 0 });
    orders.report(venueOrder(1), "stream", T0);
    let nowMs = T0;
    for (let serial = 2; serial < 20_000; serial += 1) {
      nowMs += 1000;
      orders.intend({ action: placeAction(serial), level: 1 });
      orders.report(
        venueOrder(serial, { canceledLots: 10, status: "CANCELED", createdAtMs: nowMs }),
        "stream",
        nowMs,
      );
      if (serial % 10 === 0) orders.prune(nowMs);
    }
    expect(orders.size).toBeLessThanOrEqual(612);
    expect(orders.get(hashOf(1))?.phase).toBe("open");
  });

  it.each([
    ["an order of an earlier run that the exchange dates years ahead", 10 * 365 * 86_400_000, 1],
    ["orders of a time in which our clock was ahead by a day", 86_400_000, 100],
  ])("keeps no more orders for %s", (_, aheadMs, count) => {
    const orders = table();
    for (let serial = 1; serial <= count; serial++) {
      orders.report(venueOrder(serial, { createdAtMs: T0 + aheadMs }), "open-orders", T0 + aheadMs);
      orders.report(
        venueOrder(serial, { canceledLots: 10, status: "CANCELED" }),
        "stream",
        T0 + aheadMs,
      );
    }
    orders.prune(T0 + aheadMs);
    let nowMs = T0;
    for (let serial = count + 1; serial <= count + 1440; serial++) {
      nowMs += 5000;
      orders.intend({ action: placeAction(serial, { timestampMs: nowMs }), level: 0 });
      orders.report(
        venueOrder(serial, { canceledLots: 10, status: "CANCELED", createdAtMs: nowMs }),
        "stream",
        nowMs,
      );
      orders.prune(nowMs);
    }
    // The orders of twice the ten minutes that final orders are remembered.
    expect(orders.size - count).toBeLessThanOrEqual(242);
  });

  it("recognises a late update of a final order, and does not count one that it has forgotten twice", () => {
    const ledger = new TradeLedger();
    const unexplained = new FillMatcher(ledger);
    const orders = new OwnOrders({
      instruments: new Map([[MARKET, INSTRUMENT]]),
      nonceTag: TAG,
      rememberMs: 600_000,
      fillMatcher: unexplained,
    });
    orders.begin(T0);
    orders.intend({ action: placeAction(1), level: 0 });
    const filled = venueOrder(1, { filledLots: 10, status: "FILLED" });
    orders.report(filled, "stream", T0 + 20);
    expect(orders.report(filled, "stream", T0 + 300_000)).toEqual([]);
    orders.prune(T0 + 700_000);
    expect(orders.get(hashOf(1))).toBeUndefined();
    expect(orders.report(filled, "history", T0 + 700_000)).toEqual([]);
    expect(unexplained.unmatchedLots(MARKET, "BUY")).toBe(10);
  });

  it("keeps an order with an unsettled match longer, but not forever", () => {
    const orders = table();
    orders.intend({ action: placeAction(1), level: 0 });
    orders.report(venueOrder(1, { pendingLots: 10, status: "FILLED" }), "stream", T0);
    orders.prune(T0 + 700_000);
    expect(orders.unsettled(T0 + 1).map((order) => order.hash)).toEqual([hashOf(1)]);
    orders.prune(T0 + 3_700_000);
    expect(orders.get(hashOf(1))).toBeUndefined();
  });

  it("always lists the final orders with unsettled matches", () => {
    const report = fc.record({
      serial: fc.integer({ min: 1, max: 4 }),
      afterMs: fc.constantFrom(0, 1, 400_000, 4_000_000),
      amounts: fc.constantFrom<Partial<VenueOrder>>(
        { pendingLots: 4 },
        { pendingLots: 10, status: "FILLED" },
        { pendingLots: 3, canceledLots: 7, status: "CANCELED" },
        { filledLots: 10, status: "FILLED" },
        { filledLots: 3, canceledLots: 7, status: "CANCELED" },
        { failedLots: 10, status: "FAILED" },
        {},
      ),
    });
    fc.assert(
      fc.property(fc.array(report, { maxLength: 25 }), (reports) => {
        const orders = table();
        let nowMs = T0;
        for (const { serial, afterMs, amounts } of reports) {
          nowMs += afterMs;
          orders.report(venueOrder(serial, { ...amounts, createdAtMs: nowMs }), "stream", nowMs);
          orders.prune(nowMs);
          const known = [1, 2, 3, 4].flatMap((one) => orders.get(hashOf(one)) ?? []);
          for (const beforeMs of [nowMs - 400_000, nowMs, nowMs + 1]) {
            const expected = known.filter(
              (one) =>
                one.pendingLots > 0 && one.finalAtMs !== undefined && one.finalAtMs < beforeMs,
            );
            expect(new Set(orders.unsettled(beforeMs))).toEqual(new Set(expected));
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  it("drops manual orders that have ended", () => {
    const orders = table();
    const manual = venueOrder(7, { info: infoOf(7, 1) });
    expect(orders.report(manual, "stream", T0)).toMatchObject([{ kind: "foreign", first: true }]);
    expect(orders.report(manual, "stream", T0)).toEqual([]);
    orders.report(
      { ...manual, status: "CANCELED", canceledLots: 10, availableLots: 0 },
      "stream",
      T0,
    );
    expect(orders.report(manual, "stream", T0)).toEqual([]);
    expect(orders.foreign()).toEqual([]);
  });
});
