import { RunError } from "../../core/errors.js";
import type { Clock, Timer } from "../../core/runtime/runtime.js";
import type { Hex, Ms } from "../../core/units.js";
import { ChainRequestError, unwrapResult } from "./chain-request-error.js";
import { EdrEvm, type OnSubscriptionResult } from "./edr-evm.js";
import { type ChainGenesis, requireSameGenesis } from "./genesis.js";
import { type EvmHead, LoggedEvm } from "./logged-evm.js";
import type { RpcOutcome } from "./rpc-outcome.js";
import {
  type ImpersonatedTransaction,
  type OutgoingTransaction,
  sendAs,
  sendSigned,
} from "./send-transaction.js";
import { SenderNonces } from "./sender-nonces.js";
import type { TransactionLog } from "./transaction-log.js";

/**
 * Block production: for each transaction at once, or at an interval, with or without empty blocks.
 */
export type BlockProduction =
  | { readonly kind: "each" }
  | { readonly kind: "interval"; readonly intervalMs: Ms; readonly emptyBlocks: boolean };

/** Options of {@link EmbeddedChain.open}. */
export interface ChainOptions {
  /**
   * The genesis of a new chain, without its time, which is the clock's. A log must begin with the
   * same genesis.
   */
  readonly genesis: Omit<ChainGenesis, "timestampSeconds">;
  readonly blockProduction: BlockProduction;
  readonly log: TransactionLog;
  readonly clock: Clock;
  /** Keys with which the chain signs for any caller. */
  readonly unlocked?: readonly Hex[];
  /** Called once when the log could not be written. The chain then refuses all further requests. */
  readonly onFault?: (error: unknown) => void;
}

/** A mined transaction. */
export interface ChainReceipt {
  readonly hash: Hex;
  readonly blockNumber: number;
  readonly isReverted: boolean;
  readonly contractAddress: Hex | null;
  readonly gasUsed: number;
}

/**
 * A chain in this process. Its blocks carry the time of the exchange's clock when a request
 * arrives, and requests run one after the other. Every change is logged before its response is
 * sent. A chain opened from a log reaches the same state, down to the hash of the last block.
 */
export class EmbeddedChain {
  readonly genesis: ChainGenesis;
  readonly #evm: LoggedEvm;
  readonly #nonces = new SenderNonces();
  readonly #listeners: Set<OnSubscriptionResult>;
  readonly #followers = new Set<() => void>();
  readonly #clock: Clock;
  readonly #blockProduction: BlockProduction;
  readonly #onFault: (error: unknown) => void;
  #turns: Promise<unknown> = Promise.resolve();
  #failure: unknown;
  /** The last block that was announced to the followers. */
  #announcedHash: Hex;
  #timer: Timer | null = null;
  #nextBlockMs: Ms | null = null;
  #isClosed = false;

  private constructor(
    evm: LoggedEvm,
    listeners: Set<OnSubscriptionResult>,
    genesis: ChainGenesis,
    { clock, blockProduction, onFault = () => {} }: ChainOptions,
  ) {
    this.#evm = evm;
    this.#announcedHash = evm.head.hash;
    this.#listeners = listeners;
    this.genesis = genesis;
    this.#clock = clock;
    this.#blockProduction = blockProduction;
    this.#onFault = onFault;
  }

