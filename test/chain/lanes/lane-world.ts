import { Interface } from "ethers";
import { RpcFailure } from "#chain/rpc-errors.js";
import type { RpcReply } from "#chain/rpc-transport.js";
import { testTokenAbi, testTokenBytecode } from "#chain/test-token.generated.js";
import type { TransactionJob } from "#chain/transaction-job.js";
import { ecdsaScheme } from "#core/signing.js";
import type { Hex, Ms } from "#core/units.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { EmbeddedChain } from "#simulator/embedded-chain.js";
import { MemoryTransactionLog } from "#simulator/transaction-log.js";

const START_MS = 1_800_000_000_000;
export const GWEI = 10n ** 9n;
export const CHAIN_ID = 31337;
/** The account that sends. */
const KEY: Hex = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";
/** Owns the token; others of its transactions go to the same pool. */
export const OWNER = ecdsaScheme.signer(
  "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
);
export const SENDER = ecdsaScheme.signer(KEY);
const TOKEN = new Interface(testTokenAbi);
const STEP_MS = 50;

/** Faults of an RPC. */
export interface LaneFaults {
  /** The request never reaches the chain. */
  isDead?: (method: string) => boolean;
  /** The request is carried out, and its answer lost. */
  losesAnswer?: (method: string) => boolean;
  /** It rejects requests with its own message. */
  refuses?: (method: string) => string | undefined;
  /** It answers something else. */
  tampers?: (method: string, result: unknown) => unknown;
}

/**
 * A real EVM under a virtual clock, whose blocks are made by hand, and a token whose transfers can
 * be counted.
 */
export class LaneWorld {
  faults: LaneFaults = {};
  readonly #asked = new Map<string, number>();
  #underWay = 0;
  #coinbase = 0;
  #snapshots: { readonly number: number; readonly id: unknown }[] = [];
  #deployed: unknown;

  private constructor(
    readonly clock: VirtualClock,
    readonly chain: EmbeddedChain,
    readonly token: Hex,
  ) {}

  /** @param blockMs makes blocks at that interval, by the clock, instead of by hand. */
  static async start({ blockMs }: { readonly blockMs?: Ms } = {}): Promise<LaneWorld> {
    const clock = new VirtualClock(START_MS);
    const chain = await EmbeddedChain.open({
      genesis: {
        chainId: CHAIN_ID,
        blockGasLimit: 30_000_000,
        callGasLimit: 16_000_000,
        baseFeeWei: String(GWEI),
        order: "tip",
        balancesWei: { [OWNER.address]: String(10n ** 24n), [SENDER.address]: String(10n ** 20n) },
      },
      blockProduction: { kind: "interval", intervalMs: blockMs ?? 10 ** 9, emptyBlocks: true },
      log: new MemoryTransactionLog(),
      clock,
    });
    const deployment = TOKEN.encodeDeploy(["Test dollar", "USD"]);
    const deployed = await chain.send({
      from: OWNER,
      to: null,
      data: `${testTokenBytecode}${deployment.slice(2)}`,
      gas: 3_000_000,
    });
    await chain.minePending();
    const token = (await chain.receipt(deployed))?.contractAddress ?? "";
    await chain.send({
      from: OWNER,
      to: token,
      data: TOKEN.encodeFunctionData("mint", [SENDER.address, 1000n]),
      gas: 200_000,
    });
    await chain.minePending();
    const world = new LaneWorld(clock, chain, token);
    world.#deployed = await chain.request("evm_snapshot");
    return world;
  }

  /** As it was at the start, for the next test. The clock goes on. */
  async reset(): Promise<void> {
    this.faults = {};
    this.#snapshots = [];
    await this.chain.request("evm_revert", this.#deployed);
    this.#deployed = await this.chain.request("evm_snapshot");
  }

  /** The chain as an RPC, with its faults. */
  readonly call = async (method: string, params: readonly unknown[]): Promise<RpcReply> => {
    this.#asked.set(method, (this.#asked.get(method) ?? 0) + 1);
    if (this.faults.isDead?.(method) === true)
      throw new RpcFailure("connection", "connection lost");
    const message = this.faults.refuses?.(method);
    if (message !== undefined) return { error: { code: -32000, message } };
    this.#underWay += 1;
    const reply = await this.chain.handle(method, params).finally(() => {
      this.#underWay -= 1;
    });
    if (this.faults.losesAnswer?.(method) === true)
      throw new RpcFailure("timeout", "no answer within 2000 ms");
    const { tampers } = this.faults;
    return tampers === undefined || !("result" in reply)
      ? reply
      : { result: tampers(method, reply.result) };
  };

  /** Number of requests of a method so far. */
  timesAsked(method: string): number {
    return this.#asked.get(method) ?? 0;
  }

  /** Lets so much time pass, in steps, after each of which the EVM comes to rest. */
  async run(durationMs: Ms): Promise<void> {
    for (let passed = 0; passed < durationMs; passed += STEP_MS) {
      await this.clock.runFor(Math.min(STEP_MS, durationMs - passed));
      await this.rest();
    }
  }

  /** Until nothing is under way any more. */
  async rest(): Promise<void> {
    do {
      await this.chain.idle();
      await this.clock.runFor(0);
      await this.clock.runFor(0);
    } while (this.#underWay > 0);
  }

  /** Makes blocks. */
  async mine(count = 1): Promise<void> {
    for (let i = 0; i < count; i += 1) {
      this.#snapshots.push({
        number: this.chain.head.number,
        id: await this.chain.request("evm_snapshot"),
      });
      await this.chain.request("evm_mine");
    }
  }

