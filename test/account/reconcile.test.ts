import { describe, expect, it } from "vitest";
import type { VenueTrade } from "#exchange/records.js";
import { hashOf, infoOf, MARKET, T0, venueOrder, venueTrade } from "./exchange-story.js";
import { phaseOf, resting } from "./reconciled-orders.js";
import { Story } from "./scripted-exchange.js";
import { worstPosition } from "./worst-position.js";

/**
 * A trade that the stream does not report: it is in the positions once, and has failed before the
 * query of the trades.
 */
function failsInBetween(story: Story): void {
  story.meanwhile = ({ ask }) => {
    const told = story.exchange.trades.length > 0;
    if (ask === "balances" && !told) story.exchange.settle(venueTrade(1, "BUY", 5));
    if (ask === "userTrades" && told)
      story.exchange.settle(venueTrade(1, "BUY", 5, { status: "FAILED" }));
  };
}

describe("the start", () => {
  it("takes position, equity, own and manual orders, then is confirmed", () => {
    const story = new Story();
    story.exchange.basePosition = 40;
    story.exchange.trades.push(venueTrade(7, "BUY", 3, { status: "SETTLED", timeMs: T0 - 5000 }));
    story.exchange.set(venueOrder(1, { pendingLots: 4, status: "PARTIAL_FILLED" }));
    story.exchange.set(venueOrder(2, { info: infoOf(2, 0x1234), side: "SELL" }));
    expect(story.account.confirmed).toBe(false);
    story.start();
    const { account } = story;
    expect([
      account.confirmed,
      account.current,
      account.positionLots(MARKET),
      account.startEquity,
    ]).toEqual([true, true, 43, 100_000_000_000n]);
    expect(account.orders.get(hashOf(1))).toMatchObject({
      adopted: true,
      level: -1,
      mayFillLots: 6,
    });
    expect(account.orders.foreign(MARKET).map((order) => order.hash)).toEqual([hashOf(2)]);
    expect(story.differences).toEqual([]);
    // Orders filled before this run are not in its log.
    expect(story.changes.filter((change) => change.kind === "fill")).toEqual([]);
    expect(worstPosition(account, MARKET)).toEqual({ maxLongLots: 49, maxShortLots: 33 });
  });

  it("counts a trade between trades and positions once", () => {
    for (const moment of ["openOrders", "balances", "userTrades", "incomes"]) {
      const story = new Story();
      story.exchange.basePosition = 10;
      let done = false;
      story.meanwhile = ({ ask }) => {
        if (ask !== moment || done) return;
        done = true;
        story.exchange.trades.push(venueTrade(1, "BUY", 5, { status: "SETTLED" }));
      };
      story.start();
      // The last query ends the count. The stream reports the trade in any case, and it is the same
      // one.
      if (moment !== "incomes")
        expect([moment, story.account.positionLots(MARKET)]).toEqual([moment, 15]);
      story.tradeUpdate(venueTrade(1, "BUY", 5, { status: "SETTLED" }));
      expect([moment, story.account.positionLots(MARKET)]).toEqual([moment, 15]);
    }
  });

  it("keeps a trade that failed in between out of the base", () => {
    const story = new Story();
    story.exchange.basePosition = 10;
    failsInBetween(story);
    story.start().wait(60_000);
    expect([story.account.positionLots(MARKET), story.differences]).toEqual([10, []]);
    expect(
      story.changes.filter((change) => change.kind === "position-set" && change.was !== 0),
    ).toEqual([]);
  });

  it("finds the base amid unsettled trades, however they are counted", () => {
    for (const positionsFrom of ["match", "settlement"] as const) {
      const story = new Story();
      Object.assign(story.exchange, { positionsFrom, basePosition: 10 });
      story.exchange.settle(venueTrade(1, "BUY", 5));
      story.exchange.settle(venueTrade(2, "SELL", 3));
      story.start().wait(1500);
      // Opening position and trades as reported: the position can only be 12.
      if (story.account.confirmed)
        expect([positionsFrom, story.account.positionLots(MARKET)]).toEqual([positionsFrom, 12]);
      for (const trade of [
        venueTrade(2, "SELL", 3, { status: "SETTLED" }),
        venueTrade(1, "BUY", 5, { status: "SETTLED" }),
      ]) {
        story.exchange.settle(trade);
        story.tradeUpdate(trade).wait(1500);
        if (story.account.confirmed)
          expect([positionsFrom, story.account.positionLots(MARKET)]).toEqual([positionsFrom, 12]);
      }
      expect([positionsFrom, story.account.confirmed, story.account.positionLots(MARKET)]).toEqual([
        positionsFrom,
        true,
        12,
      ]);
      story.wait(60_000);
      expect([positionsFrom, story.account.positionLots(MARKET), story.differences]).toEqual([
        positionsFrom,
        12,
        [],
      ]);
    }
  });

  it("waits a minute for a trade that never settles, then includes it", () => {
    const story = new Story();
    story.exchange.basePosition = 10;
    story.exchange.settle(venueTrade(1, "BUY", 5, { timeMs: T0 }));
    story.start().wait(59_000);
    expect(story.account.confirmed).toBe(false);
    expect(story.changes).toContainEqual({ kind: "awaits-settlement", marketIds: [MARKET] });
    const asked = story.asked.filter(({ ask }) => ask === "balances").length;
    expect(asked).toBeLessThan(65);
    story.wait(3000);
    expect([story.account.confirmed, story.account.positionLots(MARKET)]).toEqual([true, 15]);
  });

  it("does not wait for a trade that was already open for more than a minute", () => {
    const story = new Story();
    story.exchange.basePosition = 10;
    story.exchange.settle(venueTrade(1, "BUY", 5, { timeMs: T0 - 61_000 }));
    story.start();
    expect([story.account.confirmed, story.account.positionLots(MARKET)]).toEqual([true, 15]);
  });

  it("continues after failed queries, and is not confirmed before they are answered", () => {
    const story = new Story();
    let failures = 6;
    story.instead = () =>
      failures-- > 0 ? { result: "throttled", httpStatus: 429, retryAfterMs: 700 } : undefined;
    story.start();
    expect(story.account.confirmed).toBe(false);
    story.wait(20_000);
    expect(story.account.confirmed).toBe(true);
    expect(story.changes.filter((change) => change.kind === "reconcile-failed").length).toBe(6);
  });

  it("starts again when the stream reconnects while it runs, and ignores responses from before", () => {
    const story = new Story();
    const first = story.account.reconcile(story.nowMs, "start");
    const second = story.account.onEvent(
      { type: "stream", stream: "account", state: "up", reason: "" },
      story.nowMs,
    );
    for (const action of first.queries)
      expect(
        story.account.onOutcome(action, story.exchange.answer(action), story.nowMs).queries,
      ).toEqual([]);
    story.take(second);
    expect(story.account.current).toBe(true);
  });
});

