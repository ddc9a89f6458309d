import { blockHeaderOf } from "../chain/block-header.js";
import { chainLogOf } from "../chain/chain-log.js";
import { blockTag, type ChainRpc } from "../chain/chain-rpc.js";
import { joinLiquidation } from "../chain/events/liquidation-events.js";
import { ChainUnavailable, RpcFailure } from "../chain/rpc-errors.js";
import { receiptOf } from "../chain/transaction-receipt.js";
import { FormatError } from "../core/errors.js";
import type { Hex } from "../core/units.js";
import type { Rival } from "./ledger/opportunity.js";

/** One position that somebody may have taken over, and where to look. */
export interface RivalQuestion {
  readonly dealer: Hex;
  readonly perp: Hex;
  readonly victim: Hex;
  /** Our own account: it is no rival. */
  readonly account: Hex;
  readonly fromBlock: number;
  /** Where ours was, or would have been. */
  readonly ourBlock: number;
}

/** Blocks that are searched at most: an older opportunity is not told from one that cured itself. */
const MOST_BLOCKS = 2000;

/**
 * Who else took a position over, how much sooner, and at what tip.
 * @returns undefined when nobody did; "unknown" when the chain could not be asked.
 */
export async function findRival(rpc: ChainRpc, question: RivalQuestion): Promise<Rival | "unknown" | undefined> {
  const { dealer, perp, victim, account, fromBlock, ourBlock } = question;
  const from = Math.max(0, fromBlock, ourBlock - MOST_BLOCKS);
  const topics = [joinLiquidation.topic, wordOfAddress(perp), null, wordOfAddress(victim)];
  try {
    const logs = await rpc.request("eth_getLogs", [{ fromBlock: blockTag(from), toBlock: blockTag(ourBlock), address: dealer, topics }], {
      atBlock: ourBlock,
    });
    if (!Array.isArray(logs)) return "unknown";
    const list = logs.map(chainLogOf).map((log) => ({ log, winner: joinLiquidation.decode(log)?.liquidator }));
    const taken = list.findLast(({ winner }) => winner !== undefined && winner !== account);
    if (taken?.winner === undefined) return undefined;
    const { transactionHash, blockNumber } = taken.log;
    const receipt = receiptOf(await rpc.request("eth_getTransactionReceipt", [transactionHash]));
    const block = blockHeaderOf(await rpc.request("eth_getBlockByNumber", [blockTag(blockNumber), false]));
    const tipWei = receipt === null ? 0n : receipt.effectiveGasPriceWei - block.baseFeeWei;
    return { winner: taken.winner, blockNumber, blocksBefore: Math.max(0, ourBlock - blockNumber), tipWei };
  } catch (error) {
    if (error instanceof ChainUnavailable || error instanceof RpcFailure || error instanceof FormatError) return "unknown";
    throw error;
  }
}

function wordOfAddress(address: Hex): Hex {
  return `0x${address.slice(2).toLowerCase().padStart(64, "0")}`;
}
