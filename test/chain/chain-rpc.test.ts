import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ChainRpc, type ChainRpcOptions } from "#chain/chain-rpc.js";
import { CallReverted, ChainUnavailable, RpcFailure } from "#chain/rpc-errors.js";
import { anyResult } from "#chain/rpc-values.js";
import { ConfigError } from "#core/errors.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { signer, USD, World } from "../contracts/world.js";
import { FaultyRpc } from "./faulty-rpc.js";

/**
 * Deadlines, pauses and delays pass only when a test says so, so that a busy processor does not
 * make an RPC look slow.
 */
let clock = new VirtualClock(0);
let world: World;
let rpcs: FaultyRpc[] = [];
const opened: ChainRpc[] = [];

beforeAll(async () => {
  world = await World.create();
});
beforeEach(async () => {
  clock = new VirtualClock(0);
  rpcs = await Promise.all([0, 1, 2].map(() => FaultyRpc.start(world.evm, clock)));
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((chain) => chain.close()));
  await Promise.all(rpcs.map((rpc) => rpc.stop()));
});

/** Over the first so many RPCs, with the chain's own time. */
function open(count: number, options: Partial<ChainRpcOptions> = {}): ChainRpc {
  const chain = new ChainRpc({
    urls: rpcs.slice(0, count).map(({ url }) => url),
    chainId: 31337,
    clock,
    nowMs: () => world.evm.nowSeconds * 1000 + 500,
    requestTimeoutMs: 1500,
    headRefreshMs: 0,
    ...options,
  });
  opened.push(chain);
  return chain;
}

const at = (i: number): FaultyRpc => {
  const rpc = rpcs[i];
  if (rpc === undefined) throw new Error(`no RPC ${i}`);
  return rpc;
};
const newest = async (): Promise<number> => Number(await world.evm.rpc("eth_blockNumber"));
const blocks = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i += 1) await world.evm.wait(2);
};
const distrustOf = (chain: ChainRpc) => chain.report().map(({ distrustReason }) => distrustReason);
const markPrice = () => ({
  to: world.dealer.address,
  data: world.dealer.abi.encodeFunctionData("getMarkPrice", [world.btc.perp.address]),
  gas: 1_000_000,
});

