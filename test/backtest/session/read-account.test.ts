import { join } from "node:path";
import { expect, it } from "vitest";
import { createArrivalEstimator } from "#backtest/arrival-estimator.js";
import { readAccount } from "#backtest/read-account.js";
import type { RecordedAccount } from "#backtest/recorded-orders.js";
import { Instrument } from "#core/instrument.js";
import { seededRandom } from "#core/seeded-random.js";
import type { Hex } from "#core/units.js";
import { VirtualClock } from "#core/virtual-clock.js";
import type { VenueOrder } from "#exchange/records.js";
import type { ActionId, CancelAction, PlaceAction, VenueEvent } from "#exchange/venue.js";
import { HistoryStore } from "#history/history-store.js";
import { MarketStreamRecorder } from "#history/market-stream-recorder.js";
import { scratchFolder } from "../../history/scratch.js";

const START = 1_723_161_600_000;
const MARKET = "btcusdc";
const instrument = new Instrument({
  marketId: MARKET,
  tickSize: "0.1",
  stepSize: "0.001",
  creditDecimals: 6,
  paperDecimals: 18,
});
const hashOf = (actionId: ActionId): Hex => `0x${String(actionId).padStart(64, "0")}`;

function place(actionId: ActionId): PlaceAction {
  const terms = {
    side: "BUY",
    type: "LIMIT",
    ticks: 1000,
    lots: 5,
    timeInForce: "POST_ONLY",
    expirationMs: 0,
  } as const;
  return {
    kind: "place",
    actionId,
    timestampMs: START,
    marketId: MARKET,
    ...terms,
    hash: hashOf(actionId),
    order: {} as PlaceAction["order"],
  };
}

function cancel(actionId: ActionId, placed: ActionId): CancelAction {
  return {
    kind: "cancel",
    actionId,
    timestampMs: START,
    marketId: MARKET,
    orderId: String(placed),
    hash: hashOf(placed),
  };
}

function order(
  placed: ActionId,
  createdAtMs: number,
  status: string,
  availableLots: number,
): VenueOrder {
  const { side, type, ticks, lots, timeInForce, expirationMs, hash } = place(placed);
  const amounts = {
    lots,
    availableLots,
    pendingLots: 0,
    filledLots: 0,
    canceledLots: 0,
    expiredLots: 0,
    failedLots: 0,
  };
  return {
    id: String(placed),
    hash,
    info: "0x",
    marketId: MARKET,
    side,
    type,
    timeInForce,
    ticks,
    ...amounts,
    averagePrice: undefined,
    status,
    createdAtMs,
    expirationMs,
  };
}

const took = (placed: ActionId, atMs: number): VenueEvent => ({
  type: "answer",
  actionId: placed,
  outcome: { result: "accepted", order: order(placed, START + atMs, "NEW", 5) },
});
const told = (
  placed: ActionId,
  atMs: number,
  status: string,
  availableLots: number,
): VenueEvent => ({
  type: "order-update",
  order: order(placed, START, status, availableLots),
  timestampMs: START + atMs,
});
const cancelled = (actionId: ActionId): VenueEvent => ({
  type: "answer",
  actionId,
  outcome: { result: "cancelled" },
});

/** The events that a recorder received, each at a local time in milliseconds, read back. */
async function recorded(
  ...told: readonly (readonly [atMs: number, what: VenueEvent | PlaceAction | CancelAction])[]
): Promise<RecordedAccount> {
  const store = new HistoryStore(join(scratchFolder(), "history"));
  const clock = new VirtualClock(START);
  const runtime = { clock, random: seededRandom("recorded") };
  const recorder = await MarketStreamRecorder.open({
    store,
    instrument,
    source: "test",
    runtime,
  });
  for (const [atMs, what] of told) {
    await clock.runFor(START + atMs - clock.nowMs());
    if ("kind" in what) recorder.recordAction(what, 0);
    else recorder.recordEvent(what);
  }
  await recorder.close();
  return readAccount(store, instrument, []);
}
const msOf = (us: number | undefined): number | undefined =>
  us === undefined ? undefined : us / 1000 - START;

