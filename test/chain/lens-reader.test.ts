import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ChainRpc } from "#chain/chain-rpc.js";
import { LensReader, type LensReaderOptions } from "#chain/lens-reader.js";
import { ChainUnavailable } from "#chain/rpc-errors.js";
import { ConfigError } from "#core/errors.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import type { Signer } from "#core/signing.js";
import type { Hex } from "#core/units.js";
import { COIN, signer, USD, World } from "../contracts/world.js";
import { FaultyRpc } from "./faulty-rpc.js";

const [alice, bob, carol, dora] = [signer(1), signer(2), signer(3), signer(4)] as [
  Signer,
  Signer,
  Signer,
  Signer,
];
const ACCOUNTS = [alice, bob, carol, dora].map(({ address }) => address);
/** Nobody's, some of them often. */
const strangers = (count: number): Hex[] =>
  Array.from({ length: count }, (_, i) => `0x${(i + 1).toString(16).padStart(40, "0")}`);

let world: World;
let rpcs: FaultyRpc[] = [];
let chain: ChainRpc;

// Alice holds BTC and ETH, Bob the other side of both, Carol BTC alone, Dora nothing.
beforeAll(async () => {
  world = await World.create();
  for (const trader of [alice, bob, carol]) await world.deposit(trader, 10_000n, 500n);
  await world.open(world.btc, alice, bob, COIN, 30_000n);
  await world.open(world.btc, carol, bob, COIN, 30_000n);
  await world.open(world.eth, alice, bob, COIN, 2_000n);
  await world.evm.save();
  rpcs = [await FaultyRpc.start(world.evm), await FaultyRpc.start(world.evm)];
});
beforeEach(async () => {
  await world.evm.restore();
  for (const rpc of rpcs) rpc.faults = {};
  chain = new ChainRpc({
    urls: rpcs.map(({ url }) => url),
    chainId: 31337,
    clock: createLiveRuntime().clock,
    nowMs: () => world.evm.nowSeconds * 1000,
    headRefreshMs: 0,
    requestTimeoutMs: 30_000,
  });
});
afterEach(() => chain.close());
afterAll(() => Promise.all(rpcs.map((rpc) => rpc.stop())));

const reader = (options: Partial<LensReaderOptions> = {}) =>
  new LensReader({
    rpc: chain,
    lens: world.lens.address,
    dealer: world.dealer.address,
    ...options,
  });
const callsTaken = () => rpcs.reduce((sum, rpc) => sum + rpc.take("eth_call"), 0);

