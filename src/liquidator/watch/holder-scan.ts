import { type ChainLog, parseLogs } from "../../chain/blocks/chain-log.js";
import {
  balanceChange,
  deposit,
  transferIn,
  transferOut,
  withdraw,
} from "../../chain/events/account-events.js";
import { handleBadDebt } from "../../chain/events/liquidation-events.js";
import { blockTag, type ChainRpc } from "../../chain/rpc/chain-rpc.js";
import { RpcFailure } from "../../chain/rpc/rpc-errors.js";
import type { Hex } from "../../core/units.js";

/**
 * Events that change an account's margin (docs/reference/protocol.md#contract-interface). Each
 * trade and each liquidation emits a BalanceChange for every account that it moves, so the bot does
 * not read their own events.
 */
const TRADER_EVENTS = [balanceChange, deposit, withdraw, transferIn, transferOut] as const;

/** First topics for `eth_getLogs`. */
const HOLDER_TOPICS: readonly Hex[] = [...TRADER_EVENTS, handleBadDebt].map(({ topic }) => topic);

/** Range and step sizes of the scan. */
export interface HolderScanOptions {
  readonly rpc: ChainRpc;
  readonly dealer: Hex;
  /**
   * First block of the scan: the dealer's own, or a later one if older accounts are known
   * otherwise.
   */
  readonly fromBlock: number;
  /** Most blocks in one request. Default 2,000. */
  readonly pageBlocks?: number;
  /** Requests of one step. Default 4. */
  readonly maxPages?: number;
  /**
   * Newest blocks that the next step reads again, because a reorg or a lagging RPC may have
   * withheld logs. Default 6.
   */
  readonly overlapBlocks?: number;
}

/**
 * Finds accounts that the exchange's own list may lack, from the logs of dealer and perpetuals. It
 * stores no accounts: they go to the schedule, which drops those that hold nothing.
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
   * Continues the scan up to `head`, or until the step's requests are used. Halves a range that a
   * provider rejects as too large.
   * @returns the accounts whose margin changed, in lower case.
   * @throws the errors of {@link ChainRpc.request}. The next step then begins after the last
   * returned range.
   */
  async step(head: number, perps: Iterable<Hex>): Promise<Set<Hex>> {
    const { dealer, maxPages, overlapBlocks, fromBlock } = this.#options;
    const address = [dealer, ...perps];
    const found = new Set<Hex>();
    // After a reorg to fewer blocks, the scan repeats from the first block that may differ.
    let from = Math.max(fromBlock, Math.min(this.#next, head + 1) - overlapBlocks);
    // Only requests that advance count, so that small ranges do not use up the step on repeated
    // blocks.
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

/**
 * Returns the accounts whose margin changed according to a list of logs, in lower case.
 * @param logs of the exchange's own contracts; other events are skipped.
 * @throws FormatError for a log that has an event's topic but not its arguments.
 */
function accountsInLogs(logs: readonly ChainLog[]): Set<Hex> {
  const accounts = new Set<Hex>();
  for (const log of logs) {
    const debtor = handleBadDebt.decode(log)?.victim;
    const trader =
      debtor ??
      TRADER_EVENTS.map((kind) => kind.decode(log)).find((event) => event !== undefined)?.trader;
    if (trader !== undefined) accounts.add(trader);
  }
  return accounts;
}
