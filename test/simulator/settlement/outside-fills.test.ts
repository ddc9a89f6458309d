import { Interface } from "ethers";
import { afterEach, describe, expect, it } from "vitest";
import type { Signer } from "#core/signing.js";
import type { Hex } from "#core/units.js";
import { KEYS, type ReferenceClient } from "../reference-client.js";
import { FORWARDER_CODE, forwarded } from "./calling-contracts.js";
import { ChainWorld, DEALER } from "./chain-world.js";
import { expectEqualViews } from "./equal-views.js";
import { openKept } from "./kept-exchange.js";
import { allowToTrade, type OutsideOrder, outsideTrade, tradeOutside } from "./outside-fill.js";
import { carriedOut, primaryOnChain, setMark, tokensOf, walletOf } from "./wallet.js";

const [SENDER, STRANGER] = [walletOf(KEYS[2]), walletOf(KEYS[0])];
const TAKER_RATE = 5n * 10n ** 14n;
const MAKER_RATE = 10n ** 14n;

let world: ChainWorld;
afterEach(() => world.open.close());

const sell = (client: ReferenceClient, amount: string, rate = TAKER_RATE): OutsideOrder => ({
  client,
  side: "SELL",
  price: "60000",
  amount,
  rate,
});
const buy = (client: ReferenceClient, amount: string, rate = MAKER_RATE): OutsideOrder => ({
  ...sell(client, amount, rate),
  side: "BUY",
});

/** Sends a trade by an allowed wallet, and applies it. */
async function traded(taker: OutsideOrder, ...makers: readonly OutsideOrder[]): Promise<void> {
  const hash = await tradeOutside(world, SENDER, taker, ...makers);
  expect((await world.chain.chain.receipt(hash))?.isReverted).toBe(false);
  await world.open.waitUntilSettled();
}

const incomesOf = (client: ReferenceClient, type: string) =>
  client
    .call("GET", "/v1/incomes", { marketId: "btcusdc", type })
    .json.map(({ amount }: { amount: string }) => amount) as string[];

const addressesOf = (clients: readonly ReferenceClient[]) =>
  clients.map(({ address }) => address as Hex);

describe("a trade that another sender sent to the contracts", () => {
  it("is listed at its price, with each fee once, for takers, makers of several orders, and rebates", async () => {
    world = await ChainWorld.open();
    await world.setMark(60_000);
    const [alice, bob, carol] = await world.clients();
    await allowToTrade(world, SENDER.address);
    await traded(sell(alice, "0.03"), buy(bob, "0.01"), buy(bob, "0.02", -MAKER_RATE));
    expect([incomesOf(alice, "SELL"), incomesOf(alice, "TAKER_FEE")]).toEqual([["1800"], ["-0.9"]]);
    expect([incomesOf(bob, "BUY"), incomesOf(bob, "MAKER_FEE")]).toEqual([
      ["-600", "-1200"],
      ["0.06"],
    ]);
    await expectEqualViews(world, addressesOf([alice, bob, carol]));
  });
});