describe("many accounts at one block", () => {
  it("are as the dealer judges each", async () => {
    await world.setPrice(world.btc, 20_000n * USD);
    const { list, blockNumber, timestampMs } = await reader().risks(ACCOUNTS);
    expect([blockNumber, timestampMs]).toEqual([
      Number(await world.evm.rpc("eth_blockNumber")),
      world.evm.nowSeconds * 1000,
    ]);
    for (const [i, account] of ACCOUNTS.entries()) {
      const [netValueCredit, exposureCredit, initialMarginCredit, maintenanceMarginCredit] =
        (await world.dealer.read("getTraderRisk", account)) as bigint[];
      const isSafe = await world.dealer.read("isSafe", account);
      expect(list[i]).toEqual({
        ok: true,
        isSafe,
        netValueCredit,
        exposureCredit,
        initialMarginCredit,
        maintenanceMarginCredit,
      });
    }
    expect(list.map((risk) => risk.ok && risk.isSafe)).toEqual([false, true, false, true]);
  });

  it("have their positions, and each liquidation its price or its refusal", async () => {
    await world.setPrice(world.btc, 20_000n * USD);
    const lens = reader();
    const { list } = await lens.holdings([alice.address]);
    const perp = world.btc.perp.address.toLowerCase();
    expect(list[0]).toMatchObject({
      ok: true,
      primaryCredit: 10_000n * USD,
      secondaryCredit: 500n * USD,
      positions: [
        {
          perp,
          paper: COIN,
          credit: -30_015n * USD,
          markPrice: { ok: true, creditPerCoin: 20_000n * USD },
        },
        { paper: COIN },
      ],
    });
    const costs = await lens.costs([
      { perp, trader: alice.address, paper: COIN },
      { perp, trader: bob.address, paper: -COIN },
      { perp, trader: carol.address, paper: -COIN },
    ]);
    expect(costs.list).toEqual([
      { ok: true, paper: COIN, credit: -19_800n * USD },
      { ok: false, revert: { kind: "lost-race", text: "JOJO_ACCOUNT_IS_SAFE" } },
      {
        ok: false,
        revert: { kind: "wrong-amount", text: "JOJO_LIQUIDATION_REQUEST_AMOUNT_WRONG" },
      },
    ]);
  });

  it("have the same credit and positions where no price is asked for, also while one is stale", async () => {
    await world.makeStale(world.eth);
    const lens = reader({ maxChunk: 3 });
    const accounts = [...strangers(2), ...ACCOUNTS];
    const [balances, holdings] = [await lens.balances(accounts), await lens.holdings(accounts)];
    const withoutPrices = holdings.list.map((held) =>
      held.ok
        ? {
            ...held,
            positions: held.positions.map(({ perp, paper, credit }) => ({ perp, paper, credit })),
          }
        : held,
    );
    expect(balances.list).toEqual(withoutPrices);
    expect(balances.list[3]).toMatchObject({
      ok: true,
      positions: [{ paper: -2n * COIN }, { paper: -COIN }],
    });
  });

  it("are each told as unreadable where their gas is too little, and none is taken for empty", async () => {
    const { list } = await reader({ gasEach: 7_000, gasCap: 1_000_000 }).balances(ACCOUNTS);
    expect(list).toEqual(
      ACCOUNTS.map(() => ({ ok: false, revert: { kind: "unknown", text: "no reason" } })),
    );
  });

  it("stand beside the markets that they hold, with rules and prices", async () => {
    await world.makeStale(world.eth);
    const { list } = await reader().markets();
    expect(list).toMatchObject([
      {
        name: "btcusdc",
        maintenanceMarginRatio: (3n * COIN) / 100n,
        isRegistered: true,
        markPrice: { ok: true, creditPerCoin: 30_000n * USD },
      },
      { name: "ethusdc", markPrice: { ok: false, revert: { kind: "stale-price" } } },
    ]);
  });

  it("are not blocked by one whose price is stale", async () => {
    await world.makeStale(world.eth);
    const { list } = await reader().risks(ACCOUNTS);
    const stale = { ok: false, revert: { kind: "stale-price", text: "ORACLE_HEARTBEAT_FAILED" } };
    expect(list.slice(0, 2)).toEqual([stale, stale]);
    expect(list[2]).toMatchObject({ ok: true, isSafe: true });
    expect((await reader().holdings([alice.address])).list[0]).toMatchObject({
      ok: true,
      positions: [
        { markPrice: { ok: true } },
        { markPrice: { ok: false, revert: { kind: "stale-price" } } },
      ],
    });
  });

  it("are all read at the block that was asked for, whatever is mined meanwhile", async () => {
    const head = await chain.head();
    await world.setPrice(world.btc, 20_000n * USD);
    const lens = reader();
    const then = await lens.risks(ACCOUNTS, head);
    expect(then.blockNumber).toBe(head.number);
    expect(then.list.map((risk) => risk.ok && risk.isSafe)).toEqual([true, true, true, true]);
    expect((await lens.risks(ACCOUNTS)).list[0]).toMatchObject({ isSafe: false });
  });
});

