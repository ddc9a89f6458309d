import { describe, expect, it } from "vitest";
import { buildBotStatus } from "#bot/bot-status.js";
import type { Lots } from "#core/units.js";
import { AcquiringStage, MARK } from "./acquiring-stage.js";
import { BID, MARKET } from "./stage.js";

/** `limits.maxPositionBase` of the stage. */
const MOST: Lots = 100;
/** The request that reads the position from the exchange. */
const QUESTION = "balances";
const ALERT = "the position of a market is unknown: the bot does not quote there";

/** Sixty lots long, acquired at the mark. */
const SIXTY = { lots: 60, credit: -60n * BigInt(MARK) * 100n };

function underWay(stage: AcquiringStage, ...lots: readonly Lots[]): void {
  const takeovers = lots.map((size, at) => ({
    jobId: `job ${at}`,
    marketId: MARKET,
    paper: BigInt(size) * 10n ** 15n,
  }));
  stage.rig.bot.command({ command: "reserve", takeovers });
}

/** The account's stream reports the position as the exchange has it now. */
function streamsPosition(stage: AcquiringStage): void {
  const { account } = stage.rig.bot.context;
  const position = {
    marketId: MARKET,
    lots: stage.positionLots(),
    status: "OPEN",
    entryPrice: "0",
    liquidationPrice: "0",
  };
  const positions = [{ ...position, unrealizedPnl: 0n, realizedPnl: 0n }];
  stage.rig.bot.accept({
    kind: "event",
    event: { type: "account-update", balances: account.balances?.balances, positions } as never,
  });
}

/** A counterparty sells into every bid of the bot. Returns the largest position of that time. */
async function soldTo(stage: AcquiringStage, forMs: number): Promise<Lots> {
  let most = 0;
  for (let waited = 0; waited < forMs; waited += 100) {
    stage.counterparty.sells(40, BID);
    await stage.passes(100);
    most = Math.max(most, Math.abs(stage.positionLots()));
  }
  return most;
}

function knownLots(stage: AcquiringStage): Lots {
  return stage.rig.bot.context.account.positionLots(MARKET);
}

function alerts(stage: AcquiringStage) {
  return stage.notices.flatMap((notice) =>
    notice.kind === "log" && notice.message === ALERT ? [notice] : [],
  );
}

/** It lifts itself, and the bot then knows what it holds. */
async function expectKnown(stage: AcquiringStage, withinMs: number): Promise<void> {
  for (let waited = 0; waited < withinMs && stage.halts().length > 0; waited += 100)
    await stage.passes(100);
  expect([stage.halts(), knownLots(stage)]).toEqual([[], stage.positionLots()]);
}

