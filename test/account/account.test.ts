import { describe, expect, it } from "vitest";
import type { CancelAllAction, Outcome } from "#exchange/venue.js";
import {
  hashOf,
  infoOf,
  MARKET,
  placeAction,
  T0,
  venueBalances,
  venueOrder,
  venuePosition,
  venueTrade,
} from "./exchange-story.js";
import { Story, TIMEOUT } from "./scripted-exchange.js";
import { worstPosition } from "./worst-position.js";

const OK: Outcome = { result: "cancelled" };
const refusal = (code: number, httpStatus = 400): Outcome => ({
  result: "rejected",
  code,
  codeText: "",
  message: "",
  httpStatus,
});

function place(story: Story, serial: number, outcome?: Outcome): ReturnType<typeof placeAction> {
  const action = placeAction(serial, { timestampMs: story.nowMs });
  story.account.intend({ action, level: serial });
  story.dispatch(action);
  if (outcome !== undefined) story.outcome(action, outcome);
  return action;
}

const accepted = (serial: number): Outcome => ({ result: "accepted", order: venueOrder(serial) });
const cancelOf = (story: Story, serial: number, actionId: number) =>
  ({
    kind: "cancel",
    actionId,
    timestampMs: story.nowMs,
    marketId: MARKET,
    orderId: venueOrder(serial).id,
    hash: hashOf(serial),
  }) as const;
const cancelAll = (story: Story, actionId: number): CancelAllAction => ({
  kind: "cancel-all",
  actionId,
  timestampMs: story.nowMs,
  marketId: MARKET,
});
const phases = (story: Story, ...serials: number[]): (string | undefined)[] =>
  serials.map((serial) => story.account.orders.get(hashOf(serial))?.phase);

describe("the outcome of a place", () => {
  it("follows from the response, for every possible response", () => {
    const fates: readonly (readonly [Outcome, string])[] = [
      [accepted(1), "open"],
      [refusal(2012), "rejected"],
      [refusal(2016), "unknown"],
      [refusal(2010), "unknown"],
      [refusal(1011), "rejected"],
      [refusal(9999), "rejected"],
      [refusal(2012, 502), "unknown"],
      [{ result: "throttled", httpStatus: 429, retryAfterMs: undefined }, "rejected"],
      [{ result: "throttled", httpStatus: 418, retryAfterMs: 60_000 }, "rejected"],
      [TIMEOUT, "unknown"],
      [{ result: "unknown", cause: "server-error", message: "502" }, "unknown"],
      [{ result: "unknown", cause: "connection-lost", message: "" }, "unknown"],
      [{ result: "unknown", cause: "malformed-answer", message: "" }, "unknown"],
      [{ result: "not-sent", message: "no connection" }, "rejected"],
      // A response to another request proves nothing.
      [{ result: "accepted", order: venueOrder(2) }, "unknown"],
      [OK, "unknown"],
    ];
    for (const [outcome, phase] of fates) {
      const story = new Story().start();
      place(story, 1, outcome);
      expect([outcome, ...phases(story, 1)]).toEqual([outcome, phase]);
    }
  });

  it("is measured from the timestamp of the final signature, not from when it was intended", () => {
    const story = new Story().start();
    const action = placeAction(1);
    story.account.intend({ action, level: 0 });
    story.wait(3000).dispatch({ ...action, timestampMs: story.nowMs });
    expect(story.account.orders.get(hashOf(1))?.requestTimestampMs).toBe(story.nowMs);
  });

  it("leaves nothing behind when it is withdrawn from the queue", () => {
    const story = new Story().start();
    story.account.intend({ action: placeAction(1), level: 0 });
    story.take(story.account.withdraw(hashOf(1), story.nowMs, "superseded"));
    expect([
      ...phases(story, 1),
      worstPosition(story.account, MARKET).maxLongLots,
      story.account.counts.rejected,
    ]).toEqual(["rejected", 0, 0]);
  });
});

