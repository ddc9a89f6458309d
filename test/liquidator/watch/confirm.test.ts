import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { LensReader } from "#chain/lens-reader.js";
import { ChainUnavailable } from "#chain/rpc-errors.js";
import type { Signer } from "#core/signing.js";
import { AccountPollSchedule } from "#liquidator/account-poll-schedule.js";
import { Confirmer } from "#liquidator/confirmer.js";
import { HolderScan } from "#liquidator/holder-scan.js";
import { findVictims } from "#liquidator/victims.js";
import { COIN, signer, USD } from "../../contracts/world.js";
import { Danger, figures, marginOf, perpOf } from "../danger.js";

const [alice, bob, carol, own] = [signer(1), signer(2), signer(3), signer(4)] as [
  Signer,
  Signer,
  Signer,
  Signer,
];
const lower = (...signers: readonly Signer[]) =>
  signers.map(({ address }) => address.toLowerCase());

let danger: Danger;
let firstBlock = 0;

// Alice is long and breaks, Bob holds the other side, Carol holds ETH alone, and the liquidator
// nothing.
beforeAll(async () => {
  danger = await Danger.create();
  const { world } = danger;
  firstBlock = Number(await world.evm.rpc("eth_blockNumber"));
  for (const trader of [alice, bob, carol]) await world.deposit(trader, 10_000n);
  await world.deposit(own, 1_000n);
  await world.open(world.btc, alice, bob, COIN, 30_000n);
  await world.open(world.eth, carol, bob, COIN, 2_000n);
  await world.setPrice(world.btc, 20_500n * USD);
  await world.evm.save();
});
beforeEach(async () => {
  await danger.world.evm.restore();
  danger.rpc.faults = {};
  danger.rpc.take("");
});
afterAll(() => danger.close());

describe("a confirmation", () => {
  it("has candidates, costs, markets and the own margin of one block", async () => {
    const { world } = danger;
    const confirmation = await danger.confirm(own, alice, bob, carol);
    expect(confirmation.blockNumber).toBe(Number(await world.evm.rpc("eth_blockNumber")));
    expect(confirmation.accounts.map((entry) => entry.kind === "read" && entry.isSafe)).toEqual([
      false,
      true,
      true,
    ]);
    for (const trader of [alice, bob, carol, own])
      expect(figures(marginOf(confirmation, trader.address))).toEqual(
        await danger.riskOf(trader.address),
      );
    const [first] = confirmation.accounts;
    expect(first?.kind === "read" && first.costs.get(perpOf(world.btc))).toEqual({
      ok: true,
      paper: COIN,
      credit: -20_295n * USD,
    });
    expect([...confirmation.markets.keys()]).toEqual([perpOf(world.btc), perpOf(world.eth)]);
    expect(findVictims(confirmation).victims.map(({ account }) => account)).toEqual(lower(alice));
  });

  it("reads each account once, and never the own one as a candidate", async () => {
    const confirmation = await danger.confirm(
      own,
      alice,
      { address: alice.address.toLowerCase() },
      own,
    );
    expect(confirmation.accounts.map(({ account }) => account)).toEqual(lower(alice));
    expect(confirmation.own.account).toBe(own.address.toLowerCase());
    expect((await danger.confirm(own)).accounts).toEqual([]);
  });

  it("takes a few calls for many accounts, not one for each", async () => {
    const strangers = Array.from({ length: 150 }, (_, i) => ({
      address: `0x${(i + 1).toString(16).padStart(40, "0")}`,
    }));
    danger.rpc.take("eth_call");
    const { accounts } = await danger.confirm(own, ...strangers, alice);
    expect(accounts).toHaveLength(151);
    // Four of balances; the markets, the judgement and the cost of one each.
    expect(danger.rpc.take("eth_call")).toBe(7);
  });

  it("that fails reports no account, so that all due accounts stay due", async () => {
    const schedule = new AccountPollSchedule();
    for (const account of lower(alice, bob)) schedule.add(account);
    danger.rpc.faults = { tamper: (method, result) => (method === "eth_call" ? "0x" : result) };
    await expect(danger.confirm(own, alice, bob)).rejects.toThrow(ChainUnavailable);
    expect(schedule.due(1, 10).sort()).toEqual(lower(alice, bob).sort());
  });

  it("is not trusted from an RPC whose head is old", async () => {
    const { world, chain } = danger;
    const lens = new LensReader({
      rpc: chain,
      lens: world.lens.address,
      dealer: world.dealer.address,
    });
    const confirmer = new Confirmer({ rpc: chain, lens });
    await confirmer.confirm([alice.address], own.address);
    const tooOld = (result: unknown) => ({ ...(result as object), timestamp: "0x6553f000" });
    danger.rpc.faults = {
      tamper: (method, result) => (method === "eth_getBlockByNumber" ? tooOld(result) : result),
    };
    await expect(confirmer.confirm([alice.address], own.address)).rejects.toThrow("old");
  });

  it("of contracts with other liquidation prices than the formulas leads to no plan", async () => {
    const confirmation = await danger.confirm(own, alice);
    const [entry] = confirmation.accounts;
    if (entry?.kind !== "read") throw new Error("not read");
    const { btc } = danger.world;
    const costs = new Map([
      [perpOf(btc), { ok: true, paper: COIN, credit: -20_295n * USD - 1n } as const],
    ]);
    const other = { ...confirmation, accounts: [{ ...entry, costs }] };
    expect(findVictims(other)).toMatchObject({
      victims: [],
      refused: [{ reason: "other-formulas" }],
    });
    const margin = { ...entry.margin, netValueCredit: entry.margin.netValueCredit + 1n };
    expect(findVictims({ ...confirmation, accounts: [{ ...entry, margin }] })).toMatchObject({
      victims: [],
      refused: [{ reason: "other-formulas" }],
    });
    const mine = confirmation.own;
    if (mine.kind !== "read") throw new Error("not read");
    expect(findVictims(confirmation).victims).toHaveLength(1);
    const ownMargin = {
      ...mine.margin,
      maintenanceMarginCredit: mine.margin.maintenanceMarginCredit + 1n,
    };
    expect(findVictims({ ...confirmation, own: { ...mine, margin: ownMargin } })).toMatchObject({
      victims: [],
      refused: [
        { reason: "other-formulas", detail: expect.stringContaining("margin of the own account") },
      ],
    });
  });
});

