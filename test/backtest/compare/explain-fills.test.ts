import { describe, expect, it } from "vitest";
import { FillExplainer } from "#backtest/fill-explainer.js";
import type { RecordedFill, RecordedOrder } from "#backtest/recorded-orders.js";
import type { ReplayedOrder, ReplayOrderFill } from "#backtest/replay-recorded-orders.js";
import { BTC } from "../record/sample-run.js";

const AT_US = 1_000_000;
const LIMIT = 600_000;

/** An order to buy that was filled completely on arrival, by its stream. */
const recorded: RecordedOrder = {
  hash: "0x1",
  side: "BUY",
  type: "LIMIT",
  timeInForce: "GTT",
  ticks: LIMIT,
  lots: 5,
  expirationMs: 0,
  level: 0,
  sentUs: AT_US - 2_000,
  acceptedUs: AT_US,
  answeredUs: AT_US + 2_000,
  refused: undefined,
  steps: [{ atUs: AT_US, openLots: 0 }],
  ended: undefined,
};
/**
 * The same, of which three lots were bought in the millisecond in which a cancel ended the rest.
 */
const cancelledAmid: RecordedOrder = {
  ...recorded,
  acceptedUs: AT_US - 20_000,
  steps: [
    { atUs: AT_US - 20_000, openLots: 5 },
    { atUs: AT_US, openLots: 2 },
    { atUs: AT_US, openLots: 0 },
  ],
  ended: { atUs: AT_US, status: "CANCELED" },
};
const live = (ticks: number, isMaker: boolean): RecordedFill => ({
  side: "BUY",
  ticks,
  lots: 5,
  atUs: AT_US,
  isMaker,
  fee: "0",
});

/**
 * The explanation of a fill that only one side has.
 * @param foundLots displayed by the book at the live fill's price when the order arrived
 */
function explained(
  fill: RecordedFill,
  replayTicks?: number,
  { foundLots = 5, isShared = true } = {},
) {
  const found = new Map([[fill.ticks, foundLots]]);
  const order: ReplayedOrder = {
    recorded,
    arrivedUs: AT_US,
    aheadLots: 0,
    displayedAtArrival: found,
    tradedLots: 0,
    fills: [],
    ended: undefined,
  };
  const had: ReplayOrderFill[] =
    replayTicks === undefined
      ? []
      : [{ side: "BUY", ticks: replayTicks, lots: 5, atUs: AT_US + 500, cause: "queue", order }];
  order.fills.push(...had);
  const account = {
    orders: [recorded],
    openingOrders: [],
    cancels: [],
    requests: [],
    fills: [fill],
  };
  const explainer = new FillExplainer(
    BTC,
    account,
    { orders: new Map([[recorded.hash, order]]), fills: had },
    isShared,
  );
  return [
    explainer.explainLive({ fill, lots: 5 }),
    ...had.map((each) => explainer.explainReplayed({ fill: each, lots: 5 })),
  ].map(({ kind, why }) => `${kind}: ${why}`);
}

