import type { EvmRequest, RpcError, RpcOutcome } from "../rpc-outcome.js";
import { INSUFFICIENT_FUNDS } from "./node-error.js";

/** The gas of a transaction that executes nothing, as a plain transfer. */
const LEAST_GAS = "0x5208";
/** The EVM searches for an estimate above {@link LEAST_GAS}, and never returns it. */
const LOWEST_ESTIMATE = "0x5209";

interface CallTerms {
  readonly from?: unknown;
  readonly gas?: unknown;
  readonly gasPrice?: unknown;
  readonly maxFeePerGas?: unknown;
  readonly value?: unknown;
}

/** `eth_call`, refused if the sender cannot pay. The EVM itself would not check that. */
export async function call(params: readonly unknown[], ask: EvmRequest): Promise<RpcOutcome> {
  const [terms, block = "latest"] = params;
  const refusal = await unpayable(params, block, (terms as CallTerms).gas, ask);
  return refusal ?? ask("eth_call", params);
}

/** `eth_estimateGas`, refused if the sender cannot pay, and exact for a plain transfer. */
export async function estimateGas(
  params: readonly unknown[],
  ask: EvmRequest,
): Promise<RpcOutcome> {
  const [terms, block = "pending", ...rest] = params;
  const withoutGas = await unpayable(params, block, "0x0", ask);
  if (withoutGas !== null) return withoutGas;
  const outcome = await ask("eth_estimateGas", params);
  if ("error" in outcome) return outcome;
  const atLeast =
    outcome.result === LOWEST_ESTIMATE
      ? await ask("eth_call", [{ ...(terms as object), gas: LEAST_GAS }, block, ...rest])
      : null;
  const gas = atLeast !== null && "result" in atLeast ? LEAST_GAS : outcome.result;
  return (await unpayable(params, block, gas, ask)) ?? { result: gas };
}

/**
 * The reason why the sender cannot pay for value and gas at the call's highest price; null if it
 * can, or the call names no price.
 */
export async function unpayable(
  params: readonly unknown[],
  block: unknown,
  gas: unknown,
  ask: EvmRequest,
): Promise<{ error: RpcError } | null> {
  const [terms, , overrides] = params;
  const { from, value, gasPrice, maxFeePerGas } = terms as CallTerms;
  const want = quantity(value) + quantity(gas) * quantity(maxFeePerGas ?? gasPrice);
  // Overrides may give the sender the missing funds.
  if (typeof from !== "string" || want === 0n || overrides !== undefined) return null;
  const balance = await ask("eth_getBalance", [from, block]);
  // The EVM reports an invalid sender or block.
  if ("error" in balance || quantity(balance.result) >= want) return null;
  return {
    error: {
      code: -32000,
      message: `${INSUFFICIENT_FUNDS}: address ${from} have ${quantity(balance.result)} want ${want}`,
    },
  };
}

/** 0 for an invalid quantity, which the EVM then refuses. */
function quantity(written: unknown): bigint {
  return typeof written === "string" && /^0x[0-9a-fA-F]{1,64}$/.test(written)
    ? BigInt(written)
    : 0n;
}