describe("a dataDir whose chain has the contracts of an earlier version", () => {
  it("opens with those contracts, and applies the unread blocks: fees once, and the insurance account", async () => {
    world = await openKept();
    const clients = await world.clients();
    const [alice, bob] = clients;
    const { chain, addresses, dealerEventFormat } = world.chain;
    expect(dealerEventFormat).toEqual({ isFilledCreditNet: false });
    const setInsurance = new Interface([
      "event SetInsurance(address indexed, address indexed)",
    ]).getEvent("SetInsurance")?.topicHash;
    const logs = (await chain.request("eth_getLogs", {
      address: addresses.dealer,
      fromBlock: "0x0",
      topics: [setInsurance],
    })) as {
      readonly topics: readonly string[];
    }[];
    expect(logs.map(({ topics }) => topics.length)).toEqual([3, 3]);
    // Once by the exchange, then twice by the wallet: the second time while the exchange was
    // stopped.
    expect([incomesOf(alice, "SELL"), incomesOf(bob, "BUY")]).toEqual([
      ["600", "1200", "1800"],
      ["-600", "-1200", "-1800"],
    ]);
    expect([incomesOf(alice, "TAKER_FEE"), incomesOf(bob, "MAKER_FEE")]).toEqual([
      ["-0.6", "-0.9"],
      ["-0.12", "-0.18"],
    ]);
    expect(bob.balances().balances.pendingWithdrawPrimaryCreditAmount).toBe("50");
    expect(world.exchange.audit().isConserved).toBe(true);
  });

  it("continues: trades by the exchange and by others, a pending withdrawal, and one more market", async () => {
    world = await openKept({ markets: { btcusdc: {}, ethusdc: { baseAsset: "ETH" } } });
    const clients = await world.clients();
    const [alice, bob] = clients;
    await setMark(world, 60_000);
    await setMark(world, 2_000, "ethusdc");
    alice.place("SELL", "60000", "0.01");
    bob.place("BUY", "60000", "0.01");
    alice.place("BUY", "2000", "1", { marketId: "ethusdc" });
    bob.place("SELL", "2000", "1", { marketId: "ethusdc" });
    await world.open.waitUntilSettled();
    expect(world.reports).toEqual([]);
    await traded(sell(alice, "0.03"), buy(bob, "0.01"), buy(bob, "0.02", -MAKER_RATE));
    expect([incomesOf(alice, "SELL").at(-1), incomesOf(alice, "TAKER_FEE").at(-1)]).toEqual([
      "1800",
      "-0.9",
    ]);
    expect([incomesOf(bob, "BUY").slice(-2), incomesOf(bob, "MAKER_FEE").at(-1)]).toEqual([
      ["-600", "-1200"],
      "0.06",
    ]);
    await expectEqualViews(world, addressesOf(clients));
    const { dealer } = world.chain.addresses;
    const wallet = walletOf(KEYS[1]);
    expect(
      await carriedOut(
        world,
        wallet,
        dealer,
        DEALER,
        "executeWithdraw",
        bob.address,
        bob.address,
        false,
        "0x",
      ),
    ).toBe(true);
    expect(await tokensOf(world, bob.address)).toBe(50_000_000n);
    expect(bob.call("POST", "/withdraw", { amount: "7" }).status).toBe(200);
    await world.open.waitUntilSettled();
    expect(await tokensOf(world, bob.address)).toBe(57_000_000n);
    await expectEqualViews(world, addressesOf(clients));
  });
});

describe("a change by the owner of earlier contracts that affects no account", () => {
  it("stops nothing: the keeper of funding with the next start, and order senders and the whitelist while it runs", async () => {
    world = await openKept({
      chain: { rpc: null, accounts: { count: 0 }, contracts: { fundingLimiter: false } },
    });
    const clients = await world.clients();
    const [alice, bob] = clients;
    const { addresses, keys } = world.chain;
    const { dealer, token } = addresses;
    const owner = keys.owner.signer;
    const change = (name: string, ...args: readonly unknown[]) =>
      carriedOut(world, owner, dealer, DEALER, name, ...args);
    expect(await change("setOrderSender", STRANGER.address, true)).toBe(true);
    expect(await change("setFastWithdrawalWhitelist", STRANGER.address, true)).toBe(true);
    expect(await change("setFundingRateKeeper", STRANGER.address)).toBe(true);
    expect(await change("setSecondaryAsset", token)).toBe(true);
    expect(world.exchange.isRunning).toBe(true);
    await setMark(world, 60_000);
    alice.place("SELL", "60000", "0.01");
    bob.place("BUY", "60000", "0.01");
    await world.open.waitUntilSettled();
    expect(world.reports).toEqual([]);
    await expectEqualViews(world, addressesOf(clients));
  });
});

const FORWARDER = "0x00000000000000000000000000000000000f0f0f";

/** Calls `to` from the contract, in the wallet's transaction. */
async function byContract(from: Signer, to: Hex, data: string): Promise<void> {
  const { chain } = world.chain;
  const hash = await chain.send({
    from,
    ...forwarded(FORWARDER, { to, data: data as Hex }),
    gas: 3_000_000,
  });
  expect((await chain.receipt(hash))?.isReverted).toBe(false);
  await world.open.waitUntilSettled();
}

