import { readFileSync } from "node:fs";
import type { JsonFragment } from "ethers";
import solc from "solc";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ChainRpc } from "#chain/chain-rpc.js";
import type { RpcReply } from "#chain/rpc-transport.js";
import { seededRandom } from "#core/seeded-random.js";
import { ecdsaScheme } from "#core/signing.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { createFeedSource } from "#reference/feed-source.js";
import type { PriceMessage } from "#reference/price-message.js";
import { type Contract, Evm } from "../../contracts/evm.js";

const KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
const owner = ecdsaScheme.signer(KEY);

let evm: Evm;
let compiled: { readonly abi: JsonFragment[]; readonly bytecode: string };
let feed: Contract;
let clock: VirtualClock;
let rpc: ChainRpc;
let requested: { readonly method: string; readonly params: readonly unknown[] }[];
let messages: PriceMessage[];
let close: () => void;

beforeAll(async () => {
  evm = await Evm.start([KEY]);
  const path = new URL("./PriceFeed.sol", import.meta.url);
  const input = {
    language: "Solidity",
    sources: { "PriceFeed.sol": { content: readFileSync(path, "utf8") } },
    settings: {
      evmVersion: "cancun",
      outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
    },
  };
  const { contracts } = JSON.parse(solc.compile(JSON.stringify(input)));
  const { abi, evm: made } = contracts["PriceFeed.sol"].PriceFeed;
  compiled = { abi, bytecode: `0x${made.bytecode.object}` };
});

beforeEach(async () => {
  feed = await evm.deploy(owner, compiled.abi, compiled.bytecode, 8);
  clock = new VirtualClock(evm.nowSeconds * 1000);
  requested = [];
  messages = [];
  let id = 0;
  rpc = new ChainRpc({
    urls: [
      {
        name: "embedded",
        call: async (method, params) => {
          requested.push({ method, params });
          id += 1;
          const request = JSON.stringify({ jsonrpc: "2.0", id, method, params });
          return (await evm.answer(request)) as unknown as RpcReply;
        },
      },
    ],
    chainId: 31337,
    clock,
    nowMs: () => evm.nowSeconds * 1000,
    headRefreshMs: 0,
  });
});

afterEach(async () => {
  close();
  await rpc.close();
});

function open(address = feed.address): void {
  const source = createFeedSource(
    { feed: address, pollMs: 1000 },
    { runtime: { clock, random: seededRandom("source") }, rpc },
  );
  const subscription = source.subscribe((message) => messages.push(message));
  close = () => subscription.unsubscribe();
}

/** Waits for so many messages; the chain answers in real time. */
async function received(count: number): Promise<void> {
  for (let turn = 0; turn < 4000 && messages.length < count; turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(messages.length).toBeGreaterThanOrEqual(count);
}

describe("a source from a price feed on the chain", () => {
  it("sends the answer in quote units, with the round's own time", async () => {
    await feed.send(owner, "set", 7n, 6_012_345_678_901n, 1_700_000_000n, 7n);
    open();
    await received(1);
    expect(messages).toEqual([
      { type: "price", bid: 60123.45678901, ask: 60123.45678901, timeMs: 1_700_000_000_000 },
    ]);
  });

  it("is read every pollMs, and follows a new round", async () => {
    await feed.send(owner, "set", 7n, 6_000_000_000_000n, 1_700_000_000n, 7n);
    open();
    await received(1);
    await feed.send(owner, "set", 8n, 6_100_000_000_000n, 1_700_000_060n, 8n);
    await clock.runFor(999);
    expect(messages).toHaveLength(1);
    await clock.runFor(1);
    await received(2);
    expect(messages[1]).toMatchObject({ bid: 61_000, timeMs: 1_700_000_060_000 });
  });

  it.each([
    ["the answer is 0", [7n, 0n, 1_700_000_000n, 7n], "its answer is 0, expected above 0"],
    ["the answer is negative", [7n, -5n, 1_700_000_000n, 7n], "its answer is -5, expected above 0"],
    ["the round is not complete", [7n, 5n, 0n, 7n], "its round is not complete: updatedAt is 0"],
    [
      "the answer is carried over from an earlier round",
      [7n, 5n, 1_700_000_000n, 6n],
      "its answer is carried over: answeredInRound 6 is before round 7",
    ],
  ])("is down when %s", async (_, round, reason) => {
    await feed.send(owner, "set", ...round);
    open();
    await received(1);
    expect(messages).toEqual([{ type: "down", reason }]);
  });

  it("is down when no feed is at the address, or the chain cannot be read", async () => {
    open(`0x${"12".repeat(20)}`);
    await received(1);
    expect(messages).toEqual([
      { type: "down", reason: expect.stringContaining("no price feed is at 0x1212") },
    ]);
    await rpc.close();
    await clock.runFor(1000);
    await received(2);
    expect(messages[1]?.type).toBe("down");
  });

  it("makes no request but those that read the feed, and none once it is unsubscribed", async () => {
    await feed.send(owner, "set", 7n, 6_000_000_000_000n, 1_700_000_000n, 7n);
    open();
    await received(1);
    expect(new Set(requested.map(({ method }) => method))).toEqual(
      new Set(["eth_chainId", "eth_getBlockByNumber", "eth_call"]),
    );
    for (const { method, params } of requested)
      if (method === "eth_call")
        expect((params[0] as { to: string }).to).toBe(feed.address.toLowerCase());
    close();
    const { length } = requested;
    await clock.runFor(10_000);
    expect(requested).toHaveLength(length);
  });
});
