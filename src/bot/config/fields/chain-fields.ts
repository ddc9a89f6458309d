import { z } from "zod";
import { addressField, countField, durationField, variableField } from "./config-fields.js";

const contractAddress = z.string().regex(/^0x[0-9a-fA-F]{40}$/);

/**
 * A lower cap has no room for the views of one account: `LensReader` allows a million gas for each.
 */
const LEAST_GAS_CAP = 2_000_000;

/** The chain that the exchange settles on: `chain` of a bot's file. */
export const chainShape = z
  .strictObject({
    rpc: z
      .array(
        addressField("JSON-RPC address without a key in it", ["http:", "https:"], "127.0.0.1:8545"),
      )
      .max(16)
      .meta({
        description:
          "JSON-RPC addresses of the chain. One that carries a provider's key belongs in the environment: rpcEnv.",
        expected: "a list of at most 16 addresses, such as [http://127.0.0.1:8545]",
      })
      .default([]),
    rpcEnv: z
      .array(variableField("RPC_URL"))
      .max(16)
      .meta({
        description: "Names of environment variables that hold one more JSON-RPC address each.",
        expected: "a list of at most 16 names of environment variables, such as [RPC_URL]",
      })
      .default([]),
    chainId: z
      .int()
      .min(1)
      .max(Number.MAX_SAFE_INTEGER)
      .describe("The chain's id. Default: exchangeInfo's.")
      .optional(),
    quorum: countField("How many RPCs must give the same answer to a read.", {
      max: 16,
    }).default(1),
    confirmations: countField(
      "Blocks, its own included, after which a transaction counts as final.",
      { max: 1000 },
    ).default(1),
    maxHeadAgeMs: durationField("An RPC whose newest block is older than this is not used.", {
      min: 1000,
      max: 3_600_000,
    }).default(15_000),
    maxLagBlocks: countField(
      "An RPC that is more blocks than this behind the others is not used.",
      { min: 0, max: 1000 },
    ).default(2),
    requestTimeoutMs: durationField("How long one request of one RPC may take.", {
      min: 50,
      max: 60_000,
    }).default(2000),
    pollMs: durationField(
      "How often the chain is polled for a new block and for the state of transactions.",
      {
        min: 20,
        max: 60_000,
      },
    ).default(500),
    gasCap: countField("Gas of one read: no more than the providers allow.", {
      min: LEAST_GAS_CAP,
      max: 1_000_000_000,
    }).default(30_000_000),
    lens: contractAddress
      .meta({
        description:
          "Address of the contract that reads many accounts in one call. Default: the one that the exchange names in /v1/contracts.",
        expected: "0x and 40 hex digits",
      })
      .optional(),
  })
  .superRefine((held, context) => {
    const fail = (path: string, input: unknown, message: string, expected: string): void => {
      context.addIssue({ code: "custom", path: [path], input, message, params: { expected } });
    };
    const count = held.rpc.length + held.rpcEnv.length;
    if (count === 0)
      fail("rpc", held.rpc, "names no RPC", "at least one address, in rpc or rpcEnv");
    for (const [path, list] of [
      ["rpc", held.rpc],
      ["rpcEnv", held.rpcEnv],
    ] as const) {
      const twice = list.find((entry, i) => list.indexOf(entry) !== i);
      if (twice !== undefined)
        fail(path, twice, "names the same RPC twice, which would count as two", "each once");
    }
    if (count > 0 && held.quorum > count)
      fail("quorum", held.quorum, "cannot be reached", `1 to ${count}, the number of RPCs`);
    if (held.pollMs >= held.maxHeadAgeMs)
      fail(
        "pollMs",
        held.pollMs,
        "makes every head too old before the next poll",
        `less than maxHeadAgeMs, ${held.maxHeadAgeMs}`,
      );
  })
  .describe("The chain that the exchange settles on: what a liquidator reads and sends to.");