  /** A block, and time to notice it. */
  async block(): Promise<void> {
    await this.run(1000);
    await this.mine();
    await this.run(1000);
  }

  /**
   * The newest blocks are replaced by so many others and one more. With `pool: "lost"` what was in
   * them is forgotten.
   */
  async reorg(depth: number, pool: "kept" | "lost" = "kept"): Promise<void> {
    const number = this.chain.head.number - depth;
    const at = this.#snapshots.findIndex((snapshot) => snapshot.number === number);
    const snapshot = this.#snapshots[at];
    if (snapshot === undefined) throw new Error(`no snapshot of block ${number}`);
    this.#snapshots = this.#snapshots.slice(0, at);
    await this.chain.request("evm_revert", snapshot.id);
    this.#coinbase += 1;
    await this.chain.request(
      "hardhat_setCoinbase",
      `0x${this.#coinbase.toString(16).padStart(40, "0")}`,
    );
    if (pool === "lost") await this.drop();
    await this.mine(depth + 1);
  }

  /** The pool forgets the sender's transactions. */
  async drop(): Promise<number> {
    const pending = (await this.chain.request("eth_pendingTransactions")) as {
      readonly from: Hex;
      readonly hash: Hex;
    }[];
    const ours = pending.filter(({ from }) => from.toLowerCase() === SENDER.address.toLowerCase());
    for (const { hash } of ours) await this.chain.request("hardhat_dropTransaction", hash);
    return ours.length;
  }

  /** The base fee of the next block. */
  async setBaseFee(wei: bigint): Promise<void> {
    await this.chain.request("hardhat_setNextBlockBaseFeePerGas", `0x${wei.toString(16)}`);
  }

  /** Number of times that the transfer of that job was executed. */
  async timesDone(name: string): Promise<number> {
    const data = TOKEN.encodeFunctionData("balanceOf", [placeOf(name)]);
    return Number(await this.chain.call(this.token, data));
  }

  /** Lets the owner of the token take the sender's. */
  async allowOwner(): Promise<void> {
    await this.chain.send({
      from: SENDER,
      to: this.token,
      data: TOKEN.encodeFunctionData("approve", [OWNER.address, 1000n]),
      gas: 100_000,
    });
    await this.mine();
  }

  /** The owner takes everything, at that tip: what is sent later or pays less comes too late. */
  async takeAll(tipWei: bigint): Promise<void> {
    const data = TOKEN.encodeFunctionData("transferFrom", [SENDER.address, OWNER.address, 1000n]);
    await this.chain.send({ from: OWNER, to: this.token, data, gas: 100_000, tipWei });
  }

  /** Number of the account's transactions in blocks. */
  async count(): Promise<number> {
    return Number(await this.chain.request("eth_getTransactionCount", SENDER.address, "latest"));
  }

  /** A job that moves one token to an address of its own. */
  job(id: string, changes: Partial<TransactionJob> = {}): TransactionJob {
    const data = TOKEN.encodeFunctionData("transfer", [placeOf(id), 1n]);
    const deadlineMs = this.clock.nowMs() + 60_000;
    return {
      id,
      lane: id,
      to: this.token,
      data,
      gasLimit: 100_000n,
      maxCostWei: 100_000n * 50n * GWEI,
      deadlineMs,
      ...changes,
    };
  }

  /** A job that the token refuses. */
  hopelessJob(id: string): TransactionJob {
    return this.job(id, { data: TOKEN.encodeFunctionData("transfer", [placeOf(id), 10n ** 30n]) });
  }
}

/** Target of a job's transfers: an address that nothing else sends to. */
function placeOf(id: string): Hex {
  return `0x${Buffer.from(id.padEnd(20, ".")).subarray(0, 20).toString("hex")}`;
}
