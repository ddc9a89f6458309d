import { afterEach, describe, expect, it } from "vitest";
import { CarryWorld, MINUTE_MS } from "./carry-world.js";

let world: CarryWorld;
afterEach(() => world.stop());

async function running(...keys: ConstructorParameters<typeof CarryWorld>): Promise<CarryWorld> {
  world = new CarryWorld(...keys);
  await world.start();
  return world;
}

const sum = (values: readonly bigint[]): bigint => values.reduce((one, other) => one + other, 0n);

describe("the carry trade between two exchanges", () => {
  it("enters the side that is paid more, earns both rates to the unit, and leaves both legs flat", async () => {
    // Longs pay 4 basis points a minute here, and 1 there: short here and long there.
    await running({ here: "0.0004", there: "0.0001" });
    await world.passes(3 * MINUTE_MS);
    expect(world.legs).toEqual([-100, 100]);
    expect(world.reason?.clamps).toEqual([]);
    const before = { here: world.paidHere.length, there: world.hedger?.profit?.funding ?? 0n };
    await world.passes(5 * MINUTE_MS);
    // 0.1 at 60,000 is 6,000: 2.40 received here and 0.60 paid there, each minute.
    const paid = world.paidHere.slice(before.here);
    expect(paid).toHaveLength(5);
    expect(sum(paid)).toBe(5n * 2_400_000n);
    await world.passes(15_000);
    expect((world.hedger?.profit?.funding ?? 0n) - before.there).toBe(-5n * 60_000_000n);

    // The other venue now announces more than ten minutes earn: nothing is left to be earned, and
    // too little for the other side.
    world.announcedThere = 0.0032;
    await world.passes(80_000);
    expect(world.legs).toEqual([0, 0]);
    expect(world.reason?.terms.targetOrders).toBe(0);
    const { length } = world.paidHere;
    await world.passes(20_000);
    expect(world.legs).toEqual([0, 0]);
    expect(sum(world.paidHere.slice(length))).toBe(0n);
  }, 60_000);

  it("is long here where shorts pay more", async () => {
    await running({ here: "-0.0004", there: "-0.0001" });
    await world.passes(3 * MINUTE_MS);
    expect(world.legs).toEqual([100, -100]);
    expect(sum(world.paidHere)).toBeGreaterThan(0n);
  }, 60_000);

  it("stays out of a spread that does not pay the fees of four fills", async () => {
    // 5 basis points in ten minutes, and four fills cost 6.
    await running({ here: "0.00015", there: "0.0001" });
    await world.passes(3 * MINUTE_MS);
    expect(world.legs).toEqual([0, 0]);
    expect(world.reason?.clamps).toContain("carry: the spread does not pay its fees");
    expect(world.reason?.terms.feesBps).toBeCloseTo(6, 0);
  }, 60_000);

  it("stays out while the history is too short for a worst case", async () => {
    await running({ here: "0.0004", there: "0.0001" }, { leastTimes: 1_000 });
    await world.passes(2 * MINUTE_MS);
    expect(world.legs).toEqual([0, 0]);
    expect(world.reason?.clamps).toContain("carry: too few rates for a worst case");
  }, 60_000);
});
