import { describe, expect, it } from "vitest";
import {
  hashOf,
  infoOf,
  MARKET,
  placeAction,
  venueBalances,
  venueOrder,
  venuePosition,
  venueTrade,
} from "./exchange-story.js";
import { phaseOf, resting, unanswered } from "./reconciled-orders.js";
import { Story, TIMEOUT } from "./scripted-exchange.js";
import { LOT_VALUE, Scene, takeover } from "./takeover-scene.js";

describe("a liquidation while REST is silent", () => {
  /**
   * The exchange has liquidated 4 of 5 lots. Its stream reports the income, then a position. No
   * query gets a response.
   */
  function liquidated(toldLots: number, before: (scene: Scene) => void = () => {}): Scene {
    const scene = new Scene().start();
    scene.instead = () => TIMEOUT;
    before(scene);
    scene.streams(scene.applies({ lots: -4, credit: (4n * LOT_VALUE * 98n) / 100n }, "LIQUIDATED"));
    return scene.take(
      scene.account.onEvent(
        {
          type: "account-update",
          balances: venueBalances(scene.exchange.netValue),
          positions: [venuePosition(toldLots)],
        },
        scene.nowMs,
      ),
    );
  }

  const standing = (scene: Scene) => [scene.position, scene.account.positionUncertainty(MARKET)];

  it("counts by the next position on the stream", () => {
    const scene = liquidated(1).wait(1_000);
    expect(standing(scene)).toEqual([1, undefined]);
    scene.instead = () => undefined;
    scene.agrees();
  });

  it.each<[string, number, (scene: Scene) => void]>([
    ["is the one from before it", 5, () => {}],
    ["would make its price none", 4, () => {}],
    [
      "may have an order that has filled",
      1,
      (scene) => {
        const action = placeAction(1, { timestampMs: scene.nowMs });
        scene.account.intend({ action, level: 0 });
        scene.dispatch(action);
      },
    ],
  ])("waits if the position on the stream %s", (_, toldLots, before) => {
    expect(standing(liquidated(toldLots, before).wait(1_000))).toEqual([5, "liquidation"]);
  });

  it("waits if the streamed position may include a takeover", () => {
    const scene = liquidated(3, (before) => before.says(takeover(2))).wait(1_000);
    expect(standing(scene)).toEqual([7, "liquidation"]);
  });

  it("waits if a trade followed the position on the stream", () => {
    const scene = liquidated(1);
    const order = { filledLots: 1, canceledLots: 9, status: "CANCELED" };
    scene.orderUpdate(venueOrder(50, { info: infoOf(50, 1), ...order }));
    scene.trades(1, "BUY").wait(1_000);
    expect(standing(scene)).toEqual([6, "liquidation"]);
  });
});

describe("a position that nothing explains", () => {
  const interval = (story: Story) =>
    story.take(story.account.reconcile(story.nowMs, "interval")).account.positionLots(MARKET);

  it("counts after two equal differences with nothing in between", () => {
    const story = new Story().start();
    story.exchange.basePosition += 7;
    expect(interval(story)).toBe(0);
    const trade = venueTrade(1, "BUY", 2, { status: "SETTLED", timeMs: story.nowMs });
    story.exchange.settle(trade);
    story.tradeUpdate(trade);
    expect(interval(story), "a trade came between the two").toBe(2);
    expect(interval(story)).toBe(9);
    expect(story.differences).toEqual(["position", "position"]);
  });

  it("is queried three more times amid trades", () => {
    const story = new Story().start();
    story.exchange.basePosition += 7;
    let trades = 0;
    story.meanwhile = ({ ask }) => {
      if (ask !== "userTrades" || story.asked.at(-2)?.ask !== "balances" || trades === 10) return;
      story.exchange.settle(
        venueTrade(++trades, "BUY", 1, { status: "SETTLED", timeMs: story.nowMs }),
      );
    };
    const before = story.asked.length;
    expect(interval(story)).toBe(4);
    const asked = story.asked.slice(before).filter(({ ask }) => ask === "balances");
    expect([asked.length, story.differences]).toEqual([4, []]);
  });

  it("keeps an order unknown if an unsettled trade may explain it", () => {
    const story = new Story().start();
    const sold = venueTrade(1, "SELL", 10, { timeMs: story.nowMs });
    story.exchange.settle(sold);
    story.tradeUpdate(sold);
    unanswered(story, 1);
    // The order has matched 10. The exchange's position includes it, and its trade is not listed
    // yet.
    story.exchange.basePosition += 10;
    story.wait(20_000);
    expect([phaseOf(story, 1), story.account.positionLots(MARKET)]).toEqual(["unknown", -10]);
  });
});

