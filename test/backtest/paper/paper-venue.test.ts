import { describe, expect, it } from "vitest";
import type { VenueOrder } from "#exchange/records.js";
import { AHEAD_MS, FEED_MS, MARKETS, PaperStage, START } from "./paper-stage.js";

describe("a paper venue", () => {
  it("answers after both latencies, and passes on only public queries", async () => {
    const stage = new PaperStage();
    const id = stage.place("btcusdc", "BUY", 599_990, 2);
    stage.venue.submit({ kind: "question", actionId: 900, timestampMs: 0, ask: "time" });
    stage.venue.submit({ kind: "question", actionId: 901, timestampMs: 0, ask: "balances" });
    stage.venue.submit({ kind: "cancel-all", actionId: 902, timestampMs: 0, marketId: "ethusdc" });
    await stage.clock.runFor(100);
    expect(stage.answer(id)).toMatchObject({
      outcome: {
        result: "accepted",
        order: { availableLots: 2, createdAtMs: START + AHEAD_MS + 20 },
      },
    });
    // The feed's own delay passes before anything of that instant is known here.
    expect(stage.answer(id)?.atMs).toBeGreaterThanOrEqual(30);
    expect(stage.answer(id)?.atMs).toBeLessThanOrEqual(30 + FEED_MS);
    expect(stage.answer(901)?.outcome).toMatchObject({ result: "answered", ask: "balances" });
    expect(stage.asked.map(({ actionId }) => actionId)).toEqual([900]);
    expect(
      stage.heard.filter(({ event }) => event.type === "stream" && event.stream === "account"),
    ).toHaveLength(1);
  });

  it("ends a GTT order at its own instant by the exchange's clock, and not before, however still the market is", async () => {
    const stage = new PaperStage();
    const id = stage.place("btcusdc", "BUY", 599_995, 2, "GTT", 60_500);
    await stage.clock.runFor(60_400);
    expect(stage.answer(id)?.outcome).toMatchObject({ result: "accepted" });
    expect(stage.updates).toEqual([]);
    stage.place("btcusdc", "SELL", 600_020, 1);
    await stage.clock.runFor(400);
    expect(stage.updates).toMatchObject([{ availableLots: 0, filledLots: 0, status: "EXPIRED" }]);
    // A trade at its price comes too late for it.
    stage.trade("btcusdc", "SELL", 599_990, 50);
    await stage.clock.runFor(100);
    expect(stage.fills).toEqual([]);
  });

  // As a live exchange does: the rates belong to the order.
  it("charges the fees that the bot signs where they were agreed, and else the market's", async () => {
    const feeOf = async (stage: PaperStage): Promise<readonly bigint[]> => {
      stage.place("btcusdc", "BUY", 600_001, 5, "IOC");
      await stage.clock.runFor(100);
      return stage.heard.flatMap(({ event }) =>
        event.type === "trade-update" ? [event.trade.commission] : [],
      );
    };
    // 5 lots of 0.001 at 60,000.1 are 300.0005.
    expect(await feeOf(new PaperStage())).toEqual([150_000n]);
    expect(await feeOf(new PaperStage({ makerFeeRate: "0.0004", takerFeeRate: "0.001" }))).toEqual([
      300_000n,
    ]);
  });

  // A maker's rebate that became a fee was still paid out on paper: a strategy that loses live
  // earned there.
  it("charges new orders the changed fees, and resting ones those of their arrival", async () => {
    const stage = new PaperStage();
    stage.place("btcusdc", "BUY", 599_995, 5, "POST_ONLY");
    await stage.clock.runFor(100);
    stage.rulesRead("btcusdc", { makerFeeRate: 7n * 10n ** 14n });
    stage.place("btcusdc", "SELL", 600_005, 5, "POST_ONLY");
    await stage.clock.runFor(100);
    stage.trade("btcusdc", "SELL", 599_995, 5);
    stage.trade("btcusdc", "BUY", 600_005, 50);
    await stage.clock.runFor(100);
    const fees = stage.heard.flatMap(({ event }) =>
      event.type === "trade-update" ? [event.trade.commission] : [],
    );
    // Of 299.9975 and 300.0025.
    expect(fees).toEqual([29_999n, 210_001n]);
  });

  it("refuses orders by the market's new rules, liquidates by its new maintenance margin, and keeps the old rules on another grid", async () => {
    const stage = new PaperStage({}, { creditQuote: "1000" });
    stage.mark("btcusdc", 60_000, 0, 0);
    stage.place("btcusdc", "BUY", 600_001, 5, "IOC");
    await stage.clock.runFor(100);
    stage.rulesRead("btcusdc", { tickSize: "0.5", minLots: 4, liquidationLeverage: "0.2" });
    const taken = stage.place("btcusdc", "BUY", 599_990, 1);
    await stage.clock.runFor(100);
    expect(stage.answer(taken)?.outcome).toMatchObject({ result: "accepted" });
    stage.rulesRead("btcusdc", { minLots: 4, maxLeverage: 1 });
    const few = stage.place("btcusdc", "BUY", 599_990, 3);
    const much = stage.place("btcusdc", "BUY", 599_990, 12);
    await stage.clock.runFor(100);
    expect(stage.answer(few)?.outcome).toMatchObject({ result: "rejected", code: 2016 });
    expect(stage.answer(much)?.outcome).toMatchObject({ result: "rejected", code: 2012 });
    expect(stage.positionLots("btcusdc")).toBe(5);
    stage.rulesRead("btcusdc", { liquidationLeverage: "0.2" });
    await stage.clock.runFor(100);
    expect(stage.positionLots("btcusdc")).toBe(0);
  });

  it("accepts no order in a delisted market, still cancels there, and accepts orders again when it is listed again", async () => {
    const stage = new PaperStage();
    const rests = stage.place("btcusdc", "BUY", 599_990, 5);
    await stage.clock.runFor(100);
    stage.rulesWithout("btcusdc");
    const late = stage.place("btcusdc", "BUY", 599_990, 5);
    const elsewhere = stage.place("ethusdc", "BUY", 599_990, 5);
    stage.venue.submit({ kind: "cancel-all", actionId: 900, timestampMs: 0, marketId: "btcusdc" });
    await stage.clock.runFor(100);
    expect(stage.answer(rests)?.outcome).toMatchObject({ result: "accepted" });
    expect(stage.answer(late)?.outcome).toMatchObject({ result: "rejected", code: 2015 });
    expect(stage.answer(elsewhere)?.outcome).toMatchObject({ result: "accepted" });
    expect(stage.answer(900)?.outcome).toEqual({ result: "cancelled" });
    expect(stage.updates.map(({ availableLots, status }) => [availableLots, status])).toEqual([
      [0, "CANCELED"],
    ]);

    stage.rulesRead("btcusdc", {});
    const again = stage.place("btcusdc", "BUY", 599_990, 5);
    await stage.clock.runFor(100);
    expect(stage.answer(again)?.outcome).toMatchObject({ result: "accepted" });
  });

  it("uses a market's last readable rules while the present ones are invalid", async () => {
    const stage = new PaperStage();
    stage.rulesWithout("btcusdc", "maxLeverage: does not match the protocol (got 12.5)");
    const placed = stage.place("btcusdc", "BUY", 599_990, 5);
    await stage.clock.runFor(100);
    expect(stage.answer(placed)?.outcome).toMatchObject({ result: "accepted" });
  });

  it.each(["0", "0.0000000000000000001"])(
    "applies the status and fees of a market that reports a leverage of %s, and keeps its margin",
    async (none) => {
      const stage = new PaperStage();
      stage.mark("btcusdc", 60_000, 0, 0);
      stage.place("btcusdc", "BUY", 600_001, 5, "IOC");
      await stage.clock.runFor(100);
      stage.rulesRead("btcusdc", { status: "DELISTED", liquidationLeverage: none });
      const late = stage.place("btcusdc", "BUY", 599_990, 5);
      await stage.clock.runFor(100);
      expect(stage.answer(late)?.outcome).toMatchObject({ result: "rejected", code: 2015 });
      expect(stage.positionLots("btcusdc")).toBe(5);
    },
  );

  it("accepts a leverage with more digits than a rate has: 1 / 0.03 is one", async () => {
    const stage = new PaperStage();
    stage.mark("btcusdc", 60_000, 0, 0);
    stage.rulesRead("btcusdc", { liquidationLeverage: `33.${"3".repeat(30)}`, minLots: 4 });
    const few = stage.place("btcusdc", "BUY", 600_001, 3, "IOC");
    const enough = stage.place("btcusdc", "BUY", 600_001, 5, "IOC");
    await stage.clock.runFor(100);
    expect(stage.answer(few)?.outcome).toMatchObject({ result: "rejected", code: 2016 });
    expect(stage.answer(enough)?.outcome).toMatchObject({ result: "accepted" });
    expect(stage.positionLots("btcusdc")).toBe(5);
  });

  it("fills an IOC by the displayed size and ends the rest, and a FOK completely or not at all", async () => {
    const stage = new PaperStage();
    const taking = stage.place("btcusdc", "BUY", 600_001, 8, "IOC");
    await stage.clock.runFor(100);
    expect(stage.answer(taking)?.outcome).toMatchObject({ result: "accepted" });
    expect(stage.fills).toEqual([["btcusdc", "BUY", 600_001, 5, false]]);
    expect(stage.updates.at(-1)).toMatchObject({
      availableLots: 0,
      filledLots: 5,
      status: "EXPIRED",
    });
    stage.place("ethusdc", "SELL", 600_000, 6, "FOK");
    await stage.clock.runFor(100);
    expect(stage.fills).toHaveLength(1);
    stage.place("ethusdc", "SELL", 599_990, 6, "FOK");
    await stage.clock.runFor(100);
    expect(stage.fills.slice(1)).toEqual([
      ["ethusdc", "SELL", 600_000, 5, false],
      ["ethusdc", "SELL", 599_990, 1, false],
    ]);
  });

  // 5,000,000,000 lots are an ordinary level where a lot is one unit of a coin that costs a
  // millionth.
  it("handles levels and trades of more lots than 32 bits count, and fills by them to the lot", async () => {
    const stage = new PaperStage();
    const many = 5_000_000_000;
    stage.book("btcusdc", [599_990, many], [600_001, many]);
    stage.place("btcusdc", "BUY", 600_001, 8, "IOC");
    await stage.clock.runFor(100);
    expect(stage.fills).toEqual([["btcusdc", "BUY", 600_001, 8, false]]);
    const resting = stage.place("btcusdc", "BUY", 599_990, 5, "POST_ONLY");
    await stage.clock.runFor(100);
    expect(stage.answer(resting)?.outcome).toMatchObject({ result: "accepted" });
    // All of the queue ahead but one lot, then that one and three of the order.
    stage.book("btcusdc", [600_000, 0], []);
    stage.trade("btcusdc", "SELL", 599_990, many - 1);
    await stage.clock.runFor(50);
    expect(stage.fills).toHaveLength(1);
    stage.trade("btcusdc", "SELL", 599_990, 4);
    await stage.clock.runFor(50);
    expect(stage.fills.slice(1)).toEqual([["btcusdc", "BUY", 599_990, 3, true]]);
  });

  it("refuses a post-only order that would take by the book of its arrival, not of its sending", async () => {
    const stage = new PaperStage();
    stage.place("btcusdc", "BUY", 600_005, 2, "POST_ONLY");
    await stage.clock.runFor(10);
    // Meanwhile the offers move up: it arrives before a book in which it rests.
    stage.book("btcusdc", [], [600_001, 0]);
    await stage.clock.runFor(90);
    expect(stage.updates).toEqual([]);
    stage.trade("btcusdc", "SELL", 600_004, 1);
    await stage.clock.runFor(50);
    expect(stage.fills).toEqual([["btcusdc", "BUY", 600_005, 2, true]]);
    stage.place("btcusdc", "BUY", 600_010, 2, "POST_ONLY");
    await stage.clock.runFor(100);
    expect(stage.fills).toHaveLength(1);
    expect(stage.updates.at(-1)).toMatchObject({ availableLots: 0, filledLots: 0 });
  });

  it("charges an order that may take as a taker where a trade passes it before the next live book", async () => {
    const stage = new PaperStage();
    stage.place("btcusdc", "BUY", 599_995, 2);
    await stage.clock.runFor(100);
    stage.trade("btcusdc", "SELL", 599_990, 1);
    await stage.clock.runFor(50);
    stage.place("btcusdc", "BUY", 599_994, 2);
    await stage.clock.runFor(100);
    for (const lots of [1, 2]) {
      stage.book("btcusdc", [599_980, lots], []);
      await stage.clock.runFor(50);
    }
    stage.trade("btcusdc", "SELL", 599_990, 1);
    await stage.clock.runFor(50);
    expect(stage.fills).toEqual([
      ["btcusdc", "BUY", 599_995, 2, false],
      ["btcusdc", "BUY", 599_994, 2, true],
    ]);
  });

  it("keeps its markets apart, and one account for both", async () => {
    const stage = new PaperStage();
    for (const marketId of MARKETS) {
      stage.place(marketId, "BUY", 599_995, 2, "POST_ONLY");
      stage.place(marketId, "SELL", 600_005, 2, "POST_ONLY");
    }
    await stage.clock.runFor(100);
    stage.trade("btcusdc", "SELL", 599_990, 1);
    await stage.clock.runFor(50);
    stage.trade("ethusdc", "BUY", 600_010, 1);
    await stage.clock.runFor(50);
    expect(stage.fills).toEqual([
      ["btcusdc", "BUY", 599_995, 2, true],
      ["ethusdc", "SELL", 600_005, 2, true],
    ]);
    const accounts = stage.heard.flatMap(({ event }) =>
      event.type === "account-update" ? [event.positions] : [],
    );
    expect(accounts.at(-1)?.map(({ marketId, lots }) => [marketId, lots])).toEqual([
      ["btcusdc", 2],
      ["ethusdc", -2],
    ]);
  });

  it("pays funding once when a market goes on to its next, by the last mark that named it and the position of that instant", async () => {
    const stage = new PaperStage();
    const due = START + AHEAD_MS + 1_000;
    const incomes = () =>
      stage.heard.flatMap(({ event }) => (event.type === "income-update" ? event.incomes : []));
    stage.mark("btcusdc", 60_000, 0.001, due);
    stage.place("btcusdc", "BUY", 600_001, 5, "IOC");
    await stage.clock.runFor(900);
    stage.mark("btcusdc", 61_000, 0.002, due);
    await stage.clock.runFor(200);
    expect(incomes()).toEqual([]);
    stage.mark("btcusdc", 62_000, 0.005, due + 8 * 3_600_000);
    stage.mark("btcusdc", 62_000, 0.005, due + 8 * 3_600_000);
    await stage.clock.runFor(100);
    // 0.005 base at a mark of 61,000 and the rate published with it, 0.002: a long pays, as in a
    // backtest of the same marks.
    expect(incomes()).toMatchObject([
      { type: "FUNDING_FEE", marketId: "btcusdc", amount: -610_000n },
    ]);
    await stage.clock.runFor(1_000);
    expect(incomes()).toHaveLength(1);
  });

  // A live outage costs money: cancels are lost, and quotes are filled unseen. Paper trading that
  // cancels them anyway would have every outage for free.
  it("loses requests sent while no data arrives, and fills the quotes that the market passed when data is back", async () => {
    const stage = new PaperStage();
    const id = stage.place("btcusdc", "BUY", 599_995, 2);
    await stage.clock.runFor(1_500);
    const order = stage.answer(id)?.outcome as {
      readonly result: "accepted";
      readonly order: VenueOrder;
    };
    const cancel = (actionId: number): void =>
      stage.venue.submit({
        kind: "cancel",
        actionId,
        timestampMs: 0,
        marketId: "btcusdc",
        orderId: order.order.id,
        hash: order.order.hash,
      });
    cancel(900);
    await stage.clock.runFor(1_000);
    expect(stage.answer(900)).toBeUndefined();
    await stage.clock.runFor(2_000);
    expect(stage.answer(900)).toMatchObject({
      atMs: 3_500,
      outcome: { result: "unknown", cause: "timeout" },
    });
    // A request sent shortly before the connection returns arrives: after what the market did
    // meanwhile.
    cancel(901);
    await stage.clock.runFor(500);
    stage.live.next({
      type: "book-snapshot",
      marketId: "btcusdc",
      sequence: 9,
      bids: [599_900, 5],
      asks: [599_990, 5],
    });
    await stage.clock.runFor(100);
    expect(stage.fills).toEqual([["btcusdc", "BUY", 599_995, 2, true]]);
    expect(stage.answer(901)?.outcome).toMatchObject({ result: "rejected", code: 2011 });
  });

  it("treats a stream that is down as an outage until the next book", async () => {
    const stage = new PaperStage();
    stage.live.next({ type: "stream", stream: "market", state: "down", reason: "nothing arrived" });
    const id = stage.place("btcusdc", "BUY", 599_995, 2, "POST_ONLY");
    await stage.clock.runFor(1_000);
    stage.live.next({ type: "stream", stream: "market", state: "up", reason: "subscribed" });
    await stage.clock.runFor(500);
    expect(stage.answer(id)).toBeUndefined();
    stage.live.next({
      type: "book-snapshot",
      marketId: "btcusdc",
      sequence: 9,
      bids: [599_900, 5],
      asks: [599_990, 5],
    });
    await stage.clock.runFor(100);
    // It met that book, and would have taken.
    expect(stage.updates).toMatchObject([{ filledLots: 0, status: "EXPIRED" }]);
  });

  it("emits nothing once it is closed", async () => {
    const stage = new PaperStage();
    stage.place("btcusdc", "BUY", 599_995, 2);
    const heard = stage.heard.length;
    stage.venue.close();
    await stage.clock.runFor(1_000);
    stage.trade("btcusdc", "SELL", 599_000, 10);
    expect(stage.heard).toHaveLength(heard);
  });
});
