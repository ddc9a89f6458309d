import { Contract, JsonRpcProvider, type TransactionResponse, Wallet } from "ethers";
import { afterEach, describe, expect, it } from "vitest";
import { dealerAbi } from "#chain/dealer.generated.js";
import { perpetualAbi } from "#chain/perpetual.generated.js";
import { settablePriceSourceAbi } from "#chain/settable-price-source.generated.js";
import { testTokenAbi } from "#chain/test-token.generated.js";
import type { Hex } from "#core/units.js";
import { ReferenceClient } from "../reference-client.js";
import { ChainWorld, DEALER } from "./chain-world.js";
import { expectEqualViews } from "./equal-views.js";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/**
 * An exchange with its chain's port open, and two ordinary accounts of that chain which trade at
 * the exchange too.
 */
async function atPort(intervalMs: number) {
  const world = await ChainWorld.open({
    config: {
      chain: {
        rpc: { port: 0 },
        accounts: { count: 2, tokenQuote: "100000" },
        blocks: { intervalMs },
      },
    },
  });
  cleanups.push(() => world.open.close());
  await pass(world, intervalMs);
  await world.setMark(60_000);
  await pass(world, intervalMs);
  const provider = new JsonRpcProvider(
    world.chain.server?.url ?? "",
    world.chain.chain.genesis.chainId,
    {
      staticNetwork: true,
      cacheTimeout: -1,
    },
  );
  cleanups.push(() => provider.destroy());
  const traders = [];
  for (const [place, { privateKey }] of world.chain.keys.accounts.entries()) {
    const client = new ReferenceClient(
      world.exchange,
      () => world.clock.nowMs(),
      privateKey,
      `10.0.1.${place + 1}`,
    );
    client.register();
    traders.push({
      client,
      wallet: new Wallet(privateKey, provider),
      address: client.address as Hex,
    });
  }
  await pass(world, intervalMs);
  const [one, other] = traders;
  if (one === undefined || other === undefined) throw new Error("no accounts");
  return { world, provider, one, other };
}

/** Waits for a block, if there is a block interval, and applies it. */
async function pass(world: ChainWorld, intervalMs: number): Promise<void> {
  await world.open.waitUntilSettled();
  await world.clock.runFor(intervalMs);
  await world.open.waitUntilSettled();
}

/** Requests in its accounts' names that the exchange sent to the chain, with an unknown outcome. */
function waiting({ exchange }: ChainWorld) {
  const { outbox } = exchange.chain ?? {};
  return [...(outbox?.pending("withdraw") ?? []), ...(outbox?.pending("operator") ?? [])];
}

const INTERVAL_MS = 2_000;
const GAS = { gasLimit: 1_000_000n, maxFeePerGas: 20_000_000_000n };

describe("a wallet that works against its own account's requests", () => {
  it("replaces a pending withdrawal: the amount is returned, and nothing stays pending", async () => {
    const { world, one } = await atPort(INTERVAL_MS);
    const before = world.exchange.account(one.address)?.settledPrimaryCredit;
    const nonce = await one.wallet.getNonce("pending");
    expect(one.client.call("POST", "/withdraw", { amount: "100" }).status).toBe(200);
    await world.open.waitUntilSettled();
    await one.wallet.sendTransaction({
      to: one.address,
      nonce,
      ...GAS,
      maxPriorityFeePerGas: 9_000_000_000n,
    });
    await pass(world, INTERVAL_MS);
    await pass(world, INTERVAL_MS);
    expect(world.exchange.account(one.address)?.settledPrimaryCredit).toBe(before);
    expect(world.reports).toContainEqual(expect.objectContaining({ kind: "withdrawal-failed" }));
    expect(waiting(world)).toEqual([]);
    await expectEqualViews(world, [one.address]);
  });

  it("replaces a change of its operator: the change is sent again, since it counts at the exchange already", async () => {
    const { world, one, other } = await atPort(INTERVAL_MS);
    const nonce = await one.wallet.getNonce("pending");
    const operator = other.address.toLowerCase() as Hex;
    expect(one.client.call("POST", "/operator", { operator, isValid: "true" }).status).toBe(200);
    await world.open.waitUntilSettled();
    await one.wallet.sendTransaction({
      to: one.address,
      nonce,
      ...GAS,
      maxPriorityFeePerGas: 9_000_000_000n,
    });
    await pass(world, INTERVAL_MS);
    await pass(world, INTERVAL_MS);
    const asked = DEALER.encodeFunctionData("isOperatorValid", [one.address, operator]) as Hex;
    const answer = await world.chain.chain.call(world.chain.addresses.dealer, asked);
    expect(DEALER.decodeFunctionResult("isOperatorValid", answer)[0]).toBe(true);
    expect(waiting(world)).toEqual([]);
    expect(world.exchange.account(one.address)?.operators.has(operator)).toBe(true);
  });

  it("sends its ether away while the exchange sends as it: no ether is lost, and both are mined", async () => {
    const { world, provider, one } = await atPort(INTERVAL_MS);
    const sink = "0x00000000000000000000000000000000000abcde";
    const held = await provider.getBalance(one.address);
    const value = held - 21_000n * 20_000_000_000n;
    await one.wallet.sendTransaction({
      to: sink,
      value,
      gasLimit: 21_000n,
      maxFeePerGas: 20_000_000_000n,
      maxPriorityFeePerGas: 10n ** 9n,
    });
    expect(one.client.call("POST", "/withdraw", { amount: "100" }).status).toBe(200);
    await pass(world, INTERVAL_MS);
    await pass(world, INTERVAL_MS);
    expect(await provider.getBalance(sink)).toBe(value);
    expect(waiting(world)).toEqual([]);
    await expectEqualViews(world, [one.address]);
  });
});

