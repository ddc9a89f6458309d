import { describe, expect, it } from "vitest";
import { RunError } from "#core/errors.js";
import { Outbox, type OutboxKind, outboxPriority, WithdrawHandle } from "#executor/outbox.js";

/** Runs every microtask that is due, and every one that those create. */
async function settle(): Promise<void> {
  for (let i = 0; i < 50; i++) await Promise.resolve();
}

/** An outbox that records the sent items, each completed manually. */
function watched(concurrency: number) {
  const outbox = new Outbox({ concurrency });
  const left: string[] = [];
  const withdrawn: string[] = [];
  const done = new Map<string, () => void>();
  const enqueue = (key: string, kind: OutboxKind, rank = 0, recall?: WithdrawHandle) =>
    outbox.enqueue({
      key,
      priority: outboxPriority(kind, rank),
      ...(recall === undefined ? {} : { withdrawHandle: recall }),
      onTurn: (end) => {
        left.push(key);
        done.set(key, end);
      },
      withdrawn: () => withdrawn.push(key),
    });
  return { outbox, left, withdrawn, done, enqueue };
}

describe("the outbox", () => {
  it("sends cancel-all before cancels, cancels before places, places before queries, the most dangerous first", async () => {
    const { outbox, left, done, enqueue } = watched(1);
    enqueue("on its way", "question");
    enqueue("question", "question");
    enqueue("place 1", "place", 1);
    enqueue("place 0", "place", 0);
    enqueue("cancel 1", "cancel", 1);
    enqueue("cancel 0", "cancel", 0);
    enqueue("all", "cancel-all");
    for (let i = 0; i < 7; i++) {
      await settle();
      done.get(left.at(-1) ?? "")?.();
    }
    await settle();
    expect(left).toEqual([
      "on its way",
      "all",
      "cancel 0",
      "cancel 1",
      "place 0",
      "place 1",
      "question",
    ]);
    expect([outbox.waiting, outbox.inFlight]).toEqual([0, 0]);
  });

  it("never sends an item inside enqueue: its turn is a separate input", async () => {
    const { left, enqueue } = watched(1);
    enqueue("a", "place");
    expect(left).toEqual([]);
    await settle();
    expect(left).toEqual(["a"]);
  });

  it("holds its place until done, so that no more are in flight than allowed", async () => {
    const { outbox, left, done, enqueue } = watched(2);
    for (const key of ["a", "b", "c"]) enqueue(key, "place");
    await settle();
    expect(left).toEqual(["a", "b"]);
    expect([outbox.waiting, outbox.inFlight]).toEqual([1, 2]);
    done.get("a")?.();
    done.get("a")?.();
    await settle();
    expect(left).toEqual(["a", "b", "c"]);
  });

  it("drops a superseded item silently while it waits", async () => {
    const { left, withdrawn, done, enqueue } = watched(1);
    const superseded = new WithdrawHandle();
    enqueue("a", "place");
    enqueue("b", "place", 0, superseded);
    await settle();
    superseded.withdraw();
    await settle();
    expect([left, withdrawn]).toEqual([["a"], ["b"]]);
    done.get("a")?.();
    await settle();
    expect(left).toEqual(["a"]);
  });

  it("withdraws an item before it is queued, or in the very turn in which it would be sent", async () => {
    const { left, withdrawn, enqueue } = watched(2);
    const dead = new WithdrawHandle();
    dead.withdraw();
    enqueue("dead", "place", 0, dead);
    const late = new WithdrawHandle();
    enqueue("late", "place", 0, late);
    late.withdraw();
    await settle();
    expect(left).toEqual([]);
    expect(withdrawn.sort()).toEqual(["dead", "late"]);
  });

  it("keeps the place of an item that is withdrawn after it was sent: its request is in flight", async () => {
    const { outbox, left, withdrawn, done, enqueue } = watched(1);
    const late = new WithdrawHandle();
    enqueue("a", "place", 0, late);
    enqueue("b", "place");
    await settle();
    late.withdraw();
    await settle();
    expect([left, withdrawn, outbox.inFlight]).toEqual([["a"], [], 1]);
    done.get("a")?.();
    await settle();
    expect(left).toEqual(["a", "b"]);
  });

  it("refuses a second item of one key until the first is done: an action would be sent twice", async () => {
    const { done, enqueue } = watched(1);
    enqueue("a", "place");
    expect(() => enqueue("a", "place")).toThrow(RunError);
    await settle();
    expect(() => enqueue("a", "place")).toThrow(RunError);
    done.get("a")?.();
    await settle();
    expect(() => enqueue("a", "place")).not.toThrow();
  });
});