it("dates a cancel by the end of its order, though the next requests took longer", async () => {
  const account = await recorded(
    [10, place(1)],
    [16, took(1, 13)],
    [100, cancel(2, 1)],
    [101, cancel(3, 1)],
    [130, told(1, 125, "CANCELED", 0)],
    [131, cancelled(2)],
    [
      132,
      {
        type: "answer",
        actionId: 3,
        outcome: {
          result: "rejected",
          code: 1,
          codeText: "GONE",
          message: "no such order",
          httpStatus: 400,
        },
      },
    ],
    [200, place(4)],
    [206, took(4, 203)],
  );
  expect(account.cancels.map(({ acceptedUs }) => msOf(acceptedUs))).toEqual([125, undefined]);
  const arrival = createArrivalEstimator(account, 0);
  const [first, second] = account.cancels;
  expect(msOf(arrival(first?.sentUs as number))).toBe(125);
  // The other has no stamp: between the 25 ms of the one before and the 3 ms of the one after it.
  expect(msOf(arrival(second?.sentUs as number))).toBeCloseTo(101 + 25 - 22 / 100, 1);
  expect(msOf(createArrivalEstimator(account, 500)(first?.sentUs as number))).toBe(125.5);
});

it("dates a refused cancel after the end of its order", async () => {
  const refused = (actionId: ActionId): VenueEvent => ({
    type: "answer",
    actionId,
    outcome: {
      result: "rejected",
      code: 2011,
      codeText: "GONE",
      message: "no such order",
      httpStatus: 400,
    },
  });
  const { cancels } = await recorded(
    [10, place(1)],
    [16, took(1, 13)],
    [20, place(2)],
    [26, took(2, 23)],
    [100, cancel(3, 1)],
    [101, cancel(4, 2)],
    [102, told(1, 101, "PARTIAL_FILLED", 2)],
    [112, told(1, 109, "FILLED", 0)],
    // Settled: nothing new of what is open.
    [113, told(1, 112, "FILLED", 0)],
    [114, refused(3)],
    [115, refused(4)],
  );
  expect(cancels.map(({ notBeforeUs }) => msOf(notBeforeUs))).toEqual([109, 23]);
});

// A request sent in an outage may never arrive. A replay that delivers it cancels the quotes before
// the market passes them, which live had not.
it("gives an unanswered cancel no effect while its order was open, and drops an order that was never reported", async () => {
  const unanswered = (actionId: ActionId): VenueEvent => ({
    type: "answer",
    actionId,
    outcome: { result: "unknown", cause: "timeout", message: "no answer within 2000 ms" },
  });
  const { cancels, orders } = await recorded(
    [10, place(1)],
    [16, took(1, 13)],
    [20, place(2)],
    [26, took(2, 23)],
    [100, cancel(3, 1)],
    [101, cancel(4, 2)],
    [102, place(5)],
    [103, place(6)],
    [2_100, unanswered(3)],
    [2_101, unanswered(4)],
    [2_102, unanswered(5)],
    [2_103, unanswered(6)],
    [5_700, told(1, 5_699, "FILLED", 0)],
    [5_800, cancel(7, 2)],
    [5_806, told(2, 5_803, "CANCELED", 0)],
    [5_806, cancelled(7)],
    // It was accepted all the same.
    [5_900, told(6, 105, "NEW", 5)],
  );
  expect(
    cancels.map(({ acceptedUs, notBeforeUs }) => [msOf(acceptedUs), msOf(notBeforeUs)]),
  ).toEqual([
    [undefined, 5_699],
    [undefined, 5_803],
    [5_803, undefined],
  ]);
  expect(orders.map(({ refused }) => refused)).toEqual([
    undefined,
    undefined,
    "unknown no answer within 2000 ms",
    undefined,
  ]);
});

