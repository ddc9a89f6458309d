import { parseLogs } from "../../chain/blocks/chain-log.js";
import { blockTag, type ChainRpc } from "../../chain/rpc/chain-rpc.js";
import { RpcFailure } from "../../chain/rpc/rpc-errors.js";
import type { Hex } from "../../core/units.js";
import { accountsInLogs, HOLDER_TOPICS } from "./holder-logs.js";

/** What is scanned, and in which steps. */
export interface HolderScanOptions {
  readonly rpc: ChainRpc;
  readonly dealer: Hex;
  /** Where the history of positions begins: the dealer's own block, or a later one if older accounts are known otherwise. */
  readonly fromBlock: number;
  /** Blocks that one request asks for at most. Default 2,000. */
  readonly pageBlocks?: number;
  /** Requests of one step. Default 4. */
  readonly maxPages?: number;
  /** Newest blocks that the next step reads again: a reorganisation, or an RPC that was behind, may have kept logs back. Default 6. */
  readonly overlapBlocks?: number;
}

/**
 * Finds the accounts that the exchange's own list may lack, from the logs of dealer and perpetuals. It keeps no account itself: what
 * it finds goes to the schedule, where those leave that turn out to hold nothing.
 */
export class HolderScan {
  readonly #options: Required<HolderScanOptions>;
  #next: number;
  #pageBlocks: number;

  constructor(options: HolderScanOptions) {
    this.#options = { pageBlocks: 2000, maxPages: 4, overlapBlocks: 6, ...options };
    this.#next = options.fromBlock;
    this.#pageBlocks = this.#options.pageBlocks;
  }

  /** The first block that has not been read yet. */
  get nextBlock(): number {
    return this.#next;
  }

  /**
   * Reads on, up to `head` or until the step's requests are used. A range that a provider finds too large is halved.
   * @returns the accounts whose margin changed, in lower case.
   * @throws as {@link ChainRpc.request}; then nothing counts as read beyond what was returned before, and the next step begins there.
   */
  async step(head: number, perps: Iterable<Hex>): Promise<Set<Hex>> {
    const { dealer, maxPages, overlapBlocks, fromBlock } = this.#options;
    const address = [dealer, ...perps];
    const found = new Set<Hex>();
    // A chain that was reorganised to fewer blocks is read again from where it may differ.
    let from = Math.max(fromBlock, Math.min(this.#next, head + 1) - overlapBlocks);
    // Only requests that lead further count, so that small ranges cannot use themselves up on the blocks that are read again.
    for (let pages = 0; pages < maxPages && from <= head; ) {
      const to = Math.min(head, from + this.#pageBlocks - 1);
      const accounts = await this.#page(from, to, address);
      if (accounts === "too-large") continue;
      for (const account of accounts) found.add(account);
      if (to >= this.#next) pages += 1;
      from = to + 1;
    }
    this.#next = from;
    return found;
  }

  async #page(
    from: number,
    to: number,
    address: readonly Hex[],
  ): Promise<ReadonlySet<Hex> | "too-large"> {
    const filter = {
      fromBlock: blockTag(from),
      toBlock: blockTag(to),
      address,
      topics: [HOLDER_TOPICS],
    };
    const read = (result: unknown) =>
      accountsInLogs(parseLogs(result, { from, to, addresses: address }));
    let accounts: ReadonlySet<Hex>;
    try {
      accounts = await this.#options.rpc.request("eth_getLogs", [filter], read, { atBlock: to });
    } catch (error) {
      if (!(error instanceof RpcFailure) || error.why !== "refused" || to === from) throw error;
      this.#pageBlocks = Math.max(1, Math.floor((to - from + 1) / 2));
      return "too-large";
    }
    this.#pageBlocks = Math.min(
      this.#options.pageBlocks,
      this.#pageBlocks + Math.ceil(this.#pageBlocks / 4),
    );
    return accounts;
  }
}
