import {
  L1_CHAIN_TYPE,
  l1GenesisState,
  l1HardforkFromString,
  MineOrdering,
  PRAGUE,
  type Provider,
} from "@nomicfoundation/edr";
import {
  AbiCoder,
  dataSlice,
  Interface,
  type InterfaceAbi,
  type LogDescription,
  type Result,
} from "ethers";
import { ecdsaScheme, type Signer } from "#core/signing.js";
import type { Hex } from "#core/units.js";
import { edrContext } from "#simulator/edr-context.js";
import { noContractNames } from "#simulator/no-contract-names.js";

const GAS_LIMIT = 60_000_000;

/**
 * Why a call or a transaction was undone: the string of Error(string), `panic 0x11`, a custom
 * error's selector, or `` for no data.
 */
export class Revert extends Error {
  constructor(readonly reason: string) {
    super(`reverted: ${reason}`);
  }
}

/** One event of a receipt. */
export interface Emitted {
  readonly address: string;
  readonly name: string;
  readonly topics: readonly string[];
  readonly args: readonly unknown[];
}

/** A mined transaction. */
export interface Receipt {
  readonly gasUsed: number;
  readonly events: readonly Emitted[];
}

interface RpcLog {
  readonly address: string;
  readonly topics: string[];
  readonly data: string;
}

/**
 * A chain of its own in this process. Its clock moves only when the test moves it; every
 * transaction is a block.
 */
export class Evm {
  readonly #provider: Provider;
  readonly #interfaces = new Map<string, Interface>();
  #snapshot = "";
  #nowSeconds: number;

  private constructor(provider: Provider, nowSeconds: number) {
    this.#provider = provider;
    this.#nowSeconds = nowSeconds;
  }

  /** @param keys Private keys whose accounts may send, each with plenty of gas. */
  static async start(
    keys: readonly Hex[],
    { chainId = 31337n, nowSeconds = 1_700_000_000 } = {},
  ): Promise<Evm> {
    const funded = keys.map((key) => ({
      address: Buffer.from(ecdsaScheme.signer(key).address.slice(2), "hex"),
      balance: 10n ** 24n,
    }));
    const provider = await (await edrContext()).createProvider(
      L1_CHAIN_TYPE,
      {
        allowBlocksWithSameTimestamp: true,
        allowUnlimitedContractSize: false,
        bailOnCallFailure: true,
        bailOnTransactionFailure: true,
        chainId,
        networkId: chainId,
        coinbase: new Uint8Array(20),
        defaultTransactionGasLimit: BigInt(GAS_LIMIT),
        genesisState: [...l1GenesisState(l1HardforkFromString(PRAGUE)), ...funded],
        hardfork: PRAGUE,
        initialBaseFeePerGas: 0n,
        minGasPrice: 0n,
        mining: {
          autoMine: true,
          blockGasLimit: BigInt(GAS_LIMIT),
          memPool: { order: MineOrdering.Fifo },
        },
        network: { genesisBlockGasLimit: BigInt(GAS_LIMIT), genesisBlockTime: BigInt(nowSeconds) },
        observability: {},
        ownedAccounts: [...keys],
        precompileOverrides: [],
      },
      { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback: () => {} },
      { subscriptionCallback: () => {} },
      await noContractNames(),
    );
    return new Evm(provider, nowSeconds);
  }

  /** Block time of the next transaction, seconds. */
  get nowSeconds(): number {
    return this.#nowSeconds;
  }

