import { z } from "zod";
import { blockTag, ChainRpc } from "../../chain/rpc/chain-rpc.js";
import type { InProcessRpc } from "../../chain/rpc/rpc-transport.js";
import type { TransactionStore } from "../../chain/transactions/store/transaction-store.js";
import { ConfigError, RunError } from "../../core/errors.js";
import type { Clock, Runtime } from "../../core/runtime/runtime.js";
import type { Hex, Ms } from "../../core/units.js";
import type { VenueRules } from "../../exchange/records.js";
import type { RestClient } from "../../exchange/rest/rest-client.js";
import type { Log } from "../../monitoring/log.js";
import type { BotConfig, ChainAccessConfig } from "../config/config.js";

/** Access to a bot's chain, and the store of its transactions. */
export interface ChainAccess {
  /** The RPCs: addresses, or functions of this process. */
  readonly rpcs: readonly (string | InProcessRpc)[];
  /** Opens the store of the key's pending transactions; called only if something may be sent. */
  readonly laneStore: (owner: {
    readonly chainId: number;
    readonly account: Hex;
  }) => TransactionStore;
}

/** Inputs of a bot's start that define its chain, if it has one. */
interface ChainStart {
  readonly config: BotConfig;
  readonly chain?: ChainAccess;
  readonly withoutLiquidator?: boolean;
  readonly runtime: Runtime;
  readonly log: Log;
}

const blockSchema = z.object({
  hash: z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}$/)
    .transform((hash) => hash.toLowerCase()),
});

/**
 * The addresses of a chain's RPCs: those of the file, then those from the environment. The latter
 * may carry a provider's key, so they stay out of the config; the paths of the former stay out of
 * the journal.
 * @throws ConfigError if a variable is not set; the message does not show its content.
 */
export function readRpcUrls(
  { rpc, rpcEnv }: ChainAccessConfig,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const held = rpcEnv.map((name, i) => {
    const url = env[name]?.trim();
    if (url !== undefined && url !== "" && URL.canParse(url)) return url;
    throw new ConfigError(
      url === undefined || url === ""
        ? "names an environment variable that is not set"
        : "names a variable that holds no address",
      {
        field: `chain.rpcEnv.${i}`,
        value: name,
        expected: `the environment variable ${name} to hold the address of a JSON-RPC`,
      },
    );
  });
  return [...rpc, ...held];
}

/**
 * The config as it may be shown and journaled: each RPC's address without path and query, which may
 * be a provider's key.
 */
export function maskProviderKeys(config: BotConfig): BotConfig {
  if (config.chain === undefined) return config;
  return {
    ...config,
    chain: { ...config.chain, rpc: config.chain.rpc.map((url) => new URL(url).origin) },
  };
}

/**
 * Opens the chain of a bot's file. @param chainId the exchange's chain, if the file does not name
 * one.
 */
export function openChainRpc(
  config: ChainAccessConfig,
  urls: ConstructorParameters<typeof ChainRpc>[0]["urls"],
  {
    chainId,
    clock,
    nowMs,
  }: { readonly chainId: number; readonly clock: Clock; readonly nowMs?: () => Ms },
): ChainRpc {
  const { quorum, maxHeadAgeMs, maxLagBlocks, requestTimeoutMs, pollMs } = config;
  return new ChainRpc({
    urls,
    chainId: config.chainId ?? chainId,
    clock,
    ...(nowMs === undefined ? {} : { nowMs }),
    quorum,
    maxHeadAgeMs,
    maxLagBlocks,
    requestTimeoutMs,
    headRefreshMs: Math.max(1, Math.floor(pollMs / 2)),
  });
}

/** Access of a price feed to the chain. */
export interface FeedChainAccess {
  readonly config: Pick<BotConfig, "chain">;
  readonly runtime: Pick<Runtime, "clock">;
  readonly rpcs: ConstructorParameters<typeof ChainRpc>[0]["urls"] | undefined;
}

/**
 * Opens the chain for sources of reference prices that are read through it; the caller closes it.
 * @throws RunError without access to a chain
 */
export function openFeedChain(
  { config, runtime, rpcs }: FeedChainAccess,
  { eip712 }: Pick<VenueRules, "eip712">,
  nowMs: () => Ms,
): ChainRpc {
  if (config.chain === undefined || rpcs === undefined)
    throw new RunError("a price feed needs access to its chain", { field: "chain" });
  return openChainRpc(config.chain, rpcs, {
    chainId: eip712.chainId,
    clock: runtime.clock,
    nowMs,
  });
}

/**
 * Address of the contract that reads many accounts: from the file, else from the exchange.
 * @throws ConfigError if neither names one.
 */
export async function findLensAddress(
  { lens }: ChainAccessConfig,
  client: RestClient,
): Promise<Hex> {
  if (lens !== undefined) return lens.toLowerCase();
  const answer = await client.call("contracts");
  const named =
    typeof answer === "object" && answer !== null && "dealerLens" in answer
      ? answer.dealerLens
      : undefined;
  if (typeof named === "string" && /^0x[0-9a-fA-F]{40}$/.test(named)) return named.toLowerCase();
  throw new ConfigError("is not named, and the exchange names none in /v1/contracts", {
    field: "chain.lens",
    expected: "the address of a DealerLens on that chain",
  });
}

/**
 * The hash of the chain's first block, in lower case: it identifies the chain. Undefined if the bot
 * has no chain, or the chain does not answer: the liquidator's start reports why.
 */
export async function readChainGenesis(
  { config, chain, withoutLiquidator, runtime, log }: ChainStart,
  { eip712 }: VenueRules,
  nowMs: () => Ms,
): Promise<Hex | undefined> {
  if (
    config.chain === undefined ||
    config.liquidator === undefined ||
    chain === undefined ||
    withoutLiquidator === true
  )
    return undefined;
  const rpc = openChainRpc(config.chain, chain.rpcs, {
    chainId: eip712.chainId,
    clock: runtime.clock,
    nowMs,
  });
  try {
    return await rpc.request(
      "eth_getBlockByNumber",
      [blockTag(0), false],
      (answer) => blockSchema.parse(answer).hash,
    );
  } catch (error) {
    log.debug(
      { error },
      "the chain does not report its first block, so its reset cannot be detected by that",
    );
    return undefined;
  } finally {
    await rpc.close();
  }
}
