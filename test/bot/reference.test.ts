import { describe, expect, it } from "vitest";
import { replayLines } from "#bot/replay-journal.js";
import type { ReferenceUpdate } from "#reference/reference-update.js";
import { asFile, botConfigOf, MemoryJournal, startVirtualRun } from "./recorded-run.js";

const market = (reference: object) => ({
  strategy: "ladder",
  params: { halfSpreadBps: 5, sizeBase: 0.02 },
  limits: { maxPositionBase: "0.5", maxOrderBase: "0.1" },
  reference,
});

const ELSEWHERE = { rest: "http://other.test/v1", stream: "ws://other.test/v1" };

const SOURCES = {
  a: { exchange: ELSEWHERE, market: "btcusdc" },
  b: { exchange: ELSEWHERE, market: "btcusdc" },
  index: { index: "btcusdc" },
};

/** A network on which nothing is ever connected. */
const NO_NETWORK = { open: () => ({ send: () => {}, close: () => {} }) };

async function run(reference: object) {
  const journal = new MemoryJournal();
  const started = await startVirtualRun({
    journal,
    // The tests themselves send what a source would.
    referencesOf: () => ({ transports: { a: NO_NETWORK, b: NO_NETWORK } }),
    config: botConfigOf({ references: SOURCES, markets: { btcusdc: market(reference) } }),
  });
  const { bot } = started.running;
  const trader = bot.context.traderList[0];
  const note = (update: ReferenceUpdate) => bot.accept({ kind: "reference", update });
  const mid = () => (trader.netMidTicks ?? Number.NaN) * trader.instrument.tickQuote;
  return {
    ...started,
    bot,
    trader,
    journal,
    /** A source sends a price so far from the venue's mid. */
    sends: (source: string, bps = 0) => {
      const price = mid() * (1 + bps / 10_000);
      note({ type: "price", source, bid: price, ask: price, heldMs: 0 });
    },
    isDown: (source: string) => note({ type: "down", source, reason: "connection lost" }),
    halts: () => bot.tradingGuards.haltsFor("btcusdc").map(({ name }) => name),
    places: () => trader.plan?.keeps.length,
    distanceBps: () => {
      const quotes = trader.plan?.keeps ?? [];
      const bid = Math.max(
        ...quotes.filter(({ side }) => side === "BUY").map(({ hash }) => ticksOf(hash)),
      );
      return ((trader.netMidTicks ?? Number.NaN) / bid - 1) * 10_000;
    },
  };
  function ticksOf(hash: string): number {
    return bot.context.account.orders.get(hash as `0x${string}`)?.ticks ?? Number.NaN;
  }
}

/** Prices of a source four times a second, for so long. */
async function keepsSending(
  stage: Awaited<ReturnType<typeof run>>,
  sources: readonly string[],
  forMs: number,
): Promise<void> {
  for (let ms = 0; ms < forMs; ms += 250) {
    for (const source of sources) stage.sends(source);
    await stage.clock.runFor(250);
  }
}

describe("a market with a reference price", () => {
  it("is not quoted before its sources have sent a price, and is within a second of it", async () => {
    const stage = await run({ from: ["a"] });
    await stage.clock.runFor(3_000);
    expect(stage.halts()).toEqual(["stale-reference"]);
    expect(stage.trader.plan?.keeps ?? []).toEqual([]);
    await keepsSending(stage, ["a"], 1_500);
    expect(stage.halts()).toEqual([]);
    expect(stage.places()).toBe(2);
    await stage.stop();
  });

  it("is not quoted on a price that is older than its limit, and its quotes are cancelled", async () => {
    const stage = await run({ from: ["a"], maxAgeMs: 1000 });
    await stage.clock.runFor(2_000);
    await keepsSending(stage, ["a"], 2_000);
    expect(stage.places()).toBe(2);
    await stage.clock.runFor(1_500);
    expect(stage.halts()).toEqual(["stale-reference"]);
    expect(stage.bot.context.account.orders.mayStillFill("btcusdc")).toEqual([]);
    await stage.stop();
  });

  it("is halted by two sources that part, whatever the file chose for stale ones", async () => {
    const stage = await run({ from: ["a", "b"], onStale: "book" });
    await stage.clock.runFor(2_000);
    await keepsSending(stage, ["a", "b"], 1_500);
    expect(stage.halts()).toEqual([]);
    stage.sends("a", 100);
    expect(stage.halts()).toEqual(["reference-disagrees"]);
    await keepsSending(stage, ["a", "b"], 1_500);
    expect(stage.halts()).toEqual([]);
    await stage.stop();
  });

  it("has no order placed on a price of another unit or symbol, whatever the file chose for stale ones", async () => {
    const stage = await run({ from: ["a"], onStale: "book" });
    for (let ms = 0; ms < 4_000; ms += 250) {
      stage.sends("a", -9_000);
      await stage.clock.runFor(250);
    }
    expect(stage.halts()).toEqual(["reference-disagrees"]);
    expect(stage.journal.lines.some((line) => line.includes('"kind":"place"'))).toBe(false);
    await keepsSending(stage, ["a"], 1_500);
    expect(stage.places()).toBe(2);
    await stage.stop();
  });

  it("is quoted further away without a good price, if the file says so", async () => {
    const stage = await run({ from: ["a"], onStale: "widen", widenFactor: 4 });
    await stage.clock.runFor(2_000);
    await keepsSending(stage, ["a"], 1_500);
    expect(stage.distanceBps()).toBeLessThan(9);
    stage.isDown("a");
    await stage.clock.runFor(1_500);
    expect(stage.halts()).toEqual([]);
    expect(stage.distanceBps()).toBeGreaterThan(15);
    await stage.stop();
  });

  it("is quoted as one without a reference, if the file says so", async () => {
    const stage = await run({ from: ["a"], onStale: "book" });
    await stage.clock.runFor(3_000);
    expect(stage.halts()).toEqual([]);
    expect(stage.distanceBps()).toBeLessThan(9);
    expect(stage.trader.lastView?.reference?.fairTicks).toBeNaN();
    await stage.stop();
  });

  it("takes the exchange's own index as a source, without an input of its own", async () => {
    const stage = await run({ from: ["index"], maxAgeMs: 60_000 });
    await stage.clock.runFor(4_000);
    expect(stage.halts()).toEqual([]);
    const { reference, indexTicks } = stage.trader.lastView ?? {};
    expect(reference?.priceTicks).toBeCloseTo(indexTicks ?? Number.NaN, 6);
    expect(stage.journal.lines.some((line) => line.includes('"kind":"reference"'))).toBe(false);
    await stage.stop();
  });

  it("replays from its journal to the same actions, with prices that part, stop and have no side", async () => {
    const stage = await run({
      from: ["a", { source: "b", weight: 2 }],
      onStale: "widen",
      basis: { halfLifeMs: 2000 },
    });
    await stage.clock.runFor(2_000);
    await keepsSending(stage, ["a", "b"], 3_000);
    stage.sends("a", 80);
    await stage.clock.runFor(500);
    await keepsSending(stage, ["a"], 3_000);
    stage.isDown("a");
    stage.bot.accept({
      kind: "reference",
      update: { type: "price", source: "b", bid: Number.NaN, ask: 1, heldMs: 3 },
    });
    await stage.clock.runFor(1_000);
    await keepsSending(stage, ["a", "b"], 1_000);
    await stage.stop();
    const result = await replayLines(asFile(stage.journal.lines));
    expect(result.divergence).toBeUndefined();
    expect(result.turns).toBe(stage.journal.lines.length - 1);
    expect(result.actions).toBeGreaterThan(6);
  });
});
