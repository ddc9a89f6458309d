import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { InProcessRpc, RpcReply } from "#chain/rpc-transport.js";
import { type OddChange, oddChange, withChange } from "../support/odd-json.js";
import { sampledRuns } from "../support/sampled-runs.js";
import { LiquidatingStage } from "./liquidating-stage.js";

/** Which answers of one method are changed, and how. */
interface Oddness {
  readonly method: string;
  readonly changes: readonly OddChange[];
}

/** Every method that the liquidator and its transactions ask for. */
const METHODS = [
  "eth_chainId",
  "eth_getBlockByNumber",
  "eth_getBlockByHash",
  "eth_call",
  "eth_estimateGas",
  "eth_getLogs",
  "eth_getTransactionCount",
  "eth_getBalance",
  "eth_getTransactionByHash",
  "eth_getTransactionReceipt",
  "eth_sendRawTransaction",
] as const;
const ERRORS: readonly unknown[] = [
  {},
  [],
  "no",
  7,
  { code: 3, message: "execution reverted", data: "0x08c379a0" },
  { code: -32000, message: "out of gas" },
  { code: "x", message: { toString: 1 }, data: { data: [] } },
  { message: "execution reverted: ".padEnd(10_000, "x") },
];

/** A node some of whose answers are odd while `isOdd`, two of three of the method's. */
function oddNode(
  node: InProcessRpc,
  { method: odd, changes }: Oddness,
  isOdd: () => boolean,
  met: Set<string>,
): InProcessRpc {
  let count = 0;
  const answer = (method: string, reply: RpcReply): RpcReply => {
    met.add(method);
    if (!isOdd() || method !== odd) return reply;
    count += 1;
    const change = changes[count % changes.length];
    if (count % 3 === 0 || change === undefined) return reply;
    if (count % 8 === 7) return { error: ERRORS[change.at % ERRORS.length] };
    if (!("result" in reply)) return reply;
    const result = withChange(reply.result, change);
    // A wrong number that is plausible is believed: no check could find it.
    if (method === "eth_getTransactionCount" && isNear(result, reply.result)) return reply;
    return result === undefined ? { error: {} } : { result };
  };
  return {
    name: node.name,
    call: async (method, params) => answer(method, await node.call(method, params)),
  };
}

function isNear(count: unknown, real: unknown): boolean {
  return (
    typeof count === "string" && /^0x[0-9a-f]+$/.test(count) && Number(count) - Number(real) <= 32
  );
}

describe("a node's odd answers, to whichever question", () => {
  const met = new Set<string>();

  it.each(METHODS)(
    "to %s end no more than that question: afterwards positions are taken over, each once",
    async (method) => {
      await fc.assert(
        fc.asyncProperty(fc.array(oddChange, { minLength: 16, maxLength: 24 }), async (changes) => {
          const stage = await LiquidatingStage.open();
          await stage.price(56_000);
          await stage.blocks();
          let isOdd = true;
          stage.starts({
            settings: { watchFromBlock: 0 },
            rework: (parts) => ({
              ...parts,
              nodes: parts.nodes.map((node) =>
                oddNode(node, { method, changes }, () => isOdd, met),
              ),
            }),
          });
          // An error that ends the process would be thrown here, out of a timer.
          await stage.blocks(6);
          isOdd = false;
          for (
            let i = 0;
            i < 30 && !stage.ledger().some(({ outcome }) => outcome === "won");
            i += 1
          )
            await stage.blocks();
          // A word of a contract's answer may have named an account or a market that is not there.
          expect(stage.ledger().filter(({ outcome }) => outcome === "won")).toHaveLength(1);
          expect(await stage.stops()).toBe(0);
          await stage.expectHonest();
        }),
        { numRuns: sampledRuns(3) },
      );
    },
  );

  it("is asked every one of them, and nothing else by the bot", () => {
    expect([...met].sort()).toEqual([...METHODS].sort());
    const sources = ["chain", "liquidator", "bot"].flatMap((room) => {
      const folder = new URL(`../../src/${room}/`, import.meta.url);
      return readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ts"))
        .map((name) => readFileSync(new URL(name, folder), "utf8"));
    });
    const named = new Set(sources.flatMap((text) => text.match(/(?<=")eth_\w+(?=")/g) ?? []));
    // Only `check` reads the gas price, and it ends with that request.
    named.delete("eth_gasPrice");
    expect([...named].sort()).toEqual([...METHODS].sort());
  });
});
