import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Signer } from "#core/signing.js";
import { reasonFor, reasonOf } from "./evm.js";
import { COIN, signer, USD, World } from "./world.js";

const GAS_EACH = 1_000_000;
const [alice, bob, carol] = [signer(1), signer(2), signer(3)] as [Signer, Signer, Signer];
const nobody = signer(6);

interface Read {
  readonly ok: boolean;
  readonly reason: string;
  readonly [field: string]: unknown;
}
type Answer<Entry = Read> = { blockNumber: bigint; timestamp: bigint; list: readonly Entry[] };
type Held = Read & {
  positions: readonly {
    perp: string;
    paper: bigint;
    credit: bigint;
    priceOk: boolean;
    markPrice: bigint;
    priceReason: string;
  }[];
};

describe("the lens", () => {
  let world: World;

  // Alice holds BTC and ETH, Bob the other side of both, Carol BTC alone.
  beforeAll(async () => {
    world = await World.create();
    for (const trader of [alice, bob, carol]) await world.deposit(trader, 10_000n, 500n);
    await world.open(world.btc, alice, bob, COIN, 30_000n);
    await world.open(world.btc, carol, bob, COIN, 30_000n);
    await world.open(world.eth, alice, bob, COIN, 2_000n);
    await world.evm.save();
  });
  beforeEach(() => world.evm.restore());

  const everybody = [alice, bob, carol, nobody].map(({ address }) => address);
  const risks = async (gasEach = GAS_EACH) =>
    (await world.lens.read("risks", world.dealer.address, everybody, gasEach)) as Answer;

  it("reads every account's risk as the dealer does, and says at which block", async () => {
    const { list, blockNumber, timestamp } = await risks();
    for (const [i, account] of everybody.entries()) {
      const entry = list[i];
      const risk = (await world.dealer.read("getTraderRisk", account)) as bigint[];
      expect([
        entry?.netValue,
        entry?.exposure,
        entry?.initialMargin,
        entry?.maintenanceMargin,
      ]).toEqual([...risk]);
      expect([entry?.ok, entry?.reason, entry?.isSafe]).toEqual([
        true,
        "0x",
        await world.dealer.read("isSafe", account),
      ]);
    }
    expect(blockNumber).toBe(BigInt((await world.evm.rpc("eth_blockNumber")) as string));
    expect(timestamp).toBe(BigInt(world.evm.nowSeconds));
  });

  it("says who is unsafe, debts included", async () => {
    await world.setPrice(world.btc, 10_000n * USD);
    expect((await risks()).list.map(({ ok, isSafe }) => [ok, isSafe])).toEqual([
      [true, false],
      [true, true],
      [true, false],
      [true, true],
    ]);
    expect(await world.dealer.read("isAllSafe", [bob.address, nobody.address])).toBe(true);
    expect(await world.dealer.read("isAllSafe", everybody)).toBe(false);
  });

  it("gives a stale price's holders their reason, and everybody else their risk", async () => {
    await world.makeStale(world.eth);
    const { list } = await risks();
    expect(list.map(({ ok }) => ok)).toEqual([false, false, true, true]);
    expect(reasonOf(list[0]?.reason ?? "")).toBe("ORACLE_HEARTBEAT_FAILED");
    expect(list[2]?.netValue).toBe(10_000n * USD + 500n * USD - 15n * USD);
  });

  it("reads credit and positions beside a stale price", async () => {
    await world.makeStale(world.eth);
    const { list } = (await world.lens.read(
      "holdings",
      world.dealer.address,
      everybody,
      GAS_EACH,
    )) as Answer<Held>;
    expect(list.map(({ ok, positions }) => [ok, positions.length])).toEqual([
      [true, 2],
      [true, 2],
      [true, 1],
      [true, 0],
    ]);
    const [btc, eth] = list[0]?.positions ?? [];
    expect([btc?.paper, btc?.credit, btc?.priceOk, btc?.markPrice]).toEqual([
      COIN,
      -30_015n * USD,
      true,
      30_000n * USD,
    ]);
    expect([eth?.paper, eth?.priceOk, eth?.markPrice]).toEqual([COIN, false, 0n]);
    expect(reasonOf(eth?.priceReason ?? "")).toBe("ORACLE_HEARTBEAT_FAILED");
    expect([list[0]?.primaryCredit, list[0]?.secondaryCredit]).toEqual([10_000n * USD, 500n * USD]);
  });

  it("prices many liquidations, and says of each refused one why", async () => {
    await world.setPrice(world.btc, 20_000n * USD);
    const perp = world.btc.perp.address;
    const requests = [
      [perp, alice.address, COIN],
      [perp, bob.address, -COIN],
      [world.eth.perp.address, carol.address, COIN],
      [perp, carol.address, -COIN],
    ];
    const { list } = (await world.lens.read(
      "costs",
      world.dealer.address,
      requests,
      GAS_EACH,
    )) as Answer;
    expect([list[0]?.ok, list[0]?.paper, list[0]?.credit]).toEqual([true, COIN, -19_800n * USD]);
    expect(list.slice(1).map(({ reason }) => reasonOf(reason))).toEqual([
      "JOJO_ACCOUNT_IS_SAFE",
      "JOJO_TRADER_HAS_NO_POSITION",
      "JOJO_LIQUIDATION_REQUEST_AMOUNT_WRONG",
    ]);
  });

  it("lists the markets with their prices, rates and rules", async () => {
    await world.makeStale(world.eth);
    await world.dealer.send(world.owner, "updateFundingRate", [world.btc.perp.address], [-5n]);
    const { list } = (await world.lens.read("markets", world.dealer.address, GAS_EACH)) as Answer<
      Read & { params: { name: string; liquidationThreshold: bigint } }
    >;
    expect(
      list.map(({ params, fundingRate, priceOk, markPrice }) => [
        params.name,
        fundingRate,
        priceOk,
        markPrice,
      ]),
    ).toEqual([
      ["btcusdc", -5n, true, 30_000n * USD],
      ["ethusdc", 0n, false, 0n],
    ]);
    expect(list[0]?.params.liquidationThreshold).toBe((3n * COIN) / 100n);
  });

  it("takes an answer of another shape, or none, for a failure of that account alone", async () => {
    const dealer = world.usdc.address;
    const empty = "0x00000000000000000000000000000000000000E0";
    for (const target of [dealer, empty]) {
      const { list } = (await world.lens.read(
        "risks",
        target,
        [alice.address],
        GAS_EACH,
      )) as Answer;
      expect(list.map(({ ok, reason }) => [ok, reason])).toEqual([[false, "0x"]]);
    }
  });

  it("never takes a lack of gas for an account that reverts", async () => {
    const data = world.lens.abi.encodeFunctionData("risks", [
      world.dealer.address,
      everybody,
      GAS_EACH,
    ]);
    for (const gas of [1_050_000, 1_100_000, 1_200_000]) {
      const answer = world.evm.call(world.lens.address, data, undefined, gas).then(
        (result) =>
          (world.lens.abi.decodeFunctionResult("risks", result) as unknown as Answer).list.every(
            ({ ok }) => ok,
          ),
        (error: unknown) => reasonFor(Promise.reject(error)),
      );
      expect(["LENS_OUT_OF_GAS", true]).toContain(await answer);
    }
    expect(await reasonFor(world.evm.call(world.lens.address, data, undefined, 1_050_000))).toBe(
      "LENS_OUT_OF_GAS",
    );
  });

  it("bounds what one account may burn", async () => {
    const { list } = await risks(40_000);
    expect(list.map(({ ok }) => ok)).toEqual([false, false, true, true]);
  });
});
