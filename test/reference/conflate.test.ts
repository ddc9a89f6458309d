import fc from "fast-check";
import { Subject } from "rxjs";
import { describe, expect, it } from "vitest";
import { VirtualClock } from "#core/virtual-clock.js";
import { conflate } from "#reference/conflate.js";
import type { ConflatedMessage, PriceMessage } from "#reference/price-message.js";

type Passed = ConflatedMessage & { readonly atMs: number };

/** Passes messages, given with the time before each, and returns what comes out. */
async function pass(
  minGapMs: number,
  steps: readonly { readonly afterMs: number; readonly message: PriceMessage }[],
  restMs = 10_000,
): Promise<{ readonly passed: Passed[]; readonly sentMs: number[] }> {
  const clock = new VirtualClock(0);
  const messages$ = new Subject<PriceMessage>();
  const passed: Passed[] = [];
  const sentMs: number[] = [];
  const subscription = messages$
    .pipe(conflate(minGapMs, clock))
    .subscribe((message) => passed.push({ ...message, atMs: clock.monotonicMs() }));
  for (const { afterMs, message } of steps) {
    if (afterMs > 0) await clock.runFor(afterMs);
    sentMs.push(clock.monotonicMs());
    messages$.next(message);
  }
  await clock.runFor(restMs);
  subscription.unsubscribe();
  return { passed, sentMs };
}

const price = (bid: number): PriceMessage => ({ type: "price", bid, ask: bid + 1 });
const DOWN: PriceMessage = { type: "down", reason: "lost" };

const steps = fc.array(
  fc.record({
    afterMs: fc.integer({ min: 0, max: 60 }),
    isDown: fc.integer({ min: 0, max: 9 }).map((drawn) => drawn === 0),
  }),
  { minLength: 1, maxLength: 60 },
);

describe("the conflation of a source", () => {
  it("passes the first price at once, and the newest one when the gap is over", async () => {
    const { passed } = await pass(20, [
      { afterMs: 0, message: price(1) },
      { afterMs: 5, message: price(2) },
      { afterMs: 5, message: price(3) },
      { afterMs: 100, message: price(4) },
    ]);
    expect(passed).toMatchObject([
      { bid: 1, heldMs: 0 },
      { bid: 3, heldMs: 10 },
      { bid: 4, heldMs: 0 },
    ]);
  });

  it("drops a price that waits when the source is down", async () => {
    const { passed } = await pass(20, [
      { afterMs: 0, message: price(1) },
      { afterMs: 5, message: price(2) },
      { afterMs: 1, message: DOWN },
    ]);
    expect(passed.map(({ type }) => type)).toEqual(["price", "down"]);
  });

  it("passes every price with a gap of 0", async () => {
    const all = [1, 2, 3].map((bid) => ({ afterMs: 0, message: price(bid) }));
    const { passed } = await pass(0, all);
    expect(passed).toHaveLength(3);
  });

  it("never passes two prices within the gap, keeps their order, and delays the newest by the gap at most", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 50 }), steps, async (minGapMs, drawn) => {
        const messages = drawn.map(({ afterMs, isDown }, at) => ({
          afterMs,
          message: isDown ? DOWN : price(at + 1),
        }));
        const { passed, sentMs } = await pass(minGapMs, messages);
        const prices = passed.flatMap((one) => (one.type === "price" ? [one] : []));
        for (const [at, one] of prices.entries()) {
          const before = prices[at - 1];
          if (before !== undefined) {
            expect(one.atMs - before.atMs).toBeGreaterThanOrEqual(minGapMs);
            expect(one.bid).toBeGreaterThan(before.bid);
          }
          expect(one.heldMs).toBe(one.atMs - sentMs[one.bid - 1]);
          expect(one.heldMs).toBeLessThanOrEqual(minGapMs);
        }
        // Every down passes at once, and a price that nothing replaced within the gap arrives.
        const downs = passed.filter(({ type }) => type === "down").map(({ atMs }) => atMs);
        expect(downs).toEqual(
          messages.flatMap(({ message }, at) => (message.type === "down" ? [sentMs[at]] : [])),
        );
        for (const [at, { message }] of messages.entries()) {
          if (message.type === "down") continue;
          const isReplaced =
            sentMs[at + 1] !== undefined && sentMs[at + 1] - sentMs[at] <= minGapMs;
          if (!isReplaced) expect(prices.some(({ bid }) => bid === message.bid)).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("leaves no timer behind when it is unsubscribed", async () => {
    const clock = new VirtualClock(0);
    const messages$ = new Subject<PriceMessage>();
    const passed: ConflatedMessage[] = [];
    const subscription = messages$.pipe(conflate(20, clock)).subscribe((one) => passed.push(one));
    messages$.next(price(1));
    messages$.next(price(2));
    subscription.unsubscribe();
    await clock.runFor(1000);
    expect(passed).toHaveLength(1);
    expect(messages$.observed).toBe(false);
  });
});
