import { Transaction } from "ethers";
import type { Random } from "#core/runtime.js";
import type { Hex, Ms } from "#core/units.js";
import type { HoldingClock } from "#simulation/waiting-clock.js";
import type { RpcOutcome } from "#simulator/rpc-outcome.js";
import type { Ground } from "./ground.js";

/** Possible faults of a transaction between its RPC and the blocks. */
export interface PoolFaults {
  /** Forgotten by every node. */
  readonly isDropped: boolean;
  /** Known, and in no block before so many more are made. */
  readonly heldBlocks: number;
}

interface Waiting {
  readonly raw: Hex;
  readonly hash: Hex;
  /** The block that it may be in at the earliest. */
  readonly fromBlock: number;
}

/** Largest depth of a reorg, blocks. */
const DEEPEST_REORG = 8;

/**
 * Makes the blocks of a run: one every so often, the highest tip first, then by arrival. Some
 * transactions it forgets or passes over for a while, and now and then the last blocks are made
 * again, as another node saw them.
 */
export class BlockBuilder {
  readonly #ground: Ground;
  readonly #clock: HoldingClock;
  readonly #random: Random;
  /** Transactions that are passed over: the nodes have them all the same. */
  readonly #held: Waiting[] = [];
  /** States before the last blocks, newest last, with what has come into the pool since. */
  readonly #undo: { readonly snapshot: string; readonly arrived: Hex[] }[] = [];
  #turn: Promise<unknown> = Promise.resolve();
  /** Called with each transaction that the nodes know, as for any observer of the pool. */
  onPending: (transaction: Transaction) => void = () => {};
  /** Hears of each new block; of the depth when older ones were replaced. */
  onBlock: (number: number, reorgDepth: number) => void = () => {};
  /** Blocks so far, and how often each thing happened. */
  readonly counts = { blocks: 0, reorgs: 0, dropped: 0, held: 0, lostInReorg: 0 };
  faultsOf: (from: string) => PoolFaults = () => ({ isDropped: false, heldBlocks: 0 });
  /** Depth of the reorganisation in place of the next block; 0 for none. */
  reorgNow: () => number = () => 0;
  /** Base fee of the next block, wei; undefined leaves it to the chain. */
  baseFeeNow: () => bigint | undefined = () => undefined;
  /** Chance that a reorganisation loses a transaction of the blocks that it undoes. */
  lossInReorg = 0;

  constructor(ground: Ground, clock: HoldingClock, random: Random) {
    this.#ground = ground;
    this.#clock = clock;
    this.#random = random;
  }

  get head(): number {
    return this.#ground.chain.head.number;
  }

  /** Begins to make blocks. */
  start(everyMs: Ms): void {
    this.#clock.setTimer(everyMs, () => {
      this.start(everyMs);
      this.#clock.hold(this.makeBlock());
    });
  }

  /** Makes the next block now, or replaces the last ones. */
  makeBlock(): Promise<void> {
    return this.#do(() => this.#next());
  }

  /** Responds as an RPC; a raw transaction is checked, and may still be forgotten. */
  handle(method: string, params: readonly unknown[]): Promise<RpcOutcome> {
    return this.#do(() =>
      method === "eth_sendRawTransaction"
        ? this.#take(params[0] as Hex)
        : this.#answer(method, params),
    );
  }

  async #answer(method: string, params: readonly unknown[]): Promise<RpcOutcome> {
    const [hash] = params;
    const held =
      method === "eth_getTransactionByHash"
        ? this.#held.find((one) => one.hash === hash)
        : undefined;
    if (held === undefined) return this.#ground.chain.handle(method, params);
    const { from, nonce } = Transaction.from(held.raw);
    return {
      result: {
        hash: held.hash,
        from,
        nonce: `0x${nonce.toString(16)}`,
        blockNumber: null,
        blockHash: null,
      },
    };
  }

  async #take(raw: Hex): Promise<RpcOutcome> {
    const transaction = Transaction.from(raw);
    const hash = transaction.hash as Hex;
    if (this.#held.some((one) => one.hash === hash))
      return { error: { code: -32000, message: "already known" } };
    const { isDropped, heldBlocks } = this.faultsOf(transaction.from ?? "");
    if (isDropped) {
      this.counts.dropped += 1;
      return { result: hash };
    }
    if (heldBlocks > 0) {
      this.counts.held += 1;
      this.#held.push({ raw, hash, fromBlock: this.head + 1 + heldBlocks });
      this.onPending(transaction);
      return { result: hash };
    }
    const outcome = await this.#ground.chain.handle("eth_sendRawTransaction", [raw]);
    if ("result" in outcome) {
      this.#undo.at(-1)?.arrived.push(raw);
      this.onPending(transaction);
    }
    return outcome;
  }

  async #next(): Promise<void> {
    const depth = Math.min(this.reorgNow(), this.#undo.length, DEEPEST_REORG);
    if (depth > 0) await this.#goBack(depth);
    for (let made = 0; made <= depth; made += 1) await this.#mine(made === depth ? depth : 0);
  }

  async #mine(reorgDepth: number): Promise<void> {
    const { chain } = this.#ground;
    const next = this.head + 1;
    for (const one of this.#held.filter(({ fromBlock }) => fromBlock <= next)) {
      this.#held.splice(this.#held.indexOf(one), 1);
      const outcome = await chain.handle("eth_sendRawTransaction", [one.raw]);
      if ("result" in outcome) this.#undo.at(-1)?.arrived.push(one.raw);
    }
    const baseFee = this.baseFeeNow();
    if (baseFee !== undefined)
      await chain.request("hardhat_setNextBlockBaseFeePerGas", `0x${baseFee.toString(16)}`);
    this.#undo.push({ snapshot: (await chain.request("evm_snapshot")) as string, arrived: [] });
    if (this.#undo.length > DEEPEST_REORG + 1) this.#undo.shift();
    await chain.request("evm_mine");
    this.counts.blocks += 1;
    this.onBlock(this.head, reorgDepth);
  }

  async #goBack(depth: number): Promise<void> {
    const { chain } = this.#ground;
    const undone = this.#undo.splice(this.#undo.length - depth);
    const first = undone[0];
    if (first === undefined) return;
    this.counts.reorgs += 1;
    await chain.request("evm_revert", first.snapshot);
    for (const raw of undone.flatMap(({ arrived }) => arrived)) {
      if (this.#random.uniform() < this.lossInReorg) {
        this.counts.lostInReorg += 1;
        continue;
      }
      // An impossible transaction, such as one with a used nonce, is rejected, as on any node.
      const outcome = await chain.handle("eth_sendRawTransaction", [raw]);
      if ("result" in outcome) this.#undo.at(-1)?.arrived.push(raw);
    }
  }

  #do<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }
}