// A session that is killed leaves its orders open: fills of one after a cancel that never arrived
// would be unexplained.
it("gives an unanswered cancel no effect while its order was still filled, though its end was not reported", async () => {
  const { cancels } = await recorded(
    [10, place(1)],
    [16, took(1, 13)],
    [100, cancel(2, 1)],
    [
      2_100,
      {
        type: "answer",
        actionId: 2,
        outcome: { result: "unknown", cause: "timeout", message: "no answer within 2000 ms" },
      },
    ],
    [5_700, told(1, 5_699, "PARTIAL_FILLED", 2)],
  );
  expect(cancels.map(({ notBeforeUs }) => msOf(notBeforeUs))).toEqual([5_699]);
});

it("drops a cancel that was never sent", async () => {
  const { cancels, orders } = await recorded(
    [10, place(1)],
    [100, cancel(2, 1)],
    [
      101,
      { type: "answer", actionId: 2, outcome: { result: "not-sent", message: "the line is down" } },
    ],
    [116, took(1, 13)],
    [120, cancel(3, 1)],
    [
      121,
      {
        type: "answer",
        actionId: 3,
        outcome: { result: "unknown", cause: "timeout", message: "no answer came" },
      },
    ],
  );
  expect(cancels.map(({ sentUs }) => msOf(sentUs))).toEqual([120]);
  expect(orders.map(({ refused }) => refused)).toEqual([undefined]);
});

it("ends an order at its first reported end, though it is reported again at settlement", async () => {
  const { orders } = await recorded(
    [10, place(1)],
    [16, took(1, 13)],
    [40, told(1, 38, "PARTIAL_FILLED", 2)],
    [50, told(1, 48, "CANCELED", 0)],
    [2050, told(1, 2048, "CANCELED", 0)],
  );
  expect(orders.map(({ ended }) => [msOf(ended?.atUs), ended?.status])).toEqual([[48, "CANCELED"]]);
});

it("never raises the open amount of an order, though its acceptance arrives after a fill of the same millisecond", async () => {
  const { orders } = await recorded(
    [10, place(1)],
    [14, told(1, 13, "PARTIAL_FILLED", 2)],
    [16, took(1, 13)],
    [30, told(1, 28, "CANCELED", 0)],
  );
  expect(orders[0]?.steps.map(({ atUs, openLots }) => [msOf(atUs), openLots])).toEqual([
    [13, 5],
    [13, 2],
    [28, 0],
  ]);
});

it("reads orders on a finer grid, and their fills in full: the recording ended at the first, and fills lost their price and fractions of a step", async () => {
  const odd = (atMs: number, status: string, availableLots: number): VenueEvent => ({
    type: "order-update",
    order: { ...order(1, START, status, availableLots), ticks: 1000.5, lots: 1.5 },
    timestampMs: START + atMs,
  });
  const trade = {
    id: "7",
    marketId: MARKET,
    side: "BUY",
    isMaker: true,
    ticks: 1000.5,
    lots: 1,
    restPaper: 5n * 10n ** 14n,
  } as const;
  const fill = {
    ...trade,
    quote: 150_000n,
    commission: -15n,
    realizedPnl: 0n,
    status: "SETTLED",
    timeMs: START + 20,
  };
  const account = await recorded(
    [10, place(1)],
    [16, odd(13, "NEW", 1.5)],
    [30, { type: "trade-update", trade: fill } as unknown as VenueEvent],
    [31, odd(20, "FILLED", 0)],
    [40, place(2)],
  );
  expect(account.orders.map(({ steps }) => steps.map(({ openLots }) => openLots))).toEqual([
    [1.5, 0],
    [],
  ]);
  expect(account.fills).toMatchObject([{ ticks: 1000.5, lots: 1.5, fee: "-0.000015" }]);
});
