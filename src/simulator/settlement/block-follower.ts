import { RunError } from "../../core/errors.js";
import type { ExchangeState } from "../engine/exchange-state.js";
import { type BlockReaderDeps, type ChainBlock, readBlock } from "./chain-block.js";

/** What a follower works with. */
export interface BlockFollowerDeps extends BlockReaderDeps {
  readonly state: ExchangeState;
  /** Runs a change as one event of the exchange. */
  turn(run: () => void): void;
  /** Does what a block says, within its turn. */
  apply(block: ChainBlock): void;
  /** Hears of a failure after which no block is read any more. */
  onFault(error: unknown): void;
}

/**
 * Reads every block of the chain once, in order, and has each applied in a turn of its own. Which
 * one was last is part of the state that the turn makes last: after a kill the next process goes on
 * behind it.
 */
export class BlockFollower {
  readonly #parts: BlockFollowerDeps;
  #reading: Promise<void> | null = null;
  #unfollow: (() => void) | null = null;

  constructor(parts: BlockFollowerDeps) {
    this.#parts = parts;
  }

  /**
   * Reads what there is, before the first start.
   * @throws as {@link readBlock} does, and RunError for a chain that went back
   */
  catchUp(): Promise<void> {
    return this.#read();
  }

  /** Applies what there is, and each block as it comes. */
  start(): void {
    this.#unfollow ??= this.#parts.chain.follow(() => this.#readSoon());
    this.#readSoon();
  }

  /** Applies no block any more. */
  stop(): void {
    this.#unfollow?.();
    this.#unfollow = null;
  }

  /** Waits until every block that there is has been applied. */
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
        // One that came while the last reading ended.
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
 * State by hand (`evm_revert`) or another chain's log may have taken back what the exchange's
 * accounts stand on.
 */
function requireNext({ number, parentHash }: ChainBlock, { chainBlockHash }: ExchangeState): void {
  if (chainBlockHash === "" || chainBlockHash === parentHash) return;
  throw new RunError("the chain went back behind a block that the exchange has applied", {
    field: `block ${number}`,
    value: parentHash,
    expected: `a block behind ${chainBlockHash}`,
  });
}