describe("from the first word of a takeover nothing is quoted in its market until the position is known", () => {
  it("the exchange's income, with a liquidator in the process: its receipt may never come", async () => {
    const stage = new AcquiringStage();
    await stage.botStarts();
    stage.wants({ lots: 40 });
    await stage.passes(1_000);
    const ends = stage.network.every(QUESTION, { is: "answer late", byMs: 2_500 });
    stage.applies(SIXTY);
    await stage.passes(100);
    expect(stage.halts()).toEqual(["position-unknown"]);
    expect(stage.quotes()).toEqual([]);
    expect(await soldTo(stage, 2_000)).toBeLessThanOrEqual(MOST);
    ends();
    await expectKnown(stage, 10_000);
  });

  it("a position on the account's stream that no trade, order or takeover explains", async () => {
    const stage = new AcquiringStage();
    await stage.botStarts();
    const ends = stage.network.every(QUESTION, { is: "answer late", byMs: 2_500 });
    stage.applies(SIXTY, { told: false });
    streamsPosition(stage);
    await stage.passes(100);
    expect(stage.halts()).toEqual(["position-unknown"]);
    expect(stage.saidOfHalt("position-unknown")).toBe(
      "the exchange's position differs from the bot's, and nothing explains the difference yet",
    );
    expect(stage.quotes()).toEqual([]);
    ends();
    await expectKnown(stage, 15_000);
  });

  it("a position of REST that nothing explains", async () => {
    const stage = new AcquiringStage();
    await stage.botStarts();
    stage.applies(SIXTY, { told: false, listed: false });
    for (let waited = 0; waited < 40_000 && stage.halts().length === 0; waited += 100)
      await stage.passes(100);
    expect([stage.halts(), knownLots(stage)]).toEqual([["position-unknown"], 0]);
    await stage.passes(100);
    expect(stage.quotes()).toEqual([]);
    await expectKnown(stage, 10_000);
  });

  it("what trades, open orders and settlements explain holds nothing up", async () => {
    const stage = new AcquiringStage({ exchange: { settlement: { delayMs: 3_000 } } });
    await stage.botStarts();
    for (let trade = 0; trade < 20; trade++) {
      if (trade % 2 === 0) stage.counterparty.sells(7, BID);
      else stage.counterparty.buys(7, BID + 20);
      await stage.passes(400);
      streamsPosition(stage);
    }
    await stage.passes(5_000);
    expect(stage.saidOfHalt("position-unknown")).toBeUndefined();
    expect(knownLots(stage)).toBe(stage.positionLots());
  });

  it("our own transaction that was sent and whose receipt is missing, until it is known what became of it", async () => {
    const stage = new AcquiringStage();
    await stage.botStarts();
    underWay(stage, 60);
    await stage.passes(9_000);
    expect(stage.halts()).toEqual([]);
    await stage.passes(1_500);
    expect(stage.halts()).toEqual(["position-unknown"]);
    expect(stage.quotes()).toEqual([]);
    underWay(stage);
    await expectKnown(stage, 2_000);
    await stage.passes(1_000);
    expect(stage.quotes()).toHaveLength(2);
  });

  it("and once the exchange has reported that takeover, the position is known without the receipt, and takes the room by itself", async () => {
    const stage = new AcquiringStage();
    await stage.botStarts();
    underWay(stage, 60, -30);
    await stage.passes(1_000);
    stage.applies(SIXTY);
    await stage.passes(5_000);
    expect(knownLots(stage)).toBe(60);
    expect(stage.rig.bot.context.reservations.in(MARKET)).toMatchObject([{ jobId: "job 1" }]);
    expect(stage.rig.bot.context.reservations.all).toMatchObject([
      { jobId: "job 0", isHeld: true },
      { jobId: "job 1" },
    ]);
    underWay(stage, 60);
    await stage.passes(10_000);
    expect(stage.halts(), "the receipt is missing, and nothing is unknown").toEqual([]);
    // The receipt comes at last: it is the same one.
    stage.acquires(
      stage.takeover(60, { credit: SIXTY.credit, atMs: stage.clock.nowMs() - 15_000 }),
    );
    underWay(stage);
    await stage.passes(1_000);
    expect(knownLots(stage)).toBe(60);
  });
});

describe("where REST is too slow to be of use", () => {
  const silent = (stage: AcquiringStage) => stage.network.every(QUESTION, { is: "answer lost" });

  it("the stream's own position ends it, once no order of ours can fill any more and every trade has settled", async () => {
    const stage = new AcquiringStage({ exchange: { settlement: { delayMs: 3_000 } } });
    await stage.botStarts();
    silent(stage);
    stage.counterparty.sells(10, BID);
    stage.applies(SIXTY);
    streamsPosition(stage);
    await stage.passes(2_000);
    expect([stage.halts(), knownLots(stage)], "whether it has the trade is not known").toEqual([
      ["position-unknown"],
      10,
    ]);
    await stage.passes(4_000);
    streamsPosition(stage);
    await expectKnown(stage, 2_000);
    expect(knownLots(stage)).toBe(70);
  });

  it("not one from before the liquidation, and not one at no price near the mark", async () => {
    const stage = new AcquiringStage();
    await stage.botStarts();
    silent(stage);
    streamsPosition(stage);
    await stage.passes(1_000);
    stage.applies({ lots: 60, credit: -20n * BigInt(MARK) * 100n });
    await stage.passes(2_000);
    streamsPosition(stage);
    await stage.passes(2_000);
    expect([stage.halts(), knownLots(stage)]).toEqual([["position-unknown"], 0]);
  });

  it("a doubt that the next position on the stream clears is over with it", async () => {
    const stage = new AcquiringStage();
    await stage.botStarts();
    silent(stage);
    stage.applies(SIXTY, { told: false, listed: false });
    streamsPosition(stage);
    await stage.passes(1_000);
    expect(stage.halts()).toEqual(["position-unknown"]);
    stage.applies({ lots: -60, credit: -SIXTY.credit }, { told: false, listed: false });
    streamsPosition(stage);
    await expectKnown(stage, 2_000);
  });
});

