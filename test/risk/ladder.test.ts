import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  advanceTrack,
  createLadderTrack,
  findActiveRung,
  replaceRungs,
} from "#risk/ladder-track.js";
import {
  countActiveRungs,
  LADDER_ACTIONS,
  ladderEffectFor,
  NO_EFFECT,
  type Rung,
  severityFor,
  toHaltRequests,
} from "#risk/risk-ladder.js";

const thresholds = fc
  .uniqueArray(fc.integer({ min: 1, max: 1_000 }), { minLength: 1, maxLength: 5 })
  .map((all) => all.sort((a, b) => a - b));
const lift = fc.integer({ min: 1, max: 99 });

function rungsOf(from: readonly number[], liftPercent: number): Rung<bigint>[] {
  return from.map((value) => ({
    action: "warn",
    from: BigInt(value) * 100n,
    liftBelow: BigInt(value) * BigInt(liftPercent),
    latches: false,
    threshold: String(value),
    text: "",
  }));
}

describe("the rungs of one measure", () => {
  it("are active from their value on, whatever was active before: no exceeded limit is missed", () => {
    fc.assert(
      fc.property(
        thresholds,
        lift,
        fc.bigInt({ min: 0n, max: 120_000n }),
        fc.nat(5),
        (from, liftPercent, value, before) => {
          const rungs = rungsOf(from, liftPercent);
          const reached = countActiveRungs(rungs, Math.min(before, rungs.length), value);
          rungs.forEach((rung, index) => {
            if (value >= rung.from) expect(reached).toBeGreaterThan(index);
            if (value < rung.liftBelow) expect(reached).toBeLessThanOrEqual(index);
          });
        },
      ),
    );
  });

  it("clear only below their share of the threshold, so that a measure near it does not switch the quotes on and off", () => {
    fc.assert(
      fc.property(
        thresholds,
        lift,
        fc.array(fc.bigInt({ min: 0n, max: 120_000n })),
        (from, liftPercent, values) => {
          const rungs = rungsOf(from, liftPercent);
          let reached = 0;
          for (const value of values) {
            const next = countActiveRungs(rungs, reached, value);
            for (const rung of rungs.slice(next, reached))
              expect(value).toBeLessThan(rung.liftBelow);
            for (const rung of rungs.slice(reached, next))
              expect(value).toBeGreaterThanOrEqual(rung.from);
            reached = next;
          }
        },
      ),
    );
  });

  it("stay unchanged while the measure is unknown", () => {
    expect(countActiveRungs(rungsOf([1, 2], 50), 1, undefined)).toBe(1);
  });
});

describe("rungs that are replaced while the bot runs", () => {
  const rung = (from: bigint, action: Rung["action"], latches = false): Rung<bigint> => ({
    action,
    threshold: String(from),
    from,
    liftBelow: (from * 8n) / 10n,
    latches,
    text: "",
  });
  const trackAt = (rungs: readonly Rung<bigint>[], value: bigint) => {
    const track = createLadderTrack("drawdown", undefined, rungs);
    advanceTrack(track, value, () => "a loss", 0);
    return track;
  };

  it("stay active if they are the same, although the measure is below their value by now", () => {
    const track = trackAt([rung(100n, "widen"), rung(500n, "halt", true)], 120n);
    advanceTrack(track, 90n, () => "less", 1);
    replaceRungs(track, [rung(100n, "widen"), rung(400n, "halt", true)]);
    advanceTrack(track, 90n, () => "less", 2);
    expect(findActiveRung(track)?.action).toBe("widen");
  });

  it("act by the measure as it is: a tightened limit that is passed latches", () => {
    const track = trackAt([rung(500n, "halt", true)], 300n);
    replaceRungs(track, [rung(200n, "halt", true)]);
    advanceTrack(track, 300n, () => "a loss of 300", 7);
    expect(track.latch).toMatchObject({ action: "halt", why: "a loss of 300", atMs: 7 });
    replaceRungs(track, [rung(900n, "halt", true)]);
    advanceTrack(track, 300n, () => "", 8);
    expect(findActiveRung(track), "a loosened one does not resume").toMatchObject({
      action: "halt",
      why: "a loss of 300",
    });
  });

  it("end where the new ones are higher", () => {
    const track = trackAt([rung(100n, "widen")], 120n);
    replaceRungs(track, [rung(300n, "widen")]);
    advanceTrack(track, 120n, () => "", 1);
    expect(findActiveRung(track)).toBeUndefined();
    replaceRungs(track, []);
    expect(findActiveRung(track)).toBeUndefined();
  });
});

describe("the combined effect of active rungs", () => {
  it("ranks an action as more severe the further it goes", () => {
    expect(LADDER_ACTIONS.map(severityFor)).toEqual([1, 2, 3, 4, 5]);
    expect(severityFor(undefined)).toBe(0);
  });

  it("widens by the largest factor, on its own market or on all, and for an oversized position only on the adding side", () => {
    const acting = [
      { measure: "drawdown", action: "widen", widenFactor: 2, why: "" },
      { measure: "markout", marketId: "ethusdc", action: "widen", widenFactor: 5, why: "" },
      { measure: "inventory", marketId: "btcusdc", action: "widen", widenFactor: 3, why: "" },
    ] as const;
    expect(ladderEffectFor(acting, "btcusdc")).toEqual({
      widenFactor: 2,
      addingWidenFactor: 3,
      isReduceOnly: false,
    });
    expect(ladderEffectFor(acting, "ethusdc")).toEqual({
      widenFactor: 5,
      addingWidenFactor: 1,
      isReduceOnly: false,
    });
    expect(ladderEffectFor([], "btcusdc")).toBe(NO_EFFECT);
  });

  it("halts for halt and for flatten until a person resumes, and for a daily loss until the day ends", () => {
    const acting = [
      { measure: "drawdown", action: "flatten", why: "lost" },
      { measure: "daily-loss", action: "halt", why: "lost today" },
      { measure: "inventory", marketId: "btcusdc", action: "reduce", why: "large" },
      { measure: "markout", marketId: "btcusdc", action: "halt", why: "picked off" },
    ] as const;
    expect(toHaltRequests(acting)).toEqual([
      { scope: "account", name: "drawdown", why: "lost", resumesByItself: false },
      { scope: "account", name: "daily-loss", why: "lost today", resumesByItself: true },
      {
        scope: "market",
        marketId: "btcusdc",
        name: "markout",
        why: "picked off",
        resumesByItself: false,
      },
    ]);
    expect(ladderEffectFor(acting, "btcusdc").isReduceOnly).toBe(true);
    expect(ladderEffectFor(acting, "ethusdc").isReduceOnly).toBe(false);
  });
});
