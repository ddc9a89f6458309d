import { MarketwrightError } from "../../core/errors.js";
import type { Hex } from "../../core/units.js";
import { nextBaseFeeWei, parseBlockHeader } from "../blocks/block-header.js";
import type { AccountReader } from "./account-reader.js";
import { type Fees, firstFees } from "./fees.js";
import { computeCeilingFee } from "./nonce-tracker.js";
import { simulate } from "./simulation.js";
import type { RefusalReason } from "./transaction-event.js";
import type { TransactionJob } from "./transaction-job.js";
import type { TransactionSettings } from "./transaction-settings.js";

/** A job that may be signed for, or the reason against it. */
export type PreparedJob =
  | {
      readonly isReady: true;
      /** Return data of the simulated call. */
      readonly result: Hex;
      readonly gasLimit: bigint;
      readonly fees: Fees;
      /** Value plus gas at the highest fee. */
      readonly costWei: bigint;
      readonly balanceWei: bigint;
      /** The account's next nonce as the node reports it, pending transactions included. */
      readonly nodeNonce: number;
    }
  | { readonly isReady: false; readonly reason: RefusalReason };

/**
 * Requests everything that a job's transaction depends on, concurrently. Never rejects for a node's
 * response.
 */
export async function prepareJob(
  settings: TransactionSettings,
  account: AccountReader,
  job: TransactionJob,
): Promise<PreparedJob> {
  const { rpc, signer, simulateAt, fees: policy } = settings;
  const [simulation, nonce, latest, balance] = await Promise.all([
    simulate(rpc, signer.address, job, simulateAt),
    ask(() => account.count("pending")),
    ask(() => rpc.request("eth_getBlockByNumber", ["latest", false], parseBlockHeader)),
    ask(() => account.balanceWei("latest")),
  ]);
  if (simulation.kind === "revert") return refused({ kind: "revert", revert: simulation.revert });
  if (simulation.kind === "unavailable") return refused(simulation);
  if ("text" in nonce) return refused({ kind: "unavailable", text: nonce.text });
  if ("text" in latest) return refused({ kind: "unavailable", text: latest.text });
  if ("text" in balance) return refused({ kind: "unavailable", text: balance.text });
  const { result, gasLimit } = simulation;
  const baseFeeWei = nextBaseFeeWei(latest.value);
  const ceilingFeeWei = computeCeilingFee(job, gasLimit);
  const fees = firstFees(
    baseFeeWei,
    { ...policy, tipWei: job.tipWei ?? policy.tipWei },
    ceilingFeeWei,
  );
  if (fees === undefined)
    return refused({
      kind: "too-costly",
      neededFeeWei: baseFeeWei + policy.minTipWei,
      ceilingFeeWei,
    });
  const costWei = gasLimit * fees.maxFeeWei + (job.valueWei ?? 0n);
  return {
    isReady: true,
    result,
    gasLimit,
    fees,
    costWei,
    balanceWei: balance.value,
    nodeNonce: nonce.value,
  };
}

function refused(reason: RefusalReason): PreparedJob {
  return { isReady: false, reason };
}

async function ask<Value>(
  question: () => Promise<Value>,
): Promise<{ readonly value: Value } | { readonly text: string }> {
  try {
    return { value: await question() };
  } catch (error) {
    if (error instanceof MarketwrightError) return { text: error.message };
    throw error;
  }
}