describe("a position that stays unknown", () => {
  it("is an error in the log after 30 s, once, and in status and metrics all the time", async () => {
    const stage = new AcquiringStage();
    await stage.botStarts();
    const ends = stage.network.every(QUESTION, { is: "answer lost" });
    // At a third of the mark: the stream's position alone does not explain it.
    stage.applies({ lots: 60, credit: SIXTY.credit / 3n });
    await stage.passes(29_000);
    expect(alerts(stage)).toEqual([]);
    expect(stage.halts()).toContain("position-unknown");
    expect(buildBotStatus(stage.rig.bot).markets[MARKET]?.positionUnknownSeconds).toBeGreaterThan(
      28,
    );
    await stage.passes(20_000);
    expect(alerts(stage)).toMatchObject([
      { level: "error", fields: { marketId: MARKET, forSeconds: 30 } },
    ]);
    ends();
    await stage.passes(60_000);
    expect(stage.halts()).not.toContain("position-unknown");
    expect(buildBotStatus(stage.rig.bot).markets[MARKET]?.positionUnknownSeconds).toBeUndefined();
    expect(alerts(stage)).toHaveLength(1);
  });
});

describe("at the end of a run", () => {
  it("the exchange is asked for the position, and a takeover that it has reported only just is in it", async () => {
    const stage = new AcquiringStage();
    await stage.botStarts();
    stage.applies(SIXTY);
    expect(await stage.botStops()).toEqual({ reason: "SIGINT", ordersLeft: [], openOrdersLeft: 0 });
    expect(knownLots(stage)).toBe(60);
  });

  it("so is one that it has reported to nobody, and the bot does not leave before the two agree", async () => {
    const stage = new AcquiringStage({ bot: { chain: undefined, liquidator: undefined } });
    await stage.botStarts();
    stage.applies(SIXTY, { told: false });
    expect(await stage.botStops()).toEqual({ reason: "SIGINT", ordersLeft: [], openOrdersLeft: 0 });
    expect(knownLots(stage)).toBe(60);
  });

  it("what the exchange contradicts to the end is named with both positions, and what it does not report as unreported", async () => {
    const stage = new AcquiringStage();
    await stage.botStarts();
    // The reconciliation never ends; the last question is answered.
    stage.network.every("incomes", { is: "answer lost" });
    stage.applies(SIXTY, { told: false });
    expect(await stage.botStops(60_000)).toEqual({
      reason: "SIGINT",
      ordersLeft: [],
      openOrdersLeft: 0,
      positionsApart: [{ marketId: MARKET, positionBase: "0", exchangeBase: "0.06" }],
    });

    const silent = new AcquiringStage();
    await silent.botStarts();
    silent.network.every(QUESTION, { is: "answer lost" });
    expect(await silent.botStops(60_000)).toMatchObject({
      openOrdersLeft: 0,
      positionsApart: [{ marketId: MARKET, positionBase: "0", exchangeBase: undefined }],
    });
  });

  it("a takeover that was taken back and that the exchange holds to the end is named, and is no success", async () => {
    const stage = new AcquiringStage();
    await stage.botStarts();
    const takeover = stage.takeover(60);
    stage.acquires(takeover);
    stage.applies(takeover);
    await stage.passes(2_000);
    const lots = stage.positionLots();
    expect(lots).toBe(knownLots(stage));
    stage.rig.bot.command({ command: "disinherit", takeoverId: takeover.id });
    const { positionsApart = [] } = await stage.botStops(60_000);
    expect(positionsApart.map(({ marketId }) => marketId)).toEqual([MARKET]);
    expect(knownLots(stage)).toBe(stage.positionLots() - 60);
  });

  it("trades that have not settled are no contradiction, however the exchange counts them", async () => {
    const stage = new AcquiringStage({ exchange: { settlement: { delayMs: 20_000 } } });
    await stage.botStarts();
    stage.counterparty.sells(10, BID);
    await stage.passes(1_000);
    expect(await stage.botStops()).toEqual({ reason: "SIGINT", ordersLeft: [], openOrdersLeft: 0 });
  });
});
