import { afterEach, describe, expect, it } from "vitest";
import { VirtualClock } from "#core/virtual-clock.js";
import type { ChainRequestError } from "#simulator/chain-request-error.js";
import type { OpenChain } from "#simulator/open-chain.js";
import {
  BTC,
  type ChainCase,
  chainOf,
  DEALER,
  ETH,
  PERPETUAL,
  read,
  SOURCE,
  START_MS,
  sendTo,
  TOKEN,
} from "./chains.js";

let open: OpenChain;
afterEach(() => open.close());

async function start(options: ChainCase = {}): Promise<OpenChain> {
  open = await chainOf(options);
  return open;
}

describe("the contracts of a new chain", () => {
  it("are deployed and connected, so that the first trade could be sent", async () => {
    const { chain, addresses, keys } = await start({ markets: [BTC, ETH] });
    const { dealer, token } = addresses;
    const state = DEALER.decodeFunctionResult(
      "state",
      await chain.call(dealer, DEALER.encodeFunctionData("state")),
    );
    expect([...state]).toEqual([
      token,
      `0x${"0".repeat(40)}`,
      0n,
      false,
      addresses.insurance,
      addresses.fundingRateLimiter,
      10n,
    ]);
    expect(await read(chain, dealer, DEALER, "isOrderSenderValid", addresses.orderSender)).toBe(
      true,
    );
    const perps = [...addresses.markets.values()].map(({ perp }) => perp);
    expect(await read(chain, dealer, DEALER, "getAllRegisteredPerps")).toEqual(perps);
    for (const { marketId, markPrice, liquidationThreshold } of [BTC, ETH]) {
      const place = addresses.markets.get(marketId);
      const perp = place?.perp ?? "";
      expect(await read(chain, perp, PERPETUAL, "owner")).toBe(dealer);
      expect(await read(chain, dealer, DEALER, "getMarkPrice", perp)).toBe(markPrice);
      const params = (await read(chain, dealer, DEALER, "getRiskParams", perp)) as {
        liquidationThreshold: bigint;
        name: string;
      };
      expect([params.liquidationThreshold, params.name]).toEqual([liquidationThreshold, marketId]);
    }
    for (const { signer } of keys.accounts)
      expect(await read(chain, token, TOKEN, "balanceOf", signer.address)).toBe(10n ** 12n);
  });

  it("have addresses that depend only on the mnemonic and the market's id", async () => {
    const { addresses, close } = await start({ markets: [BTC] });
    await close();
    const later = await start({
      markets: [ETH, BTC],
      clock: new VirtualClock(START_MS + 5000),
      config: { blocks: { intervalMs: 500 } },
    });
    expect(later.addresses.markets.get("btcusdc")).toEqual(addresses.markets.get("btcusdc"));
    expect({ ...later.addresses, markets: null }).toEqual({ ...addresses, markets: null });
  });

  it("leave funding to the keeper alone if the limiter is off", async () => {
    const { chain, addresses, keys } = await start({
      config: { contracts: { fundingLimiter: false } },
    });
    const perp = addresses.markets.get("btcusdc")?.perp;
    const hash = await sendTo(
      chain,
      keys.fundingKeeper.signer,
      addresses.dealer,
      DEALER,
      "updateFundingRate",
      [perp],
      [5n * 10n ** 8n],
    );
    expect((await chain.receipt(hash))?.isReverted).toBe(false);
  });

  it("name the deployment step that the dealer refuses", async () => {
    open = await chainOf();
    const risky = { ...BTC, liquidationPriceOff: BTC.liquidationThreshold };
    await expect(chainOf({ markets: [risky] })).rejects.toThrow("setPerpRiskParams");
  });
});

