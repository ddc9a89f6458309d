import { readdirSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseBlockHeader, parseRequestedBlock } from "#chain/block-header.js";
import { parseChainLog, parseLogs } from "#chain/chain-log.js";
import { ChainRpc } from "#chain/chain-rpc.js";
import {
  decodeCosts,
  decodeHoldings,
  decodeLensBalances,
  decodeMarkets,
  decodeRisks,
} from "#chain/lens-results.js";
import { joinLiquidation } from "#chain/liquidation-events.js";
import { ChainError } from "#chain/rpc-errors.js";
import type { InProcessRpc, RpcReply } from "#chain/rpc-transport.js";
import { parseBytes, parseNumber, parseObject, parseQuantity } from "#chain/rpc-values.js";
import { parseReceipt, parseRequestedReceipt } from "#chain/transaction-receipt.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { jsonText, oddChange, oddText, withChange } from "../support/odd-json.js";

const word = (digits: string): string => digits.padStart(64, "0");
const hash = (digit: string): string => `0x${digit.repeat(64)}`;
const ADDRESS = `0x${"a1".repeat(20)}`;
const BLOCK = {
  number: "0x10",
  hash: hash("1"),
  parentHash: hash("2"),
  timestamp: "0x64",
  baseFeePerGas: "0x7",
  gasUsed: "0x5208",
  gasLimit: "0x1c9c380",
};
const TAKEOVER = {
  address: ADDRESS,
  topics: [joinLiquidation.topic, `0x${word("1")}`, `0x${word("2")}`, `0x${word("3")}`],
  data: `0x${word("4")}${word("5")}${word("6")}`,
  blockNumber: "0x10",
  blockHash: hash("1"),
  transactionHash: hash("3"),
  logIndex: "0x0",
};
const RECEIPT = {
  transactionHash: hash("3"),
  blockNumber: "0x10",
  blockHash: hash("1"),
  status: "0x1",
  gasUsed: "0x5208",
  effectiveGasPrice: "0x9",
  logs: [TAKEOVER],
};
/** Block number, time, and a list of nothing. */
const EMPTY_LIST = `0x${word("10")}${word("64")}${word("60")}${word("0")}`;
/** One account: its credit, and one position. */
const ONE_ACCOUNT = `0x${word("10")}${word("64")}${word("60")}${word("c0")}${[1, 5, 0, 1, 2, 3].map((n) => word(n.toString(16))).join("")}`;

/** Parsers of node responses by name, each with a valid response. */
const READERS: Readonly<
  Record<string, readonly [read: (result: unknown) => unknown, sound: unknown]>
> = {
  parseBlockHeader: [parseBlockHeader, BLOCK],
  parseRequestedBlock: [
    (block) => parseRequestedBlock(block, { number: 16, hash: hash("1") }),
    BLOCK,
  ],
  parseReceipt: [parseReceipt, RECEIPT],
  parseRequestedReceipt: [(receipt) => parseRequestedReceipt(receipt, hash("3")), RECEIPT],
  parseChainLog: [(log) => joinLiquidation.decode(parseChainLog(log)), TAKEOVER],
  parseLogs: [(logs) => parseLogs(logs, { from: 16, to: 16, addresses: [ADDRESS] }), [TAKEOVER]],
  parseObject: [(value) => parseObject(value, "it"), BLOCK],
  parseBytes: [(value) => parseBytes(value, "it", 32), hash("1")],
  parseQuantity: [(value) => parseQuantity(value, "it"), "0x7"],
  parseNumber: [(value) => parseNumber(value, "it"), "0x7"],
  decodeRisks: [(value) => decodeRisks(parseBytes(value, "it")), EMPTY_LIST],
  decodeHoldings: [(value) => decodeHoldings(parseBytes(value, "it")), EMPTY_LIST],
  decodeCosts: [(value) => decodeCosts(parseBytes(value, "it")), EMPTY_LIST],
  decodeMarkets: [(value) => decodeMarkets(parseBytes(value, "it")), EMPTY_LIST],
  decodeLensBalances: [(value) => decodeLensBalances(parseBytes(value, "it")), ONE_ACCOUNT],
};

const CHAIN_ID = 31_337;

/** A trusted node that gives a fixed response to one method. */
function node(name: string, answer: () => RpcReply): InProcessRpc {
  return {
    name,
    call: async (method) => {
      if (method === "eth_chainId") return { result: `0x${CHAIN_ID.toString(16)}` };
      return method === "eth_getBlockByNumber" ? { result: BLOCK } : answer();
    },
  };
}