describe("the chain's logs", () => {
  const scan = (options = {}) =>
    new HolderScan({
      rpc: danger.chain,
      dealer: danger.world.dealer.address,
      fromBlock: firstBlock,
      ...options,
    });
  const perps = () => [danger.world.btc, danger.world.eth].map(perpOf);
  const head = async () => Number(await danger.world.evm.rpc("eth_blockNumber"));

  it("show every account that traded or moved money, including those on no list", async () => {
    expect([...(await scan().step(await head(), perps()))].sort()).toEqual(
      lower(alice, bob, carol, own).sort(),
    );
  });

  it("give each step only new blocks, and the newest ones again", async () => {
    const { world } = danger;
    const logs = scan({ overlapBlocks: 2 });
    for (let i = 0; i < 5; i += 1) await world.evm.wait(1);
    await logs.step(await head(), perps());
    expect([...(await logs.step(await head(), perps()))]).toEqual([]);
    await world.liquidate(world.btc, own, alice, COIN / 100n, -(2n ** 127n));
    const seen = [...(await logs.step(await head(), perps()))].sort();
    expect(seen).toEqual(lower(alice, own).sort());
    // A reorganisation may have kept something back from the newest blocks: they are read twice.
    expect([...(await logs.step(await head(), perps()))].sort()).toEqual(seen);
    await world.dealer.send(carol, "fastWithdraw", carol.address, bob.address, 1n, 0, true, "0x");
    expect([...(await logs.step(await head(), perps()))]).toEqual(
      expect.arrayContaining(lower(bob, carol)),
    );
  });

  it("are read in ranges that a provider allows, none left out, and a step leads on however small they are", async () => {
    const asked: number[] = [];
    danger.rpc.faults = {
      refuse: (method) =>
        method === "eth_getLogs" && isTooLarge()
          ? { code: -32005, message: "range too large" }
          : undefined,
    };
    const isTooLarge = () => {
      const last = danger.rpc.asked[danger.rpc.asked.length - 1]?.params[0] as {
        fromBlock: string;
        toBlock: string;
      };
      const blocks = Number(last.toBlock) - Number(last.fromBlock) + 1;
      if (blocks <= 3) asked.push(blocks);
      return blocks > 3;
    };
    const logs = scan({ maxPages: 2 });
    const found = new Set<string>();
    const end = await head();
    for (let steps = 0; logs.nextBlock <= end && steps < 40; steps += 1)
      for (const account of await logs.step(end, perps())) found.add(account);
    expect(logs.nextBlock).toBe(end + 1);
    expect([...found].sort()).toEqual(lower(alice, bob, carol, own).sort());
    expect(Math.max(...asked)).toBeLessThanOrEqual(3);
  });

  it("that cannot be read leave the scan where it was", async () => {
    const logs = scan();
    danger.rpc.faults = {
      tamper: (method, result) => (method === "eth_getLogs" ? [{ topics: "none" }] : result),
    };
    await expect(logs.step(await head(), perps())).rejects.toThrow(ChainUnavailable);
    expect(logs.nextBlock).toBe(firstBlock);
    danger.rpc.faults = {};
    expect((await logs.step(await head(), perps())).size).toBe(4);
  });
});
