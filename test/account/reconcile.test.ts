import { describe, expect, it } from "vitest";
import type { Question } from "../../src/exchange/venue.js";
import { hashOf, infoOf, MARKET, placeAction, T0, venueOrder, venueTrade } from "./exchange-story.js";
import { Story, TIMEOUT } from "./scripted-exchange.js";

/** An order that was sent at the story's present and whose answer never came. */
function unanswered(story: Story, serial: number, lots = 10): ReturnType<typeof placeAction> {
  const action = placeAction(serial, { timestampMs: story.nowMs, lots });
  story.account.intend({ action, level: 0 });
  story.dispatch(action).outcome(action, TIMEOUT);
  return action;
}

/** An order of this run that rests at the exchange. */
function resting(story: Story, serial: number): void {
  const action = placeAction(serial, { timestampMs: story.nowMs });
  story.account.intend({ action, level: 0 });
  story.dispatch(action);
  const order = venueOrder(serial, { createdAtMs: story.nowMs });
  story.exchange.set(order);
  story.outcome(action, { result: "accepted", order });
}

/** A trade that the stream does not tell: it is in the positions once, and has failed before the trades are asked for. */
function failsInBetween(story: Story): void {
  story.meanwhile = ({ ask }) => {
    const told = story.exchange.trades.length > 0;
    if (ask === "balances" && !told) story.exchange.settle(venueTrade(1, "BUY", 5));
    if (ask === "userTrades" && told) story.exchange.settle(venueTrade(1, "BUY", 5, { status: "FAILED" }));
  };
}

const phaseOf = (story: Story, serial: number): string | undefined => story.account.orders.get(hashOf(serial))?.phase;

describe("the start", () => {
  it("takes position, equity, own and manual orders from the exchange, and is confirmed only then", () => {
    const story = new Story();
    story.exchange.basePosition = 40;
    story.exchange.trades.push(venueTrade(7, "BUY", 3, { status: "SETTLED", timeMs: T0 - 5000 }));
    story.exchange.set(venueOrder(1, { pendingLots: 4, status: "PARTIAL_FILLED" }));
    story.exchange.set(venueOrder(2, { info: infoOf(2, 0x1234), side: "SELL" }));
    expect(story.account.confirmed).toBe(false);
    story.start();
    const { account } = story;
    expect([account.confirmed, account.current, account.positionLots(MARKET), account.startEquity]).toEqual([
      true,
      true,
      43,
      100_000_000_000n,
    ]);
    expect(account.orders.get(hashOf(1))).toMatchObject({ adopted: true, level: -1, mayFillLots: 6 });
    expect(account.orders.foreign(MARKET).map((order) => order.hash)).toEqual([hashOf(2)]);
    expect(story.differences).toEqual([]);
    // What was filled before this run is in no log of this one.
    expect(story.changes.filter((change) => change.kind === "fill")).toEqual([]);
    expect(account.worstPosition(MARKET)).toEqual({ maxLongLots: 49, maxShortLots: 33 });
  });

  it("counts a trade once that comes between the trades and the positions", () => {
    for (const moment of ["openOrders", "balances", "userTrades", "incomes"]) {
      const story = new Story();
      story.exchange.basePosition = 10;
      let done = false;
      story.meanwhile = ({ ask }) => {
        if (ask !== moment || done) return;
        done = true;
        story.exchange.trades.push(venueTrade(1, "BUY", 5));
      };
      story.start();
      // With the last question all has been counted; the stream tells the trade in any case, and it is the same one.
      if (moment !== "incomes") expect([moment, story.account.positionLots(MARKET)]).toEqual([moment, 15]);
      story.tradeUpdate(venueTrade(1, "BUY", 5, { status: "SETTLED" }));
      expect([moment, story.account.positionLots(MARKET)]).toEqual([moment, 15]);
    }
  });

  it("does not take a trade for its own base that failed between the positions and the trades", () => {
    const story = new Story();
    story.exchange.basePosition = 10;
    failsInBetween(story);
    story.start().wait(60_000);
    expect([story.account.positionLots(MARKET), story.differences]).toEqual([10, []]);
    expect(story.changes.filter((change) => change.kind === "position-set" && change.was !== 0)).toEqual([]);
  });

  it("goes on when questions fail, and is not confirmed before they are answered", () => {
    const story = new Story();
    let failures = 6;
    story.instead = () => (failures-- > 0 ? { result: "throttled", httpStatus: 429, retryAfterMs: 700 } : undefined);
    story.start();
    expect(story.account.confirmed).toBe(false);
    story.wait(20_000);
    expect(story.account.confirmed).toBe(true);
    expect(story.changes.filter((change) => change.kind === "reconcile-failed").length).toBe(6);
  });

  it("begins again when the stream comes up while it runs, and heeds no answer from before", () => {
    const story = new Story();
    const first = story.account.reconcile(story.nowMs, "start");
    const second = story.account.onEvent({ type: "stream", stream: "account", state: "up", reason: "" }, story.nowMs);
    for (const action of first.ask) expect(story.account.onOutcome(action, story.exchange.answer(action), story.nowMs).ask).toEqual([]);
    story.take(second);
    expect(story.account.current).toBe(true);
  });
});

