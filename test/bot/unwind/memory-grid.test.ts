import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Takeover } from "#account/takeover.js";
import type { StoredTakeovers } from "#bot/convert-takeovers.js";
import { MemoryStateStore } from "#bot/state-dir.js";
import {
  readStoredTakeovers,
  TAKEOVERS_FILE,
  writeStoredTakeovers,
} from "#bot/stored-takeovers.js";
import { computeRemainingLots, TakeoverRegistry } from "#bot/takeover-registry.js";
import { MARKET, venueTrade } from "../../account/exchange-story.js";

const thousandths = (units: number): string => (units / 1000).toFixed(3);
const gridOf = (units: number) => ({ tickSize: thousandths(units), stepSize: thousandths(units) });
const takeover = (lots: number, marketId = MARKET): Takeover => ({
  id: `${marketId} ${lots}`,
  marketId,
  lots,
  credit: -BigInt(lots),
  atMs: 0,
});

/** A partly sold takeover, as stored in units of this many thousandths. */
function remembered(lots: number, sold: number, units: number, worstTicks = 500): StoredTakeovers {
  const book = new TakeoverRegistry();
  book.acquire(
    takeover(lots),
    {
      part: { takingFromMs: 0, stepMs: 1, holdLots: [Math.abs(lots), 0] },
      worstTicks,
      deadlineMs: 1_000,
    },
    0,
  );
  if (sold > 0) book.fill(venueTrade(1, lots > 0 ? "SELL" : "BUY", sold), 1n);
  return {
    known: book.all,
    said: [{ ...takeover(lots), isTold: true }],
    grids: { [MARKET]: gridOf(units) },
  };
}

function readBack(memory: StoredTakeovers, units: number): StoredTakeovers {
  const store = new MemoryStateStore();
  writeStoredTakeovers(store, memory);
  const read = readStoredTakeovers(store, new Map([[MARKET, gridOf(units)]]));
  if (read === undefined) throw new Error("nothing was remembered");
  return read;
}

describe("stored takeovers of another grid", () => {
  it("keep their amounts, rounded toward zero, and never sell more than the remainder or at a worse price", () => {
    const lots = fc.integer({ min: -200, max: 200 }).filter((count) => count !== 0);
    const units = fc.integer({ min: 1, max: 20 });
    fc.assert(
      fc.property(
        lots,
        fc.nat(250),
        units,
        units,
        fc.integer({ min: 1, max: 1_000 }),
        (count, sold, before, now, worstTicks) => {
          const memory = remembered(count, sold, before, worstTicks);
          const [was] = memory.known;
          const read = readBack(memory, now);
          const [is] = read.known;
          if (was === undefined || is === undefined) throw new Error("nothing is known");
          const [left, leftNow] = [
            computeRemainingLots(was) * before,
            computeRemainingLots(is) * now,
          ];
          expect(Math.abs(leftNow)).toBeLessThanOrEqual(Math.abs(left));
          expect(Math.abs(left - leftNow)).toBeLessThan(now);
          expect(Math.abs(read.said[0]?.lots ?? 0) * now).toBeLessThanOrEqual(
            Math.abs(count) * before,
          );
          expect(is.takeover.credit).toBe(was.takeover.credit);
          const [worst, worstNow] = [was.terms.worstTicks * before, is.terms.worstTicks * now];
          if (count > 0) expect(worstNow).toBeGreaterThanOrEqual(worst);
          else expect(worstNow <= worst || is.terms.worstTicks === 1).toBe(true);
          expect(Math.abs(worstNow - worst)).toBeLessThan(Math.max(now, 1));
          expect(is.state).toBe(left !== 0 && leftNow === 0 ? "dust" : was.state);
          if (before === now) expect(read).toEqual(memory);
          if (before % now === 0) expect(readBack(read, before)).toEqual(memory);
        },
      ),
    );
  });

  it("stay unchanged in a market that the bot does not trade, and are converted once it does", () => {
    const store = new MemoryStateStore();
    const memory = remembered(10, 4, 1);
    writeStoredTakeovers(store, memory);
    const elsewhere = readStoredTakeovers(store, new Map([["dogeusdc", gridOf(5)]]));
    expect(elsewhere).toEqual({ ...memory, grids: { ...memory.grids, dogeusdc: gridOf(5) } });
    writeStoredTakeovers(store, elsewhere ?? memory);
    expect(
      readStoredTakeovers(store, new Map([[MARKET, gridOf(2)]]))?.known.map(computeRemainingLots),
    ).toEqual([3]);
  });

  it("use the present grid if an earlier version wrote none", () => {
    const { known, said } = remembered(10, 4, 1);
    const store = new MemoryStateStore();
    writeStoredTakeovers(store, { known, said, grids: {} });
    store.write(TAKEOVERS_FILE, store.read(TAKEOVERS_FILE)?.replace(',"grids":{}', "") ?? "");
    expect(store.read(TAKEOVERS_FILE)).not.toContain("grids");
    const read = readStoredTakeovers(store, new Map([[MARKET, gridOf(2)]]));
    expect(read).toEqual({ known, said, grids: { [MARKET]: gridOf(2) } });
  });
});
