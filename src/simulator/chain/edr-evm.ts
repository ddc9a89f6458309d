import type { Provider } from "@nomicfoundation/edr";
import { hexToBytes } from "../../core/crypto/hex.js";
import { loadOptional } from "../../core/optional-part.js";
import type { Hex } from "../../core/units.js";
import { edrContext } from "./edr-context.js";
import type { ChainGenesis } from "./genesis.js";
import { noContractNames } from "./no-contract-names.js";
import { ADDED_METHODS } from "./rpc/added-methods.js";
import { toNodeError } from "./rpc/node-error.js";
import type { RpcError, RpcOutcome } from "./rpc-outcome.js";

/** Receives a notification of an `eth_subscribe` subscription. */
export type OnSubscriptionResult = (subscription: Hex, result: unknown) => void;

/**
 * An EVM with its state in this process. Its own clock is not used, and it mines only on request.
 */
export class EdrEvm {
  readonly #provider: Provider;

  private constructor(provider: Provider) {
    this.#provider = provider;
  }

  /**
   * @param unlocked keys with which it signs for any caller.
   * @throws Error of the EVM for an invalid genesis.
   */
  static async start(
    genesis: ChainGenesis,
    unlocked: readonly Hex[],
    onNotice: OnSubscriptionResult = () => {},
  ): Promise<EdrEvm> {
    const { L1_CHAIN_TYPE, l1GenesisState, l1HardforkFromString, MineOrdering, PRAGUE } =
      await loadOptional("@nomicfoundation/edr");
    const context = await edrContext();
    const provider = await context.createProvider(
      L1_CHAIN_TYPE,
      {
        allowBlocksWithSameTimestamp: true,
        allowUnlimitedContractSize: false,
        bailOnCallFailure: true,
        // A transaction that reverts is mined and has a receipt, as on any chain.
        bailOnTransactionFailure: false,
        chainId: BigInt(genesis.chainId),
        coinbase: new Uint8Array(20),
        defaultTransactionGasLimit: BigInt(genesis.callGasLimit),
        genesisState: [
          ...l1GenesisState(l1HardforkFromString(PRAGUE)),
          ...Object.entries(genesis.balancesWei).map(([address, wei]) => ({
            address: hexToBytes(address),
            balance: BigInt(wei),
          })),
        ],
        hardfork: PRAGUE,
        initialBaseFeePerGas: BigInt(genesis.baseFeeWei),
        minGasPrice: 0n,
        mining: {
          autoMine: false,
          blockGasLimit: BigInt(genesis.blockGasLimit),
          memPool: { order: genesis.order === "tip" ? MineOrdering.Priority : MineOrdering.Fifo },
        },
        network: {
          genesisBlockGasLimit: BigInt(genesis.blockGasLimit),
          genesisBlockTime: BigInt(genesis.timestampSeconds),
        },
        networkId: BigInt(genesis.chainId),
        observability: {},
        ownedAccounts: [...unlocked],
        precompileOverrides: [],
      },
      { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback: () => {} },
      {
        subscriptionCallback: ({ filterId, result }) => {
          // The EVM sends a block's logs as one list; a public node sends them one by one.
          for (const one of Array.isArray(result) ? result : [result])
            onNotice(`0x${filterId.toString(16)}`, one);
        },
      },
      await noContractNames(),
    );
    return new EdrEvm(provider);
  }

  /**
   * Carries out one request. Never rejects: an exception of the EVM becomes an internal JSON-RPC
   * error.
   */
  async request(method: string, params: readonly unknown[]): Promise<RpcOutcome> {
    const added = ADDED_METHODS.get(method);
    try {
      return await (added === undefined
        ? this.#ask(method, params)
        : added(params, (name, own) => this.#ask(name, own)));
    } catch (cause) {
      return {
        error: {
          code: -32603,
          message: `the EVM failed: ${cause instanceof Error ? cause.message : String(cause)}`,
        },
      };
    }
  }

  async #ask(method: string, params: readonly unknown[]): Promise<RpcOutcome> {
    const { data } = await this.#provider.handleRequest(
      JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    );
    const body = (typeof data === "string" ? JSON.parse(data) : data) as {
      readonly result?: unknown;
      readonly error?: RpcError;
    };
    return body.error === undefined
      ? { result: body.result }
      : { error: toNodeError(method, body.error) };
  }
}
