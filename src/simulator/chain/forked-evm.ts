import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadOptional } from "../../core/optional-part.js";
import { edrContext } from "./edr-context.js";
import { noContractNames } from "./no-contract-names.js";
import type { RpcOutcome } from "./rpc-outcome.js";

/** The source of a fork. */
export interface ForkSource {
  /** A JSON-RPC address, used only for reading. */
  readonly url: string;
  readonly blockNumber: number;
  readonly chainId: number;
  readonly blockGasLimit: number;
}

/** A copy of another chain's state at one block, in this process. Changes stay in the copy. */
export interface ForkedEvm {
  request(method: string, params: readonly unknown[]): Promise<RpcOutcome>;
  close(): void;
}

/**
 * Copies a chain. State is fetched from its RPC when it is first read. Blocks are mined only on
 * request.
 * @throws Error of the EVM when the RPC cannot be read from.
 */
export async function forkEvm({
  url,
  blockNumber,
  chainId,
  blockGasLimit,
}: ForkSource): Promise<ForkedEvm> {
  const { L1_CHAIN_TYPE, MineOrdering, PRAGUE } = await loadOptional("@nomicfoundation/edr");
  const context = await edrContext();
  const cacheDir = mkdtempSync(join(tmpdir(), "marketwright-fork-"));
  const provider = await context.createProvider(
    L1_CHAIN_TYPE,
    {
      allowBlocksWithSameTimestamp: true,
      allowUnlimitedContractSize: false,
      bailOnCallFailure: true,
      bailOnTransactionFailure: false,
      chainId: BigInt(chainId),
      coinbase: new Uint8Array(20),
      defaultTransactionGasLimit: BigInt(blockGasLimit),
      genesisState: [],
      hardfork: PRAGUE,
      minGasPrice: 0n,
      mining: {
        autoMine: true,
        blockGasLimit: BigInt(blockGasLimit),
        memPool: { order: MineOrdering.Fifo },
      },
      network: {
        url,
        blockNumber: BigInt(blockNumber),
        cacheDir,
        chainOverrides: [
          {
            chainId: BigInt(chainId),
            name: "copied",
            hardforkActivationOverrides: [{ condition: { blockNumber: 0n }, hardfork: PRAGUE }],
          },
        ],
      },
      networkId: BigInt(chainId),
      observability: {},
      ownedAccounts: [],
      precompileOverrides: [],
    },
    { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback: () => {} },
    { subscriptionCallback: () => {} },
    await noContractNames(),
  );
  return {
    request: async (method, params) => {
      const { data } = await provider.handleRequest(
        JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      );
      return (typeof data === "string" ? JSON.parse(data) : data) as RpcOutcome;
    },
    close: () => rmSync(cacheDir, { recursive: true, force: true }),
  };
}
