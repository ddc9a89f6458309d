import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLiveRuntime } from "#core/live-runtime.js";
import { CallBudget } from "#simulator/call-budget.js";
import { STATE_BY_HAND } from "#simulator/logged-evm.js";
import type { OpenChain } from "#simulator/open-chain.js";
import { RpcFilters } from "#simulator/rpc-filters.js";
import { RPC_METHODS } from "#simulator/rpc-methods.js";
import { RpcSession } from "#simulator/rpc-session.js";
import { chainOf } from "./chains.js";
import { type Known, knownOf, wellFormed } from "./rpc-requests.js";

interface Outcome {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

let open: OpenChain;
let session: RpcSession;
beforeAll(async () => {
  open = await chainOf();
  const { callGasLimit } = open.chain.genesis;
  const policy = {
    devMethods: true,
    deployments: true,
    callGasLimit,
    foreignGas: 2_000_000,
    ownContracts: new Set<string>(),
  };
  const budget = new CallBudget({
    clock: createLiveRuntime().clock,
    mostMs: 600_000,
    share: 1,
    mostWaiting: 10,
  });
  session = new RpcSession(
    { chain: open.chain, policy, filters: new RpcFilters(open.chain), budget },
    () => {},
  );
});
afterAll(async () => {
  await session.close();
  await open.close();
});

async function rpc(method: string, ...params: readonly unknown[]): Promise<Outcome> {
  return JSON.parse(
    (await session.answer(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }))) ?? "null",
  ) as Outcome;
}

/** Texts of the EVM's JSON reader, of its types, and of the program it was written for. */
const LIBRARY_WORDS =
  /line \d+|column \d+|MethodInvocation|variant|untagged|invalid (?:type|value|length|string length)\b|supplied to|Hardhat|array of u8|f64|EVM failed|digits|input too short|element/i;

/** Values in place of valid ones. */
const ODD: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    1,
    -1,
    1.5,
    1e300,
    "",
    "0x",
    "0x0",
    "0x1",
    "0x01",
    "0X1",
    "latest",
    "0xzz",
    "xyz",
    [],
    {},
  ),
  fc.constantFrom(
    "0xffffffffffffffff",
    ...[64, 65, 40, 39].map((digits) => `0x${"f".repeat(digits)}`),
  ),
  fc.constantFrom<unknown>(
    [null],
    [[]],
    { blockHash: "0x12" },
    { blockNumber: 1 },
    { tracer: "callTracer", tracerConfig: { withLog: 5 } },
  ),
  fc.jsonValue({ maxDepth: 2 }),
);

