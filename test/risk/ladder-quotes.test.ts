import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyLadderEffect } from "#risk/apply-ladder-effect.js";
import { NO_EFFECT } from "#risk/risk-ladder.js";
import type { Quote } from "#strategies/intent.js";

const rules = { minTicks: 1, maxTicks: 10_000 };

const quote = fc.record({
  side: fc.constantFrom("BUY" as const, "SELL" as const),
  level: fc.nat(20),
  ticks: fc.integer({ min: 1, max: 10_000 }),
  lots: fc.integer({ min: 1, max: 50 }),
});
const quotes = fc.uniqueArray(quote, {
  maxLength: 8,
  selector: ({ side, level }) => `${side} ${level}`,
});
const midTicks = fc.integer({ min: 2, max: 19_998 }).map((half) => half / 2);

describe("quotes after the risk ladder's effect", () => {
  it("are further from the mid when widened, by the factor or at least a tick, never nearer, and within the market's prices", () => {
    fc.assert(
      fc.property(
        quotes,
        midTicks,
        fc.double({ min: 1.01, max: 100, noNaN: true }),
        fc.integer({ min: -50, max: 50 }),
        (wanted, mid, factor, positionLots) => {
          const effect = { ...NO_EFFECT, widenFactor: factor };
          const shaped = applyLadderEffect(wanted, { effect, midTicks: mid, positionLots, rules });
          const distance = ({ side, ticks }: Quote) => (side === "BUY" ? mid - ticks : ticks - mid);
          for (const one of shaped) {
            const before = wanted.find(
              ({ side, level }) => side === one.side && level === one.level,
            ) as Quote;
            expect(one.lots).toBe(before.lots);
            expect(Number.isSafeInteger(one.ticks)).toBe(true);
            expect(distance(one)).toBeGreaterThanOrEqual(
              Math.max(factor * distance(before), distance(before) + 1) - 1e-6,
            );
            expect(one.ticks >= rules.minTicks && one.ticks <= rules.maxTicks).toBe(true);
          }
        },
      ),
    );
  });

  it("only reduce under `reduce`: their sum never passes the position, and no quote grows or moves", () => {
    fc.assert(
      fc.property(
        quotes,
        midTicks,
        fc.integer({ min: -60, max: 60 }),
        (wanted, mid, positionLots) => {
          const shaped = applyLadderEffect(wanted, {
            effect: { ...NO_EFFECT, isReduceOnly: true },
            midTicks: mid,
            positionLots,
            rules,
          });
          const reducing = positionLots > 0 ? "SELL" : "BUY";
          expect(shaped.every(({ side }) => positionLots !== 0 && side === reducing)).toBe(true);
          expect(shaped.reduce((sum, { lots }) => sum + lots, 0)).toBeLessThanOrEqual(
            Math.abs(positionLots),
          );
          for (const one of shaped) {
            const before = wanted.find(
              ({ side, level }) => side === one.side && level === one.level,
            ) as Quote;
            expect(one.ticks).toBe(before.ticks);
            expect(one.lots).toBeLessThanOrEqual(before.lots);
          }
        },
      ),
    );
  });

  it("are as the strategy wanted them without an active rung", () => {
    const wanted: Quote[] = [{ side: "BUY", level: 0, ticks: 99, lots: 1 }];
    expect(
      applyLadderEffect(wanted, { effect: NO_EFFECT, midTicks: 100, positionLots: 5, rules }),
    ).toEqual(wanted);
  });

  it("of an oversized position: the adding side moves away, and the reducing side stays", () => {
    const wanted: Quote[] = [
      { side: "BUY", level: 0, ticks: 98, lots: 1 },
      { side: "SELL", level: 0, ticks: 103, lots: 1 },
    ];
    const effect = { ...NO_EFFECT, addingWidenFactor: 3 };
    expect(
      applyLadderEffect(wanted, { effect, midTicks: 100.5, positionLots: 5, rules }).map(
        ({ ticks }) => ticks,
      ),
    ).toEqual([93, 103]);
    expect(
      applyLadderEffect(wanted, { effect, midTicks: 100.5, positionLots: -5, rules }).map(
        ({ ticks }) => ticks,
      ),
    ).toEqual([98, 108]);
  });
});
