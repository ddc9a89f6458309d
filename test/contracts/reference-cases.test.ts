import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { reasonFor } from "./evm.js";
import { COIN, signer, USD, World } from "./world.js";

// The expected numbers are those of the published contracts.
describe("the reference cases, to the unit", () => {
  const [t0, t1, liquidator] = [signer(1), signer(2), signer(3)];
  let world: World;

  beforeAll(async () => {
    world = await World.create();
  });
  beforeEach(() => world.evm.restore());

  async function fund(dollars: bigint, secondary = 0n): Promise<void> {
    for (const trader of [t0, t1, liquidator]) await world.deposit(trader, dollars, secondary);
  }

  /** t0 long and t1 short 1 BTC at 30,000, each with 5,000 of either credit. */
  async function opened(price: bigint): Promise<void> {
    await fund(5_000n, 5_000n);
    await world.deposit(liquidator, 100_000n);
    await world.open(world.btc, t0, t1, COIN, 30_000n);
    await world.setPrice(world.btc, price);
  }

  it("1: a taker pays its fee, a maker the maker's", async () => {
    await fund(1_000_000n);
    await world.open(world.btc, t0, t1, COIN, 30_000n);
    expect(await world.balance(world.btc, t0)).toEqual([COIN, -30_015n * USD]);
    expect(await world.balance(world.btc, t1)).toEqual([-COIN, 29_997n * USD]);
  });

  it("1: the same as a short taker, and closed again", async () => {
    await fund(1_000_000n);
    await world.trade(
      world.btc,
      { trader: t0, paper: -COIN, price: 30_000n },
      { trader: t1, paper: COIN, price: 30_000n },
    );
    expect(await world.balance(world.btc, t0)).toEqual([-COIN, 29_985n * USD]);
    expect(await world.balance(world.btc, t1)).toEqual([COIN, -30_003n * USD]);
    await world.open(world.btc, t0, t1, COIN, 30_000n);
    expect(await world.balance(world.btc, t0)).toEqual([0n, 0n]);
    expect(await world.credit(t0)).toEqual([999_970n * USD, 0n]);
    expect(await world.credit(t1)).toEqual([999_994n * USD, 0n]);
  });

  it("2: two orders of one maker, each at its own price", async () => {
    await fund(1_000_000n);
    const maker = { trader: t1, paper: COIN, makerFeeRate: 2n * 10n ** 14n };
    await world.trade(
      world.btc,
      { trader: t0, paper: -2n * COIN, price: 40_000n },
      { ...maker, price: 40_000n },
      { ...maker, price: 60_000n },
    );
    expect(await world.balance(world.btc, t0)).toEqual([-2n * COIN, 99_950n * USD]);
    expect(await world.balance(world.btc, t1)).toEqual([2n * COIN, -100_020n * USD]);
  });

  it("3: a whole takeover of a long", async () => {
    await opened(20_600n * USD);
    expect([...((await world.dealer.read("getTraderRisk", t0.address)) as bigint[])]).toEqual([
      585n * USD,
      20_600n * USD,
      1_030n * USD,
      618n * USD,
    ]);
    expect(await world.isSafe(t0)).toBe(false);
    const cost = (await world.dealer.read(
      "getLiquidationCost",
      world.btc.perp.address,
      t0.address,
      2n * COIN,
    )) as bigint[];
    expect([...cost]).toEqual([COIN, -20_394n * USD]);
    await world.liquidate(world.btc, liquidator, t0, 2n * COIN, -50_000n * USD);
    expect(await world.credit(world.insurance)).toEqual([203_940_000n, 0n]);
    expect(await world.credit(t0)).toEqual([-4_824_940_000n, 5_000n * USD]);
    expect(await world.isSafe(t0)).toBe(true);
    expect(await world.balance(world.btc, liquidator)).toEqual([COIN, -20_394n * USD]);
  });

  it("4: a part of a long, a refused price, and the size that cures", async () => {
    await opened(20_600n * USD);
    await world.liquidate(world.btc, liquidator, t0, COIN / 100n, -250n * USD);
    expect(await world.balance(world.btc, t0)).toEqual([(99n * COIN) / 100n, -29_813_099_400n]);
    expect(await world.credit(world.insurance)).toEqual([2_039_400n, 0n]);
    expect(await world.balance(world.btc, liquidator)).toEqual([COIN / 100n, -203_940_000n]);
    expect(
      await reasonFor(world.liquidate(world.btc, liquidator, t0, 2n * COIN, -40_000n * USD)),
    ).toBe("LIQUIDATION_PRICE_PROTECTION");
    await world.liquidate(world.btc, liquidator, t0, (99n * COIN) / 100n, -50_000n * USD);
    expect(await world.isSafe(t0)).toBe(true);
  });

  it("5: a part of a short, a refused price, and the rest", async () => {
    await opened(39_000n * USD);
    const one = COIN / 100n;
    expect(await reasonFor(world.liquidate(world.btc, liquidator, t1, -one, 400n * USD))).toBe(
      "LIQUIDATION_PRICE_PROTECTION",
    );
    await world.liquidate(world.btc, liquidator, t1, -one, 300n * USD);
    expect(await world.balance(world.btc, liquidator)).toEqual([-one, 393_900_000n]);
    expect(await world.balance(world.btc, t1)).toEqual([-99n * one, 29_599_161_000n]);
    expect(await world.credit(world.insurance)).toEqual([3_939_000n, 0n]);
  });

  it("5: a whole takeover of a short", async () => {
    await opened(39_000n * USD);
    await world.liquidate(world.btc, liquidator, t1, -COIN, 30_000n * USD);
    expect(await world.balance(world.btc, liquidator)).toEqual([-COIN, 39_390n * USD]);
    expect(await world.credit(world.insurance)).toEqual([393_900_000n, 0n]);
    expect(await world.credit(t1)).toEqual([-4_786_900_000n, 5_000n * USD]);
  });

  it("6: bad debt goes to the insurance account with what secondary credit is left", async () => {
    await opened(19_000n * USD);
    await world.liquidate(world.btc, liquidator, t0, COIN, -20_000n * USD);
    expect(await world.credit(t0)).toEqual([0n, 0n]);
    expect(await world.credit(world.insurance)).toEqual([-6_205n * USD, 5_000n * USD]);
  });

  it("7: liquidation prices of either sign", async () => {
    await fund(0n, 10_000n);
    await world.open(world.btc, t0, t1, COIN, 30_000n);
    expect(await world.dealer.read("getLiquidationPrice", t0.address, world.btc.perp.address)).toBe(
      20_634_020_618n,
    );
    expect(await world.dealer.read("getLiquidationPrice", t1.address, world.btc.perp.address)).toBe(
      38_832_038_834n,
    );
  });

  it("8: funding before and after a trade", async () => {
    await fund(1_000_000n);
    const perps = [world.btc.perp.address];
    await world.dealer.send(world.owner, "updateFundingRate", perps, [-1_000_000n]);
    await world.open(world.btc, t0, t1, COIN, 30_000n);
    await world.dealer.send(world.owner, "updateFundingRate", perps, [500_000n]);
    expect(await world.balance(world.btc, t0)).toEqual([COIN, -30_013_500_000n]);
    expect(await world.balance(world.btc, t1)).toEqual([-COIN, 29_995_500_000n]);
  });

  it("9: the limiter lets a rate move by 2,700 a day", async () => {
    await world.dealer.send(world.owner, "setFundingRateKeeper", world.limiter.address);
    const perp = world.btc.perp.address;
    await world.limiter.send(world.owner, "updateFundingRate", [perp], [0]);
    await world.evm.wait(86_400);
    expect(await world.limiter.read("getMaxChange", perp)).toBe(2_700n * USD);
  });
});
