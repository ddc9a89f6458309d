import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLiveRuntime } from "#core/live-runtime.js";
import { CallBudget } from "#simulator/call-budget.js";
import type { OpenChain } from "#simulator/open-chain.js";
import { RpcFilters } from "#simulator/rpc-filters.js";
import { RPC_METHODS } from "#simulator/rpc-methods.js";
import { RpcSession } from "#simulator/rpc-session.js";
import { chainOf } from "./chains.js";

const METHODS = [...RPC_METHODS.keys(), "anvil_setNonce", "__proto__", "constructor"];

let open: OpenChain;
beforeAll(async () => {
  open = await chainOf();
});
afterAll(() => open.close());

/** Parts of requests, and values that only look like them. */
const value: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(
    "latest",
    "pending",
    "0x",
    "0x0",
    "0xffffffffffffffff",
    `0x${"f".repeat(64)}`,
    `0x${"0".repeat(38)}05`,
    null,
    true,
    -1,
    1e300,
  ),
  fc.string(),
  fc.nat(),
  fc.jsonValue({ maxDepth: 3 }),
  fc.record(
    Object.fromEntries(
      [
        "from",
        "to",
        "data",
        "gas",
        "nonce",
        "value",
        "fromBlock",
        "toBlock",
        "address",
        "topics",
        "gasPrice",
      ].map((key) => [
        key,
        fc.oneof(
          fc.constantFrom("0x", "0x1", "0xffffffffffff", `0x${"0".repeat(38)}05`, null),
          fc.jsonValue({ maxDepth: 1 }),
        ),
      ]),
    ),
    { requiredKeys: [] },
  ),
);

describe("any input to the port", () => {
  for (const devMethods of [false, true]) {
    it(`is answered in JSON-RPC, and the chain goes on (devMethods: ${devMethods})`, async () => {
      const { callGasLimit } = open.chain.genesis;
      const policy = {
        devMethods,
        deployments: false,
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
      const session = new RpcSession(
        { chain: open.chain, policy, filters: new RpcFilters(open.chain), budget },
        () => {},
      );
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...METHODS),
          fc.array(value, { maxLength: 4 }),
          async (method, params) => {
            const answer = JSON.parse(
              (await session.answer(JSON.stringify({ jsonrpc: "2.0", id: 7, method, params }))) ??
                "null",
            ) as object;
            expect(answer).toMatchObject({ jsonrpc: "2.0", id: 7 });
            const error =
              "error" in answer ? (answer.error as { code: unknown; message: unknown }) : null;
            if (error === null) expect(answer).toHaveProperty("result");
            else expect([typeof error.code, typeof error.message]).toEqual(["number", "string"]);
          },
        ),
        { numRuns: 400 },
      );
      expect(await session.answer('{"jsonrpc":"2.0","id":8,"method":"eth_chainId"}')).toBe(
        '{"jsonrpc":"2.0","id":8,"result":"0x7a69"}',
      );
      await session.close();
    });
  }
});