describe("wallets at the port while the exchange trades", () => {
  it("deposit, withdraw, transfer, name operators and make forbidden calls: the accounts stay equal to the contracts'", async () => {
    const { world, provider, one, other } = await atPort(0);
    const { addresses } = world.chain;
    const of = (wallet: Wallet) => ({
      dealer: new Contract(addresses.dealer, dealerAbi, wallet),
      perp: new Contract(world.perp(), perpetualAbi, wallet),
      token: new Contract(addresses.token, testTokenAbi, wallet),
      source: new Contract(
        addresses.markets.get("btcusdc")?.priceSource ?? "",
        settablePriceSourceAbi,
        wallet,
      ),
    });
    const [mine, theirs] = [of(one.wallet), of(other.wallet)];
    /** @returns true if it was mined and not reverted. */
    const call = async (contract: Contract, name: string, ...args: readonly unknown[]) => {
      const sent: TransactionResponse = await contract.getFunction(name)(...args, {
        gasLimit: 2_000_000n,
      });
      return (await provider.getTransactionReceipt(sent.hash))?.status === 1;
    };
    const trade = () => {
      expect(one.client.place("SELL", "60000", "0.01").status).toBe(200);
      expect(other.client.place("BUY", "60000", "0.01").status).toBe(200);
    };
    const units = 1_000_000n;
    const done: boolean[] = [];
    trade();
    done.push(await call(mine.token, "approve", addresses.dealer, 10_000n * units));
    done.push(await call(mine.dealer, "deposit", 700n * units, 0n, one.address));
    trade();
    done.push(await call(mine.dealer, "deposit", 300n * units, 0n, other.address));
    done.push(await call(mine.dealer, "deposit", 5n * units, 0n, world.house()));
    done.push(await call(mine.dealer, "deposit", 5n * units, 0n, addresses.insurance));
    done.push(await call(theirs.dealer, "requestWithdraw", other.address, 50n * units, 0n));
    trade();
    done.push(await call(theirs.dealer, "executeWithdraw", other.address, one.address, true, "0x"));
    done.push(
      await call(
        theirs.dealer,
        "fastWithdraw",
        other.address,
        world.house(),
        3n * units,
        0n,
        true,
        "0x",
      ),
    );
    done.push(await call(theirs.dealer, "setOperator", one.address, true));
    trade();
    // The operator may withdraw for the account it signs for; no one else may.
    done.push(await call(mine.dealer, "setOperator", other.address, true));
    done.push(await call(mine.dealer, "setOperator", other.address, false));
    expect(done).toEqual(done.map(() => true));
    const refused = [
      await call(
        mine.dealer,
        "fastWithdraw",
        other.address,
        one.address,
        10n ** 15n,
        0n,
        false,
        "0x",
      ),
      await call(theirs.dealer, "fastWithdraw", one.address, other.address, units, 0n, false, "0x"),
      await call(mine.dealer, "setOrderSender", one.address, true),
      await call(mine.perp, "liquidate", one.address, other.address, 10n ** 16n, -(10n ** 30n)),
      await call(mine.perp, "trade", "0x"),
      await call(mine.perp, "trade", `0x${"ff".repeat(2_000)}`),
      await call(mine.perp, "updateFundingRate", 5n),
      await call(mine.source, "setMarkPrice", 1n),
      await call(mine.dealer, "setOperator", `0x${"0".repeat(40)}`, true).then(() => false),
    ];
    expect(refused).toEqual(refused.map(() => false));
    trade();
    const oddities = [
      ["eth_getLogs", [{ fromBlock: "0x0", toBlock: "0xf4240" }]],
      ["eth_getLogs", [{ fromBlock: "0xf4240", toBlock: "0x0" }]],
      ["eth_sendRawTransaction", ["0x02f8"]],
      ["eth_sendTransaction", [{ from: addresses.owner, to: addresses.dealer, data: "0x" }]],
      ["hardhat_impersonateAccount", [addresses.owner]],
      ["evm_revert", ["0x1"]],
      ["eth_call", [null]],
      ["", []],
    ] as const;
    for (const [method, params] of oddities)
      await provider.send(method, [...params]).catch(() => {});
    trade();
    await world.open.waitUntilSettled();
    await expectEqualViews(world, [one.address, other.address]);
    expect(world.exchange.account(other.address)?.operators.has(one.address.toLowerCase())).toBe(
      true,
    );
    expect(world.exchange.account(one.address)?.inMarket("btcusdc").position.settled.paper).toBe(
      -6n * 10n ** 16n,
    );
    expect(world.reports).toEqual([]);
  });
});
