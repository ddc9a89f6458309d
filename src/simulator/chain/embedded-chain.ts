import { RunError } from "../../core/errors.js";
import type { Clock, Timer } from "../../core/runtime/seam.js";
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

/** When blocks are made: as soon as a transaction is there, or at an interval, with or without transactions. */
export type BlockProduction =
  | { readonly kind: "each" }
  | { readonly kind: "interval"; readonly intervalMs: Ms; readonly emptyBlocks: boolean };

/** What a chain is opened with. */
export interface ChainOptions {
  /** What a new chain begins with; its time is the clock's. What is in the log must have begun alike. */
  readonly genesis: Omit<ChainGenesis, "timestampSeconds">;
  readonly blockProduction: BlockProduction;
  readonly log: TransactionLog;
  readonly clock: Clock;
  /** Keys with which it signs for whoever asks. */
  readonly unlocked?: readonly Hex[];
  /** Hears once of a failure after which the chain answers nothing any more: its log could not be written. */
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
 * A chain in this process. Its blocks carry the time of the exchange's clock, read when a request comes in; requests are carried
 * out one after the other. What changes it is in the log before it is answered, and a chain that is opened on a log is, to the
 * hash of its last block, the one that wrote it.
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
  /** The last block that the followers were told of. */
  #announcedHash: Hex;
  #timer: Timer | null = null;
  #nextBlockMs: Ms | null = null;
  #isClosed = false;

  private constructor(
    evm: LoggedEvm,
    listeners: Set<OnSubscriptionResult>,
    genesis: ChainGenesis,
    { clock, blockProduction: rhythm, onFault = () => {} }: ChainOptions,
  ) {
    this.#evm = evm;
    this.#announcedHash = evm.head.hash;
    this.#listeners = listeners;
    this.genesis = genesis;
    this.#clock = clock;
    this.#blockProduction = rhythm;
    this.#onFault = onFault;
  }

  /**
   * Begins a chain, or rebuilds the one in the log.
   * @throws ConfigError when the chain in the log began otherwise; FormatError when the log cannot be read, or gives another state
   * than it gave; RunError when it cannot be written
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
    // Only now: a beginning that the EVM does not take is none.
    if (kept === null) log.begin(wanted);
    const logged = new LoggedEvm(evm, log, options.blockProduction.kind === "each");
    const chain = new EmbeddedChain(logged, listeners, wanted, options);
    await logged.replay(chain.#nowSeconds());
    await logged.minePending(chain.#nowSeconds());
    chain.#arm();
    return chain;
  }

  /** When the next block is made; null where a transaction is mined at once. */
  get nextBlockMs(): Ms | null {
    return this.#nextBlockMs;
  }

  /** The last block. */
  get head(): EvmHead {
    return this.#evm.head;
  }

  /** Hears what every `eth_subscribe` was asked for, until the returned function is called. */
  listen(listener: OnSubscriptionResult): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Calls back when there are blocks that were not there before, until the returned function is called. A chain that is followed
   * does not go back (`evm_revert`): what was told of its blocks cannot be taken back.
   */
  follow(onBlocks: () => void): () => void {
    this.#followers.add(onBlocks);
    return () => this.#followers.delete(onBlocks);
  }

  /** Carries out a request of JSON-RPC; what is refused is an outcome. */
  handle(method: string, params: readonly unknown[]): Promise<RpcOutcome> {
    if (method === "evm_revert" && this.#followers.size > 0) return Promise.resolve(CANNOT_GO_BACK);
    const nowSeconds = this.#nowSeconds();
    return this.#turn(() => this.#evm.carryOut(method, params, nowSeconds));
  }

  /** As {@link handle}. @throws ChainRefusal when it is refused; RunError when the chain has failed */
  async request(method: string, ...params: readonly unknown[]): Promise<unknown> {
    return unwrapResult(method, await this.handle(method, params));
  }

  /**
   * Signs and sends. The hash is no receipt: with an interval the transaction waits.
   * @throws ChainRefusal when it is refused
   */
  send(sending: OutgoingTransaction): Promise<Hex> {
    const nowSeconds = this.#nowSeconds();
    return this.#turn(() => sendSigned(this.#evm, this.genesis, this.#nonces, sending, nowSeconds));
  }

  /**
   * Sends as an account whose key is not at hand, as only a chain of one's own can, and gives it what its gas may cost.
   * @throws ChainRefusal when it is refused
   */
  sendAs(from: Hex, sending: ImpersonatedTransaction): Promise<Hex> {
    const nowSeconds = this.#nowSeconds();
    return this.#turn(() => sendAs(this.#evm, this.genesis, from, sending, nowSeconds));
  }

  /** A view's answer, as the contract gave it. @throws ChainRefusal with the revert's data */
  async call(to: Hex, data: Hex): Promise<Hex> {
    return (await this.request("eth_call", { to, data }, "latest")) as Hex;
  }

  /** Null while it is not mined. */
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

  /** Makes blocks of what waits, now, whatever the rhythm. */
  minePending(): Promise<void> {
    const nowSeconds = this.#nowSeconds();
    return this.#turn(() => this.#evm.minePending(nowSeconds));
  }

  /** Waits until everything that was asked for before has been done: a virtual clock does not wait for the EVM. */
  async idle(): Promise<void> {
    await this.#turns;
  }

  /** Makes no block any more, and carries out what was asked for before. */
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
      // What the EVM has and the log lacks would be lost with the process: nobody is told of it.
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
      // A failure is told by the turn.
      this.#turn(() => this.#evm.mineNext(nowSeconds, emptyBlocks)).catch(() => {});
    });
  }
}

const CANNOT_GO_BACK: RpcOutcome = {
  error: {
    code: -32003,
    message:
      "the exchange has applied the blocks that this would take back: evm_revert is not possible here",
  },
};
