import { afterEach, describe, expect, it } from "vitest";
import { VirtualClock } from "#core/virtual-clock.js";
import { MemoryRecords } from "../store/memory-records.js";
import { ChainWorld } from "./chain-world.js";

let world: ChainWorld;
afterEach(() => world.open.close());

const INTERVAL_MS = 2000;

async function expectOneView(...addresses: readonly string[]): Promise<void> {
  expect(world.exchange.unsettledTrades).toBe(0);
  for (const address of [...addresses, world.house()])
    expect(await world.ofChain(address)).toEqual(world.ofExchange(address));
  expect(world.exchange.audit().isConserved).toBe(true);
}

/** An exchange with a trade just matched: two accounts and the house. */
async function withTrade(records: MemoryRecords, blocks: object) {
  world = await ChainWorld.open({ records, config: { chain: { blocks } } });
  await world.setMark(30_000);
  const [alice, bob] = await world.clients();
  await world.clock.runFor(INTERVAL_MS);
  await world.open.waitUntilSettled();
  alice.place("SELL", "30000", "0.4");
  world
    .flow()
    .place({ agent: "maker", side: "SELL", ticks: 300_010, lots: 100, timeInForce: "GTC" });
  bob.place("BUY", "30010", "0.5");
  expect(world.exchange.unsettledTrades).toBe(2);
  return { alice: alice.address, bob: bob.address };
}

/** Starts another process with the state that the first one had at that instant. */
async function killAndRestart(left: MemoryRecords, blocks: object): Promise<void> {
  const nowMs = world.clock.nowMs();
  await world.open.close();
  world = await ChainWorld.open({
    records: left,
    clock: new VirtualClock(nowMs + 5000),
    config: { chain: { blocks } },
  });
}

describe("a process that is killed with a pending trade", () => {
  for (const blocks of [{ intervalMs: 0 }, { intervalMs: INTERVAL_MS }]) {
    const rhythm =
      blocks.intervalMs === 0 ? "where each transaction is a block" : "with blocks at an interval";

    it(`before it has sent it: the next one does, once, ${rhythm}`, async () => {
      const records = new MemoryRecords();
      const { alice, bob } = await withTrade(records, blocks);
      await killAndRestart(records.copy(), blocks);
      expect(world.exchange.unsettledTrades).toBe(2);
      await world.open.waitUntilSettled();
      await world.clock.runFor(INTERVAL_MS);
      await world.open.waitUntilSettled();
      expect((await world.trades()).map(({ isReverted }) => isReverted)).toEqual([false]);
      await expectOneView(alice, bob);
    });

    it(`before it has heard of it: the next one finds it, and sends nothing, ${rhythm}`, async () => {
      const records = new MemoryRecords();
      const { alice, bob } = await withTrade(records, blocks);
      const { chain } = world.chain;
      await chain.idle();
      const left = records.copy();
      expect(world.exchange.unsettledTrades).toBe(2);
      await killAndRestart(left, blocks);
      await world.open.waitUntilSettled();
      await world.clock.runFor(INTERVAL_MS);
      await world.open.waitUntilSettled();
      expect((await world.trades()).map(({ isReverted }) => isReverted)).toEqual([false]);
      await expectOneView(alice, bob);
    });

    it(`after it was settled: nothing is left to do, ${rhythm}`, async () => {
      const records = new MemoryRecords();
      const { alice, bob } = await withTrade(records, blocks);
      await world.open.waitUntilSettled();
      await world.clock.runFor(INTERVAL_MS);
      await world.open.waitUntilSettled();
      const before = world.ofExchange(bob);
      await killAndRestart(records.copy(), blocks);
      await world.open.waitUntilSettled();
      expect(await world.trades()).toHaveLength(1);
      expect(world.ofExchange(bob)).toEqual(before);
      await expectOneView(alice, bob);
    });
  }
});

describe("records that do not match their chain", () => {
  it("are refused with nothing of the block applied, at every start", async () => {
    const records = new MemoryRecords();
    await withTrade(records, { intervalMs: 0 });
    await world.chain.chain.idle();
    const left = records.copy();
    for (const key of left.texts.keys()) if (key.startsWith("pending/")) left.texts.delete(key);
    const own = () => [...left.texts].filter(([key]) => !key.startsWith("chain/"));
    const before = own();
    for (let start = 0; start < 2; start += 1) {
      const again = ChainWorld.open({
        records: left,
        clock: new VirtualClock(world.clock.nowMs() + 5000),
      });
      await expect(again).rejects.toThrow("reports a trade that is not pending");
      expect(own()).toEqual(before);
    }
  });
});

describe("an exchange that is stopped and started again", () => {
  it("settles the pending trades", async () => {
    const { alice, bob } = await withTrade(new MemoryRecords(), { intervalMs: 0 });
    world.exchange.stop();
    await world.open.waitUntilSettled();
    expect(world.exchange.unsettledTrades).toBe(2);
    world.exchange.start();
    await world.open.waitUntilSettled();
    expect(await world.trades()).toHaveLength(1);
    await expectOneView(alice, bob);
  });
});

describe("with blocks at an interval", () => {
  it("trades wait for the next one, which settles all of them", async () => {
    const { alice, bob } = await withTrade(new MemoryRecords(), { intervalMs: INTERVAL_MS });
    await world.open.waitUntilSettled();
    expect(world.exchange.unsettledTrades).toBe(2);
    const { number } = world.chain.chain.head;
    const [, , carol] = await world.clients();
    await world.clock.runFor(INTERVAL_MS);
    await world.open.waitUntilSettled();
    expect(world.chain.chain.head.number).toBe(number + 1);
    await expectOneView(alice, bob, carol.address);
  });
});