  /**
   * Begins a chain, or rebuilds the one in the log.
   * @throws ConfigError when the logged chain has another genesis; FormatError when the log cannot
   * be read, or its replay gives another state; RunError when it cannot be written
   */
  static async open(options: ChainOptions): Promise<EmbeddedChain> {
    const { log, clock, unlocked = [] } = options;
    const kept = log.genesis();
    const wanted = {
      ...options.genesis,
      timestampSeconds: kept?.timestampSeconds ?? Math.floor(clock.nowMs() / 1000),
    };
    if (kept !== null) requireSameGenesis(kept, wanted, log.place);
    const listeners = new Set<OnSubscriptionResult>();
    const evm = await EdrEvm.start(wanted, unlocked, (subscription, result) => {
      for (const listener of listeners) listener(subscription, result);
    });
    // Only now: a genesis that the EVM refuses must not be logged.
    if (kept === null) log.begin(wanted);
    const logged = new LoggedEvm(evm, log, options.blockProduction.kind === "each");
    const chain = new EmbeddedChain(logged, listeners, wanted, options);
    await logged.replay(chain.#nowSeconds());
    await logged.minePending(chain.#nowSeconds());
    chain.#arm();
    return chain;
  }

  /** The time of the next block; null where each transaction is mined at once. */
  get nextBlockMs(): Ms | null {
    return this.#nextBlockMs;
  }

  /** The last block. */
  get head(): EvmHead {
    return this.#evm.head;
  }

  /**
   * Calls the listener with the notifications of every `eth_subscribe` until the returned function
   * is called.
   */
  listen(listener: OnSubscriptionResult): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Calls back when there are new blocks, until the returned function is called. A followed chain
   * refuses `evm_revert`, since followers cannot undo blocks.
   */
  follow(onBlocks: () => void): () => void {
    this.#followers.add(onBlocks);
    return () => this.#followers.delete(onBlocks);
  }

  /** Carries out a JSON-RPC request. A refusal is returned as an outcome. */
  handle(method: string, params: readonly unknown[]): Promise<RpcOutcome> {
    if (method === "evm_revert" && this.#followers.size > 0) return Promise.resolve(CANNOT_GO_BACK);
    const nowSeconds = this.#nowSeconds();
    return this.#turn(() => this.#evm.carryOut(method, params, nowSeconds));
  }

  /**
   * Carries out a request as {@link handle} does.
   * @throws ChainRequestError when it is refused; RunError when the chain has failed
   */
  async request(method: string, ...params: readonly unknown[]): Promise<unknown> {
    return unwrapResult(method, await this.handle(method, params));
  }

  /**
   * Signs and sends. Returns the hash before the receipt exists: with a block interval the
   * transaction waits.
   * @throws ChainRequestError when it is refused
   */
  send(sending: OutgoingTransaction): Promise<Hex> {
    const nowSeconds = this.#nowSeconds();
    return this.#turn(() => sendSigned(this.#evm, this.genesis, this.#nonces, sending, nowSeconds));
  }

  /**
   * Sends for an account without its key, which only an own chain allows, and funds the gas.
   * @throws ChainRequestError when it is refused
   */
  sendAs(from: Hex, sending: ImpersonatedTransaction): Promise<Hex> {
    const nowSeconds = this.#nowSeconds();
    return this.#turn(() => sendAs(this.#evm, this.genesis, from, sending, nowSeconds));
  }

  /**
   * Calls a view and returns its encoded result.
   * @throws ChainRequestError with the revert data
   */
  async call(to: Hex, data: Hex): Promise<Hex> {
    return (await this.request("eth_call", { to, data }, "latest")) as Hex;
  }

  /** The receipt of a transaction; null before it is mined. */
  async receipt(hash: Hex): Promise<ChainReceipt | null> {
    const found = (await this.request("eth_getTransactionReceipt", hash)) as Record<
      string,
      Hex | null
    > | null;
    if (found === null) return null;
    return {
      hash,
      blockNumber: Number(found.blockNumber),
      isReverted: found.status !== "0x1",
      contractAddress: found.contractAddress ?? null,
      gasUsed: Number(found.gasUsed),
    };
  }

  /** Mines all pending transactions now, whatever the block interval. */
  minePending(): Promise<void> {
    const nowSeconds = this.#nowSeconds();
    return this.#turn(() => this.#evm.minePending(nowSeconds));
  }

  /** Waits until all earlier requests are done. A virtual clock does not wait for the EVM. */
  async idle(): Promise<void> {
    await this.#turns;
  }

  /** Stops block production and carries out the requests that were made before. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.#turns;
  }

  #turn<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = this.#turns.then(async () => {
      if (this.#failure !== undefined) throw this.#stopped();
      try {
        return await work();
      } finally {
        this.#tellFollowers();
      }
    });
    this.#turns = done.catch((error: unknown) => {
      if (error instanceof ChainRequestError || this.#failure !== undefined) return;
      // A change that the EVM has and the log lacks would be lost with the process, so it is never
      // reported.
      this.#failure = error;
      this.#timer?.cancel();
      this.#onFault(error);
    });
    return done;
  }

  #tellFollowers(): void {
    const { hash } = this.#evm.head;
    if (hash === this.#announcedHash) return;
    this.#announcedHash = hash;
    for (const onBlocks of this.#followers) onBlocks();
  }

  #stopped(): RunError {
    return new RunError("the chain has stopped", { field: "chain", cause: this.#failure });
  }

  #nowSeconds(): number {
    return Math.floor(this.#clock.nowMs() / 1000);
  }

  #arm(): void {
    if (this.#blockProduction.kind === "each") return;
    const { intervalMs, emptyBlocks } = this.#blockProduction;
    this.#nextBlockMs = this.#clock.nowMs() + intervalMs;
    this.#timer = this.#clock.setTimer(intervalMs, () => {
      if (this.#isClosed || this.#failure !== undefined) return;
      this.#arm();
      const nowSeconds = this.#nowSeconds();
      // The failure is reported by `#turn`.
      this.#turn(() => this.#evm.mineNext(nowSeconds, emptyBlocks)).catch(() => {});
    });
  }
}

const CANNOT_GO_BACK: RpcOutcome = {
  error: {
    code: -32003,
    message:
      "evm_revert is not possible here: the exchange has already applied the blocks that it would undo",
  },
};
