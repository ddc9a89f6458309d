import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { ConfigError, FormatError } from "#core/errors.js";
import { seededRandom } from "#core/seeded-random.js";
import { VirtualClock } from "#core/virtual-clock.js";
import type { CaptureFiles } from "#simulator/capture-files.js";
import { type ReplayEnd, ReplayFlow, type ReplayFlowOptions } from "#simulator/replay-flow.js";
import { bookLine, btcGrid, recordedCapture, tradeLine, writeCapture } from "./capture-fixture.js";
import { EngineMarket } from "./engine-market.js";

const START_MS = 1_000_000;

/**
 * A replay on an exchange whose wall clock begins at `wallMs`, preloaded as virtual time needs it.
 */
async function replay(options: ReplayFlowOptions, wallMs = START_MS) {
  const clock = new VirtualClock(wallMs);
  const market = new EngineMarket("btcusdt", btcGrid, clock);
  const ends: ReplayEnd[] = [];
  const flow = new ReplayFlow(options, (end) => ends.push(end));
  await flow.preload(btcGrid);
  flow.start(market, { clock, random: seededRandom("replay") });
  return { clock, market, flow, ends };
}

/**
 * Half a second of market: a snapshot, an update at +100 ms, a trade at +200, an update at +400.
 */
function smallCapture(): CaptureFiles {
  return writeCapture({
    books:
      bookLine(
        "update",
        1,
        4_990,
        [
          ["99.9", "9"],
          ["98.0", "1"],
        ],
        [["100.2", "9"]],
      ) +
      bookLine(
        "snapshot",
        2,
        5_000,
        [
          ["99.9", "1"],
          ["99.8", "2"],
        ],
        [
          ["100.1", "1"],
          ["100.2", "2"],
        ],
      ) +
      bookLine("update", 3, 5_100, [["99.9", "1.5"]], []) +
      bookLine(
        "update",
        5,
        5_400,
        [["99.9", "0"]],
        [
          ["99.9", "3"],
          ["100.0", "1"],
        ],
      ),
    trades: tradeLine(4, 5_200, "99.9", "0.5", true),
  });
}

