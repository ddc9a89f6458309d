import { afterEach, describe, expect, it } from "vitest";
import type { Signer } from "#core/signing.js";
import type { Hex } from "#core/units.js";
import { KEYS, type ReferenceClient } from "../reference-client.js";
import { StreamReader } from "../stream-reader.js";
import { ChainWorld, type ChainWorldOptions, DEALER } from "./chain-world.js";
import { expectEqualViews } from "./equal-views.js";
import {
  carriedOut,
  liquidate,
  primaryOnChain,
  SOURCE,
  setMark,
  TOKEN,
  tokensOf,
  walletOf,
} from "./wallet.js";

const QUOTE = 10n ** 6n;
const ONE_BTC = 10n ** 18n;

let world: ChainWorld;
afterEach(() => world.open.close());

async function open(options: ChainWorldOptions = {}): Promise<ChainWorld> {
  world = await ChainWorld.open(options);
  return world;
}

const dealerCall = (from: Signer, name: string, ...args: readonly unknown[]) =>
  carriedOut(world, from, world.chain.addresses.dealer, DEALER, name, ...args);

const incomesOf = (client: ReferenceClient, type: string) =>
  client
    .call("GET", "/v1/incomes", { marketId: "btcusdc", type })
    .json.map(({ amount }: { amount: string }) => amount) as string[];

/** Alice is long a whole BTC and Bob short, at 30000, both with their registration credit. */
async function opposed(options: ChainWorldOptions = {}) {
  await open(options);
  const [alice, bob, carol] = await world.clients();
  await setMark(world, 30_000);
  alice.place("BUY", "30000", "1");
  bob.place("SELL", "30000", "1");
  await world.open.waitUntilSettled();
  return { alice, bob, carol, all: [alice.address, bob.address, carol.address] };
}

describe("operators that the file names", () => {
  it("may sign on a chain with a block interval too: they wait for the account's gas", async () => {
    const [owner, operator] = [walletOf(KEYS[0]).address, walletOf(KEYS[1]).address];
    await open({
      config: {
        accounts: { [owner]: { operators: [operator] } },
        chain: { blocks: { intervalMs: 1000 } },
      },
    });
    await world.client(0);
    for (let block = 0; block < 3; block++) {
      await world.clock.runFor(1000);
      await world.open.waitUntilSettled();
    }
    expect(world.reports).toEqual([]);
    const asked = DEALER.encodeFunctionData("isOperatorValid", [owner, operator]);
    const answer = await world.chain.chain.call(world.chain.addresses.dealer, asked);
    expect(DEALER.decodeFunctionResult("isOperatorValid", answer)[0]).toBe(true);
  });
});

