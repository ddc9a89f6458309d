import { describe, expect, it } from "vitest";
import { MemoryStateStore } from "#bot/state-dir.js";
import { guardStarts } from "./guarded-stage.js";
import { ASK, BID, MARKET, Stage } from "./stage.js";

const BOTH = [`BUY 10 @ ${BID}`, `SELL 10 @ ${ASK}`];

/**
 * A bot is killed with an order on the wire that arrives so late, and the next one is started,
 * which wants none.
 * @returns how many orders there were till then
 */
async function nextOneStartsBeforeItArrives(stage: Stage, lateByMs: number): Promise<number> {
  await stage.botStarts();
  stage.network.next("placeOrder", { is: "request late", byMs: lateByMs });
  stage.wants({ bid: BID - 50 });
  await stage.passes(290);
  stage.botIsKilled();
  stage.wants({ bid: null, ask: null });
  await stage.botStarts(1_000);
  return stage.ordersEver();
}

describe("kill -9 of a bot", () => {
  it("with POST_ONLY quotes leaves no order after the guard's time, and none comes later", async () => {
    const stage = new Stage();
    const { notices } = guardStarts(stage);
    await stage.botStarts();
    expect(stage.quotes()).toEqual(BOTH);

    stage.botIsKilled();
    await stage.passes(2_000);
    expect(stage.quotes(), "the guard waits for a heartbeat that is merely late").toEqual(BOTH);
    await stage.passes(3_000);
    expect(stage.quotes()).toEqual([]);
    await stage.passes(10_000);
    expect(notices.map(({ kind }) => kind)).toEqual(["watching", "acting", "cancelling", "safe"]);
    await stage.passes(60_000);
    expect(stage.quotes()).toEqual([]);
  });

  it("is told whole: the guard names a silence in whole milliseconds, and says once when a bot is back", async () => {
    const stage = new Stage();
    const { notices } = guardStarts(stage);
    await stage.passes(0.4);
    await stage.botStarts();
    stage.botIsKilled();
    await stage.passes(20_000);
    expect(notices.at(-1)?.kind).toBe("safe");
    const acting = notices.find((notice) => notice.kind === "acting");
    expect(acting?.kind === "acting" && Number.isInteger(acting.silentMs)).toBe(true);

    await stage.botStarts();
    await stage.passes(5_000);
    expect(notices.map(({ kind }) => kind).filter((kind) => kind === "bot-back")).toHaveLength(1);
    expect(notices.at(-1)?.kind).toBe("bot-back");
  });

  it("repeats no error that lasts: the guard says it when it begins, and again when it changes", async () => {
    const stage = new Stage();
    const { network, notices } = guardStarts(stage);
    await stage.botStarts();
    network.down = true;
    stage.botIsKilled();
    await stage.passes(25_000);
    const failed = notices.filter(({ kind }) => kind === "failed");
    expect(failed.length).toBeGreaterThan(0);
    expect(new Set(failed.map((notice) => JSON.stringify(notice))).size).toBe(failed.length);
    network.down = false;
    await stage.passes(3_000);
    expect(notices.at(-1)?.kind).toBe("safe");
  });

  it("leaves none of what was still on the wire either: the guard goes on until nothing that was signed can be taken", async () => {
    const stage = new Stage({ bot: { guard: { deadAfterMs: 1_000, heartbeatMs: 250 } } });
    const { notices } = guardStarts(stage);
    await stage.botStarts();

    stage.network.next("placeOrder", { is: "request late", byMs: 4_500 });
    stage.network.next("placeOrder", { is: "request late", byMs: 4_900 });
    stage.wants({ bid: BID - 50, ask: ASK + 50 });
    await stage.passes(290);
    stage.botIsKilled();
    await stage.passes(2_000);
    expect(stage.quotes()).toEqual([]);
    const ordersBefore = stage.ordersEver();
    await stage.passes(15_000);

    expect(stage.ordersEver(), "both arrived after the first sweep").toBe(ordersBefore + 2);
    expect(stage.quotes()).toEqual([]);
    expect(notices.at(-1)?.kind).toBe("safe");
  });

  it("is survived by a guard that cannot reach the exchange at first: it says so, and goes on", async () => {
    const stage = new Stage();
    const { network, notices } = guardStarts(stage);
    await stage.botStarts();

    network.down = true;
    stage.botIsKilled();
    await stage.passes(20_000);
    expect(stage.quotes()).toEqual(BOTH);
    expect(notices.some(({ kind }) => kind === "failed")).toBe(true);
    expect(notices.some(({ kind }) => kind === "safe")).toBe(false);

    network.down = false;
    await stage.passes(3_000);
    expect(stage.quotes()).toEqual([]);
    expect(notices.at(-1)?.kind).toBe("safe");
  });

  it("leaves no order in a market that stands behind one that the exchange refuses, as one that it lists no more", async () => {
    const stage = new Stage();
    const { notices } = guardStarts(stage, ["goneusdc", MARKET]);
    await stage.botStarts();

    stage.botIsKilled();
    await stage.passes(12_000);

    expect(stage.quotes()).toEqual([]);
    expect(notices).toContainEqual({
      kind: "failed",
      what: "goneusdc",
      message: expect.stringContaining("goneusdc"),
    });
    expect(
      notices.some(({ kind }) => kind === "safe"),
      "of the refused market nobody knows",
    ).toBe(false);

    stage.owner.rests("BUY", 1, BID - 1_000);
    await stage.passes(5_000);
    expect(
      stage.allQuotes(),
      "where nothing of the bot's can come any more, a person trades on",
    ).toEqual([`BUY 1 @ ${BID - 1_000}`]);
  });

  it("takes manual orders of its markets too, and the guard names them", async () => {
    const stage = new Stage();
    const { notices } = guardStarts(stage);
    const manual = stage.owner.rests("BUY", 3, BID - 2_000);
    await stage.botStarts();

    stage.botIsKilled();
    await stage.passes(12_000);

    expect(stage.exchange.openOrders(stage.address).filter(({ openLots }) => openLots > 0)).toEqual(
      [],
    );
    expect(notices).toContainEqual(
      expect.objectContaining({ kind: "cancelling", marketId: MARKET, manualIds: [manual.id] }),
    );
  });

  it("and an end of the next one before the exchange has told it what is open: that is no end in order, and the guard takes down what rests", async () => {
    const stage = new Stage();
    const { notices } = guardStarts(stage);
    await stage.botStarts();
    stage.botIsKilled();
    await stage.botStarts(500, (network) => network.every("openOrders", { is: "request lost" }));
    const result = await stage.botStops(60_000);
    expect(result).toMatchObject({ ordersLeft: [], openOrdersLeft: undefined });

    await stage.passes(15_000);
    expect(stage.quotes()).toEqual([]);
    expect(notices.at(-1)?.kind).toBe("safe");
  });

  it("and an end in order of the next one a moment later leaves none of what was still on the wire: it is waited for", async () => {
    const stage = new Stage();
    const ordersBefore = await nextOneStartsBeforeItArrives(stage, 4_500);
    expect(await stage.botStops()).toMatchObject({ ordersLeft: [], openOrdersLeft: 0 });

    await stage.passes(10_000);
    expect(stage.ordersEver(), "it arrived after the next one was told to stop").toBe(
      ordersBefore + 1,
    );
    expect(stage.quotes()).toEqual([]);
  });

  it("and so does an end of one whose requests are taken for a minute: it waits for longer than the usual half", async () => {
    const windowMs = 60_000;
    const stage = new Stage({
      exchange: { timestampWindowMs: windowMs },
      bot: {
        exchange: {
          rest: "http://a.test/v1",
          stream: "ws://a.test/v1",
          signatureWindowMs: windowMs,
        },
      },
    });
    const ordersBefore = await nextOneStartsBeforeItArrives(stage, 50_000);
    expect(await stage.botStops(75_000)).toMatchObject({ ordersLeft: [], openOrdersLeft: 0 });
    expect(stage.ordersEver(), "it arrived while the next one ended").toBe(ordersBefore + 1);
    expect(stage.quotes()).toEqual([]);
  });

  it("is waited for no longer than from the next start on, however far ahead its heartbeat is dated", async () => {
    const stage = new Stage({ bot: { guard: { heartbeatMs: 60_000, deadAfterMs: 120_000 } } });
    await stage.botStarts();
    stage.botIsKilled();
    await stage.botStarts(10_000);
    const toldAtMs = stage.clock.nowMs();
    expect(await stage.botStops()).toMatchObject({ ordersLeft: [], openOrdersLeft: 0 });
    expect(stage.clock.nowMs() - toldAtMs).toBeLessThan(2_000);
  });

  it("with GTT quotes and no guard leaves none after quoteLifeMs", async () => {
    const stage = new Stage({ bot: { quotes: { timeInForce: "GTT", quoteLifeMs: 90_000 } } });
    await stage.botStarts();
    // Well into the first quotes' life, so that a renewal has happened before the end.
    await stage.passes(100_000);
    expect(stage.quotes()).toEqual(BOTH);
    expect(stage.mostAtOnce).toEqual({ BUY: 10, SELL: 10 });

    stage.botIsKilled();
    await stage.passes(60_000);
    await stage.passes(31_000);
    expect(stage.quotes()).toEqual([]);
  });

  it("and a start with the state directory lost: its own orders are known by their nonces, manual ones are left alone", async () => {
    const stage = new Stage();
    stage.owner.rests("BUY", 3, BID - 2_000);
    await stage.botStarts();
    const before = stage.resting().map(({ terms }) => terms.hash);

    stage.botIsKilled();
    stage.store = new MemoryStateStore();
    stage.wants({ bid: BID - 50, ask: ASK + 50 });
    await stage.botStarts(10_000);

    const adopted = stage.notices.flatMap((notice) =>
      notice.kind === "account" && notice.change.kind === "adopted"
        ? [notice.change.order.hash]
        : [],
    );
    expect([...adopted].sort()).toEqual([...before].sort());
    expect(stage.quotes()).toEqual([`BUY 10 @ ${BID - 50}`, `SELL 10 @ ${ASK + 50}`]);
    expect(stage.mostAtOnce).toEqual({ BUY: 10, SELL: 10 });
    expect(stage.exchange.openOrders(stage.address)).toHaveLength(3);
    stage.expectAgreement();
  });

  it("that had the exchange build its orders: the next run knows them by the hashes that were written down", async () => {
    const stage = new Stage({
      bot: {
        exchange: { rest: "http://a.test/v1", stream: "ws://a.test/v1", placement: "server" },
      },
    });
    await stage.botStarts();
    expect(stage.allQuotes()).toEqual(BOTH);

    stage.botIsKilled();
    await stage.passes(5_000);
    await stage.botStarts(10_000);

    expect(stage.allQuotes()).toEqual(BOTH);
    const result = await stage.botStops();
    expect(result).toMatchObject({ ordersLeft: [], openOrdersLeft: 0 });
    expect(stage.allQuotes()).toEqual([]);
  });
});