describe("the replay flow", () => {
  it("opens with the snapshot's whole book, and then keeps the capture's own gaps", async () => {
    const { clock, market, flow, ends } = await replay({ files: smallCapture(), speed: 1 });
    expect(market.depth(9)).toEqual({
      bids: [
        { ticks: 999, lots: 1_000 },
        { ticks: 998, lots: 2_000 },
        { ticks: 980, lots: 1_000 },
      ],
      asks: [
        { ticks: 1_001, lots: 1_000 },
        { ticks: 1_002, lots: 2_000 },
      ],
    });
    expect([flow.captureStartMs, flow.captureMs]).toEqual([5_000, undefined]);
    await clock.runUntil(START_MS + 100);
    expect([market.prints.length, flow.captureMs]).toEqual([0, 5_100]);
    await clock.runUntil(START_MS + 200);
    expect(market.prints).toEqual([
      { aggressor: "SELL", ticks: 999, lots: 500, timeMs: START_MS + 200 },
    ]);
    await clock.runUntil(START_MS + 399);
    expect(ends).toEqual([]);
    await clock.runUntil(START_MS + 400);
    expect(market.bestAsk()).toBe(999);
    expect(ends).toEqual([{ reason: "capture-end", captureMs: 5_400, messages: 2, prints: 1 }]);
  });

  it("scales only the gaps between events: at 20 times the same 400 ms take 20", async () => {
    const { clock, market, ends } = await replay({ files: smallCapture(), speed: 20 });
    await clock.runUntil(START_MS + 10);
    expect(market.prints).toEqual([
      { aggressor: "SELL", ticks: 999, lots: 500, timeMs: START_MS + 10 },
    ]);
    await clock.runUntil(START_MS + 19);
    expect(ends).toEqual([]);
    await clock.runUntil(START_MS + 20);
    expect(ends.map(({ reason }) => reason)).toEqual(["capture-end"]);
  });

  it("applies a whole message before it fills participants: a bid passed by new asks fills once, in full, at its own price", async () => {
    const { clock, market } = await replay({ files: smallCapture(), speed: 1 });
    await clock.runFor(250);
    const bid = market.place({
      agent: "participant",
      side: "BUY",
      ticks: 1_000,
      lots: 700,
      timeInForce: "POST_ONLY",
    });
    await clock.runFor(1_000);
    expect(bid?.openLots).toBe(0);
    expect(market.trades).toEqual([
      {
        atMs: START_MS + 400,
        taker: "recorded",
        maker: "participant",
        takerSide: "SELL",
        ticks: 1_000,
        lots: 700,
      },
    ]);
  });

  it("meets orders placed before it: one that its opening book has passed fills, one at a recorded price queues behind it", async () => {
    const clock = new VirtualClock(START_MS);
    const market = new EngineMarket("btcusdt", btcGrid, clock);
    const high = market.place({
      agent: "early",
      side: "BUY",
      ticks: 1_005,
      lots: 10,
      timeInForce: "GTC",
    });
    const behind = market.place({
      agent: "early",
      side: "BUY",
      ticks: 999,
      lots: 300,
      timeInForce: "GTC",
    });
    const flow = new ReplayFlow({ files: smallCapture(), speed: 1, forMs: 300 }, () => {});
    await flow.preload(btcGrid);
    flow.start(market, { clock, random: seededRandom("replay") });
    expect(market.trades).toMatchObject([{ maker: "early", ticks: 1_005, lots: 10 }]);
    // The trade of 0.5 does not exhaust the 1.0 that was ahead.
    await clock.runFor(300);
    expect([high?.openLots, behind?.openLots]).toEqual([0, 300]);
  });

  it("fills an order by a recorded trade only after the lots ahead of it, and never sweeps recorded levels", async () => {
    const books =
      bookLine("snapshot", 1, 5_000, [["99.9", "1"]], [["100.1", "1"]]) +
      bookLine("update", 2, 5_050, [["90.0", "1"]], []) +
      bookLine("update", 9, 6_000, [["90.0", "2"]], []);
    const trades =
      tradeLine(3, 5_200, "99.9", "0.6", true) +
      tradeLine(4, 5_300, "99.9", "0.6", true) +
      tradeLine(5, 5_400, "99.9", "0.6", true);
    const { clock, market } = await replay({ files: writeCapture({ books, trades }), speed: 1 });
    market.place({
      agent: "participant",
      side: "BUY",
      ticks: 999,
      lots: 500,
      timeInForce: "POST_ONLY",
    });
    await clock.runFor(2_000);
    // 1.0 ahead: the first trade takes 0.6 of it, the second the rest and 0.2 of ours, the third
    // our remainder.
    expect(market.trades.map(({ lots, ticks }) => [ticks, lots])).toEqual([
      [999, 200],
      [999, 300],
    ]);
    expect(market.depth(1).bids).toEqual([{ ticks: 999, lots: 1_000 }]);
  });

  it("fills a participant's taker only from displayed recorded lots, once, until the recording changes the level", async () => {
    const { clock, market } = await replay({ files: smallCapture(), speed: 1 });
    const sell = () =>
      market.place({
        agent: "participant",
        side: "SELL",
        ticks: 999,
        lots: 5_000,
        timeInForce: "IOC",
      });
    sell();
    sell();
    expect(market.trades.map(({ lots }) => lots)).toEqual([1_000]);
    expect(market.bestBid()).toBe(998);
    // At +100 ms the recording has 1.5 at that level: it is whole again.
    await clock.runFor(100);
    expect(market.depth(1).bids).toEqual([{ ticks: 999, lots: 1_500 }]);
  });

  it("begins at the configured instant with its book, and stops after the configured duration", async () => {
    const { clock, market, flow, ends } = await replay({
      files: smallCapture(),
      speed: 1,
      fromMs: 5_150,
      forMs: 150,
    });
    expect(market.depth(1).bids).toEqual([{ ticks: 999, lots: 1_500 }]);
    expect(flow.captureStartMs).toBe(5_150);
    await clock.runUntil(START_MS + 149);
    expect(ends).toEqual([]);
    await clock.runUntil(START_MS + 150);
    expect(ends).toEqual([{ reason: "limit", captureMs: 5_200, messages: 0, prints: 1 }]);
    await clock.runFor(1_000);
    expect(market.depth(1).bids).toEqual([{ ticks: 999, lots: 1_500 }]);
  });

  it("uses the capture's mark and index if it has them, including the last one before the start", async () => {
    const mark =
      "line,time,recvTimeNs,markPrice,indexPrice\n1,4000,0,100.05,100.01\n6,5300,0,100.15,100.11\n";
    const books =
      bookLine("snapshot", 2, 5_000, [["99.9", "1"]], [["100.1", "1"]]) +
      bookLine("update", 9, 5_400, [], []);
    const { clock, market } = await replay({
      files: writeCapture({ books, mark }),
      speed: 1,
      fromMs: 5_000,
    });
    await clock.runFor(1_000);
    expect(
      market.references.map(({ markTicks, indexTicks }) => [
        markTicks.toFixed(1),
        indexTicks.toFixed(1),
      ]),
    ).toEqual([
      ["1000.5", "1000.1"],
      ["1001.5", "1001.1"],
    ]);
  });

  it("plays a capture up to a broken line, reports file and line, and leaves the market its last book", async () => {
    const files = writeCapture({
      books: `${bookLine("snapshot", 1, 5_000, [["99.9", "1"]], [["100.1", "1"]]) + bookLine("update", 2, 5_100, [], [])}{\n`,
    });
    const { ends } = await replay({ files, speed: 1 });
    expect(ends).toHaveLength(1);
    expect(ends[0]).toMatchObject({ reason: "failed", error: expect.any(FormatError) });
    expect(ends[0]?.error?.message).toMatch(/tag\.ndjson\.gz:3/);
  });

  it("stops on request, and then does nothing more", async () => {
    const { clock, market, flow, ends } = await replay({ files: smallCapture(), speed: 1 });
    flow.stop();
    await clock.runFor(1_000);
    expect([market.prints.length, ends.length, clock.pendingTimers]).toEqual([0, 0, 0]);
  });

  it("refuses a speed of zero, and a start after the capture's end", async () => {
    expect(() => new ReplayFlow({ files: smallCapture(), speed: 0 }, () => {})).toThrow(
      ConfigError,
    );
    expect(() => new ReplayFlow({ files: smallCapture(), speed: Number.NaN }, () => {})).toThrow(
      /speed/,
    );
    const { ends } = await replay({ files: smallCapture(), speed: 1, fromMs: 9_000 });
    expect(ends[0]).toMatchObject({ reason: "failed", error: expect.any(ConfigError) });
  });

  it("reads ahead while it plays when nothing was preloaded, in bounded pieces", async () => {
    const updates = Array.from({ length: 3_000 }, (_, i) =>
      bookLine("update", i + 2, 5_001 + i, [["99.9", `${i + 1}`]], []),
    ).join("");
    const files = writeCapture({
      books: bookLine("snapshot", 1, 5_000, [["99.9", "1"]], [["100.1", "1"]]) + updates,
    });
    const clock = new VirtualClock(START_MS);
    const market = new EngineMarket("btcusdt", btcGrid, clock);
    const over = new Promise<ReplayEnd>((resolve) => {
      const flow = new ReplayFlow({ files, speed: 1_000, readAhead: 50 }, resolve);
      flow.start(market, { clock, random: seededRandom("replay") });
    });
    let end: ReplayEnd | undefined;
    void over.then((value) => {
      end = value;
    });
    // Virtual time does not wait for the disk, so the disk is given real time too; bounded, so that
    // a replay that never ends fails the test.
    for (let ms = 0; ms < 20_000 && end === undefined; ms += 1) {
      await clock.runFor(1);
      if (ms % 10 === 0) await delay(1);
    }
    expect(end).toEqual({ reason: "capture-end", captureMs: 8_000, messages: 3_000, prints: 0 });
    expect(market.depth(1).bids).toEqual([{ ticks: 999, lots: 3_000_000 }]);
  });
});

