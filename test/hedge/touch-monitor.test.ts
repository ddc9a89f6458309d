import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { VirtualClock } from "#core/virtual-clock.js";
import { type HedgeTouchEvent, TouchMonitor } from "#hedge/touch-monitor.js";

const touch = (bidTicks: number): HedgeTouchEvent => ({
  type: "touch",
  symbol: "BTC/USDC:USDC",
  bidTicks,
  bidLots: 1,
  askTicks: bidTicks + 1,
  askLots: 1,
});

let clock: VirtualClock;
let book: HedgeTouchEvent | undefined;
let touches: HedgeTouchEvent[];
let silences: string[];
let asked: number;
let monitor: TouchMonitor;

beforeEach(() => {
  clock = new VirtualClock(0);
  book = touch(100);
  touches = [];
  silences = [];
  asked = 0;
  monitor = new TouchMonitor({
    clock,
    ids: ["BTCUSDC"],
    everyMs: 10_000,
    graceMs: 2_000,
    ask: async () => {
      asked += 1;
      return book;
    },
    onTouch: (read) => touches.push(read),
    onSilent: (reason) => silences.push(reason),
  });
  monitor.start();
});

afterEach(() => monitor.stop());

describe("the stream of touches of a hedge venue", () => {
  it("begins with the present touch, which the stream does not report", async () => {
    await clock.runFor(1);
    expect(touches).toEqual([touch(100)]);
  });

  it("is not taken for dead in a quiet market", async () => {
    await clock.runFor(60_000);
    expect(silences).toEqual([]);
    expect(asked).toBeGreaterThan(3);
  });

  it("counts as dead when the touch has moved and it has said nothing", async () => {
    await clock.runFor(5_000);
    book = touch(90);
    await clock.runFor(17_000);
    expect(silences).toEqual(["the stream of BTCUSDC has not reported a change of the touch"]);
    expect(touches).toEqual([touch(100)]);
  });

  it("is not taken for dead when the change was only on its way", async () => {
    await clock.runFor(5_000);
    book = touch(90);
    await clock.runFor(6_000);
    monitor.note("BTCUSDC", touch(90));
    await clock.runFor(30_000);
    expect(silences).toEqual([]);
  });

  it("is not asked about while it reports", async () => {
    for (let at = 0; at < 20; at += 1) {
      await clock.runFor(5_000);
      book = touch(at + 1);
      monitor.note("BTCUSDC", book);
    }
    expect(asked).toBe(1);
  });
});
