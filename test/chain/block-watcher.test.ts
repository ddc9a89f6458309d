import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { BlockWatcher } from "#chain/block-watcher.js";
import type { ChainStep } from "#chain/canonical-chain.js";
import { ChainRpc } from "#chain/chain-rpc.js";
import { CHAIN_ID, LaneWorld } from "./lanes/lane-world.js";

let world: LaneWorld;
let rpc: ChainRpc;
let watcher: BlockWatcher;
let steps: ChainStep[] = [];
let troubles: unknown[] = [];
/** The RPC answers as of this block where it is set, as one that lags does. */
let lagsAt: number | undefined;

beforeAll(async () => {
  world = await LaneWorld.start();
});
beforeEach(async () => {
  await world.reset();
  await world.mine(3);
  [steps, troubles, lagsAt] = [[], [], undefined];
  const call: LaneWorld["call"] = (method, params) =>
    world.call(
      method,
      params[0] === "latest" && lagsAt !== undefined
        ? [`0x${lagsAt.toString(16)}`, ...params.slice(1)]
        : params,
    );
  rpc = new ChainRpc({
    urls: [{ name: "edr", call }],
    chainId: CHAIN_ID,
    clock: world.clock,
    maxHeadAgeMs: 20_000,
  });
  watcher = new BlockWatcher({
    rpc,
    clock: world.clock,
    keep: 8,
    onStep: (step) => steps.push(step),
    onPollError: (error) => troubles.push(error),
  });
  await world.run(1000);
});
afterEach(async () => {
  await watcher.close();
  await rpc.close();
});

const numbers = () =>
  steps.map(({ added, removed }) => [
    added.map(({ number }) => number),
    removed.map(({ number }) => number),
  ]);
const head = () => world.chain.head.number;

describe("new blocks", () => {
  it("start with the newest; each later one is reported once, in order, with its parents", async () => {
    const first = head();
    expect(numbers()).toEqual([[[first], []]]);
    await world.mine();
    await world.run(1000);
    await world.mine(3);
    await world.run(2000);
    expect(numbers().slice(1)).toEqual([
      [[first + 1], []],
      [[first + 2, first + 3, first + 4], []],
    ]);
    const blocks = steps.flatMap(({ added }) => added);
    for (const [i, block] of blocks.entries())
      if (i > 0) expect(block.parentHash).toBe(blocks[i - 1]?.hash);
    expect(steps.every(({ isWhole }) => isWhole)).toBe(true);
  });

  it("that are too many to read are skipped, and the step says so", async () => {
    await world.mine(30);
    await world.run(1000);
    expect(steps.at(-1)).toMatchObject({
      isWhole: false,
      removed: [],
      added: [{ number: head() }],
    });
  });

  it("that come at regular times are detected soon, with fewer polls", async () => {
    const looks = () => world.timesAsked("eth_getBlockByNumber");
    const lateMs: number[] = [];
    let before = 0;
    for (let block = 0; block < 24; block += 1) {
      if (block === 16) before = looks();
      await world.mine();
      const [known, minedAtMs] = [steps.length, world.clock.monotonicMs()];
      for (let ms = 0; ms < 2000; ms += 20) {
        await world.run(20);
        if (steps.length > known && lateMs.length === block)
          lateMs.push(world.clock.monotonicMs() - minedAtMs);
      }
    }
    expect(lateMs).toHaveLength(24);
    expect(Math.max(...lateMs.slice(16))).toBeLessThanOrEqual(100);
    expect(looks() - before).toBeLessThanOrEqual(8 * 3);
  });

  it("are reported again after an RPC failed", async () => {
    world.faults = { isDead: () => true };
    await world.run(25_000);
    expect(troubles.length).toBeGreaterThan(0);
    world.faults = {};
    await world.mine();
    await world.run(40_000);
    expect(steps.at(-1)?.head.number).toBe(head());
  });

  it("are not polled once the watcher is closed", async () => {
    await watcher.close();
    await world.mine();
    await world.run(3000);
    expect(steps).toHaveLength(1);
  });
});

describe("a reorganisation", () => {
  it.each([1, 2, 3])(
    "of depth %d is told with what is gone and what is there instead",
    async (depth) => {
      await world.mine(4);
      await world.run(1000);
      const before = steps.flatMap(({ added }) => added);
      await world.reorg(depth);
      await world.run(1000);
      const { added, removed, isWhole } = steps.at(-1) as ChainStep;
      expect(removed.map(({ hash }) => hash)).toEqual(
        before
          .slice(-depth)
          .reverse()
          .map(({ hash }) => hash),
      );
      expect(added).toHaveLength(depth + 1);
      expect(added[0]?.parentHash).toBe(before.at(-depth - 1)?.hash);
      expect(isWhole).toBe(true);
    },
  );

  it("deeper than the remembered blocks is reported as incomplete", async () => {
    await world.mine(2);
    await world.run(1000);
    await world.reorg(5);
    await world.run(1000);
    expect(steps.at(-1)).toMatchObject({ isWhole: false });
    expect(steps.at(-1)?.removed).toHaveLength(3);
  });
});

describe("an RPC that lags", () => {
  it("removes no block, however long it lags: only another block at the same height does", async () => {
    const top = head();
    await world.mine(2);
    await world.run(1000);
    lagsAt = top;
    await world.run(10_000);
    expect(numbers().slice(1)).toEqual([[[top + 1, top + 2], []]]);
    lagsAt = undefined;
    await world.run(2000);
    expect(numbers().slice(1)).toEqual([[[top + 1, top + 2], []]]);
  });

  it("removes no block when it lags to before the first poll either", async () => {
    const top = head();
    lagsAt = top - 1;
    await world.run(10_000);
    expect(numbers().slice(1)).toEqual([]);
    lagsAt = undefined;
    await world.mine(1);
    await world.run(2000);
    expect(numbers().slice(1)).toEqual([[[top + 1], []]]);
  });
});