describe("transactions of one account", () => {
  it("are all accepted with their own nonces and mined in order, even when more are pending than a block holds", async () => {
    const clock = new VirtualClock(START_MS);
    const { chain, keys } = await start({
      clock,
      config: { blocks: { intervalMs: 1000, gasLimit: 10_000_000 } },
    });
    const from = keys.orderSender.signer;
    // 821,000 gas each by their data alone: a block holds twelve.
    const data = `0x${"ff".repeat(20_000)}`;
    const sent: Promise<string>[] = [];
    for (let count = 0; count < 30; count += 1)
      sent.push(chain.send({ from, to: from.address, data, gas: 900_000 }));
    const hashes = await Promise.all(sent);
    expect(new Set(hashes).size).toBe(30);
    await clock.runFor(5_000);
    await chain.idle();
    const blocks = await Promise.all(
      hashes.map(async (hash) => (await chain.receipt(hash))?.blockNumber ?? Number.NaN),
    );
    expect(blocks).toEqual([...blocks].sort((a, b) => a - b));
    expect(new Set(blocks).size).toBeGreaterThan(1);
  });

  it("continue after another sender's transactions with the same key, mined or pending", async () => {
    const clock = new VirtualClock(START_MS);
    const { chain, keys } = await start({ clock, config: { blocks: { intervalMs: 1000 } } });
    const [account] = keys.accounts;
    const from = account?.signer ?? keys.orderSender.signer;
    const byHand = () =>
      chain.request("eth_sendTransaction", { from: from.address, to: from.address, value: "0x1" });
    const hashes: string[] = [];
    for (const isMined of [true, false]) {
      hashes.push(await chain.send({ from, to: from.address, data: "0x" }), String(await byHand()));
      if (isMined) {
        await clock.runFor(1_000);
        await chain.idle();
      }
      hashes.push(await chain.send({ from, to: from.address, data: "0x01" }));
    }
    await clock.runFor(1_000);
    await chain.idle();
    for (const hash of hashes)
      expect(await chain.receipt(hash)).toMatchObject({ isReverted: false });
  });

  it("continue at the chain's nonce when the last of them was dropped", async () => {
    const clock = new VirtualClock(START_MS);
    const { chain, keys } = await start({ clock, config: { blocks: { intervalMs: 1000 } } });
    const from = keys.orderSender.signer;
    const kept = await chain.send({ from, to: from.address, data: "0x" });
    const dropped = await chain.send({ from, to: from.address, data: "0x01" });
    await chain.request("hardhat_dropTransaction", dropped);
    const next = await chain.send({ from, to: from.address, data: "0x02" });
    await clock.runFor(1_000);
    await chain.idle();
    for (const hash of [kept, next])
      expect(await chain.receipt(hash)).toMatchObject({ isReverted: false });
    expect(await chain.receipt(dropped)).toBeNull();
  });
});

describe("the time of a block", () => {
  it("is the exchange's time, even if that is virtual or steps back", async () => {
    const clock = new VirtualClock(START_MS);
    const { chain, keys, addresses } = await start({ clock });
    expect(chain.head.timestampSeconds).toBe(START_MS / 1000);
    await clock.runFor(7_900);
    const setter = keys.market("btcusdc").signer;
    const source = addresses.markets.get("btcusdc")?.priceSource ?? "";
    await sendTo(chain, setter, source, SOURCE, "setMarkPrice", 1n);
    expect(await read(chain, source, SOURCE, "updatedAt")).toBe(BigInt(START_MS / 1000 + 7));
    clock.stepWall(-60_000);
    await sendTo(chain, setter, source, SOURCE, "setMarkPrice", 2n);
    expect(chain.head.timestampSeconds).toBe(START_MS / 1000 + 7);
  });

  it("applies to views of the pending block, so that a stale price is reported as stale", async () => {
    const clock = new VirtualClock(START_MS);
    const { chain, addresses } = await start({
      clock,
      config: { contracts: { priceHeartbeatMs: 10_000 } },
    });
    const to = addresses.markets.get("btcusdc")?.priceSource ?? "";
    const call = { to, data: SOURCE.encodeFunctionData("getMarkPrice") };
    await clock.runFor(10_000);
    expect(await chain.request("eth_call", call, "pending")).toMatch(/^0x0+6fc23ac00$/);
    await clock.runFor(1_000);
    const refusal = (await chain
      .request("eth_call", call, "pending")
      .catch((error: unknown) => error)) as ChainRequestError;
    expect([refusal.code, refusal.reason]).toEqual([3, "ORACLE_HEARTBEAT_FAILED"]);
  });
});