// An explanation of a taker by "further back in the queue" points to the wrong fault.
describe("a fill that only one side has", () => {
  it("is explained as a taker without a print, and never by a queue that it was not in", () => {
    expect(explained(live(LIMIT - 3, false))).toEqual([
      expect.stringMatching(
        /^latency: live it took liquidity on arrival; the prints of its side right after left nothing/,
      ),
    ]);
    expect(explained(live(LIMIT - 3, false), undefined, { isShared: false })).toEqual([
      expect.stringMatching(
        /^latency: live it took liquidity on arrival; in the replay an earlier order of ours/,
      ),
    ]);
    expect(explained(live(LIMIT, true))).toEqual([
      expect.stringMatching(/^queue: the queue model puts it further back/),
    ]);
  });

  it("is explained with both prices where an order took at one and rested at the other", () => {
    expect(explained(live(LIMIT - 3, false), LIMIT)).toEqual([
      expect.stringMatching(
        new RegExp(`^price: the replay filled .* 0.5 ms later, at ${BTC.formatPrice(LIMIT)}$`),
      ),
      expect.stringMatching(
        new RegExp(
          `^price: live its order took liquidity at ${BTC.formatPrice(LIMIT - 3)}, 0.5 ms earlier$`,
        ),
      ),
    ]);
  });

  it("is explained too between the market's steps and ticks: a comparison ended at the first of them", () => {
    const fill = { ...live(LIMIT - 0.5, false), lots: 1.5 };
    const none = { orders: new Map(), fills: [] };
    const account = { orders: [], openingOrders: [], cancels: [], requests: [], fills: [fill] };
    const told = new FillExplainer(BTC, account, none, false).explainLive({ fill, lots: 1.5 });
    expect(told).toMatchObject({ price: BTC.formatReportedPrice(LIMIT - 0.5), amount: "0.0015" });
    expect(explained(fill, undefined, { foundLots: 0, isShared: false })).toEqual([
      expect.stringContaining("live it took 0.0015 at "),
    ]);
  });

  it("is explained by the stamps where the exchange matched an order long after it accepted it", () => {
    const late = { ...live(LIMIT - 3, false), atUs: AT_US + 61_500 };
    const why =
      "latency: the exchange stamped its trade 61.5 ms after it accepted the order: too late to match a print with it";
    expect(explained(late)).toEqual([why]);
    expect(explained({ ...late, atUs: AT_US + 49_000 })).toEqual([
      expect.stringMatching(/^latency: live it took liquidity on arrival/),
    ]);
  });

  it("is explained as hidden liquidity where live took what no book had shown", () => {
    const byHistory = { foundLots: 2, isShared: false };
    const untold = `live it took 0.005 at ${BTC.formatPrice(LIMIT - 3)}, where the book showed 0.002 when it arrived`;
    expect(explained(live(LIMIT - 3, false), undefined, byHistory)).toEqual([`untold: ${untold}`]);
    expect(explained(live(LIMIT - 3, false), LIMIT, byHistory)).toEqual([
      `untold: ${untold}`,
      `untold: 0.5 ms earlier ${untold}`,
    ]);
  });

  it("is attributed to its own order where a cancel ended the rest in the same millisecond", () => {
    const fill = { ...live(LIMIT, true), lots: 3 };
    const ended = { how: "cancelled", atUs: AT_US - 500 } as const;
    const order: ReplayedOrder = {
      recorded: cancelledAmid,
      arrivedUs: AT_US,
      aheadLots: 0,
      displayedAtArrival: new Map(),
      tradedLots: 0,
      fills: [],
      ended,
    };
    const account = {
      orders: [cancelledAmid],
      openingOrders: [],
      cancels: [],
      requests: [],
      fills: [fill],
    };
    const explainer = new FillExplainer(
      BTC,
      account,
      { orders: new Map([[cancelledAmid.hash, order]]), fills: [] },
      true,
    );
    expect(explainer.explainLive({ fill, lots: 3 })).toMatchObject({
      kind: "latency",
      why: "in the replay its order ended (cancelled) 0.5 ms before",
    });
  });

  it("is explained by the queue, not by time, where both filled it at once and the replay less of it", () => {
    const order: ReplayedOrder = {
      recorded,
      arrivedUs: AT_US,
      aheadLots: 3,
      displayedAtArrival: new Map(),
      tradedLots: 4,
      fills: [],
      ended: undefined,
    };
    order.fills.push({
      side: "BUY",
      ticks: LIMIT,
      lots: 1,
      atUs: AT_US + 20,
      cause: "queue",
      order,
    });
    const account = {
      orders: [recorded],
      openingOrders: [],
      cancels: [],
      requests: [],
      fills: [live(LIMIT, true)],
    };
    const explainer = new FillExplainer(
      BTC,
      account,
      { orders: new Map([[recorded.hash, order]]), fills: order.fills },
      true,
    );
    expect(explainer.explainLive({ fill: live(LIMIT, true), lots: 4 })).toMatchObject({
      kind: "queue",
      why: "the queue model puts it further back: 0.003 was open at its price when it arrived, 0.004 traded there or beyond while it was open",
    });
  });

  it("is explained by its time where both filled it at one price", () => {
    expect(explained(live(LIMIT, true), LIMIT)).toEqual([
      expect.stringMatching(/^time: the replay/),
      expect.stringMatching(/^time: live/),
    ]);
  });
});