  async rpc(method: string, ...params: unknown[]): Promise<unknown> {
    const response = await this.#provider.handleRequest(
      JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    );
    const body = (
      typeof response.data === "string" ? JSON.parse(response.data) : response.data
    ) as {
      result?: unknown;
      error?: { message: string; data?: { data?: string } };
    };
    if (body.error === undefined) return body.result;
    const data = body.error.data?.data;
    throw data === undefined
      ? new Error(`${method}: ${body.error.message}`)
      : new Revert(reasonOf(data));
  }

  /** Answers a JSON-RPC request as a node does, errors included. */
  async answer(request: string): Promise<Readonly<Record<string, unknown>>> {
    const { data } = await this.#provider.handleRequest(request);
    return (typeof data === "string" ? JSON.parse(data) : data) as Record<string, unknown>;
  }

  /** Moves the clock, with an empty block, so that views see it too. */
  async wait(seconds: number): Promise<void> {
    this.#nowSeconds += seconds;
    await this.rpc("evm_setNextBlockTimestamp", this.#nowSeconds);
    await this.rpc("evm_mine");
  }

  /** Keeps the present state for {@link Evm.restore}. */
  async save(): Promise<void> {
    this.#snapshot = `${(await this.rpc("evm_snapshot")) as string} ${this.#nowSeconds}`;
  }

  async restore(): Promise<void> {
    const [id, nowSeconds] = this.#snapshot.split(" ");
    await this.rpc("evm_revert", id);
    this.#nowSeconds = Number(nowSeconds);
    await this.save();
  }

  async deploy(
    from: Signer,
    abi: InterfaceAbi,
    bytecode: string,
    ...args: unknown[]
  ): Promise<Contract> {
    const contract = new Interface(abi);
    const receipt = await this.send(from, null, bytecode + contract.encodeDeploy(args).slice(2));
    return this.at(receipt.contractAddress ?? "", contract);
  }

  /** A contract that is there already. */
  at(address: string, contract: Interface): Contract {
    this.#interfaces.set(address.toLowerCase(), contract);
    return new Contract(this, address, contract);
  }

  async send(
    from: Signer,
    to: string | null,
    data: string,
  ): Promise<Receipt & { readonly contractAddress: string | null }> {
    await this.rpc("evm_setNextBlockTimestamp", this.#nowSeconds);
    const hash = await this.rpc("eth_sendTransaction", {
      from: from.address,
      ...(to === null ? {} : { to }),
      data,
    });
    const receipt = (await this.rpc("eth_getTransactionReceipt", hash)) as {
      gasUsed: string;
      contractAddress: string | null;
      logs: RpcLog[];
    };
    return {
      gasUsed: Number(receipt.gasUsed),
      contractAddress: receipt.contractAddress,
      events: receipt.logs.map((log) => this.#decode(log)),
    };
  }

  async call(to: string, data: string, from?: Signer, gas = GAS_LIMIT): Promise<string> {
    const sender = from === undefined ? {} : { from: from.address };
    return (await this.rpc(
      "eth_call",
      { to, data, gas: `0x${gas.toString(16)}`, ...sender },
      "latest",
    )) as string;
  }

  #decode(log: RpcLog): Emitted {
    const parsed: LogDescription | null | undefined = this.#interfaces
      .get(log.address.toLowerCase())
      ?.parseLog(log);
    return {
      address: log.address,
      name: parsed?.name ?? "",
      topics: log.topics,
      args: parsed === null || parsed === undefined ? [] : parsed.args.toArray(),
    };
  }
}

/** A deployed contract. */
export class Contract {
  constructor(
    readonly evm: Evm,
    readonly address: string,
    readonly abi: Interface,
  ) {}

  /** Calls a view. One return value comes as itself, several as an ethers Result. */
  async read(name: string, ...args: unknown[]): Promise<unknown> {
    const data = await this.evm.call(this.address, this.abi.encodeFunctionData(name, args));
    const result: Result = this.abi.decodeFunctionResult(name, data);
    return result.length === 1 ? result[0] : result;
  }

  /** Calls a function without sending it, as a bot simulates. */
  async simulate(from: Signer, name: string, ...args: unknown[]): Promise<Result> {
    return this.abi.decodeFunctionResult(
      name,
      await this.evm.call(this.address, this.abi.encodeFunctionData(name, args), from),
    );
  }

  /** @throws Revert when the transaction is undone. */
  async send(from: Signer, name: string, ...args: unknown[]): Promise<Receipt> {
    return this.evm.send(from, this.address, this.abi.encodeFunctionData(name, args));
  }
}

/** The reason why `action` reverts; fails when it does not. */
export async function reasonFor(action: Promise<unknown>): Promise<string> {
  try {
    await action;
  } catch (error) {
    if (error instanceof Revert) return error.reason;
    throw error;
  }
  throw new Error("it did not revert");
}

/** The reason in a revert's data. */
export function reasonOf(data: string): string {
  if (data.startsWith("0x08c379a0"))
    return AbiCoder.defaultAbiCoder().decode(["string"], dataSlice(data, 4))[0] as string;
  if (data.startsWith("0x4e487b71")) return `panic 0x${BigInt(dataSlice(data, 4)).toString(16)}`;
  return data === "0x" ? "" : data.slice(0, 10);
}