describe("an odd answer of a node", () => {
  it.each(Object.entries(READERS))(
    "that %s cannot read goes to the next RPC, and ends in a typed error where there is none",
    async (_name, [read, sound]) => {
      await fc.assert(
        fc.asyncProperty(oddChange, fc.boolean(), async (change, isError) => {
          const bent = withChange(sound, change);
          const odd: RpcReply =
            isError || bent === undefined ? { error: bent ?? null } : { result: bent };
          const clock = new VirtualClock(100_000);
          const options = { chainId: CHAIN_ID, clock, maxHeadAgeMs: 10 ** 9 };
          const alone = new ChainRpc({ urls: [node("odd", () => odd)], ...options });
          const fate = await alone.request("eth_odd", [], read).then(
            () => "read",
            (error: unknown) => error,
          );
          if (fate !== "read") expect(fate).toBeInstanceOf(ChainError);
          const both = new ChainRpc({
            urls: [node("odd", () => odd), node("sound", () => ({ result: sound }))],
            ...options,
          });
          if (fate !== "read") expect(await both.request("eth_odd", [], read)).toEqual(read(sound));
        }),
        { numRuns: 150 },
      );
    },
  );

  it("is tried on everything that reads one", () => {
    const folder = new URL("../../src/chain/", import.meta.url);
    const source = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => readFileSync(new URL(name, folder), "utf8"));
    const names = source.flatMap((text) =>
      [
        ...text.matchAll(
          /^export function (\w+)\(\s*(?:value: unknown|data: Hex\): LensResponse)/gm,
        ),
      ].map(([, name = ""]) => name),
    );
    expect(names.sort()).toEqual(Object.keys(READERS).sort());
  });

  it("lacks nothing that its bloom filter has: a receipt without its logs is refused", () => {
    const bloom = `0x${"00".repeat(100)}04${"00".repeat(155)}`;
    expect(() => parseReceipt({ ...RECEIPT, logs: [], logsBloom: bloom })).toThrow(
      "lacks logs that its bloom filter has",
    );
    expect(
      () => parseReceipt({ ...RECEIPT, logsBloom: `0x${"00".repeat(256)}` }),
      "rollups leave it out",
    ).not.toThrow();
    expect(() =>
      parseReceipt({ ...RECEIPT, logs: [{ ...TAKEOVER, transactionHash: hash("4") }] }),
    ).toThrow("another transaction");
  });

  describe("over HTTP", () => {
    let server: Server;
    let body: (sound: string) => string = (sound) => sound;
    let head: readonly [status: number, headers: Record<string, string>] = [200, {}];
    beforeAll(async () => {
      server = createServer((request, response) => {
        const chunks: Buffer[] = [];
        request.on("data", (chunk: Buffer) => chunks.push(chunk));
        request.on("end", () => {
          const { id, method } = JSON.parse(Buffer.concat(chunks).toString()) as {
            id: number;
            method: string;
          };
          const result = method === "eth_chainId" ? `0x${CHAIN_ID.toString(16)}` : BLOCK;
          const sound = JSON.stringify({
            jsonrpc: "2.0",
            id,
            result: method === "eth_gasPrice" ? "0x7" : result,
          });
          if (method !== "eth_gasPrice") return response.end(sound);
          response.writeHead(...head).end(body(sound));
        });
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    });
    afterAll(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });

    it("is an answer or a typed error, whatever the text, the status and the type of its content", async () => {
      const rpc = new ChainRpc({
        urls: [`http://127.0.0.1:${(server.address() as AddressInfo).port}`],
        chainId: CHAIN_ID,
        clock: createLiveRuntime().clock,
        nowMs: () => 100_000,
        requestTimeoutMs: 60_000,
      });
      const changed = oddChange.map(
        (change) => (text: string) => jsonText(withChange(JSON.parse(text), change)),
      );
      const heads = fc.constantFrom<readonly [number, Record<string, string>]>(
        [200, {}],
        [200, { "content-type": "text/html" }],
        [200, { "content-encoding": "gzip" }],
        [301, { location: "http://127.0.0.1:1" }],
        [404, {}],
        [429, { "retry-after": "x" }],
        [503, {}],
      );
      await fc.assert(
        fc.asyncProperty(fc.oneof(changed, oddText), heads, async (text, wanted) => {
          body = text;
          head = wanted;
          const read = (price: unknown): bigint => parseQuantity(price, "eth_gasPrice");
          const fate = await rpc.request("eth_gasPrice", [], read).catch((error: unknown) => error);
          if (typeof fate !== "bigint") expect(fate).toBeInstanceOf(ChainError);
        }),
        { numRuns: 200 },
      );
      await rpc.close();
    });
  });
});