describe("differences", () => {
  it("adopts an own open order that it lacked, a difference", () => {
    const story = new Story().start();
    story.exchange.set(venueOrder(9, { createdAtMs: story.nowMs }));
    story.wait(31_000);
    expect([story.differences, phaseOf(story, 9)]).toEqual([["order-unexpected"], "open"]);
  });

  it("reports credit that changed without a known cause", () => {
    const story = new Story().start();
    story.exchange.netValue -= 5n;
    story.wait(31_000);
    expect(story.differences).toEqual(["balance"]);
  });

  it("reports a trade that failed in between, not the position", () => {
    const story = new Story().start();
    failsInBetween(story);
    story.wait(120_000);
    expect([story.account.positionLots(MARKET), story.differences]).toEqual([0, ["trade-missed"]]);
  });

  it("finds none if positions count trades from settlement", () => {
    const story = new Story();
    story.exchange.positionsFrom = "settlement";
    story.start();
    const tell = (trade: VenueTrade) => {
      story.exchange.settle(trade);
      story.tradeUpdate(trade).wait(40_000);
      return [story.account.positionLots(MARKET), story.exchange.position];
    };
    expect(tell(venueTrade(1, "BUY", 5))).toEqual([5, 0]);
    expect(tell(venueTrade(2, "SELL", 2))).toEqual([3, 0]);
    expect(tell(venueTrade(1, "BUY", 5, { status: "SETTLED" }))).toEqual([3, 5]);
    expect(story.changes.filter(({ kind }) => kind === "position-set")).toEqual([]);
    expect(story.differences).toEqual([]);
    story.exchange.basePosition = 7;
    expect(tell(venueTrade(2, "SELL", 2, { status: "SETTLED" }))).toEqual([10, 10]);
    expect(new Set(story.differences)).toEqual(new Set(["position"]));
  });

  it("finds none in a position older than a reported settlement", () => {
    const story = new Story();
    story.exchange.positionsFrom = "settlement";
    story.start().tradeUpdate(venueTrade(1, "BUY", 5));
    story.exchange.settle(venueTrade(1, "BUY", 5));
    let settles = true;
    story.meanwhile = ({ ask }) => {
      if (ask !== "userTrades" || story.asked.at(-2)?.ask !== "balances" || !settles) return;
      settles = false;
      story.exchange.settle(venueTrade(1, "BUY", 5, { status: "SETTLED" }));
    };
    story.wait(60_000);
    expect([settles, story.account.positionLots(MARKET), story.differences]).toEqual([
      false,
      5,
      [],
    ]);
  });

  it("takes the exchange's position although trades never pause", () => {
    const story = new Story().start();
    let id = 0;
    const tradesFor = (seconds: number) => {
      for (let second = 0; second < seconds; second += 1) {
        const trade = venueTrade(++id, id % 2 === 0 ? "BUY" : "SELL", 1 + (id % 3), {
          timeMs: story.nowMs,
          status: "SETTLED",
        });
        story.exchange.settle(trade);
        story.tradeUpdate(trade).wait(1000);
      }
    };
    tradesFor(40);
    story.exchange.basePosition += 7;
    tradesFor(45);
    expect(story.account.positionLots(MARKET)).toBe(story.exchange.position);
    expect(story.changes.filter(({ kind }) => kind === "position-set")).toHaveLength(1);
  });

  it("finds none in a quiet hour", () => {
    const story = new Story().start();
    resting(story, 1);
    story.exchange.set(venueOrder(2, { info: infoOf(2, 1) }));
    story.wait(3_600_000);
    expect(story.differences).toEqual([]);
    expect(story.changes.filter((change) => change.kind === "reconciled").length).toBeGreaterThan(
      100,
    );
  });
});

describe("a clock that steps", () => {
  it("back by an hour delays no reconciliation", () => {
    const story = new Story().start().wait(10_000);
    const before = story.changes.filter((change) => change.kind === "reconciled").length;
    story.nowMs -= 3_600_000;
    story.wait(35_000);
    expect(story.changes.filter((change) => change.kind === "reconciled").length).toBeGreaterThan(
      before,
    );
  });
});
