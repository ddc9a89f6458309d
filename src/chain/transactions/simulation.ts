import type { Hex } from "../../core/units.js";
import type { TransactionReceipt } from "../blocks/transaction-receipt.js";
import { classifyRevertData, type Revert } from "../contracts/revert.js";
import { blockTag, type ChainRpc } from "../rpc/chain-rpc.js";
import { CallReverted, ChainError, RpcFailure } from "../rpc/rpc-errors.js";
import { parseBytes, parseNumber } from "../rpc/rpc-values.js";
import type { TransactionJob } from "./transaction-job.js";

/** The result that the same call would have if it were sent now. */
export type Simulation =
  | { readonly kind: "ok"; readonly result: Hex; readonly gasLimit: bigint }
  | { readonly kind: "revert"; readonly revert: Revert }
  | { readonly kind: "unavailable"; readonly text: string };

/**
 * Half as much again as the estimate, because the state may change before the block. The first
 * position in a market, from an own takeover just before, makes the next one dearer by more than a
 * fifth.
 */
const MARGIN_OF_ESTIMATE = 2n;

/** Simulates a call from the same sender with the same gas. Never rejects. */
export async function simulate(
  rpc: ChainRpc,
  from: Hex,
  job: TransactionJob,
  block: "pending" | "latest",
): Promise<Simulation> {
  const call = { from, to: job.to, data: job.data, value: hexOf(job.valueWei ?? 0n) };
  try {
    let { gasLimit } = job;
    if (gasLimit === "estimate") {
      const estimate = await rpc.request("eth_estimateGas", [call, block], readGas);
      gasLimit = estimate + estimate / MARGIN_OF_ESTIMATE;
    }
    const result = await rpc.request(
      "eth_call",
      [{ ...call, gas: hexOf(gasLimit) }, block],
      readReturned,
    );
    return { kind: "ok", result, gasLimit };
  } catch (error) {
    if (error instanceof CallReverted) return { kind: "revert", revert: error.revert };
    if (error instanceof ChainError) return { kind: "unavailable", text: error.message };
    throw error;
  }
}

/**
 * Finds why a transaction reverted in its block, by the same call on the state after the block: a
 * lost race is still lost there. The reason is unknown if a node has no old states, or if it ended
 * with the block.
 * @throws ChainUnavailable when no RPC can be reached.
 */
export async function findRevertReason(
  rpc: ChainRpc,
  from: Hex,
  job: TransactionJob,
  { gasLimit }: { readonly gasLimit: bigint },
  receipt: TransactionReceipt,
): Promise<Revert> {
  const { blockNumber, gasUsed } = receipt;
  const call = {
    from,
    to: job.to,
    data: job.data,
    value: hexOf(job.valueWei ?? 0n),
    gas: hexOf(gasLimit),
  };
  try {
    await rpc.request("eth_call", [call, blockTag(blockNumber)], readReturned, {
      atBlock: blockNumber,
    });
  } catch (error) {
    if (error instanceof CallReverted) return error.revert;
    if (!(error instanceof RpcFailure)) throw error;
    return { kind: "unknown", text: `not known: ${error.message}` };
  }
  if (gasUsed === gasLimit) return { kind: "out-of-gas", text: "all gas was used" };
  return {
    ...classifyRevertData("0x"),
    text: "not known: the same call goes through after the block",
  } as Revert;
}

function hexOf(value: bigint): Hex {
  return `0x${value.toString(16)}`;
}

/** Below 2^53, as every limit of a block is. */
function readGas(result: unknown): bigint {
  return BigInt(parseNumber(result, "eth_estimateGas"));
}

function readReturned(result: unknown): Hex {
  return parseBytes(result, "eth_call");
}
