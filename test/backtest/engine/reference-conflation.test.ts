import { Subject } from "rxjs";
import { expect, it } from "vitest";
import { ReferenceReplay } from "#backtest/reference-replay.js";
import { seededRandom } from "#core/seeded-random.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { conflate } from "#reference/conflate.js";
import type { PriceMessage } from "#reference/price-message.js";
import { type MadeMessage, referenceTape } from "./made-references.js";

// The rule is written twice: for live messages, whose timers have whole milliseconds, and for
// columns.
it.each(["1", "2", "3", "4", "5"])(
  "passes the messages of a replay as a live source passes them (seed %s)",
  async (seed) => {
    const random = seededRandom(seed);
    const clock = new VirtualClock(0);
    const messages$ = new Subject<PriceMessage>();
    const live: unknown[] = [];
    messages$.pipe(conflate(20, clock)).subscribe((message) => {
      live.push([clock.monotonicMs(), message]);
    });
    const made: MadeMessage[] = [];
    let atMs = 0;
    for (let count = 0; count < 500; count++) {
      const stepMs = 1 + Math.floor(random.uniform() * (count % 50 < 25 ? 6 : 60));
      await clock.runFor(stepMs);
      atMs += stepMs;
      if (random.uniform() < 0.05) {
        made.push([atMs * 1000, `gone ${count}`]);
        messages$.next({ type: "down", reason: `gone ${count}` });
      } else {
        made.push([atMs * 1000, count + 1, count + 2, count]);
        messages$.next({ type: "price", bid: count + 1, ask: count + 2, timeMs: count });
      }
    }
    await clock.runFor(100);
    const replay = new ReferenceReplay("binance", referenceTape(made), {
      minGapMs: 20,
      startUs: 0,
    });
    const replayed: unknown[] = [];
    while (replay.nextUs < Number.POSITIVE_INFINITY) {
      const nowMs = replay.nextUs / 1000;
      const { source: _, ...message } = replay.take();
      replayed.push([nowMs, message]);
    }
    expect(replayed.length).toBeLessThan(500);
    expect(replayed).toEqual(live);
  },
);