describe("credit", () => {
  it("of a registration and of the faucet is a deposit on chain, and counts with its block", async () => {
    await open();
    const [alice, bob] = await world.clients();
    alice.call("POST", "/faucet", { account: alice.address, amount: "12.5" });
    expect(alice.balances().balances.primaryCreditAmount).toBe("100000");
    await world.open.waitUntilSettled();
    expect(await primaryOnChain(world, alice.address)).toBe(100_012_500_000n);
    expect(incomesOf(alice, "DEPOSIT")).toEqual(["100000", "12.5"]);
    await expectEqualViews(world, [alice.address, bob.address]);
  });

  it("is withdrawn over REST as tokens of the account", async () => {
    await open();
    const alice = await world.client(0);
    expect(alice.call("POST", "/withdraw", { amount: "400" }).status).toBe(200);
    expect(alice.balances().balances).toMatchObject({
      pendingWithdrawPrimaryCreditAmount: "400",
      netValue: "99600",
    });
    await world.open.waitUntilSettled();
    expect(await tokensOf(world, alice.address)).toBe(400n * QUOTE);
    expect(alice.balances().balances).toMatchObject({
      pendingWithdrawPrimaryCreditAmount: "0",
      primaryCreditAmount: "99600",
    });
    expect(incomesOf(alice, "WITHDRAWAL")).toEqual(["-400"]);
    await expectEqualViews(world, [alice.address]);
  });

  it("stays if the contracts refuse an allowed withdrawal, and the refusal is reported", async () => {
    const { alice, all } = await opposed({ config: { chain: { blocks: { intervalMs: 1000 } } } });
    // A change that the exchange cannot know yet: the price falls in the same block as the
    // withdrawal, and before it.
    expect(alice.call("POST", "/withdraw", { amount: "98000" }).status).toBe(200);
    const { addresses, keys } = world.chain;
    const source = addresses.markets.get("btcusdc")?.priceSource as Hex;
    const data = SOURCE.encodeFunctionData("setMarkPrice", [26_000n * QUOTE]) as Hex;
    await world.chain.chain.send({
      from: keys.market("btcusdc").signer,
      to: source,
      data,
      gas: 300_000,
      tipWei: 9_000_000_000n,
    });
    await world.clock.runFor(1000);
    await world.open.waitUntilSettled();
    expect(world.reports).toMatchObject([
      {
        kind: "withdrawal-failed",
        about: alice.address.toLowerCase(),
        reason: "JOJO_ACCOUNT_NOT_SAFE",
      },
    ]);
    expect(alice.balances().balances).toMatchObject({
      primaryCreditAmount: "100000",
      pendingWithdrawPrimaryCreditAmount: "0",
    });
    await expectEqualViews(world, all);
  });

  it("follows deposits, withdrawals and transfers that a wallet makes on chain", async () => {
    await open();
    const [alice, bob] = await world.clients();
    const [wallet, other] = [walletOf(KEYS[0]), walletOf(KEYS[1])];
    const { dealer, token } = world.chain.addresses;
    expect(
      await dealerCall(
        wallet,
        "fastWithdraw",
        wallet.address,
        wallet.address,
        1000n * QUOTE,
        0,
        false,
        "0x",
      ),
    ).toBe(true);
    expect(await carriedOut(world, wallet, token, TOKEN, "approve", dealer, 300n * QUOTE)).toBe(
      true,
    );
    expect(await dealerCall(wallet, "deposit", 300n * QUOTE, 0, other.address)).toBe(true);
    expect(
      await dealerCall(
        other,
        "fastWithdraw",
        other.address,
        wallet.address,
        5n * QUOTE,
        0,
        true,
        "0x",
      ),
    ).toBe(true);
    expect(await dealerCall(wallet, "requestWithdraw", wallet.address, 7n * QUOTE, 0)).toBe(true);
    expect(alice.balances().balances).toMatchObject({
      primaryCreditAmount: "99005",
      pendingWithdrawPrimaryCreditAmount: "7",
    });
    await expectEqualViews(world, [alice.address, bob.address]);
    expect(
      await dealerCall(wallet, "executeWithdraw", wallet.address, wallet.address, false, "0x"),
    ).toBe(true);
    expect(alice.balances().balances).toMatchObject({
      primaryCreditAmount: "98998",
      pendingWithdrawPrimaryCreditAmount: "0",
    });
    expect(incomesOf(bob, "DEPOSIT")).toEqual(["100000", "300"]);
    expect(incomesOf(bob, "WITHDRAWAL")).toEqual(["-5"]);
    await expectEqualViews(world, [alice.address, bob.address]);
  });

  it("on chain from before the registration counts with the first response", async () => {
    await open({ config: { creditOnRegistration: "0" } });
    const alice = await world.client(0);
    const owner = world.chain.keys.owner.signer;
    const late = walletOf(KEYS[1]);
    expect(await dealerCall(owner, "deposit", 77n * QUOTE, 0, late.address)).toBe(true);
    const bob = await world.client(1);
    expect(bob.balances().balances.primaryCreditAmount).toBe("77");
    await expectEqualViews(world, [alice.address, bob.address]);
  });
});

describe("the chain", () => {
  it("cannot revert to before the blocks that the exchange has applied", async () => {
    await open();
    const { chain } = world.chain;
    const snapshot = await chain.request("evm_snapshot");
    await world.client(0);
    await expect(chain.request("evm_revert", snapshot)).rejects.toThrow(
      /evm_revert is not possible here/,
    );
  });
});

