import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Signer } from "#core/signing.js";
import { reasonFor } from "./evm.js";
import { BTC_RATIOS, COIN, type Market, signer, USD, World } from "./world.js";

const [long, short, liquidator, other, operator] = [
  signer(1),
  signer(2),
  signer(3),
  signer(4),
  signer(5),
] as [Signer, Signer, Signer, Signer, Signer];
const ANY_LONG = -(2n ** 127n);

describe("a liquidation", () => {
  let world: World;
  let btc: Market;

  // long and short hold 1 BTC against each other from 30,000, with 5,000 each; the liquidator has
  // 100,000.
  beforeAll(async () => {
    world = await World.create();
    btc = world.btc;
    for (const trader of [long, short]) await world.deposit(trader, 5_000n);
    await world.deposit(liquidator, 100_000n);
    await world.deposit(other, 100_000n);
    await world.open(btc, long, short, COIN, 30_000n);
    await world.evm.save();
  });
  beforeEach(() => world.evm.restore());

  const taken = (paper: bigint, expect_: bigint, victim = long) =>
    world.liquidate(btc, liquidator, victim, paper, expect_);
  const refused = (paper: bigint, expect_: bigint, victim = long) =>
    reasonFor(taken(paper, expect_, victim));

  it("tells of the victim, the liquidator and the fee, then of both balances, then of the debt", async () => {
    await world.setPrice(btc, 25_500n * USD);
    const price = 25_245n * USD;
    const fee = price / 100n;
    const perp = expect.stringMatching(new RegExp(btc.perp.address, "i"));
    const { events } = await taken(COIN, -price);
    expect(events.map(({ name, args }) => [name, ...args])).toEqual([
      ["BeingLiquidated", perp, long.address, -COIN, price - fee, 0n],
      ["JoinLiquidation", perp, liquidator.address, long.address, COIN, -price, 0n],
      ["ChargeInsurance", perp, long.address, fee],
      ["BalanceChange", long.address, -COIN, price - fee],
      ["BalanceChange", liquidator.address, COIN, -price],
      ["HandleBadDebt", long.address, 5_000n * USD - 30_015n * USD + price - fee, 0n],
    ]);
  });

  it("returns what the liquidator gets, as its cost was foretold", async () => {
    await world.setPrice(btc, 25_333_333_333n);
    const foretold = await world.dealer.read(
      "getLiquidationCost",
      btc.perp.address,
      long.address,
      COIN / 3n,
    );
    const got = await btc.perp.simulate(
      liquidator,
      "liquidate",
      liquidator.address,
      long.address,
      COIN / 3n,
      ANY_LONG,
    );
    expect([...got]).toEqual([...(foretold as bigint[])]);
  });

  it("of a short pays the liquidator above the mark", async () => {
    await world.setPrice(btc, 34_500n * USD);
    await taken(-COIN / 2n, 0n, short);
    expect(await world.balance(btc, liquidator)).toEqual([-COIN / 2n, (34_845n * USD) / 2n]);
    const fee = (34_845n * USD) / 200n;
    expect(await world.balance(btc, short)).toEqual([
      -COIN / 2n,
      29_997n * USD - (34_845n * USD) / 2n - fee,
    ]);
  });

  it("is capped to the position", async () => {
    await world.setPrice(btc, 25_500n * USD);
    await taken(50n * COIN, -50n * 25_245n * USD);
    expect(await world.balance(btc, liquidator)).toEqual([COIN, -25_245n * USD]);
  });

  it("closes the liquidator's own opposite position first of all", async () => {
    await world.open(btc, other, liquidator, COIN, 30_000n);
    await world.setPrice(btc, 25_500n * USD);
    const [before] = await world.credit(liquidator);
    await taken(COIN, ANY_LONG);
    expect(await world.balance(btc, liquidator)).toEqual([0n, 0n]);
    expect((await world.credit(liquidator))[0]).toBe(before + 29_997n * USD - 25_245n * USD);
  });

  it("accepts exactly the worst price, for the whole, a part and a capped request, and not one unit better", async () => {
    await world.setPrice(btc, 25_500n * USD);
    const price = 25_245n * USD;
    for (const [request, bound] of [
      [COIN, -price],
      [COIN / 2n, -price / 2n],
      [3n * COIN, -3n * price],
    ] as const) {
      const data = [liquidator.address, long.address, request] as const;
      await btc.perp.simulate(liquidator, "liquidate", ...data, bound);
      expect(await reasonFor(btc.perp.simulate(liquidator, "liquidate", ...data, bound + 1n))).toBe(
        "LIQUIDATION_PRICE_PROTECTION",
      );
    }
    await world.setPrice(btc, 34_500n * USD);
    const data = [liquidator.address, short.address] as const;
    for (const [request, bound] of [
      [-COIN, 34_845n * USD],
      [-3n * COIN, 3n * 34_845n * USD],
    ] as const) {
      await btc.perp.simulate(liquidator, "liquidate", ...data, request, bound);
      expect(
        await reasonFor(btc.perp.simulate(liquidator, "liquidate", ...data, request, bound + 1n)),
      ).toBe("LIQUIDATION_PRICE_PROTECTION");
    }
  });

  it("begins one unit past the liquidation price", async () => {
    for (const [trader, toward] of [
      [long, -1n],
      [short, 1n],
    ] as const) {
      const price = (await world.dealer.read(
        "getLiquidationPrice",
        trader.address,
        btc.perp.address,
      )) as bigint;
      await world.setPrice(btc, price);
      expect(await world.isSafe(trader)).toBe(true);
      // A short's price is rounded down, so that one unit above it may still be safe.
      await world.setPrice(btc, price + toward * (trader === short ? 2n : 1n));
      expect(await world.isSafe(trader)).toBe(false);
    }
  });

  it("has a price that needs every other market's mark and never its own, also where there is no position", async () => {
    const { btc, eth } = world;
    const price = (trader: Signer, market: Market) =>
      world.dealer.read("getLiquidationPrice", trader.address, market.perp.address);
    expect(await price(long, eth)).toBe(0n);
    await world.makeStale(btc);
    expect(await price(long, btc)).toBeGreaterThan(0n);
    expect(await reasonFor(price(long, eth))).toBe("ORACLE_HEARTBEAT_FAILED");
    // No price is read for an account without any position.
    expect(await price(other, btc)).toBe(0n);
    expect(await price(other, eth)).toBe(0n);
  });

  it("needs no more of the liquidator than the position's margin beyond its discount, to the unit", async () => {
    await world.setPrice(btc, 25_500n * USD);
    const needed = 25_500n * 3n - 25_500n; // hundredths of a dollar: q P (mmr - off)
    const [poor] = [signer(6)];
    await world.deposit(poor, needed / 100n);
    await world.dealer.send(poor, "fastWithdraw", poor.address, poor.address, 1n, 0n, false, "0x");
    expect(await reasonFor(world.liquidate(btc, poor, long, COIN, ANY_LONG))).toBe(
      "LIQUIDATOR_NOT_SAFE",
    );
    await world.deposit(poor, 1n);
    await world.dealer.send(
      poor,
      "fastWithdraw",
      poor.address,
      poor.address,
      USD - 1n,
      0n,
      false,
      "0x",
    );
    await world.liquidate(btc, poor, long, COIN, ANY_LONG);
    const [netValue, , , margin] = (await world.dealer.read(
      "getTraderRisk",
      poor.address,
    )) as bigint[];
    expect(netValue).toBe(margin);
  });

  it("leaves bad debt to the insurance account only when no position is left", async () => {
    await world.open(world.eth, long, other, COIN / 10n, 2_000n);
    await world.setPrice(btc, 20_000n * USD);
    await taken(COIN, ANY_LONG);
    expect((await world.credit(long))[0]).toBeLessThan(0n);
    const { events } = await world.liquidate(world.eth, liquidator, long, COIN / 10n, ANY_LONG);
    const told = events.find(({ name }) => name === "HandleBadDebt");
    expect(told?.args[0]).toBe(long.address);
    expect(told?.args[1]).toBeLessThan(0n);
    expect(await world.credit(long)).toEqual([0n, 0n]);
  });

  it("bad debt may be handled by anybody, and nothing else happens by that", async () => {
    for (const trader of [long, liquidator, signer(6)]) {
      const before = await world.credit(trader);
      const { events } = await world.dealer.send(other, "handleBadDebt", trader.address);
      expect(events).toEqual([]);
      expect(await world.credit(trader)).toEqual(before);
    }
    await world.setPrice(btc, 20_000n * USD);
    expect((await world.dealer.send(other, "handleBadDebt", long.address)).events).toEqual([]);
  });

  it("may be executed by the liquidator's operator", async () => {
    await world.setPrice(btc, 25_500n * USD);
    const executed = () => world.liquidate(btc, liquidator, long, COIN, ANY_LONG, operator);
    expect(await reasonFor(executed())).toBe("JOJO_INVALID_LIQUIDATION_EXECUTOR");
    await world.dealer.send(liquidator, "setOperator", operator.address, true);
    await executed();
    expect((await world.balance(btc, liquidator))[0]).toBe(COIN);
  });

  describe("is refused", () => {
    it("in a market that is not listed, whose positions still count", async () => {
      await world.setPrice(btc, 25_500n * USD);
      await world.list(btc, "btcusdc", BTC_RATIOS, false);
      expect(await refused(COIN, ANY_LONG)).toBe("JOJO_PERP_NOT_REGISTERED");
      expect(await world.isSafe(long)).toBe(false);
      expect(
        await reasonFor(
          world.dealer.read("getLiquidationCost", btc.perp.address, long.address, COIN),
        ),
      ).toBe("JOJO_PERP_NOT_REGISTERED");
    });

    it("of oneself", async () => {
      await world.setPrice(btc, 25_500n * USD);
      expect(await reasonFor(world.liquidate(btc, long, long, COIN, ANY_LONG))).toBe(
        "JOJO_SELF_LIQUIDATION_NOT_ALLOWED",
      );
    });

    it("of a safe account: the race is lost", async () => {
      expect(await refused(COIN, ANY_LONG)).toBe("JOJO_ACCOUNT_IS_SAFE");
      expect(
        await reasonFor(
          world.dealer.read("getLiquidationCost", btc.perp.address, long.address, COIN),
        ),
      ).toBe("JOJO_ACCOUNT_IS_SAFE");
    });

    it("in a market where the victim has nothing", async () => {
      await world.setPrice(btc, 25_500n * USD);
      expect(await reasonFor(world.liquidate(world.eth, liquidator, long, COIN, ANY_LONG))).toBe(
        "JOJO_TRADER_HAS_NO_POSITION",
      );
    });

    it("of the wrong sign, of nothing, or of more than a product holds", async () => {
      await world.setPrice(btc, 25_500n * USD);
      expect(await refused(-COIN, 0n)).toBe("JOJO_LIQUIDATION_REQUEST_AMOUNT_WRONG");
      expect(await refused(0n, 0n)).toBe("JOJO_LIQUIDATION_REQUEST_AMOUNT_WRONG");
      expect(await refused(2n ** 255n - 1n, ANY_LONG)).toBe("panic 0x11");
      expect(await refused(COIN, -(2n ** 255n))).toBe("panic 0x11");
    });

    it("when it would open one position too many", async () => {
      await world.open(world.eth, liquidator, other, COIN, 2_000n);
      await world.dealer.send(world.owner, "setMaxPositionAmount", 1);
      await world.setPrice(btc, 25_500n * USD);
      expect(await refused(COIN, ANY_LONG)).toBe("JOJO_POSITION_AMOUNT_REACH_UPPER_LIMIT");
    });

    it("first by its executor and by oneself, then by a stale price of the victim, then by its being safe", async () => {
      await world.makeStale(btc);
      expect(
        await reasonFor(world.liquidate(btc, liquidator, long, COIN, ANY_LONG, operator)),
      ).toBe("JOJO_INVALID_LIQUIDATION_EXECUTOR");
      expect(await reasonFor(world.liquidate(btc, long, long, COIN, ANY_LONG))).toBe(
        "JOJO_SELF_LIQUIDATION_NOT_ALLOWED",
      );
      expect(await refused(-COIN, ANY_LONG)).toBe("ORACLE_HEARTBEAT_FAILED");
      expect(await reasonFor(world.liquidate(world.eth, liquidator, long, COIN, ANY_LONG))).toBe(
        "ORACLE_HEARTBEAT_FAILED",
      );
    });

    it("by the price before the count of positions, and by a stale price of the liquidator only after both", async () => {
      await world.open(world.eth, liquidator, other, COIN, 2_000n);
      await world.setPrice(btc, 25_500n * USD);
      await world.makeStale(world.eth);
      expect(await refused(COIN, 0n)).toBe("LIQUIDATION_PRICE_PROTECTION");
      expect(await refused(COIN, ANY_LONG)).toBe("ORACLE_HEARTBEAT_FAILED");
      await world.dealer.send(world.owner, "setMaxPositionAmount", 1);
      expect(await refused(COIN, 0n)).toBe("LIQUIDATION_PRICE_PROTECTION");
      expect(await refused(COIN, ANY_LONG)).toBe("JOJO_POSITION_AMOUNT_REACH_UPPER_LIMIT");
    });
  });
});
