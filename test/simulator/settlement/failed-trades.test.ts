import { afterEach, describe, expect, it } from "vitest";
import { SOURCE } from "../chain/chains.js";
import { ChainWorld, type ChainWorldOptions } from "./chain-world.js";

let world: ChainWorld;
afterEach(() => world.open.close());

async function open(options: ChainWorldOptions = {}) {
  world = await ChainWorld.open(options);
  await world.setMark(30_000);
  const [alice, bob, carol] = await world.clients();
  return { alice, bob, carol };
}

/** Sets a price that the exchange does not know yet when it sends its next trade. */
function setPriceOnChain(quote: bigint): Promise<unknown> {
  const { chain, keys, addresses } = world.chain;
  const to = addresses.markets.get("btcusdc")?.priceSource ?? null;
  return chain.send({
    from: keys.market("btcusdc").signer,
    to,
    data: SOURCE.encodeFunctionData("setMarkPrice", [quote * 10n ** 6n]),
    gas: 200_000,
  });
}

async function expectOneView(...addresses: readonly string[]): Promise<void> {
  expect(world.exchange.unsettledTrades).toBe(0);
  for (const address of [...addresses, world.house()])
    expect(await world.ofChain(address)).toEqual(world.ofExchange(address));
  expect(world.exchange.audit().isConserved).toBe(true);
}

describe("a trade whose transaction reverts", () => {
  it("fails with all its amounts, and leaves no trace in position, money or fees", async () => {
    const { alice, bob } = await open();
    alice.place("SELL", "30000", "5");
    const sent = setPriceOnChain(60_000n);
    bob.place("BUY", "30000", "5");
    await sent;
    await world.open.waitUntilSettled();
    expect(world.reports).toMatchObject([
      { kind: "trade-failed", about: "btcusdc", reason: "TRADER_NOT_SAFE" },
    ]);
    expect((await world.trades()).map(({ hash, isReverted }) => [hash, isReverted])).toEqual([
      [world.reports[0]?.hash, true],
    ]);
    for (const client of [alice, bob]) {
      expect(client.call("GET", "/v1/historyOrders", { marketId: "btcusdc" }).json).toMatchObject([
        { status: "FAILED", failedAmount: "5", filledAmount: "0", pendingAmount: "0" },
      ]);
      expect(client.call("GET", "/v1/userTrades", { marketId: "btcusdc" }).json).toMatchObject([
        { status: "FAILED" },
      ]);
      expect(client.balances()).toMatchObject({ balances: { netValue: "100000" }, positions: [] });
    }
    expect(world.exchange.audit()).toMatchObject({ feeCredit: 0n });
    await expectOneView(alice.address, bob.address);
  });

  it("fails for all its makers, whose open lots stay in the book", async () => {
    const { alice, bob, carol } = await open();
    carol.place("SELL", "30000", "0.1");
    alice.place("SELL", "30001", "6");
    // Only the taker has a loss.
    const sent = setPriceOnChain(9_000n);
    bob.place("BUY", "30001", "5.1");
    await sent;
    await world.open.waitUntilSettled();
    expect(carol.call("GET", "/v1/historyOrders", { marketId: "btcusdc" }).json).toMatchObject([
      { status: "FAILED", failedAmount: "0.1" },
    ]);
    expect(alice.openOrders()).toMatchObject([{ failedAmount: "5", availableAmount: "1" }]);
    expect(world.exchange.book("btcusdc").asks).toEqual([[300_010, 1000]]);
    // The rest of the order trades on, with the same signature.
    await world.setMark(30_000);
    bob.place("BUY", "30001", "1");
    await world.open.waitUntilSettled();
    expect(alice.call("GET", "/v1/historyOrders", { marketId: "btcusdc" }).json).toMatchObject([
      { filledAmount: "1", failedAmount: "5" },
    ]);
    await expectOneView(alice.address, bob.address, carol.address);
  });

  it("leaves the trades before and after it as they are", async () => {
    const { alice, bob, carol } = await open();
    alice.place("SELL", "30000", "6");
    bob.place("BUY", "30000", "0.5");
    await world.open.waitUntilSettled();
    const sent = setPriceOnChain(60_000n);
    carol.place("BUY", "30000", "5");
    await sent;
    // Sent before the outcome of the other is known.
    const back = setPriceOnChain(30_000n);
    bob.place("BUY", "30000", "0.25");
    await back;
    await world.open.waitUntilSettled();
    expect((await world.trades()).map(({ isReverted }) => isReverted)).toEqual([
      false,
      true,
      false,
    ]);
    expect(alice.balances()).toMatchObject({
      positions: [{ side: "SHORT", size: "0.75", entryPrice: "30000" }],
    });
    await expectOneView(alice.address, bob.address, carol.address);
  });

  it("is caused by a stale price of the market", async () => {
    const { alice, bob } = await open({
      config: { chain: { contracts: { priceHeartbeatMs: 60_000 } } },
    });
    alice.place("SELL", "30000", "1");
    world.clock.stepWall(61_000);
    bob.place("BUY", "30000", "1");
    await world.open.waitUntilSettled();
    expect(world.reports).toMatchObject([
      { kind: "trade-failed", reason: "ORACLE_HEARTBEAT_FAILED" },
    ]);
    await expectOneView(alice.address, bob.address);
  });

  it("is caused by an order that expired before its block", async () => {
    const { alice, bob } = await open({ config: { chain: { blocks: { intervalMs: 120_000 } } } });
    await world.clock.runFor(120_000);
    await world.open.waitUntilSettled();
    alice.place("SELL", "30000", "1", {
      timeInForce: "GTT",
      expirationMs: world.clock.nowMs() + 62_000,
    });
    bob.place("BUY", "30000", "1");
    await world.clock.runFor(120_000);
    await world.open.waitUntilSettled();
    expect(world.reports).toMatchObject([{ kind: "trade-failed", reason: "JOJO_ORDER_EXPIRED" }]);
    expect(alice.call("GET", "/v1/historyOrders", { marketId: "btcusdc" }).json).toMatchObject([
      { status: "FAILED", failedAmount: "1" },
    ]);
    await expectOneView(alice.address, bob.address);
  });
});

describe("a trade that the chain refuses", () => {
  it("fails like one that reverts", async () => {
    const { alice, bob } = await open();
    const { chain, keys } = world.chain;
    await chain.request("hardhat_setBalance", keys.orderSender.signer.address, "0x0");
    alice.place("SELL", "30000", "1");
    bob.place("BUY", "30000", "1");
    await world.open.waitUntilSettled();
    expect(world.reports).toMatchObject([{ kind: "trade-failed", hash: null }]);
    expect(await world.trades()).toEqual([]);
    expect(bob.call("GET", "/v1/userTrades", { marketId: "btcusdc" }).json).toMatchObject([
      { status: "FAILED" },
    ]);
    await expectOneView(alice.address, bob.address);
  });
});