describe("an unknown place (rule 6)", () => {
  it("counts at full size, keeps its slot, and is lost only after its window, when nothing shows it", () => {
    const story = new Story().start();
    unanswered(story, 1);
    const { account } = story;
    expect([phaseOf(story, 1), account.worstPosition(MARKET).maxLongLots, account.orders.slotOccupied(MARKET, "BUY", 0)]).toEqual([
      "unknown",
      10,
      true,
    ]);
    const sentAtMs = story.nowMs;
    story.wait(4900);
    expect(phaseOf(story, 1)).toBe("unknown");
    story.wait(3000);
    expect(phaseOf(story, 1)).toBe("lost");
    expect([account.worstPosition(MARKET).maxLongLots, account.orders.slotOccupied(MARKET, "BUY", 0)]).toEqual([0, false]);
    const time = story.changes.find((change) => change.kind === "reconciled" && change.result.resolved.length > 0);
    expect(time?.kind === "reconciled" && time.result.exchangeTimeMs).toBeGreaterThan(sentAtMs + 5000);
    expect(account.counts).toMatchObject({ unknown: 1, unknownResolved: 1 });
  });

  it("stays unknown while the exchange's own clock has not passed the window, whatever ours says", () => {
    const story = new Story().start();
    unanswered(story, 1);
    story.exchange.timeMs -= 8000;
    story.wait(9000);
    expect(phaseOf(story, 1)).toBe("unknown");
    story.wait(8000);
    expect(phaseOf(story, 1)).toBe("lost");
  });

  it("asks in the order that makes the verdict true: time, then open orders, then the history", () => {
    const story = new Story().start();
    unanswered(story, 1);
    story.asked.length = 0;
    story.wait(7000);
    const kinds = story.asked.map((action) => action.ask);
    expect(kinds.indexOf("time")).toBeLessThan(kinds.indexOf("openOrders"));
    expect(kinds.indexOf("openOrders")).toBeLessThan(kinds.indexOf("historyOrders"));
    const history = story.asked.find((action): action is typeof action & { startTimeMs: number } => action.ask === "historyOrders");
    expect(history?.startTimeMs).toBeLessThanOrEqual(T0);
  });

  it("is open after all when the open orders show it, with its slot", () => {
    const story = new Story().start();
    unanswered(story, 1);
    story.exchange.set(venueOrder(1, { createdAtMs: story.nowMs, pendingLots: 2, status: "PARTIAL_FILLED" }));
    story.wait(8000);
    expect(story.account.orders.get(hashOf(1))).toMatchObject({ phase: "partly-filled", level: 0, mayFillLots: 8, adopted: false });
  });

  it("was filled and over when the history shows it", () => {
    const story = new Story().start();
    unanswered(story, 1);
    story.exchange.set(venueOrder(1, { createdAtMs: story.nowMs, filledLots: 10, status: "FILLED" }));
    story.exchange.trades.push(venueTrade(1, "BUY", 10, { status: "SETTLED", timeMs: story.nowMs }));
    story.wait(8000);
    expect([phaseOf(story, 1), story.account.positionLots(MARKET)]).toEqual(["filled", 10]);
  });

  it("stays unknown when it matched and waits for its settlement, listed nowhere but in its trade", () => {
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

  it("stays unknown while the position shows something that nothing known explains", () => {
    const story = new Story().start();
    unanswered(story, 1);
    // The exchange moves the position before it lists the trade.
    story.exchange.basePosition = 10;
    story.wait(5500);
    expect(phaseOf(story, 1)).toBe("unknown");
    expect(story.differences).toContain("position");
  });

  it("does not wait for ever on a position that changed for another cause: the exchange is the truth", () => {
    const story = new Story().start();
    story.exchange.basePosition = 25;
    unanswered(story, 1);
    story.wait(15_000);
    expect([phaseOf(story, 1), story.account.positionLots(MARKET)]).toEqual(["lost", 25]);
    expect(story.changes.filter((change) => change.kind === "position-set")).toEqual([
      { kind: "position-set", marketId: MARKET, lots: 25, was: 0 },
    ]);
  });

  it("that appears after it was called lost is revived, and reported so", () => {
    const story = new Story().start();
    unanswered(story, 1);
    story.wait(8000);
    expect(phaseOf(story, 1)).toBe("lost");
    story.orderUpdate(venueOrder(1, { pendingLots: 3, status: "PARTIAL_FILLED" }));
    expect(story.account.orders.get(hashOf(1))).toMatchObject({ phase: "partly-filled", mayFillLots: 7 });
    expect(story.account.counts.revived).toBe(1);
  });

  it("is resolved like a time-out when refused as an invalid order: the first copy may have been taken", () => {
    const story = new Story().start();
    for (const [serial, code] of [
      [1, 2016],
      [2, 2010],
    ] as const) {
      const action = placeAction(serial, { timestampMs: story.nowMs });
      story.account.intend({ action, level: serial });
      story.dispatch(action).outcome(action, { result: "rejected", code, codeText: "", message: "", httpStatus: 400 });
      expect(phaseOf(story, serial)).toBe("unknown");
    }
    story.exchange.set(venueOrder(1, { createdAtMs: story.nowMs }));
    story.wait(8000);
    expect([phaseOf(story, 1), phaseOf(story, 2)]).toEqual(["open", "lost"]);
  });

  it("is not judged by a history that cannot be listed whole", () => {
    const story = new Story().start();
    unanswered(story, 1);
    for (let serial = 100; serial < 700; serial += 1) {
      story.exchange.set(venueOrder(serial, { createdAtMs: story.nowMs, canceledLots: 10, status: "CANCELED", info: infoOf(serial, 1) }));
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
          // Twelve milliseconds of a hundred orders each.
          const createdAtMs = story.nowMs + Math.floor(index / 100);
          story.exchange.set(venueOrder(100 + index, { createdAtMs, canceledLots: 10, status: "CANCELED", info: infoOf(100 + index, 1) }));
        }
        const createdAtMs = story.nowMs + Math.floor(at / 100);
        story.exchange.set(venueOrder(1, { createdAtMs, canceledLots: 10, status: "CANCELED" }));
        story.wait(8000);
        expect([cutsAt, at, phaseOf(story, 1)]).toEqual([cutsAt, at, "cancelled"]);
      }
    }
  });

  it("outlives questions that fail: a failed question proves nothing", () => {
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

describe("an order that we hold open and the exchange does not", () => {
  it("gets its final amounts from the history, and is a difference once the stream had its time", () => {
    const story = new Story().start();
    resting(story, 1);
    story.wait(1000);
    story.exchange.set(venueOrder(1, { createdAtMs: T0 + 10, filledLots: 10, status: "FILLED" }));
    story.exchange.trades.push(venueTrade(1, "BUY", 10, { status: "SETTLED", timeMs: story.nowMs }));
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

  it("is no difference when the stream tells it a moment later", () => {
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

  it("is not called missing when it was placed after the open orders were asked for", () => {
    const story = new Story().start();
    const step = story.account.reconcile(story.nowMs, "interval");
    let held: Question | undefined;
    story.meanwhile = (question) => {
      if (question.ask !== "openOrders" || held !== undefined) return;
      held = question;
      // The exchange has answered already; the order is placed and shown before that answer arrives.
      const action = placeAction(1, { timestampMs: story.nowMs });
      story.account.intend({ action, level: 0 });
      story.account.onDispatched(action, story.nowMs);
      story.account.onOutcome(action, { result: "accepted", order: venueOrder(1, { createdAtMs: story.nowMs }) }, story.nowMs);
    };
    story.take(step);
    expect([phaseOf(story, 1), story.differences]).toEqual(["open", []]);
  });

  it("that is neither open nor in the history is dead only when that stands, and nothing else points to it", () => {
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

  it("asks soon what became of it after a 2011 or a cancel whose end was not told", () => {
    for (const outcome of [
      { result: "rejected", code: 2011, codeText: "No such order", message: "", httpStatus: 400 },
      { result: "cancelled" },
    ] as const) {
      const story = new Story().start();
      resting(story, 1);
      const { orderId = "", createdAtMs = 0 } = story.account.orders.get(hashOf(1)) ?? {};
      const cancel = { kind: "cancel", actionId: 5, timestampMs: story.nowMs, marketId: MARKET, orderId, hash: hashOf(1) } as const;
      story.wait(2000).dispatch(cancel).outcome(cancel, outcome);
      // Until it is known, the worst case counts it: it may have filled.
      expect(story.account.worstPosition(MARKET).maxLongLots).toBe(10);
      story.exchange.set(venueOrder(1, { createdAtMs, filledLots: 4, canceledLots: 6, status: "CANCELED" }));
      story.exchange.trades.push(venueTrade(1, "BUY", 4, { status: "SETTLED", timeMs: story.nowMs }));
      story.wait(3000);
      expect([phaseOf(story, 1), story.account.positionLots(MARKET)]).toEqual(["cancelled", 4]);
      expect(story.account.worstPosition(MARKET)).toEqual({ maxLongLots: 4, maxShortLots: 4 });
    }
  });

  it("keeps what a newer stream update told against an older open-orders answer", () => {
    const story = new Story().start();
    resting(story, 1);
    const listed = story.exchange.orders[0];
    if (listed === undefined) throw new Error("one order rests");
    story.instead = ({ ask }) => {
      if (ask !== "openOrders") return undefined;
      story.account.onEvent(
        { type: "order-update", order: { ...listed, canceledLots: 10, availableLots: 0, status: "CANCELED" }, timestampMs: story.nowMs },
        story.nowMs,
      );
      return { result: "answered", ask: "openOrders", data: [listed] };
    };
    story.take(story.account.reconcile(story.nowMs, "interval"));
    expect([phaseOf(story, 1), story.account.worstPosition(MARKET).maxLongLots]).toEqual(["cancelled", 0]);
  });
});

describe("while the stream is down", () => {
  it("is not current, and finds what happened meanwhile when it is up again", () => {
    const story = new Story().start();
    resting(story, 1);
    const createdAtMs = story.account.orders.get(hashOf(1))?.createdAtMs ?? 0;
    story.streamDown();
    expect([story.account.confirmed, story.account.current]).toEqual([true, false]);
    story.exchange.set(venueOrder(1, { createdAtMs, filledLots: 3, pendingLots: 2, status: "PARTIAL_FILLED" }));
    story.exchange.trades.push(
      venueTrade(1, "BUY", 3, { status: "SETTLED", timeMs: story.nowMs }),
      venueTrade(2, "BUY", 2, { timeMs: story.nowMs }),
    );
    story.wait(2000).streamUp();
    const { account } = story;
    expect([account.current, account.positionLots(MARKET), account.worstPosition(MARKET).maxLongLots]).toEqual([true, 5, 10]);
    story.wait(6000);
    expect([...story.differences].sort()).toEqual(["amount", "trade-missed", "trade-missed"]);
  });

  it("sees manual orders that came and went, so that their trades are not held against an unknown order", () => {
    const story = new Story().start();
    story.streamDown();
    unanswered(story, 1);
    story.exchange.set(venueOrder(50, { info: infoOf(50, 1), createdAtMs: story.nowMs, filledLots: 10, status: "FILLED" }));
    story.exchange.trades.push(venueTrade(1, "BUY", 10, { status: "SETTLED", timeMs: story.nowMs }));
    story.wait(8000);
    expect([phaseOf(story, 1), story.account.positionLots(MARKET)]).toEqual(["lost", 10]);
  });

  it("reads every page of trades", () => {
    const story = new Story().start();
    story.streamDown();
    for (let id = 1; id <= 1234; id += 1)
      story.exchange.trades.push(
        venueTrade(id, id % 3 === 0 ? "SELL" : "BUY", 1, { status: id === 7 ? "CREATED" : "SETTLED", timeMs: story.nowMs }),
      );
    story.streamUp();
    expect(story.account.positionLots(MARKET)).toBe(story.exchange.position);
    story.exchange.settle(venueTrade(7, "BUY", 1, { status: "FAILED" }));
    story.wait(31_000);
    expect(story.account.positionLots(MARKET)).toBe(story.exchange.position);
    expect(story.changes.filter((change) => change.kind === "trade-failed")).toHaveLength(1);
  });

  it("reads every page of incomes, funding told once", () => {
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
});

describe("differences", () => {
  it("names an order of ours that is open and was not in the table", () => {
    const story = new Story().start();
    story.exchange.set(venueOrder(9, { createdAtMs: story.nowMs }));
    story.wait(31_000);
    expect([story.differences, phaseOf(story, 9)]).toEqual([["order-unexpected"], "open"]);
  });

  it("names credit that changed without anything that we know", () => {
    const story = new Story().start();
    story.exchange.netValue -= 5n;
    story.wait(31_000);
    expect(story.differences).toEqual(["balance"]);
  });

  it("finds the trade alone that the stream did not tell, and not the position, where it failed between the positions and the trades", () => {
    const story = new Story().start();
    failsInBetween(story);
    story.wait(120_000);
    expect([story.account.positionLots(MARKET), story.differences]).toEqual([0, ["trade-missed"]]);
  });

  it("finds none in a quiet hour", () => {
    const story = new Story().start();
    resting(story, 1);
    story.exchange.set(venueOrder(2, { info: infoOf(2, 1) }));
    story.wait(3_600_000);
    expect(story.differences).toEqual([]);
    expect(story.changes.filter((change) => change.kind === "reconciled").length).toBeGreaterThan(100);
  });
});

describe("a clock that steps", () => {
  it("back by an hour puts no reconciliation off", () => {
    const story = new Story().start().wait(10_000);
    const before = story.changes.filter((change) => change.kind === "reconciled").length;
    story.nowMs -= 3_600_000;
    story.wait(35_000);
    expect(story.changes.filter((change) => change.kind === "reconciled").length).toBeGreaterThan(before);
  });
});