describe("an operator", () => {
  it("is the same on the exchange and on chain, whichever side sets it", async () => {
    await open();
    const alice = await world.client(0);
    const operator = walletOf(KEYS[2]).address.toLowerCase();
    const isValid = async () => {
      const data = DEALER.encodeFunctionData("isOperatorValid", [alice.address, operator]) as Hex;
      return BigInt(await world.chain.chain.call(world.chain.addresses.dealer, data)) === 1n;
    };
    const operators = () => [...(world.exchange.account(alice.address)?.operators ?? [])];
    alice.call("POST", "/operator", { operator, isValid: "true" });
    await world.open.waitUntilSettled();
    expect([operators(), await isValid()]).toEqual([[operator], true]);
    expect(await dealerCall(walletOf(KEYS[0]), "setOperator", operator, false)).toBe(true);
    expect([operators(), await isValid()]).toEqual([[], false]);
    expect(await dealerCall(walletOf(KEYS[0]), "setOperator", operator, true)).toBe(true);
    expect(operators()).toEqual([operator]);
  });
});

describe("a liquidation by a wallet", () => {
  it("acquires a part that is not a whole number of lots, exactly", async () => {
    const { alice, bob, carol, all } = await opposed({ config: { creditOnRegistration: "2000" } });
    await setMark(world, 28_500);
    expect(alice.balances().balances.isSafe).toBe(false);
    const odd = 123_456_789_012_345_678n;
    expect(await liquidate(world, walletOf(KEYS[2]), alice.address, odd)).toBe(true);
    expect(world.exchange.account(alice.address)?.inMarket("btcusdc").position.matched.paper).toBe(
      ONE_BTC - odd,
    );
    expect(world.exchange.account(carol.address)?.inMarket("btcusdc").position.matched.paper).toBe(
      odd,
    );
    await expectEqualViews(world, all);
    // A trade across the odd remainder.
    alice.place("SELL", "28400", "0.876");
    bob.place("BUY", "28400", "0.876", { timeInForce: "IOC" });
    await world.open.waitUntilSettled();
    await expectEqualViews(world, all);
  });

  it("of a whole position leaves the debt to the insurance account, once", async () => {
    const { alice, carol, all } = await opposed({ config: { creditOnRegistration: "2000" } });
    carol.call("POST", "/faucet", { account: carol.address, amount: "50000" });
    await world.open.waitUntilSettled();
    await setMark(world, 25_000);
    expect(await liquidate(world, walletOf(KEYS[2]), alice.address, ONE_BTC)).toBe(true);
    expect(world.exchange.account(alice.address)?.primaryCredit).toBe(0n);
    // 25000 less 1 % for 30000 with the taker's or maker's fee, and 1 % of it to the insurance
    // account.
    const [liquidated] = incomesOf(alice, "LIQUIDATED");
    expect(liquidated).toBe("24502.5");
    expect(incomesOf(carol, "LIQUIDATE")).toEqual(["-24750"]);
    expect(incomesOf(alice, "SYSTEM")).toHaveLength(1);
    expect(alice.call("GET", "/v1/positions", { marketId: "btcusdc" }).json).toMatchObject([
      { status: "CLOSED" },
    ]);
    await expectEqualViews(world, all);
  });

  it("by an address that registers only afterwards gives the position to the account opened then", async () => {
    await open({ config: { creditOnRegistration: "2000" } });
    const [alice, bob] = [await world.client(0), await world.client(1)];
    await setMark(world, 30_000);
    alice.place("BUY", "30000", "1");
    bob.place("SELL", "30000", "1");
    const { chain, keys } = world.chain;
    const stranger = walletOf(KEYS[2]);
    await chain.send({
      from: keys.owner.signer,
      to: stranger.address,
      data: "0x",
      valueWei: 10n ** 18n,
      gas: 21_000,
    });
    expect(await dealerCall(keys.owner.signer, "deposit", 5000n * QUOTE, 0, stranger.address)).toBe(
      true,
    );
    await setMark(world, 28_500);
    expect(await liquidate(world, stranger, alice.address, ONE_BTC / 2n)).toBe(true);
    expect(world.exchange.account(stranger.address)).toBeUndefined();
    expect(world.exchange.audit().isConserved).toBe(true);
    const carol = await world.client(2);
    expect(carol.call("GET", "/v1/positions", { marketId: "btcusdc" }).json).toMatchObject([
      { side: "LONG", size: "0.5" },
    ]);
    expect(incomesOf(carol, "LIQUIDATE")).toEqual(["-14107.5"]);
    await expectEqualViews(world, [alice.address, bob.address, carol.address]);
  });

  it("is sent to the streams of both accounts, and the danger is listed over REST before it", async () => {
    const { alice, carol } = await opposed({ config: { creditOnRegistration: "2000" } });
    await setMark(world, 28_500);
    expect(
      alice
        .call("GET", "/v1/riskyAccounts")
        .json.map(({ account }: { account: string }) => account),
    ).toEqual([alice.address]);
    const readers = [alice, carol].map((client) => {
      const { timestamp, signature } = client.signed();
      return new StreamReader(
        world.exchange,
        `/v1/single/account@${client.address}?timestamp=${timestamp}&signature=${signature}`,
      );
    });
    await liquidate(world, walletOf(KEYS[2]), alice.address, ONE_BTC / 4n);
    const told = readers.map((reader) => reader.take());
    expect(
      told.map((events) => events.find(({ event }) => event === "INCOME_UPDATE")?.incomes),
    ).toMatchObject([
      [{ type: "LIQUIDATED", marketId: "btcusdc", amount: "6983.2125" }],
      [{ type: "LIQUIDATE", marketId: "btcusdc", amount: "-7053.75" }],
    ]);
    const sizes = told.map((events) => events.findLast(({ event }) => event === "ACCOUNT_UPDATE"));
    expect(JSON.stringify(sizes[0])).toContain('"size":"0.75"');
    expect(JSON.stringify(sizes[1])).toContain('"size":"0.25"');
  });

  it("cancels the orders of the liquidated account", async () => {
    const { alice, all } = await opposed({ config: { creditOnRegistration: "2000" } });
    alice.place("SELL", "35000", "0.5");
    expect(alice.openOrders()).toHaveLength(1);
    await setMark(world, 28_500);
    expect(alice.openOrders()).toEqual([]);
    await expectEqualViews(world, all);
  });
});

