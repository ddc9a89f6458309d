import type { Hex, Ms } from "../../core/units.js";
import { blockTag, type ChainRpc } from "../rpc/chain-rpc.js";
import type { Head } from "../rpc/rpc-health.js";
import { type BlockHeader, parseRequestedBlock } from "./block-header.js";

/** How the chain has moved since it was last looked at. */
export interface ChainStep {
  readonly head: BlockHeader;
  /** New blocks, oldest first. */
  readonly added: readonly BlockHeader[];
  /** Blocks that are not part of the chain any more, newest first: as many as the reorganisation is deep. */
  readonly removed: readonly BlockHeader[];
  /** False when blocks were passed over, since too many came at once; `added` has the newest alone, and `removed` may lack some. */
  readonly isWhole: boolean;
}

/** The newest blocks of the chain by number and hash, so that a block that is replaced is noticed. */
export class CanonicalChain {
  readonly #rpc: ChainRpc;
  readonly #keep: number;
  /** Contiguous, oldest first. */
  #blocks: BlockHeader[] = [];

  /** @param keep how many blocks are remembered, and walked back at most. */
  constructor(rpc: ChainRpc, keep = 64) {
    this.#rpc = rpc;
    this.#keep = keep;
  }

  /** The newest block that was seen; undefined before the first {@link CanonicalChain.advance}. */
  get head(): BlockHeader | undefined {
    return this.#blocks.at(-1);
  }

  /**
   * Looks at the newest block and those between.
   * @param maxAgeMs how long ago the RPCs may have told their newest block; their `headRefreshMs` when absent.
   * @throws ChainUnavailable, RpcFailure when they cannot be read; nothing has changed then.
   */
  async advance(maxAgeMs?: Ms): Promise<ChainStep> {
    const told = await this.#rpc.head(maxAgeMs);
    const last = this.head;
    if (last === undefined)
      return this.#restart(await this.#byHash(told.hash, told.number), [], true);
    const known = this.#at(told.number);
    const hash = told.hash.toLowerCase();
    // A head below ours is of an RPC that lags: only another block in the place of one takes that one off the chain.
    if (known?.hash === hash || this.#isBefore(told.number, last))
      return { head: last, added: [], removed: [], isWhole: true };
    if (told.number > last.number + this.#keep) return this.#leap(told, last);
    return this.#walk(await this.#byHash(told.hash, told.number));
  }

  /**
   * The chain's block of that number; undefined when it has none yet. Remembered ones are not asked for again.
   * @throws ChainUnavailable, RpcFailure when it cannot be read.
   */
  async blockAt(number: number): Promise<BlockHeader | undefined> {
    const known = this.#at(number);
    if (known !== undefined) return known;
    if (this.head === undefined || number > this.head.number) return undefined;
    return this.#byNumber(number);
  }

  /** Whether a block is of before this chain was first looked at, and no further back than an RPC may lag. */
  #isBefore(number: number, last: BlockHeader): boolean {
    const first = this.#blocks[0];
    return first !== undefined && number < first.number && number > last.number - this.#keep;
  }

  #at(number: number): BlockHeader | undefined {
    const first = this.#blocks[0];
    return first === undefined ? undefined : this.#blocks[number - first.number];
  }

  /** From the new head back to a block that is remembered. */
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

  /** Too many new blocks to read each: whether the last one is still there is all that is asked. */
  async #leap({ hash, number }: Head, last: BlockHeader): Promise<ChainStep> {
    const head = await this.#byHash(hash, number);
    const isStillThere = (await this.#byNumber(last.number)).hash === last.hash;
    return this.#restart(head, isStillThere ? [] : [...this.#blocks].reverse(), false);
  }

  /** Keeps the blocks up to a number, and puts others after them. */
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
