import { afterEach, describe, expect, it } from "vitest";
import { CapturedDepth } from "#simulator/captured-depth.js";
import { KEYS, ReferenceClient } from "../reference-client.js";
import { ChainWorld, type ChainWorldOptions } from "./chain-world.js";

let world: ChainWorld;
afterEach(() => world.open.close());

async function open(options: ChainWorldOptions = {}) {
  world = await ChainWorld.open(options);
  await world.setMark(30_000);
  const [alice, bob, carol] = await world.clients();
  return { alice, bob, carol };
}

/**
 * Requires that the chain has everyone's balances as the exchange reports them and the order
 * sender's fees, and that nothing is pending.
 */
async function expectOneView(...addresses: readonly string[]): Promise<void> {
  expect(world.exchange.unsettledTrades).toBe(0);
  for (const address of [...addresses, world.house()])
    expect(await world.ofChain(address)).toEqual(world.ofExchange(address));
  const { primary } = await world.ofChain(world.chain.addresses.orderSender);
  expect(primary - ROLE_CREDIT).toBe(world.exchange.audit().feeCredit);
  expect(world.exchange.audit().isConserved).toBe(true);
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

/** The initial credit of the houses and the order sender. */
const ROLE_CREDIT = 10n ** 18n;
const USD = 10n ** 6n;
const BASE = 10n ** 18n;

describe("a match of two accounts", () => {
  it("waits for its block and is settled by it", async () => {
    const { alice, bob } = await open();
    alice.place("SELL", "30000", "1");
    bob.place("BUY", "30010", "0.4");
    expect(bob.openOrders()).toMatchObject([
      { status: "PARTIAL_FILLED", pendingAmount: "0.4", filledAmount: "0" },
    ]);
    expect(bob.call("GET", "/v1/userTrades", { marketId: "btcusdc" }).json).toMatchObject([
      { status: "CREATED" },
    ]);
    await world.open.waitUntilSettled();
    expect(bob.call("GET", "/v1/historyOrders", { marketId: "btcusdc" }).json).toMatchObject([
      { status: "FILLED", filledAmount: "0.4" },
    ]);
    expect(bob.call("GET", "/v1/userTrades", { marketId: "btcusdc" }).json).toMatchObject([
      { status: "SETTLED" },
    ]);
    expect(alice.openOrders()).toMatchObject([
      { status: "PARTIAL_FILLED", filledAmount: "0.4", availableAmount: "0.6" },
    ]);
    // 12,000 at the maker's -1 bp and the taker's 3 bp.
    expect(await world.ofChain(bob.address)).toMatchObject({
      paper: (4n * BASE) / 10n,
      credit: -12_003_600_000n,
    });
    expect(await world.ofChain(alice.address)).toMatchObject({
      paper: (-4n * BASE) / 10n,
      credit: 12_001_200_000n,
    });
    await expectOneView(alice.address, bob.address);
  });

  it("fills an order part by part, each in a transaction of its own", async () => {
    const { alice, bob, carol } = await open();
    alice.place("SELL", "30000", "1");
    bob.place("BUY", "30000", "0.4");
    carol.place("BUY", "30000", "0.25");
    bob.place("BUY", "30000", "0.35");
    await world.open.waitUntilSettled();
    expect((await world.trades()).map(({ isReverted }) => isReverted)).toEqual([
      false,
      false,
      false,
    ]);
    expect(alice.openOrders()).toEqual([]);
    await expectOneView(alice.address, bob.address, carol.address);
  });

  it("realises what a position made when it closes", async () => {
    const { alice, bob } = await open();
    alice.place("SELL", "30000", "1");
    bob.place("BUY", "30000", "1");
    alice.place("BUY", "30100", "1");
    bob.place("SELL", "30100", "1");
    await world.open.waitUntilSettled();
    // Bob made 100, and paid 3 bp twice; Alice was the maker.
    expect(await world.ofChain(bob.address)).toEqual({
      paper: 0n,
      credit: 0n,
      primary: 100_000n * USD + 100n * USD - 9n * USD - 9_030_000n,
    });
    await expectOneView(alice.address, bob.address);
  });
});

describe("a fee", () => {
  it("may be a rebate beyond what the taker pays, from the order sender's credit", async () => {
    const { alice, bob } = await open({
      config: { markets: { btcusdc: { makerFeeRate: "-0.001", takerFeeRate: "0.0003" } } },
    });
    alice.place("SELL", "30000", "0.4");
    bob.place("BUY", "30000", "0.4");
    await world.open.waitUntilSettled();
    expect(world.exchange.audit().feeCredit).toBe(-8_400_000n);
    await expectOneView(alice.address, bob.address);
  });

  it("includes the gas of an order below the waiver", async () => {
    const gasFee = {
      minGasPriceWei: "50000000",
      maxGasPriceWei: "50000000",
      waiverMultiple: 10_000,
    };
    const { alice, bob } = await open({ config: { gasFee } });
    alice.place("SELL", "30000", "0.4");
    const terms = {
      marketId: "btcusdc",
      side: "BUY",
      orderType: "LIMIT",
      price: "30000",
      amount: "0.001",
      timeInForce: "IOC",
    };
    const { order, orderHash, gasFeeQuotation } = bob.call("POST", "/v1/order/build", terms).json;
    const orderSignature = bob.wallet.signingKey.sign(orderHash).serialized;
    expect(
      bob.call("POST", "/v1/order", { ...terms, info: order.info, orderSignature, gasFeeQuotation })
        .status,
    ).toBe(200);
    await world.open.waitUntilSettled();
    expect(bob.call("GET", "/v1/userTrades", { marketId: "btcusdc" }).json).toMatchObject([
      { status: "SETTLED" },
    ]);
    // 3 bp of 30, and gas for 0.01875.
    expect(world.exchange.account(bob.address)?.inMarket("btcusdc").trades.last()?.commission).toBe(
      27_750n,
    );
    await expectOneView(alice.address, bob.address);
  });
});

describe("an order that an operator signed", () => {
  it("settles for the account", async () => {
    const { alice, bob, carol } = await open();
    const { status } = bob.call("POST", "/operator", { operator: carol.address, isValid: "true" });
    expect(status).toBe(200);
    await world.open.waitUntilSettled();
    alice.place("SELL", "30000", "0.4");
    const acting = new ReferenceClient(
      world.exchange,
      () => world.clock.nowMs(),
      KEYS[2],
      "10.0.0.3",
      false,
      bob.address,
    );
    acting.place("BUY", "30000", "0.4");
    await world.open.waitUntilSettled();
    expect((await world.ofChain(bob.address)).paper).toBe((4n * BASE) / 10n);
    await expectOneView(alice.address, bob.address, carol.address);
  });
});

describe("an order that trades with several makers", () => {
  it("is one transaction with all its makers, whatever their order in the book, and pays the fee of the sum", async () => {
    const { alice, bob, carol } = await open();
    const flow = world.flow();
    // Odd prices, so that each match's own fee would be truncated.
    const prices = ["30000.1", "30000.3", "30000.7", "30001.1"];
    alice.place("SELL", prices[0] as string, "0.333");
    flow.place({ agent: "maker", side: "SELL", ticks: 300_003, lots: 111, timeInForce: "GTC" });
    carol.place("SELL", prices[2] as string, "0.777");
    alice.place("SELL", prices[3] as string, "0.123");
    bob.place("BUY", "30002", "1.25");
    await world.open.waitUntilSettled();
    const trades = await world.trades();
    expect(trades).toHaveLength(1);
    expect(
      world.exchange.account(bob.address)?.inMarket("btcusdc").trades.page({ limit: 10 }),
    ).toHaveLength(4);
    await expectOneView(alice.address, bob.address, carol.address);
    const fees = await world.fees();
    for (const { address } of [alice, bob, carol]) {
      const part = world.exchange.account(address)?.inMarket("btcusdc");
      const orders = [
        ...(part?.history.page({ limit: 10 }) ?? []),
        ...world.exchange.openOrders(address),
      ];
      const paid = (part?.trades.page({ limit: 10 }) ?? []).map(({ commission }) => commission);
      expect(sum(orders.flatMap(({ terms }) => fees.get(terms.hash) ?? []))).toBe(sum(paid));
    }
  });

  it("changes a position once: a position in between is never realised", async () => {
    const { alice, bob, carol } = await open();
    alice.place("SELL", "30000", "1");
    bob.place("BUY", "30000", "1");
    carol.place("BUY", "29990", "1");
    alice.place("BUY", "29980", "0.5");
    // From long 1 through 0 to short 0.5.
    bob.place("SELL", "29000", "1.5");
    await world.open.waitUntilSettled();
    expect(await world.ofChain(bob.address)).toMatchObject({
      paper: -BASE / 2n,
      primary: 100_000n * USD,
    });
    await expectOneView(alice.address, bob.address, carol.address);
  });

  it("is several transactions where a block cannot hold all its makers", async () => {
    const { alice, bob } = await open({ config: { chain: { blocks: { gasLimit: 10_000_000 } } } });
    alice.place("SELL", "30000", "0.01");
    for (let place = 1; place < 59; place += 1) {
      world.flow().place({
        agent: "maker",
        side: "SELL",
        ticks: 300_000 + place,
        lots: 10,
        timeInForce: "GTC",
      });
    }
    alice.place("SELL", "30005.9", "0.01");
    bob.place("BUY", "30100", "0.6");
    await world.open.waitUntilSettled();
    const trades = await world.trades();
    expect(trades.length).toBeGreaterThan(1);
    expect(trades.every(({ isReverted }) => !isReverted)).toBe(true);
    await expectOneView(alice.address, bob.address);
  });
});

describe("orders that do not rest", () => {
  it("settle their fills, and end for the rest", async () => {
    const { alice, bob } = await open();
    alice.place("SELL", "30000", "0.1");
    bob.place("BUY", "30010", "0.2", { timeInForce: "IOC" });
    alice.place("SELL", "30000", "0.1");
    bob.place("BUY", "31000", "0.1", { type: "MARKET", timeInForce: "IOC" });
    alice.place("SELL", "30000", "0.1");
    bob.place("BUY", "30000", "0.1", { timeInForce: "FOK" });
    await world.open.waitUntilSettled();
    expect(bob.call("GET", "/v1/historyOrders", { marketId: "btcusdc" }).json).toMatchObject([
      { status: "EXPIRED", filledAmount: "0.1", expiredAmount: "0.1" },
      { status: "FILLED", filledAmount: "0.1", type: "MARKET" },
      { status: "FILLED", filledAmount: "0.1" },
    ]);
    await expectOneView(alice.address, bob.address);
  });

  it("skip orders of their own account", async () => {
    const { alice, bob } = await open();
    bob.place("SELL", "30000", "0.1");
    alice.place("SELL", "30001", "0.1");
    bob.place("BUY", "30001", "0.1");
    await world.open.waitUntilSettled();
    expect((await world.trades()).map(({ isReverted }) => isReverted)).toEqual([false]);
    expect(bob.call("GET", "/v1/historyOrders", { marketId: "btcusdc" }).json).toMatchObject([
      { status: "CANCELED" },
      { status: "FILLED" },
    ]);
    await expectOneView(alice.address, bob.address);
  });
});

describe("the house of a market", () => {
  it("takes and makes with orders that it signs at the match", async () => {
    const { alice, bob } = await open();
    const flow = world.flow();
    alice.place("SELL", "30000.1", "0.333");
    bob.place("SELL", "30000.7", "0.5");
    flow.place({ agent: "taker", side: "BUY", ticks: 300_010, lots: 700, timeInForce: "IOC" });
    flow.place({ agent: "maker", side: "BUY", ticks: 299_990, lots: 100, timeInForce: "GTC" });
    alice.place("SELL", "29999", "0.05", { timeInForce: "IOC" });
    alice.place("SELL", "29999", "0.05", { timeInForce: "IOC" });
    await world.open.waitUntilSettled();
    expect((await world.trades()).map(({ isReverted }) => isReverted)).toEqual([
      false,
      false,
      false,
    ]);
    expect(await world.ofChain(world.house())).toMatchObject({ paper: (8n * BASE) / 10n });
    await expectOneView(alice.address, bob.address);
  });

  it("trades with itself off the chain", async () => {
    await open();
    const flow = world.flow();
    flow.place({ agent: "maker", side: "BUY", ticks: 300_000, lots: 100, timeInForce: "GTC" });
    flow.place({ agent: "taker", side: "SELL", ticks: 300_000, lots: 60, timeInForce: "IOC" });
    await world.open.waitUntilSettled();
    expect(await world.trades()).toEqual([]);
    expect(world.exchange.market("btcusdc").trades.page({ limit: 5 })).toMatchObject([
      { lots: 60 },
    ]);
  });

  it("is the counterparty of recorded liquidity, at the price of the order that it reached", async () => {
    const { alice, bob } = await open();
    const flow = world.flow();
    flow.attachRecorded(new CapturedDepth());
    flow.applyRecorded({ kind: "snapshot", bids: [299_990, 1000], asks: [300_010, 1000] });
    alice.place("BUY", "30000", "0.123");
    bob.place("BUY", "29999.3", "0.456");
    flow.recordedPrint({
      aggressor: "SELL",
      ticks: 299_980,
      lots: 2000,
      timeMs: world.clock.nowMs(),
    });
    bob.place("BUY", "30001", "0.2", { timeInForce: "IOC" });
    await world.open.waitUntilSettled();
    expect((await world.trades()).map(({ isReverted }) => isReverted)).toEqual([false, false]);
    expect(await world.ofChain(alice.address)).toMatchObject({ paper: (123n * BASE) / 1000n });
    await expectOneView(alice.address, bob.address);
  });
});