describe("a guard beside a bot that lives, or has left in order", () => {
  it("does nothing", async () => {
    const stage = new Stage();
    const { network, notices } = guardStarts(stage);
    await stage.botStarts(60_000);
    expect(stage.quotes()).toEqual(BOTH);
    const result = await stage.botStops();
    expect(result.openOrdersLeft).toBe(0);
    stage.owner.rests("BUY", 3, BID - 2_000);
    await stage.passes(30_000);

    expect(notices.map(({ kind }) => kind)).toEqual(["watching", "bot-stopped"]);
    expect(network.sent).toEqual([]);
    expect(stage.exchange.openOrders(stage.address)).toHaveLength(1);
  });

  it("lets a bot that came back go on", async () => {
    const stage = new Stage();
    const { notices } = guardStarts(stage);
    await stage.botStarts();
    stage.botIsKilled();
    await stage.passes(4_200);
    await stage.botStarts(15_000);

    expect(notices.map(({ kind }) => kind)).toContain("bot-back");
    expect(stage.quotes()).toEqual(BOTH);
    stage.expectAgreement();
  });
});

describe("Ctrl-C with an order whose fate is unknown", () => {
  it("that rests unseen: it is found and cancelled before the bot leaves", async () => {
    const stage = new Stage();
    stage.wants({ bid: null, ask: null });
    await stage.botStarts();
    stage.network.stall("account");
    stage.network.next("placeOrder", { is: "answer lost" });
    stage.wants({ ask: null });
    await stage.passes(2_500);
    expect(stage.quotes()).toHaveLength(1);

    const result = await stage.botStops();

    expect(result).toEqual({ reason: "SIGINT", ordersLeft: [], openOrdersLeft: 0 });
    expect(stage.quotes()).toEqual([]);
  });

  it("that arrives after everything: the bot waits for it, and takes it away", async () => {
    const stage = new Stage();
    stage.wants({ bid: null, ask: null });
    await stage.botStarts();
    stage.network.next("placeOrder", { is: "request late", byMs: 4_800 });
    stage.wants({ ask: null });
    await stage.passes(2_500);

    const result = await stage.botStops();
    expect(result).toEqual({ reason: "SIGINT", ordersLeft: [], openOrdersLeft: 0 });
    await stage.passes(20_000);
    expect(stage.ordersEver()).toBe(1);
    expect(stage.quotes()).toEqual([]);
  });

  it("on an exchange that cannot be reached: it leaves after a time, and names what is left", async () => {
    const stage = new Stage();
    await stage.botStarts();
    const hashes = stage.resting().map(({ terms }) => terms.hash);

    stage.network.down = true;
    stage.network.drop("market");
    stage.network.drop("account");
    const result = await stage.botStops(60_000);

    expect(result.ordersLeft.map(({ hash }) => hash).sort()).toEqual([...hashes].sort());
    expect(result.openOrdersLeft).toBeUndefined();
  });
});
