import { parseRequestedBlock } from "../chain/blocks/block-header.js";
import { parseLogs } from "../chain/blocks/chain-log.js";
import { parseRequestedReceipt } from "../chain/blocks/transaction-receipt.js";
import { joinLiquidation } from "../chain/events/liquidation-events.js";
import { blockTag, type ChainRpc } from "../chain/rpc/chain-rpc.js";
import { ChainError } from "../chain/rpc/rpc-errors.js";
import type { Hex } from "../core/units.js";
import type { Rival } from "./ledger/opportunity.js";

/** A position that another account may have taken over, and the blocks to search. */
export interface RivalQuery {
  readonly dealer: Hex;
  readonly perp: Hex;
  readonly victim: Hex;
  /** Our own account, which does not count as a rival. */
  readonly account: Hex;
  readonly fromBlock: number;
  /** Block of our transaction, or the block in which it would have been. */
  readonly ourBlock: number;
}

/** Most blocks to search. For an older opportunity, a lost race cannot be told from a cure. */
const MOST_BLOCKS = 2000;

/**
 * Finds the account that took a position over, its lead in blocks, and its tip.
 * @returns undefined when no one did; "unknown" when the chain could not be read.
 */
export async function findRival(
  rpc: ChainRpc,
  question: RivalQuery,
): Promise<Rival | "unknown" | undefined> {
  const { dealer, perp, victim, account, fromBlock, ourBlock } = question;
  const from = Math.max(0, fromBlock, ourBlock - MOST_BLOCKS);
  const topics = [joinLiquidation.topic, wordOfAddress(perp), null, wordOfAddress(victim)];
  try {
    const filter = {
      fromBlock: blockTag(from),
      toBlock: blockTag(ourBlock),
      address: dealer,
      topics,
    };
    const readWinners = (result: unknown) =>
      parseLogs(result, { from, to: ourBlock, addresses: [dealer] }).map((log) => ({
        log,
        winner: joinLiquidation.decode(log)?.liquidator,
      }));
    const winners = await rpc.request("eth_getLogs", [filter], readWinners, { atBlock: ourBlock });
    const taken = winners.findLast(({ winner }) => winner !== undefined && winner !== account);
    if (taken?.winner === undefined) return undefined;
    const { transactionHash, blockNumber } = taken.log;
    const readReceipt = (result: unknown) => parseRequestedReceipt(result, transactionHash);
    const receipt = await rpc.request("eth_getTransactionReceipt", [transactionHash], readReceipt);
    const readBlock = (result: unknown) => parseRequestedBlock(result, { number: blockNumber });
    const block = await rpc.request(
      "eth_getBlockByNumber",
      [blockTag(blockNumber), false],
      readBlock,
    );
    const tipWei = receipt === null ? 0n : receipt.effectiveGasPriceWei - block.baseFeeWei;
    return {
      winner: taken.winner,
      blockNumber,
      blocksBefore: Math.max(0, ourBlock - blockNumber),
      tipWei,
    };
  } catch (error) {
    if (error instanceof ChainError) return "unknown";
    throw error;
  }
}

function wordOfAddress(address: Hex): Hex {
  return `0x${address.slice(2).toLowerCase().padStart(64, "0")}`;
}
