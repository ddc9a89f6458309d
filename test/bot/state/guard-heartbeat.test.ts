import { describe, expect, it } from "vitest";
import {
  GUARD_HEARTBEAT_FILE,
  GuardHeartbeat,
  GuardMonitor,
  isGuarded,
} from "#bot/guard-heartbeat.js";
import { MemoryStateStore } from "#bot/state-dir.js";
import { VirtualClock } from "#core/virtual-clock.js";

const ACCOUNT = `0x${"a1".repeat(20)}` as const;
const CONTRACT = `0x${"c1".repeat(20)}`;
const DEAD_AFTER_MS = 3000;

function claimed(chainId = 7): string {
  return JSON.stringify({
    version: 1,
    account: ACCOUNT,
    exchange: { chainId, verifyingContract: CONTRACT },
  });
}

function guarding() {
  const clock = new VirtualClock(1_000_000);
  const store = new MemoryStateStore({ "account.json": claimed() });
  const failures: unknown[] = [];
  const heartbeat = new GuardHeartbeat({
    clock,
    store,
    account: ACCOUNT,
    everyMs: 500,
    onFailure: (error) => failures.push(error),
  });
  const guarded = (account = ACCOUNT, of = store) =>
    isGuarded({ store: of, account, nowMs: clock.nowMs(), deadAfterMs: DEAD_AFTER_MS });
  return { clock, store, heartbeat, guarded, failures };
}

describe("a bot", () => {
  it("is guarded as long as its guard writes heartbeats, and no longer", async () => {
    const { clock, heartbeat, guarded } = guarding();
    expect(guarded()).toBe(false);
    heartbeat.start();
    await clock.runFor(60_000);
    expect(guarded()).toBe(true);
    heartbeat.stop();
    expect(guarded()).toBe(false);
  });

  // Only the name of a guard's lock was checked, which any user could take.
  it("is not guarded by a guard that hangs or was killed: POST_ONLY orders would rest for ever", async () => {
    const { clock, store, heartbeat, guarded } = guarding();
    heartbeat.start();
    const last = store.read(GUARD_HEARTBEAT_FILE) ?? "";
    heartbeat.stop();
    store.write(GUARD_HEARTBEAT_FILE, last);
    expect(guarded()).toBe(true);
    await clock.runFor(DEAD_AFTER_MS + 1);
    expect(guarded()).toBe(false);
  });

  it("is not guarded by the guard of another account or of another exchange", () => {
    const { heartbeat, guarded, store } = guarding();
    heartbeat.start();
    expect(guarded(`0x${"b2".repeat(20)}`)).toBe(false);
    const moved = new MemoryStateStore({ ...store.snapshot(), "account.json": claimed(8) });
    expect(guarded(ACCOUNT, moved)).toBe(false);
    heartbeat.stop();
  });

  it.each(["", "{", "null", "[]", '{"version":1}'])(
    "is not guarded by a heartbeat that cannot be read: %s",
    (text) => {
      const { store, guarded } = guarding();
      store.write(GUARD_HEARTBEAT_FILE, text);
      expect(guarded()).toBe(false);
    },
  );

  it("notices that no guard is alive, that one starts, and that it stops", async () => {
    const { clock, heartbeat, guarded } = guarding();
    const told: boolean[] = [];
    const watch = new GuardMonitor({
      clock,
      everyMs: DEAD_AFTER_MS,
      isGuarded: () => guarded(),
      onChange: (is) => told.push(is),
    });
    watch.start();
    expect(told).toEqual([false]);
    await clock.runFor(30_000);
    heartbeat.start();
    await clock.runFor(30_000);
    expect(told).toEqual([false, true]);
    heartbeat.stop();
    await clock.runFor(30_000);
    expect(told).toEqual([false, true, false]);
    watch.stop();
  });
});

describe("a guard that cannot write its heartbeat", () => {
  it("reports it once, continues, and guards again once it can", async () => {
    const { clock, store, heartbeat, guarded, failures } = guarding();
    const write = store.writeBehind.bind(store);
    store.writeBehind = () => {
      throw new Error("ENOSPC");
    };
    heartbeat.start();
    await clock.runFor(10_000);
    expect(failures).toHaveLength(1);
    store.writeBehind = write;
    await clock.runFor(500);
    expect(guarded()).toBe(true);
    heartbeat.stop();
  });
});
