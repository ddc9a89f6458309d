import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seededRandom } from "#core/seeded-random.js";
import { HedgerRig } from "./hedger-rig.js";
import type { ModelVenue } from "./model-venue.js";

/** A run with partial fills, a lost answer, a lost request and a change of direction. */
async function story(rig: HedgerRig, killAt: number): Promise<number> {
  await rig.isReady();
  let points = 0;
  rig.atPoint = () => {
    if (points++ !== killAt) return;
    rig.isKilled();
    rig.clock.setTimer(30, () => rig.starts());
  };
  rig.venue.depthLots = 6;
  // A process that starts again asks before its order has arrived.
  rig.venue.requestFate = ({ kind }) => (kind === "place" ? { thereMs: 1_200 } : {});
  rig.wants(-10);
  await rig.passes(4_000);
  rig.venue.next("place", { lost: "answer" });
  rig.wants(5);
  await rig.passes(6_000);
  rig.venue.next("place", { lost: "request" });
  rig.wants(8);
  rig.venue.resting(2);
  await rig.passes(8_000);
  const count = points;
  await rig.passes(40_000);
  return count;
}

describe("a hedger that is killed and started again", () => {
  it.each(["taker", "maker-then-taker"] as const)(
    "at any point of a run hedges nothing twice and forgets nothing (%s)",
    async (style) => {
      const newRig = () => new HedgerRig({ style, maxUnhedgedMs: 1_500 });
      const rig = newRig();
      const count = await story(rig, -1);
      rig.expectHedged();
      expect(count).toBeGreaterThan(50);
      for (let killAt = 0; killAt < count; killAt += 1) {
        const killed = newRig();
        await story(killed, killAt);
        try {
          killed.expectHedged();
          expect(killed.noticesOf("position-adopted")).toEqual([]);
          expect(JSON.parse(killed.stored ?? "").orders).toEqual([]);
        } catch (error) {
          throw new Error(`killed at point ${killAt}`, { cause: error });
        }
      }
    },
  );
});

/** Faults of every kind, each with its own probability. */
function strike(venue: ModelVenue, seed: number): void {
  const random = seededRandom(`faults ${seed}`);
  const rate = random.uniform() * 0.4;
  const happens = (): boolean => random.uniform() < rate;
  const below = (limit: number): number => Math.floor(random.uniform() * limit);
  venue.requestFate = ({ kind }) => ({
    thereMs: happens() ? below(2_500) : 5 + below(50),
    backMs: happens() ? below(2_500) : 5 + below(50),
    ...(happens() ? { lost: random.uniform() < 0.5 ? "request" : "answer" } : {}),
    ...(happens()
      ? { refusal: { result: "not-sent", message: "429", retryAfterMs: below(1_000) } }
      : {}),
    isTwice: kind !== "cancel" && happens(),
  });
  venue.streamFate = () => ({
    delayMs: happens() ? below(4_000) : below(20),
    isLost: happens(),
    isTwice: happens(),
  });
}

describe("a hedger at a venue with faults of every kind", () => {
  it("has the market's position once they stop, and has never hedged a fill twice", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(1_000_000),
        fc.constantFrom("taker" as const, "maker-then-taker" as const),
        fc.integer({ min: 1, max: 4 }),
        async (seed, style, minClipLots) => {
          const random = seededRandom(`story ${seed}`);
          const below = (limit: number): number => Math.floor(random.uniform() * limit);
          const settings = { style, minClipLots, maxUnhedgedLots: 8, maxUnhedgedMs: 2_000 };
          const rig = new HedgerRig(settings);
          const { venue } = rig;
          venue.forgetsEnded = random.uniform() < 0.3;
          await rig.isReady();
          strike(venue, seed);
          let isRunning = true;
          let targetLots = 0;
          for (let step = 0; step < 25; step += 1) {
            const draw = below(12);
            venue.depthLots = random.uniform() < 0.5 ? below(8) : 1_000;
            if (draw < 5) targetLots = below(41) - 20;
            if (draw === 5) venue.streamIsLost();
            if (draw === 6 && isRunning) venue.streamIsUp();
            if (draw === 7) venue.quotes(599_990 + below(10), 600_000 + below(10));
            if (draw === 8) venue.expiresResting();
            if (draw > 8) venue.resting(below(5));
            if (below(10) === 0) {
              if (isRunning) rig.isKilled();
              else rig.starts();
              isRunning = !isRunning;
            }
            rig.wants(targetLots);
            await rig.passes(below(1_500));
          }
          venue.requestFate = () => ({});
          venue.streamFate = () => ({});
          venue.depthLots = 1_000;
          if (!isRunning) rig.starts();
          else venue.streamIsUp();
          await rig.passes(30_000);
          expect(Math.abs(venue.positionLots - targetLots)).toBeLessThan(minClipLots);
          expect(rig.hedger.positionLots).toBe(venue.positionLots);
          expect(rig.hedger.ordersLeft).toEqual([]);
          expect(rig.hedger.awayReason).toBeUndefined();
          rig.expectNeverTooMuch();
        },
      ),
      { numRuns: 80 },
    );
  });
});
