import { describe, expect, it } from "vitest";
import type { Query } from "#exchange/venue.js";
import {
  hashOf,
  infoOf,
  MARKET,
  placeAction,
  T0,
  venueOrder,
  venueTrade,
} from "./exchange-story.js";
import { phaseOf, resting, unanswered } from "./reconciled-orders.js";
import { Story, TIMEOUT } from "./scripted-exchange.js";
import { worstPosition } from "./worst-position.js";

describe("an order that we hold open and the exchange does not", () => {
  it("takes final amounts from the history, a difference after 5 s", () => {
    const story = new Story().start();
    resting(story, 1);
    story.wait(1000);
    story.exchange.set(venueOrder(1, { createdAtMs: T0 + 10, filledLots: 10, status: "FILLED" }));
    story.exchange.trades.push(
      venueTrade(1, "BUY", 10, { status: "SETTLED", timeMs: story.nowMs }),
    );
    story.exchange.set({
      ...venueOrder(1, { filledLots: 10, status: "FILLED" }),
      createdAtMs: story.account.orders.get(hashOf(1))?.createdAtMs ?? 0,
    });
    story.wait(31_000);
    expect([phaseOf(story, 1), story.account.positionLots(MARKET)]).toEqual(["filled", 10]);
    expect(story.differences).toEqual([]);
    story.wait(6000);
    expect([...story.differences].sort()).toEqual(["order-missing", "trade-missed"]);
  });

  it("is a difference if only its settlement went unreported", () => {
    const story = new Story().start();
    resting(story, 1);
    const createdAtMs = story.account.orders.get(hashOf(1))?.createdAtMs ?? 0;
    const trade = venueTrade(1, "BUY", 10, { timeMs: story.nowMs });
    story
      .orderUpdate(venueOrder(1, { createdAtMs, pendingLots: 10, status: "PARTIAL_FILLED" }))
      .tradeUpdate(trade);
    story.exchange.set(venueOrder(1, { createdAtMs, filledLots: 10, status: "FILLED" }));
    story.exchange.trades.push({ ...trade, status: "SETTLED" });
    story.wait(40_000);
    const told = story.changes.flatMap((change) =>
      change.kind === "difference" ? [change.difference] : [],
    );
    expect(told).toMatchObject([
      {
        ours: "filled, 10 of 10 lots matched, 10 not settled",
        theirs: "filled, 10 of 10 lots matched",
      },
    ]);
  });

  it("is not a difference if the stream reports it soon after", () => {
    const story = new Story().start();
    resting(story, 1);
    const createdAtMs = story.account.orders.get(hashOf(1))?.createdAtMs ?? 0;
    const filled = venueOrder(1, { createdAtMs, filledLots: 10, status: "FILLED" });
    const trade = venueTrade(1, "BUY", 10, { status: "SETTLED", timeMs: story.nowMs });
    story.exchange.set(filled);
    story.exchange.trades.push(trade);
    story.take(story.account.reconcile(story.nowMs, "interval"));
    expect(phaseOf(story, 1)).toBe("filled");
    story.orderUpdate(filled).tradeUpdate(trade).wait(20_000);
    expect(story.differences).toEqual([]);
  });

  it("is not missing if placed after the query", () => {
    const story = new Story().start();
    const step = story.account.reconcile(story.nowMs, "interval");
    let held: Query | undefined;
    story.meanwhile = (question) => {
      if (question.ask !== "openOrders" || held !== undefined) return;
      held = question;
      // The exchange has already responded. The order is placed and reported before that response
      // arrives.
      const action = placeAction(1, { timestampMs: story.nowMs });
      story.account.intend({ action, level: 0 });
      story.account.onDispatched(action, story.nowMs);
      story.account.onOutcome(
        action,
        { result: "accepted", order: venueOrder(1, { createdAtMs: story.nowMs }) },
        story.nowMs,
      );
    };
    story.take(step);
    story.exchange.set(venueOrder(1, { createdAtMs: story.nowMs }));
    story.wait(10_000);
    expect([phaseOf(story, 1), story.differences]).toEqual(["open", []]);
  });

  it("is lost when two reconciliations find it nowhere", () => {
    const story = new Story().start();
    resting(story, 1);
    story.exchange.orders.length = 0;
    story.wait(1000).take(story.account.reconcile(story.nowMs, "interval"));
    expect([phaseOf(story, 1), story.differences]).toEqual(["open", []]);
    story.wait(3000);
    expect(phaseOf(story, 1)).toBe("lost");
    story.wait(3000);
    expect(story.differences).toEqual(["order-missing"]);
  });

  it("is queried soon after a cancel without a reported end", () => {
    for (const outcome of [
      { result: "rejected", code: 2011, codeText: "No such order", message: "", httpStatus: 400 },
      { result: "cancelled" },
    ] as const) {
      const story = new Story().start();
      resting(story, 1);
      const { orderId = "", createdAtMs = 0 } = story.account.orders.get(hashOf(1)) ?? {};
      const cancel = {
        kind: "cancel",
        actionId: 5,
        timestampMs: story.nowMs,
        marketId: MARKET,
        orderId,
        hash: hashOf(1),
      } as const;
      story.wait(2000).dispatch(cancel).outcome(cancel, outcome);
      // The worst case counts it until its end is known: it may have filled.
      expect(worstPosition(story.account, MARKET).maxLongLots).toBe(10);
      story.exchange.set(
        venueOrder(1, { createdAtMs, filledLots: 4, canceledLots: 6, status: "CANCELED" }),
      );
      story.exchange.trades.push(
        venueTrade(1, "BUY", 4, { status: "SETTLED", timeMs: story.nowMs }),
      );
      story.wait(3000);
      expect([phaseOf(story, 1), story.account.positionLots(MARKET)]).toEqual(["cancelled", 4]);
      expect(worstPosition(story.account, MARKET)).toEqual({ maxLongLots: 4, maxShortLots: 4 });
    }
  });

  it("keeps a newer stream update over an older answer", () => {
    const story = new Story().start();
    resting(story, 1);
    const listed = story.exchange.orders[0];
    if (listed === undefined) throw new Error("one order rests");
    story.instead = ({ ask }) => {
      if (ask !== "openOrders") return undefined;
      story.account.onEvent(
        {
          type: "order-update",
          order: { ...listed, canceledLots: 10, availableLots: 0, status: "CANCELED" },
          timestampMs: story.nowMs,
        },
        story.nowMs,
      );
      return { result: "answered", ask: "openOrders", data: [listed] };
    };
    story.take(story.account.reconcile(story.nowMs, "interval"));
    expect([phaseOf(story, 1), worstPosition(story.account, MARKET).maxLongLots]).toEqual([
      "cancelled",
      0,
    ]);
  });
});

