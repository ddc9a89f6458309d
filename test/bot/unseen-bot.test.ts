import { describe, expect, it } from "vitest";
import { HEARTBEAT_FILE } from "#bot/heartbeat.js";
import { HeartbeatMismatch } from "#bot/heartbeat-mismatch.js";
import { MemoryStateStore } from "#bot/state-dir.js";
import type { Ms } from "#core/units.js";
import { VirtualClock } from "#core/virtual-clock.js";

/** A guard that reads one folder, and a bot that may run, and may write its heartbeat there. */
function guardLooks() {
  const clock = new VirtualClock(0);
  const store = new MemoryStateStore();
  const bot = { runs: false, beatsHere: false };
  const toldAtMs: Ms[] = [];
  const unseen = new HeartbeatMismatch({
    clock,
    store,
    deadAfterMs: 3_000,
    isBotRunning: () => bot.runs,
    onMismatch: () => toldAtMs.push(clock.nowMs()),
  });
  unseen.start();
  const passes = async (ms: Ms): Promise<void> => {
    for (const endMs = clock.nowMs() + ms; clock.nowMs() < endMs; ) {
      if (bot.runs && bot.beatsHere) store.write(HEARTBEAT_FILE, `${clock.nowMs()}`);
      await clock.runFor(500);
    }
  };
  return { bot, toldAtMs, passes, stop: () => unseen.stop() };
}

describe("a bot whose heartbeat the guard cannot see", () => {
  it("is reported once if it writes its heartbeat to another folder: if it dies, its quotes stay open", async () => {
    const { bot, toldAtMs, passes } = guardLooks();
    await passes(60_000);
    expect(toldAtMs, "no bot runs").toEqual([]);
    bot.runs = true;
    await passes(300_000);
    expect(toldAtMs).toHaveLength(1);
    expect(toldAtMs[0]).toBeLessThanOrEqual(60_000 + 20_000);
  });

  it("is reported again after its heartbeat appeared and disappeared", async () => {
    const { bot, toldAtMs, passes } = guardLooks();
    bot.runs = true;
    await passes(60_000);
    bot.beatsHere = true;
    await passes(60_000);
    expect(toldAtMs).toHaveLength(1);
    bot.beatsHere = false;
    await passes(60_000);
    expect(toldAtMs).toHaveLength(2);
  });

  it("is not reported while its heartbeat appears, within ten seconds of a start, or by a stopped guard", async () => {
    const seen = guardLooks();
    seen.bot.runs = true;
    seen.bot.beatsHere = true;
    await seen.passes(120_000);
    seen.bot.runs = false;
    await seen.passes(14_500);
    seen.bot.beatsHere = false;
    seen.bot.runs = true;
    await seen.passes(9_000);
    seen.bot.beatsHere = true;
    await seen.passes(60_000);
    seen.bot.beatsHere = false;
    seen.stop();
    await seen.passes(60_000);
    expect(seen.toldAtMs).toEqual([]);
  });
});
