import { describe, expect, it } from "vitest";
import {
  hashOf,
  infoOf,
  MARKET,
  placeAction,
  T0,
  venueOrder,
  venueTrade,
} from "./exchange-story.js";
import { phaseOf, unanswered } from "./reconciled-orders.js";
import { Story, TIMEOUT } from "./scripted-exchange.js";
import { worstPosition } from "./worst-position.js";

describe("an unknown place", () => {
  it("counts at full size and is lost only after its window", () => {
    const story = new Story().start();
    unanswered(story, 1);
    const { account } = story;
    expect([
      phaseOf(story, 1),
      worstPosition(account, MARKET).maxLongLots,
      account.orders.slotOccupied(MARKET, "BUY", 0),
    ]).toEqual(["unknown", 10, true]);
    const sentAtMs = story.nowMs;
    story.wait(4900);
    expect(phaseOf(story, 1)).toBe("unknown");
    story.wait(3000);
    expect(phaseOf(story, 1)).toBe("lost");
    expect([
      worstPosition(account, MARKET).maxLongLots,
      account.orders.slotOccupied(MARKET, "BUY", 0),
    ]).toEqual([0, false]);
    const time = story.changes.find(
      (change) => change.kind === "reconciled" && change.result.resolved.length > 0,
    );
    expect(time?.kind === "reconciled" && time.result.exchangeTimeMs).toBeGreaterThan(
      sentAtMs + 5000,
    );
    expect(account.counts).toMatchObject({ unknown: 1, unknownResolved: 1 });
  });

  it("stays unknown until the exchange's clock passes its window", () => {
    const story = new Story().start();
    unanswered(story, 1);
    story.exchange.timeMs -= 8000;
    story.wait(9000);
    expect(phaseOf(story, 1)).toBe("unknown");
    story.wait(8000);
    expect(phaseOf(story, 1)).toBe("lost");
  });

  it("queries in the order that proves the outcome: time, then open orders, then the history", () => {
    const story = new Story().start();
    unanswered(story, 1);
    story.asked.length = 0;
    story.wait(7000);
    const kinds = story.asked.map((action) => action.ask);
    expect(kinds.indexOf("time")).toBeLessThan(kinds.indexOf("openOrders"));
    expect(kinds.indexOf("openOrders")).toBeLessThan(kinds.indexOf("historyOrders"));
    const history = story.asked.find(
      (action): action is typeof action & { startTimeMs: number } => action.ask === "historyOrders",
    );
    expect(history?.startTimeMs).toBeLessThanOrEqual(T0);
  });

  it("is open in its slot once the open orders list it", () => {
    const story = new Story().start();
    unanswered(story, 1);
    story.exchange.set(
      venueOrder(1, { createdAtMs: story.nowMs, pendingLots: 2, status: "PARTIAL_FILLED" }),
    );
    story.wait(8000);
    expect(story.account.orders.get(hashOf(1))).toMatchObject({
      phase: "partly-filled",
      level: 0,
      mayFillLots: 8,
      adopted: false,
    });
  });

  it("is filled and in the position once the history lists it", () => {
    const story = new Story().start();
    unanswered(story, 1);
    story.exchange.set(
      venueOrder(1, { createdAtMs: story.nowMs, filledLots: 10, status: "FILLED" }),
    );
    story.exchange.trades.push(
      venueTrade(1, "BUY", 10, { status: "SETTLED", timeMs: story.nowMs }),
    );
    story.wait(8000);
    expect([phaseOf(story, 1), story.account.positionLots(MARKET)]).toEqual(["filled", 10]);
  });

  it("stays unknown while only an unsettled trade shows it", () => {
    const story = new Story().start();
    unanswered(story, 1);
    const createdAtMs = story.nowMs;
    story.exchange.set(venueOrder(1, { createdAtMs, pendingLots: 10, status: "FILLED" }));
    story.exchange.trades.push(venueTrade(1, "BUY", 10, { timeMs: story.nowMs }));
    story.wait(60_000);
    expect([phaseOf(story, 1), story.account.positionLots(MARKET)]).toEqual(["unknown", 10]);
    story.exchange.set(venueOrder(1, { createdAtMs, filledLots: 10, status: "FILLED" }));
    story.exchange.settle(venueTrade(1, "BUY", 10, { timeMs: story.nowMs, status: "SETTLED" }));
    story.wait(5000);
    expect([phaseOf(story, 1), story.account.positionLots(MARKET)]).toEqual(["filled", 10]);
  });

  it("stays unknown while the position differs without explanation", () => {
    const story = new Story().start();
    unanswered(story, 1);
    // The exchange moves the position before it lists the trade.
    story.exchange.basePosition = 10;
    story.wait(5500);
    expect(phaseOf(story, 1)).toBe("unknown");
    expect(story.differences).toContain("position");
  });

  it("does not wait forever for a position that changed for another cause: the exchange's state wins", () => {
    const story = new Story().start();
    story.exchange.basePosition = 25;
    unanswered(story, 1);
    story.wait(15_000);
    expect([phaseOf(story, 1), story.account.positionLots(MARKET)]).toEqual(["lost", 25]);
    expect(story.changes.filter((change) => change.kind === "position-set")).toEqual([
      { kind: "position-set", marketId: MARKET, lots: 25, was: 0 },
    ]);
  });

  it("is revived if it appears after it was lost", () => {
    const story = new Story().start();
    unanswered(story, 1);
    story.wait(8000);
    expect(phaseOf(story, 1)).toBe("lost");
    story.orderUpdate(venueOrder(1, { pendingLots: 3, status: "PARTIAL_FILLED" }));
    expect(story.account.orders.get(hashOf(1))).toMatchObject({
      phase: "partly-filled",
      mayFillLots: 7,
    });
    expect(story.account.counts.revived).toBe(1);
  });

  it("is resolved like a time-out if refused as an invalid order: the first copy may have been accepted", () => {
    const story = new Story().start();
    for (const [serial, code] of [
      [1, 2016],
      [2, 2010],
    ] as const) {
      const action = placeAction(serial, { timestampMs: story.nowMs });
      story.account.intend({ action, level: serial });
      story
        .dispatch(action)
        .outcome(action, { result: "rejected", code, codeText: "", message: "", httpStatus: 400 });
      expect(phaseOf(story, serial)).toBe("unknown");
    }
    story.exchange.set(venueOrder(1, { createdAtMs: story.nowMs }));
    story.wait(8000);
    expect([phaseOf(story, 1), phaseOf(story, 2)]).toEqual(["open", "lost"]);
  });

  it("stays unknown while the history cannot be listed in full", () => {
    const story = new Story().start();
    unanswered(story, 1);
    for (let serial = 100; serial < 700; serial += 1) {
      story.exchange.set(
        venueOrder(serial, {
          createdAtMs: story.nowMs,
          canceledLots: 10,
          status: "CANCELED",
          info: infoOf(serial, 1),
        }),
      );
    }
    story.wait(20_000);
    expect(phaseOf(story, 1)).toBe("unknown");
  });

  it("is found on a later page, at whichever end pages are cut, with many orders in one millisecond", () => {
    for (const cutsAt of ["new", "old"] as const) {
      for (const at of [0, 3, 499, 500, 1200]) {
        const story = new Story().start();
        story.exchange.cutsAt = cutsAt;
        unanswered(story, 1);
        for (let index = 0; index < 1200; index += 1) {
          // Twelve milliseconds with a hundred orders each.
          const createdAtMs = story.nowMs + Math.floor(index / 100);
          story.exchange.set(
            venueOrder(100 + index, {
              createdAtMs,
              canceledLots: 10,
              status: "CANCELED",
              info: infoOf(100 + index, 1),
            }),
          );
        }
        const createdAtMs = story.nowMs + Math.floor(at / 100);
        story.exchange.set(venueOrder(1, { createdAtMs, canceledLots: 10, status: "CANCELED" }));
        story.wait(8000);
        expect([cutsAt, at, phaseOf(story, 1)]).toEqual([cutsAt, at, "cancelled"]);
      }
    }
  });

  it("stays unknown while queries fail", () => {
    const story = new Story().start();
    unanswered(story, 1);
    story.instead = ({ ask }) => (ask === "historyOrders" ? TIMEOUT : undefined);
    story.wait(40_000);
    expect(phaseOf(story, 1)).toBe("unknown");
    story.instead = () => undefined;
    story.wait(12_000);
    expect(phaseOf(story, 1)).toBe("lost");
  });
});