describe("while the stream is down", () => {
  it("is not current, and finds what happened meanwhile when it is up again", () => {
    const story = new Story().start();
    resting(story, 1);
    const createdAtMs = story.account.orders.get(hashOf(1))?.createdAtMs ?? 0;
    story.streamDown();
    expect([story.account.confirmed, story.account.current]).toEqual([true, false]);
    story.exchange.set(
      venueOrder(1, { createdAtMs, filledLots: 3, pendingLots: 2, status: "PARTIAL_FILLED" }),
    );
    story.exchange.trades.push(
      venueTrade(1, "BUY", 3, { status: "SETTLED", timeMs: story.nowMs }),
      venueTrade(2, "BUY", 2, { timeMs: story.nowMs }),
    );
    story.wait(2000).streamUp();
    const { account } = story;
    expect([
      account.current,
      account.positionLots(MARKET),
      worstPosition(account, MARKET).maxLongLots,
    ]).toEqual([true, 5, 10]);
    story.wait(6000);
    expect([...story.differences].sort()).toEqual(["amount", "trade-missed", "trade-missed"]);
  });

  it("calls an unknown order lost if a manual one explains the trade", () => {
    const story = new Story().start();
    story.streamDown();
    unanswered(story, 1);
    story.exchange.set(
      venueOrder(50, {
        info: infoOf(50, 1),
        createdAtMs: story.nowMs,
        filledLots: 10,
        status: "FILLED",
      }),
    );
    story.exchange.trades.push(
      venueTrade(1, "BUY", 10, { status: "SETTLED", timeMs: story.nowMs }),
    );
    story.wait(8000);
    expect([phaseOf(story, 1), story.account.positionLots(MARKET)]).toEqual(["lost", 10]);
  });

  it("reads every page of trades", () => {
    const story = new Story().start();
    story.streamDown();
    for (let id = 1; id <= 1234; id += 1)
      story.exchange.trades.push(
        venueTrade(id, id % 3 === 0 ? "SELL" : "BUY", 1, {
          status: id === 7 ? "CREATED" : "SETTLED",
          timeMs: story.nowMs,
        }),
      );
    story.streamUp();
    expect(story.account.positionLots(MARKET)).toBe(story.exchange.position);
    story.exchange.settle(venueTrade(7, "BUY", 1, { status: "FAILED" }));
    story.wait(31_000);
    expect(story.account.positionLots(MARKET)).toBe(story.exchange.position);
    expect(story.changes.filter((change) => change.kind === "trade-failed")).toHaveLength(1);
  });

  it("reads every page of incomes and counts funding once", () => {
    const story = new Story().start();
    story.streamDown();
    for (let id = 1; id <= 1100; id += 1)
      story.exchange.incomes.push({
        id: String(id),
        type: "FUNDING_FEE",
        amount: 2n,
        timeMs: story.nowMs + Math.floor(id / 50),
        marketId: MARKET,
      });
    story.wait(100).streamUp().wait(40_000);
    const { funding, decimals } = story.account.profit();
    expect(funding).toBe(2200n * 10n ** BigInt(decimals - 6));
    expect(story.differences.every((kind) => kind === "income-missed")).toBe(true);
  });

  it("reads every page of incomes, cut at either end", () => {
    const story = new Story().start();
    story.streamDown();
    story.exchange.cutsAt = "old";
    for (let id = 1; id <= 1100; id += 1)
      story.exchange.incomes.push({
        id: String(id),
        type: "FUNDING_FEE",
        amount: -2n,
        timeMs: story.nowMs + id,
        marketId: MARKET,
      });
    story.wait(2000).streamUp().wait(40_000);
    const { funding, decimals } = story.account.profit();
    expect(funding).toBe(-2200n * 10n ** BigInt(decimals - 6));
  });

  it("counts funding of an outage despite later incomes", () => {
    const story = new Story().start();
    const paid = {
      id: "1",
      type: "FUNDING_FEE",
      amount: -5_000_000n,
      timeMs: story.nowMs + 1000,
      marketId: MARKET,
    };
    story.exchange.incomes.push(paid);
    story.streamDown();
    story.instead = () => TIMEOUT;
    story.wait(600_000);
    story.instead = () => undefined;
    story.meanwhile = ({ ask }) => {
      if (ask !== "openOrders") return;
      const later = {
        id: "2",
        type: "MAKER_FEE",
        amount: 1n,
        timeMs: story.nowMs,
        marketId: MARKET,
      };
      story.exchange.incomes.push(later);
      story.account.onEvent({ type: "income-update", incomes: [later] }, story.nowMs);
      story.meanwhile = () => {};
    };
    story.streamUp().wait(120_000);
    const { funding, decimals } = story.account.profit();
    expect(funding).toBe(-5_000_000n * 10n ** BigInt(decimals - 6));
  });
});