describe("chunks", () => {
  it("read a thousand candidates in fifties", async () => {
    const accounts = [...strangers(996), ...ACCOUNTS];
    callsTaken();
    const { list } = await reader().risks(accounts);
    expect(list.filter(({ ok }) => ok)).toHaveLength(1000);
    expect(list[996]).toMatchObject({ exposureCredit: 32_000n * USD });
    expect(callsTaken()).toBe(20);
  });

  it("that run out of the gas that a node allows are halved until they fit, and the size is remembered", async () => {
    for (const rpc of rpcs) rpc.faults = { gasCap: 1_200_000 };
    const lens = reader({ concurrency: 1 });
    const accounts = Array.from({ length: 64 }, (_, i) => ACCOUNTS[i % 3] as Hex);
    callsTaken();
    const first = await lens.risks(accounts);
    const firstCalls = callsTaken();
    expect(first.list.every(({ ok }) => ok)).toBe(true);
    expect(first.list[63]).toEqual(first.list[0]);
    expect(await lens.risks(accounts)).toEqual(first);
    expect(firstCalls).toBeGreaterThan(3);
    expect(callsTaken()).toBeLessThan(firstCalls);
  });

  it("never lose an account, whatever the chunk size", async () => {
    const accounts = [...strangers(5), ...ACCOUNTS, ...strangers(2)];
    const whole = await reader().risks(accounts);
    for (const maxChunk of [1, 2, 3, 11])
      expect(await reader({ maxChunk }).risks(accounts)).toEqual(whole);
    expect((await reader().risks([])).list).toEqual([]);
  });

  it("give up on an account alone that no gas is enough for", async () => {
    const { list } = await reader({ gasEach: 40_000, gasCap: 1_000_000 }).risks(ACCOUNTS);
    expect(list.map(({ ok }) => ok)).toEqual([false, false, true, true]);
  });

  it("that the node itself refuses for their gas are halved too, down to one account", async () => {
    const limit = (method: string) =>
      method === "eth_call"
        ? { code: -32000, message: "out of gas: gas required exceeds allowance" }
        : undefined;
    for (const rpc of rpcs) rpc.faults = { refuse: limit };
    callsTaken();
    const { list } = await reader().risks(ACCOUNTS);
    expect(list).toHaveLength(4);
    for (const entry of list)
      expect(entry).toMatchObject({ ok: false, revert: { kind: "out-of-gas" } });
    expect(callsTaken()).toBe(7);
  });

  it("need a gas cap with room for an account", () => {
    expect(() => reader({ gasCap: 1_000_000, gasEach: 600_000 })).toThrow(ConfigError);
  });
});

describe("RPCs that fail", () => {
  it("that fail during a snapshot are replaced by the next, and the snapshot is still of one block", async () => {
    const lens = reader({ maxChunk: 10, concurrency: 2 });
    let answered = 0;
    const dieAfter = 3;
    const [first] = rpcs as [FaultyRpc, FaultyRpc];
    for (const rpc of rpcs) {
      rpc.faults = {
        tamper: (method, result) => {
          if (method === "eth_call" && ++answered === dieAfter) first.faults.isDead = true;
          return result;
        },
      };
    }
    const { list } = await lens.risks([...strangers(96), ...ACCOUNTS]);
    expect(list.every(({ ok }) => ok)).toBe(true);
  });

  it("that respond for another block than requested are not trusted", async () => {
    const head = await chain.head();
    await world.setPrice(world.btc, 20_000n * USD);
    const data = world.lens.abi.encodeFunctionData("risks", [
      world.dealer.address,
      ACCOUNTS,
      1_000_000,
    ]);
    const newest = await world.evm.call(world.lens.address, data);
    for (const rpc of rpcs)
      rpc.faults = { tamper: (method, result) => (method === "eth_call" ? newest : result) };
    await expect(reader().risks(ACCOUNTS, head)).rejects.toThrow(ChainUnavailable);
    (rpcs[1] as FaultyRpc).faults = {};
    expect((await reader().risks(ACCOUNTS, head)).list[0]).toMatchObject({ isSafe: true });
  });

  it("that return nothing for the lens do not make an account count as safe", async () => {
    for (const rpc of rpcs)
      rpc.faults = { tamper: (method, result) => (method === "eth_call" ? "0x" : result) };
    await expect(reader().risks(ACCOUNTS)).rejects.toThrow("ends too early");
  });
});