describe("one RPC", () => {
  it("returns the chain's newest block, and a view's result at a block", async () => {
    const chain = open(1);
    const head = await chain.head();
    expect(head).toMatchObject({
      number: await newest(),
      timestampMs: world.evm.nowSeconds * 1000,
    });
    expect(await chain.read(markPrice(), head.number, BigInt)).toBe(30_000n * USD);
    await world.evm.save();
    await world.setPrice(world.btc, 20_000n * USD);
    expect(await chain.read(markPrice(), head.number, BigInt)).toBe(30_000n * USD);
    expect(await chain.read(markPrice(), await newest(), BigInt)).toBe(20_000n * USD);
    await world.evm.restore();
  });

  it("passes a revert on with the contract's text, and trusts the RPC as before", async () => {
    const chain = open(1);
    const { number } = await chain.head();
    const { score } = chain.report()[0] ?? { score: 0 };
    const data = world.btc.perp.abi.encodeFunctionData("liquidate", [
      signer(1).address,
      signer(2).address,
      1,
      1,
    ]);
    const failure = await chain
      .read(
        { to: world.btc.perp.address, data, gas: 1_000_000, from: signer(1).address },
        number,
        BigInt,
      )
      .catch((error) => error);
    expect(failure).toBeInstanceOf(CallReverted);
    expect((failure as CallReverted).revert).toEqual({
      kind: "lost-race",
      text: "JOJO_ACCOUNT_IS_SAFE",
    });
    expect(chain.report()[0]?.score).toBeGreaterThanOrEqual(score * 0.5);
    expect(distrustOf(chain)).toEqual([undefined]);
  });

  it.each([
    ["is dead", { isDead: true }, "connection lost"],
    ["is overloaded", { httpStatus: 503 }, "HTTP 503"],
    ["speaks something else", { text: "{}" }, "no JSON-RPC answer"],
    ["answers another question", { text: '{"id":99,"result":"0x1"}' }, "no JSON-RPC answer"],
    [
      "is of another chain",
      { tamper: (method: string, result: unknown) => (method === "eth_chainId" ? "0x1" : result) },
      "is on chain 1; expected 31337",
    ],
    [
      "has no blocks",
      {
        tamper: (method: string, result: unknown) =>
          method === "eth_getBlockByNumber" ? null : result,
      },
      "has reported no head",
    ],
  ])(
    "that %s is not believed, and named without its address's key",
    async (_name, faults, words) => {
      at(0).faults = faults;
      const failure = await open(1)
        .head()
        .catch((error) => error);
      expect(failure).toBeInstanceOf(ChainUnavailable);
      expect(String(failure)).toContain(words);
      expect(String(failure)).not.toContain("secret");
    },
  );

  it("that does not respond is not trusted after the timeout", async () => {
    at(0).faults = { isSilent: true };
    const head = open(1).head();
    const told = expect(head).rejects.toThrow("no answer within 1500 ms");
    await at(0).heard("eth_chainId");
    await clock.runFor(1499);
    await clock.runFor(1);
    await told;
    await expect(head).rejects.toThrow(ChainUnavailable);
    await expect(head).rejects.not.toThrow("secret");
  });

  it("that rejects a request has its own message in the error", async () => {
    at(0).faults = {
      refuse: (method) =>
        method === "eth_sendRawTransaction"
          ? { code: -32000, message: "nonce too low" }
          : undefined,
    };
    const failure = await open(1)
      .request("eth_sendRawTransaction", ["0x"], anyResult)
      .catch((error) => error);
    expect(failure).toBeInstanceOf(RpcFailure);
    expect(failure).toMatchObject({ why: "refused", code: -32000, message: "nonce too low" });
  });

  it("with an old head is not trusted until its chain advances", async () => {
    let lateMs = 20_000;
    const chain = open(1, { nowMs: () => world.evm.nowSeconds * 1000 + lateMs });
    await expect(chain.head()).rejects.toThrow("its head is 20000 ms old, allowed 15000");
    await expect(chain.read(markPrice(), await newest(), BigInt)).rejects.toThrow(ChainUnavailable);
    lateMs = -20_000;
    await expect(chain.head()).rejects.toThrow("its head is 20000 ms ahead of the clock");
    lateMs = 0;
    expect((await chain.head()).number).toBe(await newest());
  });
});

describe("several RPCs", () => {
  it("replace one that is down, and use it again once it is back", async () => {
    const chain = open(2);
    await chain.head();
    at(0).faults = { isDead: true };
    const { number } = await chain.head();
    at(0).take("eth_call");
    for (let i = 0; i < 3; i += 1)
      expect(await chain.read(markPrice(), number, BigInt)).toBe(30_000n * USD);
    // An RPC that failed is left alone for a while, without useless requests.
    expect(at(0).take("eth_call")).toBe(0);
    const [dead, alive] = chain.report();
    expect(dead?.score).toBeLessThan(alive?.score ?? 0);
    at(0).faults = {};
    at(1).faults = { isDead: true };
    expect(await chain.read(markPrice(), number, BigInt)).toBe(30_000n * USD);
  });

  it("prefer the fastest one", async () => {
    at(0).faults = { delayMs: 60 };
    const chain = open(2, { headRefreshMs: 60_000 });
    const head = chain.head();
    while (chain.report()[1]?.headNumber === undefined)
      await new Promise((resolve) => setImmediate(resolve));
    await at(0).heard("eth_chainId");
    await clock.runFor(60);
    await at(0).heard("eth_getBlockByNumber");
    await clock.runFor(60);
    const { number } = await head;
    at(0).take("eth_call");
    await chain.read(markPrice(), number, BigInt);
    expect(at(0).take("eth_call")).toBe(0);
    expect(at(1).take("eth_call")).toBe(1);
  });

  it("fail over within a request when one goes silent in the middle of it", async () => {
    const chain = open(2, { headRefreshMs: 60_000 });
    const { number } = await chain.head();
    for (const [silent, other] of [
      [0, 1],
      [1, 0],
    ] as const) {
      at(silent).faults = { isSilent: true };
      at(other).faults = {};
      at(silent).take("eth_call");
      const answer = chain.read(markPrice(), number, BigInt);
      await at(silent).heard("eth_call");
      await clock.runFor(1500);
      expect(BigInt(await answer)).toBe(30_000n * USD);
    }
  });

  it("are not slowed by one that lags, and do not query it", async () => {
    await blocks(5);
    const chain = open(2);
    at(0).faults = { lagBlocks: 4 };
    expect((await chain.head()).number).toBe(await newest());
    expect(distrustOf(chain)).toEqual(["its head is 4 blocks behind, allowed 2", undefined]);
    at(1).faults = { isDead: true };
    await expect(chain.read(markPrice(), await newest(), BigInt)).rejects.toThrow(ChainUnavailable);
    expect(at(0).take("eth_call")).toBe(0);
  });

  it("read a block that one of them does not have yet from the others", async () => {
    const chain = open(2);
    at(0).faults = { lagBlocks: 1 };
    const { number } = await chain.head();
    expect(distrustOf(chain)).toEqual([undefined, undefined]);
    expect(await chain.read(markPrice(), number, BigInt)).toBe(30_000n * USD);
    expect([at(0).take("eth_call"), at(1).take("eth_call")]).toEqual([0, 1]);
  });

  it("give the reason for each when none is left", async () => {
    at(0).faults = { isDead: true };
    at(1).faults = { httpStatus: 429 };
    await expect(open(2).head()).rejects.toThrow(/connection lost.*; .*HTTP 429/);
  });
});