describe("blocks", () => {
  it("are mined one for each transaction, and not for one whose nonce is not next", async () => {
    const { chain, keys } = await start();
    const from = keys.accounts[0]?.signer.address;
    const before = chain.head.number;
    const late = await chain.request("eth_sendTransaction", {
      from,
      to: from,
      nonce: "0x1",
      gas: "0x5208",
    });
    expect([chain.head.number, await chain.receipt(late as string)]).toEqual([before, null]);
    await chain.request("eth_sendTransaction", { from, to: from, nonce: "0x0", gas: "0x5208" });
    expect(chain.head.number).toBe(before + 1);
    expect((await chain.receipt(late as string))?.blockNumber).toBe(before + 1);
  });

  it("are mined at the interval of the exchange's clock, with all pending transactions", async () => {
    const clock = new VirtualClock(START_MS);
    const { chain, keys } = await start({ clock, config: { blocks: { intervalMs: 2000 } } });
    const before = chain.head.number;
    const from = keys.accounts[0]?.signer.address;
    const hash = (await chain.request("eth_sendTransaction", {
      from,
      to: from,
      gas: "0x5208",
    })) as string;
    await clock.runFor(1_999);
    await chain.idle();
    expect([chain.head.number, await chain.receipt(hash)]).toEqual([before, null]);
    await clock.runFor(4_001);
    await chain.idle();
    expect(chain.head).toMatchObject({ number: before + 3, timestampSeconds: START_MS / 1000 + 6 });
    expect((await chain.receipt(hash))?.blockNumber).toBe(before + 1);
  });

  it("are not mined without transactions if empty ones are off", async () => {
    const clock = new VirtualClock(START_MS);
    const { chain, keys } = await start({
      clock,
      config: { blocks: { intervalMs: 1000, empty: false } },
    });
    const before = chain.head.number;
    await clock.runFor(5_000);
    await chain.idle();
    expect(chain.head.number).toBe(before);
    await chain.send({
      from: keys.owner.signer,
      to: keys.insurance.signer.address,
      data: "0x",
      gas: 21_000,
    });
    await clock.runFor(1_000);
    await chain.idle();
    expect(chain.head.number).toBe(before + 1);
  });

  it("order transactions by tip, or by arrival", async () => {
    for (const [order, first] of [
      ["tip", 1],
      ["arrival", 0],
    ] as const) {
      const { chain, keys, close } = await start({
        config: { blocks: { intervalMs: 1000, order } },
      });
      const hashes: string[] = [];
      for (const [place, tipWei] of [10n ** 9n, 5n * 10n ** 9n].entries()) {
        const from = keys.accounts[place]?.signer ?? keys.owner.signer;
        hashes.push(await chain.send({ from, to: from.address, data: "0x", gas: 21_000, tipWei }));
      }
      await chain.minePending();
      const block = (await chain.request("eth_getBlockByNumber", "latest", false)) as {
        transactions: string[];
      };
      expect(block.transactions[0]).toBe(hashes[first]);
      await close();
    }
  });

  it("contain a transaction that reverts, with its receipt", async () => {
    const { chain, keys, addresses } = await start();
    const stranger = keys.accounts[1]?.signer ?? keys.owner.signer;
    const hash = await sendTo(
      chain,
      stranger,
      addresses.dealer,
      DEALER,
      "setMaxPositionAmount",
      99n,
    );
    expect((await chain.receipt(hash))?.isReverted).toBe(true);
  });
});
