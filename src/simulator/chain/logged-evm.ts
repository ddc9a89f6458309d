import { FormatError } from "../../core/errors.js";
import type { Hex } from "../../core/units.js";
import { unwrapResult } from "./chain-request-error.js";
import type { EdrEvm } from "./edr-evm.js";
import { secondsOf } from "./rpc/rpc-numbers.js";
import type { RpcOutcome } from "./rpc-outcome.js";
import type { LogEntry, TransactionLog } from "./transaction-log.js";

/** The last block of a chain. */
export interface EvmHead {
  readonly number: number;
  readonly hash: Hex;
  readonly timestampSeconds: number;
}

/**
 * Methods of development nodes that change the chain's state manually. They need the development
 * methods to be enabled, and are logged for a rebuild.
 */
export const STATE_BY_HAND = [
  "hardhat_dropTransaction",
  "hardhat_impersonateAccount",
  "hardhat_setBalance",
  "hardhat_setCode",
  "hardhat_setCoinbase",
  "hardhat_setNextBlockBaseFeePerGas",
  "hardhat_setNonce",
  "hardhat_setPrevRandao",
  "hardhat_setStorageAt",
  "hardhat_stopImpersonatingAccount",
] as const;

/**
 * Requests that change the chain and are logged. The EVM carries them out, and again when the chain
 * is rebuilt.
 */
const KEPT = new Set<string>([
  "eth_sendRawTransaction",
  "eth_sendTransaction",
  "evm_snapshot",
  "evm_revert",
  ...STATE_BY_HAND,
]);
const SENDS = new Set(["eth_sendRawTransaction", "eth_sendTransaction"]);
/** Further than any rehearsal needs, and within the range of a block's time. */
const FURTHEST_SHIFT_SECONDS = 1_000_000_000_000;
/** Enough blocks for a transaction to be mined after earlier ones. */
const MOST_BLOCKS_A_SENDING = 64;

/**
 * An EVM that logs every change before its response is sent. The caller gives the time of each
 * block, and makes one request at a time.
 */
export class LoggedEvm {
  readonly #evm: EdrEvm;
  readonly #log: TransactionLog;
  readonly #minesEach: boolean;
  #head: EvmHead = { number: 0, hash: "0x", timestampSeconds: 0 };
  #shiftSeconds = 0;
  /** The time of the next block, if a tool has fixed it. */
  #nextSeconds: number | null = null;
  /** The time of the next block that the EVM was last given. */
  #evmNextSeconds = -1;

  /** @param minesEach true if a transaction gets its block at once. */
  constructor(evm: EdrEvm, log: TransactionLog, minesEach: boolean) {
    this.#evm = evm;
    this.#log = log;
    this.#minesEach = minesEach;
  }

  /** The last block. */
  get head(): EvmHead {
    return this.#head;
  }

  /**
   * Replays the log, before anything else.
   * @throws FormatError when that gives another state than is logged
   */
  async replay(nowSeconds: number): Promise<void> {
    await this.#readHead();
    const impersonated = new Set<unknown>();
    for (const entry of this.#log.entries()) {
      await this.#replayEntry(entry);
      if (entry.kind !== "request") continue;
      if (entry.method === "hardhat_impersonateAccount") impersonated.add(entry.params[0]);
      if (entry.method === "hardhat_stopImpersonatingAccount") impersonated.delete(entry.params[0]);
    }
    // A process that ended between the two must not leave an account that any client can send as.
    for (const address of impersonated)
      await this.carryOut("hardhat_stopImpersonatingAccount", [address], nowSeconds);
  }