describe("an action of a contract in its own name", () => {
  it("executes or replaces a pending withdrawal: no credit that the contracts paid out stays locked", async () => {
    world = await ChainWorld.open();
    await world.setMark(60_000);
    const [alice, bob] = await world.clients();
    await world.chain.chain.request("hardhat_setCode", FORWARDER, FORWARDER_CODE);
    const { dealer } = world.chain.addresses;
    const wallet = walletOf(KEYS[1]);
    const locked = () => bob.balances().balances.pendingWithdrawPrimaryCreditAmount;
    expect(
      await carriedOut(
        world,
        wallet,
        dealer,
        DEALER,
        "approveFundOperator",
        FORWARDER,
        100_000_000n,
        0n,
      ),
    ).toBe(true);
    expect(
      await carriedOut(
        world,
        wallet,
        dealer,
        DEALER,
        "requestWithdraw",
        bob.address,
        50_000_000n,
        0n,
      ),
    ).toBe(true);
    await byContract(
      STRANGER,
      dealer,
      DEALER.encodeFunctionData("fastWithdraw", [bob.address, alice.address, 1n, 0n, true, "0x"]),
    );
    expect(locked()).toBe("50");
    await byContract(
      STRANGER,
      dealer,
      DEALER.encodeFunctionData("executeWithdraw", [bob.address, bob.address, false, "0x"]),
    );
    expect(locked()).toBe("0");
    expect(await tokensOf(world, bob.address)).toBe(50_000_000n);
    await byContract(
      STRANGER,
      dealer,
      DEALER.encodeFunctionData("requestWithdraw", [bob.address, 20_000_000n, 0n]),
    );
    expect(locked()).toBe("20");
    await expectEqualViews(world, addressesOf([alice, bob]));
  });

  it("sends a trade, whose fees go to the contract and not to the wallet that called it", async () => {
    world = await ChainWorld.open();
    await world.setMark(60_000);
    const clients = await world.clients();
    const [alice, bob, carol] = clients;
    await world.chain.chain.request("hardhat_setCode", FORWARDER, FORWARDER_CODE);
    await allowToTrade(world, FORWARDER);
    await byContract(SENDER, world.perp(), outsideTrade(sell(alice, "0.03"), buy(bob, "0.03")));
    expect(incomesOf(alice, "TAKER_FEE")).toEqual(["-0.9"]);
    expect(carol.balances().balances.primaryCreditAmount).toBe("100000");
    expect(await primaryOnChain(world, FORWARDER)).toBe(1_080_000n);
    await expectEqualViews(world, addressesOf(clients));
  });
});

describe("an account's pending withdrawal on chain", () => {
  it("is not mistaken for executed when another transaction looks like it", async () => {
    world = await ChainWorld.open();
    await world.setMark(60_000);
    const [alice, bob] = await world.clients();
    const { dealer, token } = world.chain.addresses;
    expect(
      await carriedOut(
        world,
        walletOf(KEYS[1]),
        dealer,
        DEALER,
        "requestWithdraw",
        bob.address,
        50_000_000n,
        0n,
      ),
    ).toBe(true);
    const data = DEALER.encodeFunctionData("executeWithdraw", [
      bob.address,
      alice.address,
      false,
      "0x",
    ]) as Hex;
    // A call to an account without code succeeds and does nothing.
    await world.chain.chain.send({ from: STRANGER, to: world.house(), data, gas: 100_000 });
    await world.chain.chain.send({ from: STRANGER, to: token, data, gas: 100_000 });
    await world.open.waitUntilSettled();
    expect(bob.balances().balances.pendingWithdrawPrimaryCreditAmount).toBe("50");
    expect(
      await carriedOut(world, STRANGER, dealer, DEALER, "requestWithdraw", bob.address, 0n, 0n),
    ).toBe(false);
    expect(bob.balances().balances.pendingWithdrawPrimaryCreditAmount).toBe("50");
    await expectEqualViews(world, addressesOf([alice, bob]));
  });
});