describe("the outcome of a cancel", () => {
  it("follows from the response, for every possible response", () => {
    const fates: readonly (readonly [Outcome, string, number])[] = [
      [OK, "accepted", 10],
      [refusal(2011), "accepted", 10],
      [refusal(2010), "unknown", 10],
      [refusal(1011), "none", 10],
      [{ result: "throttled", httpStatus: 429, retryAfterMs: 1000 }, "none", 10],
      [{ result: "not-sent", message: "" }, "none", 10],
      [TIMEOUT, "unknown", 10],
    ];
    for (const [outcome, cancel, mayFillLots] of fates) {
      const story = new Story().start();
      place(story, 1, accepted(1));
      const action = cancelOf(story, 1, 77);
      story.dispatch(action);
      expect(story.account.orders.get(hashOf(1))?.phase).toBe("cancelling");
      story.outcome(action, outcome);
      expect([outcome, story.account.orders.get(hashOf(1))]).toMatchObject([
        outcome,
        { cancel, mayFillLots, cancelTries: 1 },
      ]);
    }
  });

  it("a cancel-all covers resting orders, not later arrivals, and no response to it frees a slot", () => {
    const story = new Story().start();
    place(story, 1, accepted(1));
    place(story, 2);
    place(story, 3, TIMEOUT);
    story.account.intend({ action: placeAction(4), level: 4 });
    const all = cancelAll(story, 50);
    story.dispatch(all);
    place(story, 5, accepted(5));
    story.outcome(all, OK);
    const orders = [1, 2, 3, 4, 5].map((serial) => story.account.orders.get(hashOf(serial)));
    expect(orders.map((order) => order?.cancel)).toEqual([
      "accepted",
      "none",
      "none",
      "none",
      "none",
    ]);
    expect(orders.map((order) => order?.mayFillLots)).toEqual([10, 10, 10, 10, 10]);
  });

  it("a cancel-all covers an unknown place only when both signature windows lie between the two", () => {
    const story = new Story({ reconcileIntervalMs: 3_600_000 }).start();
    place(story, 1, TIMEOUT);
    story.instead = () => TIMEOUT;
    story.wait(9_900);
    const early = cancelAll(story, 50);
    story.dispatch(early).outcome(early, OK);
    expect(story.account.orders.get(hashOf(1))).toMatchObject({ cancel: "none", mayFillLots: 10 });
    story.wait(200);
    const late = cancelAll(story, 51);
    story.dispatch(late).outcome(late, OK);
    expect(story.account.orders.get(hashOf(1))).toMatchObject({
      phase: "unknown",
      cancel: "accepted",
      mayFillLots: 10,
    });
    expect(worstPosition(story.account, MARKET).maxLongLots).toBe(10);
  });

  it("a cancel-all without a response leaves every order counted", () => {
    for (const [outcome, cancel] of [
      [TIMEOUT, "unknown"],
      [refusal(1011), "none"],
    ] as const) {
      const story = new Story().start();
      place(story, 1, accepted(1));
      const all = cancelAll(story, 50);
      story.dispatch(all).outcome(all, outcome);
      expect(story.account.orders.get(hashOf(1))).toMatchObject({ cancel, mayFillLots: 10 });
    }
  });
});