describe("a quorum", () => {
  const lie = (method: string, result: unknown) =>
    method === "eth_call" ? `0x${"00".repeat(31)}01` : result;

  it("is not misled by one RPC with a false result", async () => {
    at(0).faults = { tamper: lie };
    const chain = open(3, { quorum: 2 });
    const { number } = await chain.head();
    for (let i = 0; i < 3; i += 1)
      expect(await chain.read(markPrice(), number, BigInt)).toBe(30_000n * USD);
  });

  it("queries no further RPC while a slow one may still agree", async () => {
    const chain = open(3, { quorum: 2, headRefreshMs: 60_000 });
    const { number } = await chain.head();
    for (const rpc of rpcs) rpc.take("eth_call");
    at(0).faults = { delayMs: 60 };
    const answer = chain.read(markPrice(), number, BigInt);
    await at(0).heard("eth_call");
    await at(1).heard("eth_call");
    for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    await clock.runFor(60);
    expect(BigInt(await answer)).toBe(30_000n * USD);
    expect(rpcs.map((rpc) => rpc.take("eth_call"))).toEqual([1, 1, 0]);
  });

  it("that is not reached is an error", async () => {
    const chain = open(3, { quorum: 2, headRefreshMs: 60_000 });
    const { number } = await chain.head();
    at(0).faults = { tamper: lie };
    at(1).faults = { isSilent: true };
    const told = expect(chain.read(markPrice(), number, BigInt)).rejects.toThrow(
      "no 2 answers agree",
    );
    await at(1).heard("eth_call");
    await clock.runFor(1500);
    await told;
    expect(at(2).take("eth_call")).toBe(1);
  });

  it("agrees on a revert as on any result", async () => {
    const chain = open(3, { quorum: 3 });
    const { number } = await chain.head();
    const data = world.btc.perp.abi.encodeFunctionData("liquidate", [
      signer(1).address,
      signer(2).address,
      1,
      1,
    ]);
    const call = { to: world.btc.perp.address, data, gas: 1_000_000, from: signer(1).address };
    await expect(chain.read(call, number, BigInt)).rejects.toThrow(CallReverted);
  });

  it("uses the newest block that so many RPCs have reached", async () => {
    await blocks(2);
    at(0).faults = { lagBlocks: 1 };
    at(1).faults = { lagBlocks: 2 };
    expect((await open(3, { quorum: 2 }).head()).number).toBe((await newest()) - 1);
    expect((await open(3, { quorum: 3 }).head()).number).toBe((await newest()) - 2);
  });

  it.each([0, 1.5, 3])("of %d over two RPCs is refused", (quorum) => {
    expect(() => open(2, { quorum })).toThrow(ConfigError);
  });
});

describe("addresses", () => {
  it.each([[[]], [["ftp://host/secret"]], [["secret"]]])(
    "that are none are refused and not shown: %j",
    (urls) => {
      const attempt = () => new ChainRpc({ urls, chainId: 1, clock });
      expect(attempt).toThrow(ConfigError);
      expect(attempt).not.toThrow(/secret/);
    },
  );
});
