import { getCreateAddress } from "ethers";
import { afterEach, describe, expect, it } from "vitest";
import type { Hex } from "#core/units.js";
import { ReferenceClient } from "../reference-client.js";
import {
  BATCH_CODE,
  batched,
  type Call,
  constructorOf,
  FORWARDER_CODE,
  forwarded,
} from "./calling-contracts.js";
import { ChainWorld } from "./chain-world.js";
import { expectEqualViews } from "./equal-views.js";
import { allowToTrade, type OutsideOrder, outsideTrade } from "./outside-fill.js";
import { primaryOnChain, walletOf } from "./wallet.js";

/** Wallets with an account at the exchange; the test gives three of them a contract's code. */
const KEYS = ["a1", "b2", "c3", "d4", "e5", "f6"].map((byte) => `0x${byte.repeat(32)}`);
const REGISTERED_CREDIT = 100_000_000_000n;
/** The fee rate of each side: a trade of 0.01 at 60,000 brings its sender twice 0.06. */
const RATE = 10n ** 14n;

let world: ChainWorld;
let clients: readonly ReferenceClient[];
afterEach(() => world.open.close());

/**
 * The accounts by role: two traders, two forwarders, a contract that makes several calls, and a
 * wallet.
 */
async function open() {
  world = await ChainWorld.open();
  await world.setMark(60_000);
  clients = KEYS.map((key, place) =>
    new ReferenceClient(
      world.exchange,
      () => world.clock.nowMs(),
      key,
      `10.0.2.${place}`,
    ).register(),
  );
  await world.open.waitUntilSettled();
  const [alice, bob, inner, outer, batch, wallet] = clients as [
    ReferenceClient,
    ReferenceClient,
    ...[ReferenceClient, ReferenceClient, ReferenceClient, ReferenceClient],
  ];
  const { chain } = world.chain;
  for (const { address } of [inner, outer])
    await chain.request("hardhat_setCode", address, FORWARDER_CODE);
  await chain.request("hardhat_setCode", batch.address, BATCH_CODE);
  const at = ({ address }: ReferenceClient) => address as Hex;
  return { alice, bob, inner: at(inner), outer: at(outer), batch: at(batch), wallet: at(wallet) };
}

/** A trade at 60,000: the taker sells to the maker. */
function trade(taker: ReferenceClient, maker: ReferenceClient, amount: string): Call {
  const order = (client: ReferenceClient, side: "BUY" | "SELL"): OutsideOrder => ({
    client,
    side,
    price: "60000",
    amount,
    rate: RATE,
  });
  return { to: world.perp(), data: outsideTrade(order(taker, "SELL"), order(maker, "BUY")) };
}

/** Sends a transaction from the wallet and applies it to the exchange. */
async function sent({ to, data }: { readonly to: Hex | null; readonly data: Hex }): Promise<void> {
  const { chain } = world.chain;
  const hash = await chain.send({ from: walletOf(KEYS[5] as string), to, data, gas: 5_000_000 });
  expect((await chain.receipt(hash))?.isReverted).toBe(false);
  await world.open.waitUntilSettled();
}

const incomesOf = (client: ReferenceClient, type: string) =>
  client
    .call("GET", "/v1/incomes", { marketId: "btcusdc", type })
    .json.map(({ amount }: { amount: string }) => amount) as string[];

/**
 * Requires that the contracts credited these fees, and that the exchange has every account as they
 * have it.
 */
async function expectFees(
  expected: readonly (readonly [address: Hex, fees: bigint])[],
): Promise<void> {
  for (const [address, fees] of expected) {
    const began = world.exchange.account(address) === undefined ? 0n : REGISTERED_CREDIT;
    expect(await primaryOnChain(world, address), address).toBe(began + fees);
  }
  await expectEqualViews(
    world,
    clients.map(({ address }) => address as Hex),
  );
}

describe("the fees of a trade that the exchange did not send", () => {
  it("go to the last of several forwarders", async () => {
    const { alice, bob, inner, outer, wallet } = await open();
    await allowToTrade(world, inner);
    await sent(forwarded(outer, forwarded(inner, trade(alice, bob, "0.01"))));
    await expectFees([
      [inner, 120_000n],
      [outer, 0n],
      [wallet, 0n],
    ]);
  });

  it("go to each trade's own sender if one transaction makes several trades, and each taker pays a taker's fee", async () => {
    const { alice, bob, inner, outer, batch, wallet } = await open();
    for (const sender of [inner, outer, batch]) await allowToTrade(world, sender);
    const first = forwarded(inner, trade(alice, bob, "0.01"));
    const second = forwarded(outer, trade(bob, alice, "0.02"));
    await sent(batched(batch, first, second, trade(alice, bob, "0.03")));
    await expectFees([
      [inner, 120_000n],
      [outer, 240_000n],
      [batch, 360_000n],
      [wallet, 0n],
    ]);
    expect([incomesOf(alice, "TAKER_FEE"), incomesOf(alice, "MAKER_FEE")]).toEqual([
      ["-0.06", "-0.18"],
      ["-0.12"],
    ]);
    expect([incomesOf(bob, "TAKER_FEE"), incomesOf(bob, "MAKER_FEE")]).toEqual([
      ["-0.12"],
      ["-0.06", "-0.18"],
    ]);
  });

  it("are not credited if the trade reverted within a transaction that succeeded", async () => {
    const { alice, bob, inner, outer, batch } = await open();
    for (const sender of [inner, outer]) await allowToTrade(world, sender);
    const twice = trade(alice, bob, "0.01");
    // The batch is not an order sender; the second forwarding of the same orders would overfill
    // them.
    await sent(
      batched(
        batch,
        twice,
        forwarded(inner, twice),
        forwarded(outer, twice),
        forwarded(outer, trade(bob, alice, "0.01")),
      ),
    );
    await expectFees([
      [inner, 120_000n],
      [outer, 120_000n],
      [batch, 0n],
    ]);
  });

  it("go to a contract that trades in its constructor, not to the wallet that deploys it", async () => {
    const { alice, bob, wallet } = await open();
    const { chain } = world.chain;
    const nonce = Number(await chain.request("eth_getTransactionCount", wallet, "latest"));
    const deployed = getCreateAddress({ from: wallet, nonce }) as Hex;
    await allowToTrade(world, deployed);
    await sent({ to: null, data: constructorOf(trade(alice, bob, "0.01")) });
    await expectFees([
      [deployed, 120_000n],
      [wallet, 0n],
    ]);
  });

  it("go to the sender at that time, even if the exchange reads the block after the contract has changed", async () => {
    const { alice, bob, inner, outer } = await open();
    const { chain } = world.chain;
    await allowToTrade(world, inner);
    world.exchange.stop();
    await sent(forwarded(outer, forwarded(inner, trade(alice, bob, "0.01"))));
    for (const forwarder of [inner, outer])
      await chain.request("hardhat_setCode", forwarder, "0x00");
    await sent({ to: outer, data: "0x" });
    world.exchange.start();
    await world.open.waitUntilSettled();
    await expectFees([
      [inner, 120_000n],
      [outer, 0n],
    ]);
  });

  it("raise the insurance account's credit if it sends the trade", async () => {
    const { alice, bob } = await open();
    const { keys, chain, addresses } = world.chain;
    await allowToTrade(world, addresses.insurance);
    const before = world.exchange.audit().insuranceCredit;
    await chain.send({ from: keys.insurance.signer, ...trade(alice, bob, "0.01"), gas: 3_000_000 });
    await world.open.waitUntilSettled();
    expect(world.exchange.audit().insuranceCredit).toBe(before + 120_000n);
    await expectFees([]);
  });
});