describe("a position on the stream that is not ours", () => {
  const streams = (story: Story, lots: number) =>
    story.take(
      story.account.onEvent(
        {
          type: "account-update",
          balances: venueBalances(story.exchange.netValue),
          positions: [venuePosition(lots)],
        },
        story.nowMs,
      ),
    );

  it("is queried at once, until the stream reports ours", () => {
    const story = new Story().start();
    story.instead = () => TIMEOUT;
    const before = story.asked.length;
    streams(story, 4);
    expect([story.asked.length > before, story.account.positionUncertainty(MARKET)]).toEqual([
      true,
      "unexplained",
    ]);
    streams(story, 0);
    expect(story.account.positionUncertainty(MARKET)).toBeUndefined();
  });

  it("is ignored if a trade of the last ten seconds explains it", () => {
    const story = new Story().start();
    resting(story, 1);
    story
      .orderUpdate(venueOrder(1, { filledLots: 4, status: "PARTIAL_FILLED" }))
      .tradeUpdate(venueTrade(1, "BUY", 4, { status: "SETTLED", timeMs: story.nowMs }));
    story.instead = () => TIMEOUT;
    story.wait(9_000);
    streams(story, 0);
    expect(story.account.positionUncertainty(MARKET)).toBeUndefined();
    story.wait(2_000);
    streams(story, 0);
    expect(story.account.positionUncertainty(MARKET)).toBe("unexplained");
  });
});

describe("what is listed nowhere, late, or in between", () => {
  it("an unreported settlement is queried, however old the order", () => {
    const story = new Story().start();
    resting(story, 1);
    const createdAtMs = story.account.orders.get(hashOf(1))?.createdAtMs ?? 0;
    const matched = { createdAtMs, status: "FILLED" };
    const trade = venueTrade(1, "BUY", 10, { timeMs: story.nowMs });
    story.exchange.set(venueOrder(1, { ...matched, pendingLots: 10 }));
    story.exchange.trades.push(trade);
    story.orderUpdate(venueOrder(1, { ...matched, pendingLots: 10 })).tradeUpdate(trade);
    story.wait(120_000);
    expect(story.account.orders.get(hashOf(1))?.pendingLots).toBe(10);
    story.exchange.set(venueOrder(1, { ...matched, filledLots: 10 }));
    story.wait(40_000);
    expect(story.account.orders.get(hashOf(1))).toMatchObject({ pendingLots: 0, filledLots: 10 });
  });

  it("funding that the stream omits counts, as a difference", () => {
    const story = new Story().start();
    story.exchange.incomes.push({
      id: "1",
      type: "FUNDING_FEE",
      amount: -3n,
      timeMs: story.exchange.timeMs,
      marketId: MARKET,
    });
    story.wait(31_000);
    const { funding, decimals } = story.account.profit();
    expect([funding, story.differences]).toEqual([-3n * 10n ** BigInt(decimals - 6), []]);
    story.wait(6_000);
    expect(story.differences).toEqual(["income-missed"]);
  });

  it("a manual order that two reconciliations miss is removed", () => {
    const story = new Story();
    story.exchange.set(venueOrder(50, { info: infoOf(50, 1) }));
    story.start();
    story.exchange.orders.length = 0;
    const reconciled = () =>
      story.take(story.account.reconcile(story.nowMs, "interval")).account.orders.foreign(MARKET);
    expect(reconciled()).toHaveLength(1);
    expect(reconciled()).toEqual([]);
  });

  it("an income between two queries of the start repeats both", () => {
    const story = new Story();
    let comes = true;
    story.meanwhile = ({ ask }) => {
      if (ask !== "incomes" || !comes) return;
      comes = false;
      story.exchange.incomes.push({
        id: "1",
        type: "FUNDING_FEE",
        amount: -3n,
        timeMs: story.exchange.timeMs,
        marketId: MARKET,
      });
    };
    story.start();
    expect(story.asked.filter(({ ask }) => ask === "balances")).toHaveLength(2);
    expect(story.account.confirmed).toBe(true);
  });
});
