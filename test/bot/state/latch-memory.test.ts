import { describe, expect, it } from "vitest";
import { LATCH_FILE, LatchStore } from "#bot/latch-store.js";
import { CorruptStateError, MemoryStateStore } from "#bot/state-dir.js";
import { RunError } from "#core/errors.js";
import type { Latch } from "#risk/risk-ladder.js";

const ACCOUNT = `0x${"ab".repeat(20)}`;
const FLATTEN: Latch = {
  measure: "drawdown",
  action: "flatten",
  why: "510 of 500 lost",
  atMs: 1_760_000_000_000,
};
const LARGE: Latch = {
  measure: "inventory",
  marketId: "btcusdc",
  action: "halt",
  why: "50 % of its limit",
  atMs: 1_760_000_000_002,
};
const HALT: Latch = {
  measure: "markout",
  marketId: "btcusdc",
  action: "halt",
  why: "picked off",
  atMs: 1_760_000_000_001,
};

describe("the rungs that survive their process", () => {
  it("act in the next run, until an operator resumes", () => {
    const store = new MemoryStateStore();
    new LatchStore(store, ACCOUNT).keep([FLATTEN, HALT, LARGE]);
    expect(new LatchStore(store, ACCOUNT).read()).toEqual({
      rungs: [FLATTEN, HALT, LARGE],
      accepted: [],
    });
    new LatchStore(store, ACCOUNT).resume("btcusdc");
    expect(
      new LatchStore(store, ACCOUNT).read(),
      "one market's own; markouts are measured anew",
    ).toEqual({
      rungs: [FLATTEN],
      accepted: [LARGE],
    });
    new LatchStore(store, ACCOUNT).resume(undefined);
    expect(new LatchStore(store, ACCOUNT).read()).toEqual({
      rungs: [],
      accepted: [LARGE, FLATTEN],
    });
  });

  it("are empty if none were persisted, and a resume then writes nothing", () => {
    const store = new MemoryStateStore();
    const memory = new LatchStore(store, ACCOUNT);
    memory.resume(undefined);
    expect([memory.read(), store.names()]).toEqual([{ rungs: [], accepted: [] }, []]);
  });

  it.each([
    ["broken", "{"],
    [
      "another account's",
      JSON.stringify({ version: 1, account: `0x${"cd".repeat(20)}`, rungs: [] }),
    ],
    [
      "of an action that is none",
      JSON.stringify({ version: 1, account: ACCOUNT, rungs: [{ ...FLATTEN, action: "panic" }] }),
    ],
  ])(
    "keep a bot from starting if their file is %s: the sale of a position would not continue",
    (_what, text) => {
      const memory = new LatchStore(new MemoryStateStore({ [LATCH_FILE]: text }), ACCOUNT);
      expect(() => memory.read()).toThrow(CorruptStateError);
    },
  );

  it("act in their process even if the disk refuses them, and are written once it accepts them", () => {
    const store = new MemoryStateStore();
    let isFull = true;
    const disk = {
      read: (name: string) => store.read(name),
      write: (name: string, text: string) => {
        if (isFull)
          throw new RunError("cannot write (ENOSPC)", { field: "stateDir", expected: "room" });
        store.write(name, text);
      },
    };
    const memory = new LatchStore(disk, ACCOUNT);
    memory.keep([FLATTEN]);
    expect(memory.writeError).toContain("ENOSPC");
    isFull = false;
    memory.retry();
    expect(memory.writeError).toBeUndefined();
    expect(new LatchStore(store, ACCOUNT).read().rungs).toEqual([FLATTEN]);
  });
});