describe("position and equity", () => {
  it("counts a match at once, and reverses a failed settlement", () => {
    const story = new Story().start();
    story.account.onMid(MARKET, 1_200_000, 0);
    story.tradeUpdate(venueTrade(1, "BUY", 10)).tradeUpdate(venueTrade(1, "BUY", 10));
    expect(story.account.positionLots(MARKET)).toBe(10);
    story.tradeUpdate(venueTrade(1, "BUY", 10, { status: "FAILED" }));
    expect(story.account.positionLots(MARKET)).toBe(0);
    expect(
      story.changes
        .filter(({ kind }) => kind === "fill" || kind === "trade-failed")
        .map(({ kind }) => kind),
    ).toEqual(["fill", "trade-failed"]);
    const { fees, failed, total } = story.account.profit(MARKET);
    expect([fees > 0n, failed < 0n, total]).toEqual([true, true, 0n]);
    expect(story.account.counts).toMatchObject({ fills: 1, failedTrades: 1 });
  });

  it("counts the matched lots of an order in the worst case before their trade is reported", () => {
    const story = new Story().start();
    place(story, 1, accepted(1));
    story.orderUpdate(venueOrder(1, { pendingLots: 4, status: "PARTIAL_FILLED" }));
    expect([story.account.positionLots(MARKET), worstPosition(story.account, MARKET)]).toEqual([
      0,
      { maxLongLots: 10, maxShortLots: 0 },
    ]);
    story.tradeUpdate(venueTrade(1, "BUY", 4));
    expect([story.account.positionLots(MARKET), worstPosition(story.account, MARKET)]).toEqual([
      4,
      { maxLongLots: 10, maxShortLots: 4 },
    ]);
  });

  it("moves the equity with the mark between two reports of the balances", () => {
    const story = new Story();
    story.exchange.basePosition = 2000;
    story.start();
    const mark = (quote: bigint) =>
      story.take(
        story.account.onEvent(
          {
            type: "market-state",
            marketId: MARKET,
            mark: quote * 1_000_000n,
            index: 0n,
            fundingRate: 0,
            nextFundingMs: 0,
          },
          story.nowMs,
        ),
      );
    mark(60_000n);
    expect(story.account.equity).toBe(100_000_000_000n);
    mark(60_010n);
    expect(story.account.equity).toBe(100_020_000_000n);
    story.take(
      story.account.onEvent(
        { type: "account-update", balances: venueBalances(99_000_000_000n), positions: [] },
        story.nowMs,
      ),
    );
    expect([story.account.equity, story.account.balances?.atMs]).toEqual([
      99_000_000_000n,
      story.nowMs,
    ]);
  });

  it("drops a position in another market that the exchange no longer lists: it would count against the leverage forever", () => {
    const story = new Story();
    let held = [venuePosition(5, "ethusdc")];
    story.instead = ({ ask }) =>
      ask === "balances"
        ? { result: "answered", ask, data: { balances: venueBalances(), positions: held } }
        : undefined;
    story.start();
    expect([...story.account.venuePositions.keys()]).toEqual(["ethusdc"]);
    // An update may contain only changes: a position that it omits may still be held.
    story.take(
      story.account.onEvent(
        { type: "account-update", balances: venueBalances(), positions: [] },
        story.nowMs,
      ),
    );
    expect([...story.account.venuePositions.keys()]).toEqual(["ethusdc"]);
    held = [];
    story.wait(31_000);
    expect([...story.account.venuePositions.keys()]).toEqual([]);
  });

  it("does not let an older response revert balances that the stream has reported since", () => {
    const story = new Story().start();
    story.meanwhile = ({ ask }) => {
      if (ask === "balances")
        story.account.onEvent(
          { type: "account-update", balances: venueBalances(5n), positions: [] },
          story.nowMs,
        );
    };
    story.take(story.account.reconcile(story.nowMs, "interval"));
    expect(story.account.balances?.balances.netValue).toBe(5n);
  });
});

describe("a restart", () => {
  it("adopts the earlier run's orders, including one that arrives late, and does not touch manual ones", () => {
    const story = new Story();
    story.exchange.set(venueOrder(1, { pendingLots: 4, status: "PARTIAL_FILLED" }));
    story.exchange.set(venueOrder(2, { info: infoOf(2, 7) }));
    story.start();
    story.orderUpdate(venueOrder(3, { createdAtMs: T0 + 3000 }));
    expect(phases(story, 1, 2, 3)).toEqual(["partly-filled", undefined, "open"]);
    expect(story.changes.filter(({ kind }) => kind === "adopted")).toHaveLength(2);
    const cancel = cancelOf(story, 1, 9);
    story
      .dispatch(cancel)
      .outcome(cancel, OK)
      .orderUpdate(venueOrder(1, { pendingLots: 4, canceledLots: 6, status: "CANCELED" }));
    expect(phases(story, 1)).toEqual(["cancelled"]);
    expect(story.account.orders.foreign(MARKET)).toHaveLength(1);
  });
});
