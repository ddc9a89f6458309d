import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VirtualClock } from "#core/virtual-clock.js";
import { OPERATIONS, type OperationName } from "#exchange/operations.js";
import { DISJOINT_RATE_BUCKETS, RATE_BUCKETS } from "#exchange/rate-buckets.js";
import { RateGate, RateLimitError, type RateLimitRule } from "#exchange/rate-gate.js";

const TIGHT: readonly RateLimitRule[] = [
  { name: "COMMON", limit: 4, intervalMs: 1000 },
  { name: "ORDER", limit: 2, intervalMs: 1000 },
];

/** A gate in virtual time, and what it let go, with the instant. */
function gated(limits = TIGHT, options: Partial<ConstructorParameters<typeof RateGate>[0]> = {}) {
  const clock = new VirtualClock(0);
  const gate = new RateGate({ clock, limits, ...options });
  const gone: [OperationName, number][] = [];
  const refused: unknown[] = [];
  const ask = (name: OperationName, signal?: AbortSignal): void => {
    gate.admit(name, signal).then(
      () => gone.push([name, clock.monotonicMs()]),
      (error: unknown) => refused.push(error),
    );
  };
  return { clock, gate, gone, refused, ask };
}

describe("what counts against which limit", () => {
  it("is one table over all operations: what builds, places or cancels counts in both", () => {
    expect(Object.keys(RATE_BUCKETS).sort()).toEqual(Object.keys(OPERATIONS).sort());
    const writes = Object.entries(RATE_BUCKETS).filter(([, buckets]) => buckets.includes("ORDER"));
    expect(writes.map(([name]) => name)).toEqual([
      "buildOrder",
      "placeOrder",
      "cancelOrder",
      "cancelAllOpenOrders",
    ]);
    for (const buckets of Object.values(RATE_BUCKETS)) expect(buckets).toContain("COMMON");
    expect(DISJOINT_RATE_BUCKETS.placeOrder).toEqual(["ORDER"]);
    expect(DISJOINT_RATE_BUCKETS.balances).toEqual(["COMMON"]);
  });

  it("can be another table, and limits that no operation counts against bind nobody", async () => {
    const { clock, gone, ask } = gated(
      [...TIGHT, { name: "WEBSOCKET", limit: 1, intervalMs: 1000 }],
      { buckets: DISJOINT_RATE_BUCKETS },
    );
    for (let count = 0; count < 2; count += 1) ask("placeOrder");
    for (let count = 0; count < 4; count += 1) ask("time");
    await clock.runFor(0);
    expect(gone).toHaveLength(6);
  });
});

describe("a shared rate budget", () => {
  it("never lets more go in any window than the exchange takes, and lets everything go in the end", async () => {
    const names = fc.constantFrom<OperationName>(
      "time",
      "balances",
      "placeOrder",
      "cancelOrder",
      "buildOrder",
    );
    const asks = fc.array(fc.tuple(names, fc.nat({ max: 400 })), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(asks, async (wanted) => {
        const { clock, gone, refused, ask } = gated();
        for (const [name, afterMs] of wanted) {
          await clock.runFor(afterMs);
          ask(name);
        }
        await clock.runFor(60_000);
        expect(refused).toEqual([]);
        expect(gone.map(([name]) => name).sort()).toEqual(wanted.map(([name]) => name).sort());
        for (const { name: bucket, limit, intervalMs } of TIGHT) {
          const instants = gone
            .filter(([name]) => RATE_BUCKETS[name].includes(bucket))
            .map(([, atMs]) => atMs);
          for (const from of instants) {
            expect(
              instants.filter((atMs) => atMs >= from && atMs < from + intervalMs).length,
            ).toBeLessThanOrEqual(limit);
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  it("lets a cancel pass the places that wait, and reads that need another limit pass both", async () => {
    const { clock, gone, ask } = gated();
    for (let count = 0; count < 4; count += 1) ask("placeOrder");
    ask("cancelOrder");
    await clock.runFor(5000);
    expect(gone.map(([name]) => name)).toEqual([
      "placeOrder",
      "placeOrder",
      "cancelOrder",
      "placeOrder",
      "placeOrder",
    ]);
    const disjoint = gated(TIGHT, { buckets: DISJOINT_RATE_BUCKETS });
    for (let count = 0; count < 3; count += 1) disjoint.ask("placeOrder");
    disjoint.ask("time");
    await disjoint.clock.runFor(0);
    expect(disjoint.gone.map(([name]) => name)).toEqual(["placeOrder", "placeOrder", "time"]);
  });

  it("takes the exchange's own limits over with what is spent already; a limit of 0 is none", async () => {
    const { clock, gate, gone, ask } = gated();
    for (let count = 0; count < 4; count += 1) ask("time");
    await clock.runFor(500);
    gate.setLimits([{ name: "COMMON", limit: 5, intervalMs: 1000 }]);
    expect([gate.available("time"), gate.available("placeOrder")]).toEqual([1, 1]);
    gate.setLimits([{ name: "COMMON", limit: 0, intervalMs: 1000 }]);
    expect(gate.available("time")).toBe(Number.POSITIVE_INFINITY);
    expect(gone).toHaveLength(4);
  });

  it("refuses a call that would wait longer than it may, and one whose client was closed meanwhile", async () => {
    const { clock, refused, gone, ask } = gated([{ name: "COMMON", limit: 1, intervalMs: 5000 }], {
      maxWaitMs: 2000,
    });
    ask("time");
    ask("balances");
    await clock.runFor(0);
    expect(refused).toEqual([expect.any(RateLimitError)]);
    expect(refused[0]).toMatchObject({ operation: "balances", retryAfterMs: 5000, isBan: false });
    await clock.runFor(4000);
    const closing = new AbortController();
    ask("positions", closing.signal);
    closing.abort();
    ask("positions", closing.signal);
    await clock.runFor(60_000);
    expect(refused).toHaveLength(3);
    expect(gone).toHaveLength(1);
  });
});

describe("the exchange's own refusals", () => {
  it("a 429 shuts every limit until Retry-After, or for a whole window without one", async () => {
    const { clock, gate, gone, ask } = gated();
    gate.throttled(429, 300);
    ask("time");
    await clock.runFor(299);
    expect(gone).toEqual([]);
    await clock.runFor(1);
    expect(gone).toEqual([["time", 300]]);
    gate.throttled(429, undefined);
    ask("cancelOrder");
    await clock.runFor(5000);
    expect(gone[1]).toEqual(["cancelOrder", 1300]);
  });

  it("a 418 refuses every call, those that wait too, until its term is over", async () => {
    const { clock, gate, gone, refused, ask } = gated();
    gate.throttled(429, 800);
    ask("placeOrder");
    gate.throttled(418, 2000);
    ask("time");
    await clock.runFor(0);
    expect(refused).toHaveLength(2);
    for (const error of refused) expect(error).toMatchObject({ isBan: true, retryAfterMs: 2000 });
    expect(gate.available("time")).toBe(0);
    await clock.runFor(2000);
    ask("time");
    await clock.runFor(0);
    expect(gone).toEqual([["time", 2000]]);
  });

  it("a 418 without an end holds until the operator ends it", async () => {
    const { clock, gate, gone, refused, ask } = gated();
    gate.throttled(418, undefined);
    await clock.runFor(10_000_000);
    ask("time");
    await clock.runFor(0);
    expect(refused[0]).toMatchObject({ isBan: true, retryAfterMs: Number.POSITIVE_INFINITY });
    gate.resume();
    ask("time");
    await clock.runFor(0);
    expect(gone).toHaveLength(1);
  });
});