  /** Carries out a request that arrived at `nowSeconds`. A refusal is returned as an outcome. */
  async carryOut(
    method: string,
    params: readonly unknown[],
    nowSeconds: number,
  ): Promise<RpcOutcome> {
    switch (method) {
      case "evm_increaseTime":
        return this.#shift(secondsOf(params[0]));
      case "evm_setNextBlockTimestamp":
        return this.#fixNext(secondsOf(params[0]), nowSeconds);
      case "evm_mine":
        return this.#mineManually(
          1,
          params[0] === undefined ? null : secondsOf(params[0]),
          nowSeconds,
        );
      case "hardhat_mine":
        return this.#mineManually(
          params[0] === undefined ? 1 : secondsOf(params[0]),
          null,
          nowSeconds,
        );
      default:
        await this.#tell(this.#timeOfNext(nowSeconds));
        return KEPT.has(method)
          ? this.#keep(method, params, nowSeconds)
          : this.#evm.request(method, params);
    }
  }

  async #keep(method: string, params: readonly unknown[], nowSeconds: number): Promise<RpcOutcome> {
    const outcome = await this.#evm.request(method, params);
    if ("error" in outcome || outcome.result === false) return outcome;
    this.#log.append({ kind: "request", method, params });
    if (method === "evm_revert") await this.#readHead();
    if (SENDS.has(method) && this.#minesEach)
      await this.#mineOne(outcome.result as Hex, nowSeconds);
    return outcome;
  }

  /** Mines the block of a transaction whose nonce is next for its account. */
  async #mineOne(hash: Hex, nowSeconds: number): Promise<void> {
    const { from, nonce } = (await this.requestOrThrow("eth_getTransactionByHash", hash)) as {
      from: Hex;
      nonce: Hex;
    };
    if (
      Number(await this.requestOrThrow("eth_getTransactionCount", from, "pending")) <= Number(nonce)
    )
      return;
    for (let block = 0; block < MOST_BLOCKS_A_SENDING; block += 1) {
      const mined = await this.#mine(this.#timeOfNext(nowSeconds));
      if (mined === 0 || (await this.requestOrThrow("eth_getTransactionReceipt", hash)) !== null)
        return;
    }
  }

  /** Mines blocks until no pending transaction can be mined. */
  async minePending(nowSeconds: number): Promise<void> {
    while (
      Number(await this.requestOrThrow("eth_getBlockTransactionCountByNumber", "pending")) > 0
    ) {
      await this.#mine(this.#timeOfNext(nowSeconds));
    }
  }

  /** Mines the block of an interval. */
  async mineNext(nowSeconds: number, isEmptyToo: boolean): Promise<void> {
    if (
      isEmptyToo ||
      Number(await this.requestOrThrow("eth_getBlockTransactionCountByNumber", "pending")) > 0
    ) {
      await this.#mine(this.#timeOfNext(nowSeconds));
    }
  }

  #timeOfNext(nowSeconds: number): number {
    return Math.max(
      this.#nextSeconds ?? nowSeconds + this.#shiftSeconds,
      this.#head.timestampSeconds,
    );
  }

  async #tell(seconds: number): Promise<void> {
    if (seconds === this.#evmNextSeconds) return;
    await this.requestOrThrow("evm_setNextBlockTimestamp", seconds);
    this.#evmNextSeconds = seconds;
  }

  /** @returns the number of transactions in the block. */
  async #mine(timestampSeconds: number): Promise<number> {
    await this.#tell(timestampSeconds);
    await this.requestOrThrow("evm_mine");
    this.#nextSeconds = null;
    const mined = await this.#readHead();
    this.#log.append({ kind: "block", timestampSeconds, hash: this.#head.hash });
    return mined;
  }

  async #readHead(): Promise<number> {
    const block = (await this.requestOrThrow("eth_getBlockByNumber", "latest", false)) as {
      number: Hex;
      hash: Hex;
      timestamp: Hex;
      transactions: readonly Hex[];
    };
    this.#head = {
      number: Number(block.number),
      hash: block.hash,
      timestampSeconds: Number(block.timestamp),
    };
    this.#evmNextSeconds = -1;
    return block.transactions.length;
  }

  #shift(seconds: number | null): RpcOutcome {
    if (seconds === null || Math.abs(this.#shiftSeconds + seconds) > FURTHEST_SHIFT_SECONDS) {
      return badNumber(`seconds that move the clock by at most ${FURTHEST_SHIFT_SECONDS}`);
    }
    this.#shiftSeconds += seconds;
    this.#log.append({ kind: "shift", seconds });
    return { result: this.#shiftSeconds };
  }

  /** Fixes the next block's time; the chain's clock continues from there. */
  #fixNext(seconds: number | null, nowSeconds: number): RpcOutcome {
    if (seconds === null || seconds < this.#head.timestampSeconds) {
      return badNumber(`at least the last block's timestamp, ${this.#head.timestampSeconds}`);
    }
    const shifted = this.#shift(seconds - nowSeconds - this.#shiftSeconds);
    if ("error" in shifted) return shifted;
    this.#nextSeconds = seconds;
    return { result: seconds };
  }

  async #mineManually(
    count: number | null,
    at: number | null,
    nowSeconds: number,
  ): Promise<RpcOutcome> {
    if (count === null || count < 1 || count > 1000) return badNumber("1 to 1000 blocks");
    if (at !== null) {
      const fixed = this.#fixNext(at, nowSeconds);
      if ("error" in fixed) return fixed;
    }
    for (let block = 0; block < count; block += 1) await this.#mine(this.#timeOfNext(nowSeconds));
    return { result: "0x0" };
  }

  /** Repeats a logged entry. */
  async #replayEntry(entry: LogEntry): Promise<void> {
    switch (entry.kind) {
      case "shift":
        this.#shiftSeconds += entry.seconds;
        return;
      case "request":
        await this.requestOrThrow(entry.method, ...entry.params);
        if (entry.method === "evm_revert") await this.#readHead();
        return;
      case "block":
        await this.#tell(entry.timestampSeconds);
        await this.requestOrThrow("evm_mine");
        await this.#readHead();
        if (this.#head.hash !== entry.hash) {
          throw new FormatError("the replay of the chain's log leads to another block hash", {
            field: this.#log.place,
            value: this.#head.hash,
            expected: `${entry.hash} for block ${this.#head.number}`,
          });
        }
    }
  }

  /**
   * Carries out a request that must not fail.
   * @throws ChainRequestError when it does
   */
  async requestOrThrow(method: string, ...params: readonly unknown[]): Promise<unknown> {
    return unwrapResult(method, await this.#evm.request(method, params));
  }
}

function badNumber(expected: string): RpcOutcome {
  return { error: { code: -32602, message: `invalid argument 0: expected ${expected}` } };
}