describe("a replayed capture against what hftbacktest publishes", () => {
  it("plays 2024-08-08 at 20 times to the published book, with nobody else in the market", async ({
    skip,
  }) => {
    const files = recordedCapture("btcusdt-perp_20240808");
    if (files === null) return skip("no recorded data");
    const { clock, market, flow, ends } = await replay({ files, speed: 20 });
    await clock.runFor(20_000);
    expect(ends.map(({ reason }) => reason)).toEqual(["capture-end"]);
    expect(flow.recordedLevels).toBe(9_597);
    expect(market.depth(2)).toEqual({
      bids: [
        { ticks: 616_597, lots: 1_486 },
        { ticks: 616_590, lots: 2 },
      ],
      asks: [
        { ticks: 616_598, lots: 981 },
        { ticks: 616_599, lots: 188 },
      ],
    });
    expect(market.prints.length).toBeGreaterThan(21_000);
  });

  it("fills the published orders of 2024-07-19 at the instants derived from the capture", async ({
    skip,
  }) => {
    const files = recordedCapture("btcusdt-perp_20240718-19");
    if (files === null) return skip("no recorded data");
    // The exchange's wall clock is set to the capture's, so that instants are those of the
    // publication.
    const fromMs = 1_721_347_231_000;
    const { clock, market, flow } = await replay(
      { files, speed: 1, fromMs, forMs: 130_000 },
      fromMs,
    );
    expect(flow.captureStartMs).toBe(fromMs);
    const arrivalMs = (localMs: number): number => localMs + 100;
    const place = (
      agent: string,
      side: "BUY" | "SELL",
      price: string,
      timeInForce: "GTC" | "IOC" | "POST_ONLY",
    ) => market.place({ agent, side, ticks: btcGrid.parsePrice(price), lots: 1_000, timeInForce });
    await clock.runUntil(arrivalMs(1_721_347_231_533));
    place("passive", "BUY", "63885.7", "GTC");
    await clock.runUntil(arrivalMs(1_721_347_261_533));
    expect(market.bestBid()).toBe(639_819);
    expect(place("post-only", "SELL", "63969.9", "POST_ONLY")).toBeNull();
    place("at the best bid", "BUY", "63979.9", "GTC");
    place("market", "SELL", "60000", "IOC");
    await clock.runFor(130_000);
    const filled = (agent: string) =>
      market.trades.filter(({ maker, taker }) => maker === agent || taker === agent);
    expect(filled("market").map(({ ticks, lots }) => [ticks, lots])).toEqual([[639_819, 1_000]]);
    expect(filled("post-only")).toEqual([]);
    expect(filled("passive").at(-1)?.atMs).toBe(1_721_347_356_052);
    expect(filled("at the best bid").at(-1)?.atMs).toBe(1_721_347_286_948);
    expect(filled("passive").reduce((sum, { lots }) => sum + lots, 0)).toBe(1_000);
  });
});