describe("funding", () => {
  const funding = { mode: "fixed" as const, rate: "0.0001", intervalMs: 3_600_000 };

  it("pays each position by the chain's rate, to the unit", async () => {
    const { alice, bob, all } = await opposed({ config: { markets: { btcusdc: { funding } } } });
    for (let hour = 0; hour < 3; hour += 1) {
      await setMark(world, 30_000 + 17.123 * hour);
      await world.clock.runFor(3_600_000);
      await world.open.waitUntilSettled();
    }
    expect(world.reports).toEqual([]);
    expect(incomesOf(alice, "FUNDING_FEE")).toHaveLength(3);
    expect(incomesOf(bob, "FUNDING_FEE")).toHaveLength(3);
    expect(world.exchange.market("btcusdc").cumulativeFunding).toBeLessThan(0n);
    await expectEqualViews(world, all);
  });

  it("is not paid if the limiter refuses it, and the refusal is reported", async () => {
    const { alice, all } = await opposed({
      config: { markets: { btcusdc: { funding: { ...funding, rate: "0.02" } } } },
    });
    for (let hour = 0; hour < 2; hour += 1) {
      await world.clock.runFor(3_600_000);
      await world.open.waitUntilSettled();
    }
    // The first funding through a limiter is unbounded.
    expect(incomesOf(alice, "FUNDING_FEE")).toHaveLength(1);
    expect(world.reports).toMatchObject([
      { kind: "funding-refused", about: "btcusdc", reason: "FUNDING_RATE_CHANGE_TOO_MUCH" },
    ]);
    await expectEqualViews(world, all);
  });
});
