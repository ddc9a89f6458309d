import { afterEach, describe, expect, it } from "vitest";
import type { Hex } from "#core/units.js";
import { ChainWorld } from "./chain-world.js";
import { markOnChain, SOURCE, setMark } from "./wallet.js";

const MARKET = "btcusdc";
const MINUTE = 60_000;

let world: ChainWorld;
afterEach(() => world.open.close());

async function open(chain: object = {}): Promise<ChainWorld> {
  world = await ChainWorld.open({ config: { chain } });
  return world;
}

const mark = () => world.exchange.market(MARKET).prices.mark;
const reference = (quote: number) => {
  const ticks = quote * 10;
  world.flow().setReference(ticks, ticks);
};

/** The number of prices that its source has been given. */
async function rounds(): Promise<number> {
  const source = world.chain.addresses.markets.get(MARKET)?.priceSource as Hex;
  return Number(await world.chain.chain.call(source, SOURCE.encodeFunctionData("roundId") as Hex));
}

describe("a mark", () => {
  it("is the price of its source on chain, and the market's own price only when a block has it", async () => {
    await open({ blocks: { intervalMs: 500 } });
    reference(30_000);
    expect(mark()).toBe(0n);
    await world.clock.runFor(500);
    await world.open.waitUntilSettled();
    expect(mark()).toBe(30_000_000_000n);
    expect(await markOnChain(world, MARKET)).toBe(30_000_000_000n);
  });

  it("is sent at most once an interval, with the last value, and not for a negligible change", async () => {
    await open({ oracle: { minIntervalMs: 1000, minChangeBps: 10 } });
    reference(30_000);
    await world.open.waitUntilSettled();
    for (let step = 1; step <= 9; step += 1) {
      reference(30_000 + 10 * step);
      await world.clock.runFor(100);
      await world.open.waitUntilSettled();
    }
    expect([await rounds(), mark()]).toEqual([1, 30_000_000_000n]);
    await world.clock.runFor(1000);
    await world.open.waitUntilSettled();
    expect([await rounds(), mark()]).toEqual([2, 30_090_000_000n]);
    // 0.09 % is less than ten hundredths of a percent.
    reference(30_117);
    await world.clock.runFor(5000);
    await world.open.waitUntilSettled();
    expect([await rounds(), mark()]).toEqual([2, 30_090_000_000n]);
  });

  it("set by another account counts until the market sends its next one", async () => {
    await open();
    reference(30_000);
    await world.open.waitUntilSettled();
    await setMark(world, 27_123.45);
    expect(mark()).toBe(27_123_450_000n);
    await world.clock.runFor(10_000);
    await world.open.waitUntilSettled();
    expect(mark()).toBe(27_123_450_000n);
    reference(30_001);
    await world.open.waitUntilSettled();
    expect(mark()).toBe(30_001_000_000n);
  });

  it("of a quiet market is sent again before it goes stale", async () => {
    await open({ contracts: { priceHeartbeatMs: 10 * MINUTE } });
    reference(30_000);
    await world.open.waitUntilSettled();
    for (let minute = 0; minute < 60; minute += 1) {
      await world.clock.runFor(MINUTE);
      await world.open.waitUntilSettled();
      expect(await markOnChain(world, MARKET)).toBe(30_000_000_000n);
    }
    expect(await rounds()).toBe(13);
  });

  it("is sent again when the chain's clock was moved manually", async () => {
    await open({ contracts: { priceHeartbeatMs: 10 * MINUTE } });
    reference(30_000);
    await world.open.waitUntilSettled();
    await world.chain.chain.request("evm_increaseTime", 3600);
    await world.chain.chain.request("evm_mine");
    await world.open.waitUntilSettled();
    expect(await rounds()).toBe(2);
    expect(await markOnChain(world, MARKET)).toBe(30_000_000_000n);
  });
});
