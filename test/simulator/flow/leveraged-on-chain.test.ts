import { describe, expect, it } from "vitest";
import { ecdsaScheme } from "#core/signing.js";
import type { Hex } from "#core/units.js";
import { traderKey } from "#simulator/leveraged-flow.js";
import { KEYS } from "../reference-client.js";
import { ChainWorld, DEALER } from "../settlement/chain-world.js";
import { expectEqualViews } from "../settlement/equal-views.js";
import { liquidate, walletOf } from "../settlement/wallet.js";

const CREDIT = 1_000;

/** One quiet market with six leveraged traders, three of each side, and one shock after 20 s. */
async function world() {
  const flow = {
    kind: "synthetic" as const,
    preset: "quiet" as const,
    startPriceQuote: 60_000,
    leveraged: {
      count: 6,
      creditQuote: CREDIT,
      sizeSigma: 0,
      leverage: { min: 22, max: 24 },
      openWithinMs: 5_000,
      holdMs: 0,
      pauseMs: 10_000,
    },
    shocks: {
      firstMs: 20_000,
      everyMs: 0,
      direction: "down" as const,
      sizeBps: { min: 180, max: 180 },
    },
  };
  const opened = await ChainWorld.open({
    config: { markets: { btcusdc: { maxLeverage: 25, flow } } },
    ownFlows: true,
  });
  const addresses = Array.from(
    { length: 6 },
    (_, index) => ecdsaScheme.signer(traderKey("1/btcusdc", "btcusdc", index + 1)).address,
  );
  return { world: opened, addresses };
}

/** Lets time pass in steps, since a chain's responses arrive in between. */
async function pass(opened: ChainWorld, ms: number): Promise<void> {
  for (let elapsed = 0; elapsed < ms; elapsed += 500) {
    await opened.clock.runFor(500);
    await opened.open.waitUntilSettled();
  }
}

async function isSafeOnChain({ chain }: ChainWorld, address: Hex): Promise<boolean> {
  const answer = await chain.chain.call(
    chain.addresses.dealer,
    DEALER.encodeFunctionData("isSafe", [address]) as Hex,
  );
  return DEALER.decodeFunctionResult("isSafe", answer)[0];
}

describe("leveraged traders on the chain", () => {
  it("deposit, trade, fall below margin, are liquidated by a wallet and deposit again, with exchange and chain always equal", async () => {
    const { world: opened, addresses } = await world();
    const { exchange } = opened;
    await pass(opened, 18_000);
    await expectEqualViews(opened, addresses);
    const held = await Promise.all(addresses.map((address) => opened.ofChain(address)));
    expect(held.map(({ paper }) => Math.sign(Number(paper)))).toEqual([1, -1, 1, -1, 1, -1]);
    expect(held.map(({ primary }) => primary)).toEqual(
      addresses.map(() => BigInt(CREDIT) * 1_000_000n),
    );
    expect(await Promise.all(addresses.map((address) => isSafeOnChain(opened, address)))).toEqual(
      addresses.map(() => true),
    );

    await pass(opened, 4_000);
    const safe = await Promise.all(addresses.map((address) => isSafeOnChain(opened, address)));
    expect(
      safe.filter((isSafe, index) => !isSafe && index % 2 === 0).length,
    ).toBeGreaterThanOrEqual(2);
    const victim = addresses[safe.indexOf(false)] as Hex;
    expect(exchange.account(victim)?.reduceOnly).toBe(true);

    const liquidator = await opened.client(0);
    const { paper } = await opened.ofChain(victim);
    expect(await liquidate(opened, walletOf(KEYS[0] ?? ""), victim, paper)).toBe(true);
    expect(await opened.ofChain(victim)).toMatchObject({ paper: 0n, credit: 0n });
    expect((await opened.ofChain(liquidator.address)).paper).toBe(paper);
    const trades = () =>
      exchange.account(victim)?.markets.get("btcusdc")?.trades.page({ limit: 500 }).length;
    const before = trades();
    await pass(opened, 8_000);
    expect([exchange.positionLots(victim, "btcusdc"), trades()]).toEqual([0, before]);

    await pass(opened, 12_000);
    expect((await opened.ofChain(victim)).paper).not.toBe(0n);
    expect(await isSafeOnChain(opened, victim)).toBe(true);
    expect((await opened.ofChain(victim)).primary).toBe(BigInt(CREDIT) * 1_000_000n);
    await expectEqualViews(opened, addresses);
    expect(opened.reports).toEqual([]);
    await opened.open.close();
  });
});
