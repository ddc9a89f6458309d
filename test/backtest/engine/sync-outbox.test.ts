import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SyncOutbox } from "#backtest/sync-outbox.js";
import {
  Outbox,
  type OutboxItem,
  type OutboxKind,
  outboxPriority,
  WithdrawHandle,
} from "#executor/outbox.js";

const KINDS: readonly OutboxKind[] = ["cancel-all", "cancel", "place", "question"];

/** Items by kind and rank, some of them withdrawn before they are sent. */
const items = fc.array(
  fc.record({
    kind: fc.constantFrom(...KINDS),
    rank: fc.integer({ min: 0, max: 3 }),
    isRecalled: fc.boolean(),
  }),
  {
    maxLength: 30,
  },
);

describe("the outbox of a replay", () => {
  it("sends what the live one sends, in the same order", async () => {
    await fc.assert(
      fc.asyncProperty(items, async (wanted) => {
        const sync = new SyncOutbox(1);
        const live = new Outbox({ concurrency: 1 });
        // The first one takes the only place, so that all others wait in their order.
        const ends: (() => void)[] = [];
        const first: OutboxItem = { key: "first", priority: 0, onTurn: (done) => ends.push(done) };
        for (const outbox of [sync, live]) outbox.enqueue(first);
        sync.dispatch();
        for (let turn = 0; turn < 20; turn++) await Promise.resolve();
        expect(ends).toHaveLength(2);
        const left: Record<"sync" | "live", string[]> = { sync: [], live: [] };
        const of = (where: "sync" | "live") =>
          wanted.map(({ kind, rank, isRecalled }, at): OutboxItem => {
            const recall = new WithdrawHandle();
            if (isRecalled) queueMicrotask(() => recall.withdraw());
            const key = `${kind}#${at}`;
            return {
              key,
              priority: outboxPriority(kind, rank),
              withdrawHandle: recall,
              onTurn: (done) => {
                left[where].push(key);
                done();
              },
            };
          });
        for (const item of of("sync")) sync.enqueue(item);
        for (const item of of("live")) live.enqueue(item);
        await Promise.resolve();
        for (const end of ends) end();
        sync.dispatch();
        for (let turn = 0; turn < 20 * wanted.length; turn++) await Promise.resolve();
        expect(left.sync).toEqual(left.live);
        expect(left.sync).toHaveLength(wanted.filter(({ isRecalled }) => !isRecalled).length);
      }),
      { numRuns: 50 },
    );
  });

  it("holds items back while the maximum is in flight", () => {
    const outbox = new SyncOutbox(2);
    const left: string[] = [];
    const dones: (() => void)[] = [];
    const leave = (key: string) => (done: () => void) => {
      left.push(key);
      dones.push(done);
    };
    for (const key of ["a", "b", "c"]) outbox.enqueue({ key, priority: 1, onTurn: leave(key) });
    outbox.dispatch();
    expect(left).toEqual(["a", "b"]);
    dones[0]?.();
    dones[0]?.();
    outbox.dispatch();
    expect(left).toEqual(["a", "b", "c"]);
  });
});
