import { describe, expect, it } from "vitest";
import { seededRandom } from "#core/seeded-random.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { HistoryStore } from "#history/history-store.js";
import { listHistory } from "#history/list-history.js";
import { ReferenceHistory } from "#history/reference-history.js";
import { ReferenceRecorder } from "#history/reference-recorder.js";
import type { ReferenceTape } from "#history/reference-tape.js";
import { stagedWork } from "#history/staged-work.js";
import type { ReferenceUpdate } from "#reference/reference-update.js";
import { scratchFolder } from "../scratch.js";

const DAY_MS = Date.UTC(2026, 0, 5);
const NOON_MS = DAY_MS + 12 * 3_600_000;
/** Characters that are special in JSON and in SQL. */
const REASON = `closed: "1006", it's gone`;
const price = (bid: number, ask: number, more: object = {}): ReferenceUpdate => ({
  type: "price",
  source: "binance",
  bid,
  ask,
  heldMs: 0,
  ...more,
});

/** A store, and a recorder's machine at some time. */
function stage(startMs = NOON_MS) {
  const store = new HistoryStore(scratchFolder());
  const clock = new VirtualClock(startMs);
  const runtime = { clock, random: seededRandom("1") };
  const open = () => ReferenceRecorder.open({ store, source: "binance", runtime });
  return { store, clock, open };
}

/** Its messages in a span, each with its milliseconds after noon. */
async function played(store: HistoryStore, fromMs = DAY_MS, toMs = DAY_MS + 3 * 86_400_000) {
  const history = new ReferenceHistory(store, {
    source: "binance",
    market: "binance",
    fromUs: fromMs * 1000,
    toUs: toMs * 1000,
    blockRows: 3,
  });
  const rows: (readonly [number, ...unknown[]])[] = [];
  for await (const {
    localUs,
    bid,
    ask,
    sourceMs,
    downs,
  } of history as AsyncIterable<ReferenceTape>)
    for (let row = 0; row < localUs.length; row++) {
      const down = downs.find((one) => one.row === row);
      const atMs = localUs[row] / 1000 - NOON_MS;
      rows.push(
        down === undefined ? [atMs, bid[row], ask[row], sourceMs[row]] : [atMs, down.reason],
      );
    }
  return rows;
}

describe("a recording of a reference source", () => {
  it("gives back each price with its reception, its own time and its missing sides, and when the source was gone", async () => {
    const { store, clock, open } = stage();
    const recorder = await open();
    recorder.record(price(60_000.1, 60_000.25, { timeMs: NOON_MS - 37.5 }));
    await clock.runFor(100);
    // It was received 15 ms before it entered the bot.
    recorder.record(price(60_001, 60_002, { heldMs: 15 }));
    recorder.record({ ...price(1, 2), source: "another" } as ReferenceUpdate);
    await clock.runFor(50);
    recorder.record({ type: "down", source: "binance", reason: REASON });
    await clock.runFor(850);
    recorder.record(price(Number.NaN, 60_003));
    await clock.runFor(10);
    recorder.record(price(0.1 + 0.2, 1e-7));
    await clock.runFor(10);
    await recorder.close();
    const rows = await played(store);
    expect(rows).toEqual([
      [0, 60_000.1, 60_000.25, NOON_MS - 37.5],
      [85, 60_001, 60_002, Number.NaN],
      [150, REASON],
      [1000, Number.NaN, 60_003, Number.NaN],
      // Fifteen digits are kept.
      [1010, 0.3, 1e-7, Number.NaN],
      // Here it ended, and with it what is known.
      [1021, "its history has a gap here"],
    ]);
    const [listed] = await listHistory(store, { verify: true });
    expect(listed).toMatchObject({ market: "binance", kind: "reference", rows: 5 });
  });

  it("leaves a gap between two recordings, in which the source is gone", async () => {
    const { store, clock, open } = stage();
    const first = await open();
    first.record(price(10, 11));
    await clock.runFor(500);
    await first.close();
    await clock.runFor(10_000);
    const second = await open();
    await clock.runFor(100);
    second.record(price(20, 21));
    await clock.runFor(100);
    await second.close();
    expect(await played(store, NOON_MS, NOON_MS + 10_700)).toEqual([
      [0, 10, 11, Number.NaN],
      [501, "its history has a gap here"],
      [10_600, 20, 21, Number.NaN],
    ]);
    const history = new ReferenceHistory(store, {
      source: "binance",
      market: "binance",
      fromUs: NOON_MS * 1000,
      toUs: (NOON_MS + 10_700) * 1000,
    });
    expect(history.gaps).toEqual([[NOON_MS + 501, NOON_MS + 10_500]]);
    await expect(history.whole()).resolves.toMatchObject({
      localUs: Float64Array.of(0, 501_000, 10_600_000).map((us) => us + NOON_MS * 1000),
    });
  });

  it("leaves a gap where the machine was suspended, and none where its clock was set back", async () => {
    const { store, clock, open } = stage();
    const recorder = await open();
    recorder.record(price(10, 11));
    await clock.runFor(2500);
    clock.stepWall(60_000);
    await clock.runFor(500);
    recorder.record(price(20, 21));
    await clock.runFor(500);
    clock.stepWall(-800);
    await clock.runFor(300);
    recorder.record(price(30, 31));
    await clock.runFor(200);
    await recorder.close();
    const rows = await played(store, NOON_MS, NOON_MS + 63_900);
    expect(rows.map(([atMs, bid]) => [Math.round(atMs / 100) * 100, bid])).toEqual([
      [0, 10],
      [3000, "its history has a gap here"],
      [63_000, 20],
      [63_800, 30],
    ]);
  });

  it("goes on over midnight without a gap, and keeps what a killed recorder had flushed", async () => {
    const { store, clock, open } = stage(DAY_MS + 86_400_000 - 1500);
    const killed = await open();
    const sent = async (bid: number) => {
      killed.record(price(bid, bid + 1));
      await clock.runFor(1000);
    };
    for (const bid of [1, 2, 3, 4]) await sent(bid);
    // Flushed each second, and never closed: the next recorder takes over its lock and its rows.
    expect(stagedWork(store)[0]).toMatchObject({ what: "recording", market: "binance" });
    await killed.close();
    const days = store.days({ market: "binance", kind: "reference" });
    expect(days.map(({ day, rows }) => [day, rows])).toEqual([
      ["2026-01-05", 2],
      ["2026-01-06", 2],
    ]);
    const startMs = DAY_MS + 86_400_000 - 1500 - NOON_MS;
    expect((await played(store)).map(([atMs, bid]) => [atMs - startMs, bid])).toEqual([
      [0, 1],
      [1000, 2],
      [2000, 3],
      [3000, 4],
      [4001, "its history has a gap here"],
    ]);
    expect(stagedWork(store)).toEqual([]);
  });

  it("refuses a source that another recorder records, and a name that no folder can have", async () => {
    const { store, clock, open } = stage();
    const recorder = await open();
    await expect(open()).rejects.toThrow();
    await recorder.close();
    const runtime = { clock, random: seededRandom("1") };
    await expect(ReferenceRecorder.open({ store, source: "-a", runtime })).rejects.toThrow(
      "cannot name a market",
    );
  });
});