describe("the parameters of a request", () => {
  it("are validated for every method of the port, including those that set state manually", () => {
    expect(Object.keys(wellFormed(knownOf(open))).sort()).toEqual([...RPC_METHODS.keys()].sort());
    for (const method of STATE_BY_HAND)
      expect(RPC_METHODS.get(method), method).toMatchObject({ isDev: true });
  });

  it("are accepted in every form that clients write", async () => {
    for (const [method, requests] of Object.entries(wellFormed(knownOf(open)))) {
      for (const params of requests)
        expect(
          (await rpc(method, ...params)).error,
          `${method} ${JSON.stringify(params)}`,
        ).toBeUndefined();
    }
  });

  it.each<
    readonly [
      what: string,
      method: string,
      params: (known: Known) => readonly unknown[],
      message: string | RegExp,
    ]
  >([
    ["one that is missing", "eth_getBalance", () => [], "missing value for required argument 0"],
    ["the second", "eth_getBlockByNumber", () => ["0x1"], "missing value for required argument 1"],
    [
      "null for one",
      "eth_getBlockByHash",
      ({ hash }) => [hash, null],
      "missing value for required argument 1",
    ],
    [
      "one too many",
      "eth_getBalance",
      ({ mine }) => [mine, "latest", 1],
      "too many arguments, want at most 2",
    ],
    ["one where there is none", "eth_chainId", () => [1], "too many arguments, want at most 0"],
    [
      "a short address",
      "eth_getCode",
      () => ["0x12", "latest"],
      "invalid argument 0: hex string has length 2, want 40 for an address",
    ],
    [
      "an address without 0x",
      "eth_getCode",
      ({ mine }) => [mine.slice(2)],
      "invalid argument 0: hex string without 0x prefix",
    ],
    [
      "a number for an address",
      "eth_getTransactionCount",
      () => [5],
      "invalid argument 0: non-string",
    ],
    [
      "half a byte",
      "eth_call",
      ({ token }) => [{ to: token, data: "0x1" }],
      "invalid argument 0: data: hex string of odd length",
    ],
    ["no hex", "web3_sha3", () => ["0xgg"], "invalid argument 0: invalid hex string"],
    [
      "an empty text",
      "eth_getBalance",
      ({ mine }) => [mine, ""],
      "invalid argument 1: empty hex string",
    ],
    [
      "a text for a flag",
      "eth_getBlockByNumber",
      () => ["latest", "yes"],
      "invalid argument 1: expected true or false",
    ],
    [
      "a number beyond its bits",
      "eth_call",
      ({ mine }) => [{ to: mine, gas: `0x1${"0".repeat(16)}` }],
      "invalid argument 0: gas: hex number > 64 bits",
    ],
    ["a list for an object", "eth_getLogs", () => [[]], "invalid argument 0: expected an object"],
    [
      "an object for a list",
      "eth_getProof",
      ({ token }) => [token, {}, "latest"],
      "invalid argument 1: expected a list",
    ],
    [
      "a sender that is missing",
      "eth_sendTransaction",
      ({ other }) => [{ to: other }],
      "invalid argument 0: missing required field 'from'",
    ],
    [
      "two data",
      "eth_call",
      ({ mine }) => [{ to: mine, data: "0x01", input: "0x02" }],
      /^invalid argument 0: both "data" and "input" are set/,
    ],
    [
      "a topic of half a byte",
      "eth_getLogs",
      () => [{ topics: [null, ["0x1"]] }],
      "invalid argument 0: topics: 1: 0: hex string of odd length",
    ],
    [
      "five topics",
      "eth_newFilter",
      () => [{ topics: [null, null, null, null, null] }],
      "invalid argument 0: topics: exceed max topics",
    ],
    [
      "a block twice",
      "eth_getLogs",
      ({ hash }) => [{ blockHash: hash, fromBlock: "0x0" }],
      /^invalid argument 0: cannot specify both BlockHash/,
    ],
    [
      "an override",
      "eth_call",
      ({ mine }) => [{ to: mine }, "latest", { "0x1": {} }],
      "invalid argument 2: 0x1: hex string of odd length",
    ],
    [
      "a tracer",
      "debug_traceCall",
      ({ mine }) => [{ to: mine }, "latest", { tracer: "myTracer" }],
      /^invalid argument 2: tracer: expected one of/,
    ],
    [
      "a tracer's flag",
      "debug_traceCall",
      ({ mine }) => [
        { to: mine },
        "latest",
        { tracer: "muxTracer", tracerConfig: { callTracer: { withLog: 1 } } },
      ],
      "invalid argument 2: tracerConfig: withLog: expected true or false",
    ],
    [
      "overrides that a trace would pass over",
      "debug_traceCall",
      ({ mine }) => [{ to: mine }, "latest", { stateOverrides: { [mine]: { balance: "0x1" } } }],
      "invalid argument 2: stateOverrides: a trace accepts no overrides here",
    ],
    ["a filter's number", "eth_getFilterChanges", () => [1], "invalid argument 0: non-string"],
    ["no subscription's name", "eth_subscribe", () => [{}], "invalid argument 0: non-string"],
    [
      "the logs of nothing",
      "eth_subscribe",
      () => ["logs"],
      "missing value for required argument 1",
    ],
    [
      "a balance of 33 bytes",
      "hardhat_setBalance",
      ({ mine }) => [mine, `0x${"f".repeat(66)}`],
      "invalid argument 1: hex number > 256 bits",
    ],
    [
      "time in words",
      "evm_mine",
      () => [{ timestamp: 1 }],
      "invalid argument 0: expected a whole number from 0",
    ],
  ])("are refused in the words of go-ethereum: %s", async (_what, method, params, message) => {
    const { error } = await rpc(method, ...params(knownOf(open)));
    expect(error).toEqual({
      code: -32602,
      message: typeof message === "string" ? message : expect.stringMatching(message),
    });
  });

  it.each<readonly [string, (block: unknown) => readonly [method: string, ...params: unknown[]]]>([
    ["eth_getBlockByHash", (block) => ["eth_getBlockByHash", block, false]],
    ["eth_getBlockReceipts", (block) => ["eth_getBlockReceipts", { blockHash: block }]],
    ["eth_getLogs", (block) => ["eth_getLogs", { blockHash: block }]],
    ["eth_getBalance", (block) => ["eth_getBalance", knownOf(open).mine, { blockHash: block }]],
    [
      "eth_call",
      (block) => [
        "eth_call",
        { to: knownOf(open).mine },
        { blockHash: block, requireCanonical: true },
      ],
    ],
    [
      "eth_getBlockTransactionCountByHash",
      (block) => ["eth_getBlockTransactionCountByHash", block],
    ],
    [
      "eth_getTransactionByBlockHashAndIndex",
      (block) => ["eth_getTransactionByBlockHashAndIndex", block, "0x0"],
    ],
  ])("name a block by a hash of 32 bytes and nothing else: %s", async (_method, request) => {
    const { hash } = knownOf(open);
    for (const wrong of [
      "0x12",
      "0x01",
      "0x",
      "",
      18,
      "latest",
      hash.slice(0, -2),
      `${hash}00`,
      hash.slice(2),
    ]) {
      const { error } = await rpc(...request(wrong));
      expect(error, `${wrong}`).toMatchObject({
        code: -32602,
        message: expect.stringMatching(/^invalid argument \d: /),
      });
    }
    expect((await rpc(...request(hash))).error).toBeUndefined();
  });

  it("are never refused with the EVM library's own error texts", async () => {
    const cases = wellFormed(knownOf(open));
    const request = fc.constantFrom(...Object.keys(cases)).chain((method) =>
      fc.record({
        method: fc.constant(method),
        params: fc.constantFrom(...(cases[method] as readonly (readonly unknown[])[]), []),
        place: fc.nat(3),
        value: ODD,
        field: fc.option(fc.nat(20)),
      }),
    );
    await fc.assert(
      fc.asyncProperty(request, async ({ method, params, place, value, field }) => {
        const { error } = await rpc(method, ...changed(params, place, value, field));
        if (error === undefined) return;
        expect(error.message).not.toMatch(LIBRARY_WORDS);
        if (error.code === -32602)
          expect(error.message).toMatch(
            /^(?:invalid argument \d: |missing value for|too many arguments)/,
          );
      }),
      { numRuns: 1500 },
    );
  });
});

describe("params that are not a list", () => {
  it.each([{}, "latest", 5, true])("are refused: %j", async (params) => {
    const answer = await session.answer(
      JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params }),
    );
    expect(JSON.parse(answer ?? "")).toMatchObject({
      error: { code: -32602, message: "non-array args" },
    });
  });

  it("count as empty if they are null, as some clients write it", async () => {
    const answer = await session.answer(
      '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":null}',
    );
    expect(JSON.parse(answer ?? "")).toMatchObject({ result: "0x7a69" });
  });
});

/** A parameter, or one field of it, replaced by another value. */
function changed(
  params: readonly unknown[],
  place: number,
  value: unknown,
  field: number | null,
): unknown[] {
  const copy: unknown[] = structuredClone([...params]);
  const at = copy[place];
  if (field === null || typeof at !== "object" || at === null) {
    copy[place] = value;
    return copy;
  }
  const names = Object.keys(at);
  Object.assign(at, { [names[field % Math.max(1, names.length)] ?? "data"]: value });
  return copy;
}
