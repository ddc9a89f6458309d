import { RunError } from "../../core/errors.js";
import type { ExchangeState } from "../engine/exchange-state.js";
import { type BlockReaderDeps, type ChainBlock, readBlock } from "./chain-block.js";

/** Dependencies of {@link BlockFollower}. */
export interface BlockFollowerDeps extends BlockReaderDeps {
  readonly state: ExchangeState;
  /** Runs a change as one event of the exchange. */
  turn(run: () => void): void;
  /** Applies a block, within its turn. */
  apply(block: ChainBlock): void;
  /** Called on a failure after which no block is read. */
  onFault(error: unknown): void;
}

/**
 * Reads every block of the chain once, in order, and applies each in a turn of its own. The last
 * block's number is committed with that turn, so after a kill the next process continues with the
 * block after it.
 */
export class BlockFollower {
  readonly #parts: BlockFollowerDeps;
  #reading: Promise<void> | null = null;
  #unfollow: (() => void) | null = null;

  constructor(parts: BlockFollowerDeps) {
    this.#parts = parts;
  }

  /**
   * Applies the existing blocks, before the first start.
   * @throws as {@link readBlock} does, and RunError for a chain that went back
   */
  catchUp(): Promise<void> {
    return this.#read();
  }

  /** Applies the existing blocks, and each new one. */
  start(): void {
    this.#unfollow ??= this.#parts.chain.follow(() => this.#readSoon());
    this.#readSoon();
  }

  /** Stops applying blocks. */
  stop(): void {
    this.#unfollow?.();
    this.#unfollow = null;
  }

  /** Waits until every existing block has been applied. */
  async idle(): Promise<void> {
    while (this.#reading !== null) await this.#reading;
  }

  #readSoon(): void {
    if (this.#reading !== null || this.#unfollow === null) return;
    this.#reading = this.#read()
      .catch((error: unknown) => {
        this.stop();
        this.#parts.onFault(error);
      })
      .finally(() => {
        this.#reading = null;
        // A block that arrived while the last reading ended.
        if (this.#parts.state.chainBlock < this.#parts.chain.head.number) this.#readSoon();
      });
  }

  async #read(): Promise<void> {
    const { state, chain, turn, apply } = this.#parts;
    const isWanted = () => this.#reading === null || this.#unfollow !== null;
    while (isWanted() && state.chainBlock < chain.head.number) {
      const block = await readBlock(state.chainBlock + 1, this.#parts);
      if (!isWanted()) return;
      requireNext(block, state);
      turn(() => {
        apply(block);
        state.chainBlock = block.number;
        state.chainBlockHash = block.hash;
        state.listener.onState();
      });
    }
  }
}

/**
 * A manual change of state (`evm_revert`) or another chain's log may have removed the blocks that
 * the exchange's accounts depend on.
 */
function requireNext({ number, parentHash }: ChainBlock, { chainBlockHash }: ExchangeState): void {
  if (chainBlockHash === "" || chainBlockHash === parentHash) return;
  throw new RunError("the chain removed a block that the exchange has already applied", {
    field: `block ${number}`,
    value: parentHash,
    expected: `a block after ${chainBlockHash}`,
  });
}
