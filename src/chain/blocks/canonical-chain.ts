import type { Hex, Ms } from "../../core/units.js";
import { blockTag, type ChainRpc } from "../rpc/chain-rpc.js";
import type { Head } from "../rpc/rpc-health.js";
import { type BlockHeader, parseRequestedBlock } from "./block-header.js";

/** Change of the chain since the last poll. */
export interface ChainStep {
  readonly head: BlockHeader;
  /** New blocks, oldest first. */
  readonly added: readonly BlockHeader[];
  /** Blocks that a reorg removed, newest first; their number is its depth. */
  readonly removed: readonly BlockHeader[];
  /**
   * False when too many blocks came at once and some were skipped. `added` then has only the
   * newest, and `removed` may lack some.
   */
  readonly isWhole: boolean;
}

/** The newest blocks of the chain by number and hash, to detect replaced blocks. */
export class CanonicalChain {
  readonly #rpc: ChainRpc;
  readonly #keep: number;
  /** Contiguous, oldest first. */
  #blocks: BlockHeader[] = [];

  /** @param keep number of blocks to remember, and the deepest reorg to follow. */
  constructor(rpc: ChainRpc, keep = 64) {
    this.#rpc = rpc;
    this.#keep = keep;
  }

  /** The newest block so far; undefined before the first {@link CanonicalChain.advance}. */
  get head(): BlockHeader | undefined {
    return this.#blocks.at(-1);
  }

  /**
   * Reads the newest block and those between.
   * @param maxAgeMs largest age of the RPCs' reported heads; by default their `headRefreshMs`.
   * @throws ChainUnavailable, RpcFailure when they cannot be read; the state is then unchanged.
   */
  async advance(maxAgeMs?: Ms): Promise<ChainStep> {
    const reported = await this.#rpc.head(maxAgeMs);
    const last = this.head;
    if (last === undefined)
      return this.#restart(await this.#byHash(reported.hash, reported.number), [], true);
    const known = this.#at(reported.number);
    const hash = reported.hash.toLowerCase();
    // A head below ours comes from a lagging RPC. Only another block at the same number removes
    // one.
    if (known?.hash === hash || this.#isBefore(reported.number, last))
      return { head: last, added: [], removed: [], isWhole: true };
    if (reported.number > last.number + this.#keep) return this.#leap(reported, last);
    return this.#walk(await this.#byHash(reported.hash, reported.number));
  }

  /**
   * Returns the chain's block of that number; undefined if there is none yet. Remembered blocks are
   * not requested again.
   * @throws ChainUnavailable, RpcFailure when it cannot be read.
   */
  async blockAt(number: number): Promise<BlockHeader | undefined> {
    const known = this.#at(number);
    if (known !== undefined) return known;
    if (this.head === undefined || number > this.head.number) return undefined;
    return this.#byNumber(number);
  }

  /** Returns true for a block from before the first poll, no further back than an RPC may lag. */
  #isBefore(number: number, last: BlockHeader): boolean {
    const first = this.#blocks[0];
    return first !== undefined && number < first.number && number > last.number - this.#keep;
  }

  #at(number: number): BlockHeader | undefined {
    const first = this.#blocks[0];
    return first === undefined ? undefined : this.#blocks[number - first.number];
  }

  /** Walks from the new head back to a remembered block. */
  async #walk(head: BlockHeader): Promise<ChainStep> {
    const added = [head];
    const oldest = this.#blocks[0]?.number ?? 0;
    let first = head;
    while (first.number > oldest && this.#at(first.number - 1)?.hash !== first.parentHash) {
      first = await this.#byHash(first.parentHash, first.number - 1);
      added.unshift(first);
    }
    return this.#replace(first.number - 1, added, first.number > oldest);
  }

  /** With too many new blocks to read each, only checks that the last one is still on the chain. */
  async #leap({ hash, number }: Head, last: BlockHeader): Promise<ChainStep> {
    const head = await this.#byHash(hash, number);
    const isStillThere = (await this.#byNumber(last.number)).hash === last.hash;
    return this.#restart(head, isStillThere ? [] : [...this.#blocks].reverse(), false);
  }

  /** Keeps the blocks up to a number, and appends others. */
  #replace(upTo: number, added: readonly BlockHeader[], isWhole: boolean): ChainStep {
    const removed = this.#blocks.filter(({ number }) => number > upTo).reverse();
    this.#blocks = [...this.#blocks.filter(({ number }) => number <= upTo), ...added].slice(
      -this.#keep,
    );
    return { head: this.#blocks.at(-1) as BlockHeader, added, removed, isWhole };
  }

  #restart(head: BlockHeader, removed: readonly BlockHeader[], isWhole: boolean): ChainStep {
    this.#blocks = [head];
    return { head, added: [head], removed, isWhole };
  }

  #byHash(hash: Hex, number: number): Promise<BlockHeader> {
    return this.#rpc.request("eth_getBlockByHash", [hash, false], (block) =>
      parseRequestedBlock(block, { hash, number }),
    );
  }

  #byNumber(number: number): Promise<BlockHeader> {
    const read = (block: unknown) => parseRequestedBlock(block, { number });
    return this.#rpc.request("eth_getBlockByNumber", [blockTag(number), false], read, {
      atBlock: number,
    });
  }
}
