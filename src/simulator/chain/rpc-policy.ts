import { Transaction } from "ethers";
import type { Hex } from "../../core/units.js";
import type { RpcError } from "./edr-evm.js";
import { STATE_BY_HAND } from "./state-by-hand.js";

/** What the port lets in. */
export interface RpcPolicy {
  /** The methods of development nodes: time, mining and state by hand. */
  readonly devMethods: boolean;
  /** Code from outside. */
  readonly deployments: boolean;
  /** The most gas of one call. */
  readonly callGasLimit: number;
}

/** A request that may pass, perhaps bounded; or why it may not. */
export type Admission = { readonly method: string; readonly params: readonly unknown[] } | { readonly refused: RpcError };

const OPEN = new Set([
  "eth_accounts",
  "eth_blobBaseFee",
  "eth_blockNumber",
  "eth_call",
  "eth_chainId",
  "eth_coinbase",
  "eth_estimateGas",
  "eth_feeHistory",
  "eth_gasPrice",
  "eth_getBalance",
  "eth_getBlockByHash",
  "eth_getBlockByNumber",
  "eth_getBlockTransactionCountByHash",
  "eth_getBlockTransactionCountByNumber",
  "eth_getCode",
  "eth_getFilterChanges",
  "eth_getFilterLogs",
  "eth_getLogs",
  "eth_getProof",
  "eth_getStorageAt",
  "eth_getTransactionByBlockHashAndIndex",
  "eth_getTransactionByBlockNumberAndIndex",
  "eth_getTransactionByHash",
  "eth_getTransactionCount",
  "eth_getTransactionReceipt",
  "eth_maxPriorityFeePerGas",
  "eth_newBlockFilter",
  "eth_newFilter",
  "eth_newPendingTransactionFilter",
  "eth_pendingTransactions",
  "eth_sendRawTransaction",
  "eth_sendTransaction",
  "eth_sign",
  "eth_signTypedData_v4",
  "eth_subscribe",
  "eth_syncing",
  "eth_uninstallFilter",
  "eth_unsubscribe",
  "net_version",
  "personal_sign",
  "web3_clientVersion",
  "web3_sha3",
]);
const DEV = new Set<string>([
  "debug_traceCall",
  "debug_traceTransaction",
  "evm_increaseTime",
  "evm_mine",
  "evm_revert",
  "evm_setNextBlockTimestamp",
  "evm_snapshot",
  "hardhat_mine",
  ...STATE_BY_HAND,
]);
const CALLS = new Set(["debug_traceCall", "eth_call", "eth_estimateGas"]);
/** The EVM looks at every number of a range, also at those that no block has. */
const FURTHEST_BLOCK_AHEAD = 1_000_000;

/** Decides on a request from outside. The names of anvil count as those that they are other names for. */
export function admit(method: string, params: readonly unknown[], policy: RpcPolicy, headNumber: number): Admission {
  const name = ownName(method);
  if (!OPEN.has(name) && !DEV.has(name)) return refuse(-32601, `the method ${method.slice(0, 100)} does not exist`);
  if (DEV.has(name) && !policy.devMethods) return refuse(-32601, `the method ${method} is off (devMethods)`);
  if (CALLS.has(name)) return admitCall(name, params, policy);
  if (deploys(name, params[0]) && !policy.deployments) return refuse(-32000, "contracts from outside are off (deployments)");
  if (name === "eth_getLogs" || name === "eth_newFilter") return { method: name, params: boundRange(params, 0, headNumber) };
  if (name === "eth_subscribe") return { method: name, params: boundRange(params, 1, headNumber) };
  return { method: name, params };
}

function ownName(method: string): string {
  if (!method.startsWith("anvil_")) return method;
  const rest = method.slice("anvil_".length);
  return DEV.has(`evm_${rest}`) && rest !== "mine" ? `evm_${rest}` : `hardhat_${rest}`;
}

function admitCall(method: string, params: readonly unknown[], { callGasLimit, deployments, devMethods }: RpcPolicy): Admission {
  const [call, ...rest] = params;
  if (!isRecord(call)) return { method, params };
  // Code given with the request runs without ever being deployed.
  if (!deployments && (call.to === undefined || call.to === null)) return refuse(-32000, "code from outside is off (deployments)");
  if (!devMethods && rest.length > 1) return refuse(-32602, "overrides are off (devMethods)");
  const { gas } = call;
  const isTooMuch = typeof gas === "string" && /^0x[0-9a-fA-F]+$/.test(gas) && BigInt(gas) > BigInt(callGasLimit);
  return { method, params: isTooMuch ? [{ ...call, gas: `0x${callGasLimit.toString(16)}` }, ...rest] : params };
}

function deploys(method: string, first: unknown): boolean {
  if (method === "eth_sendTransaction") return isRecord(first) && (first.to === undefined || first.to === null);
  if (method !== "eth_sendRawTransaction" || typeof first !== "string") return false;
  try {
    return Transaction.from(first as Hex).to === null;
  } catch {
    // What is no transaction is the EVM's to refuse, with its reason.
    return false;
  }
}

function boundRange(params: readonly unknown[], place: number, headNumber: number): readonly unknown[] {
  const filter = params[place];
  if (!isRecord(filter)) return params;
  const furthest = BigInt(headNumber + FURTHEST_BLOCK_AHEAD);
  const bound = (block: unknown): unknown =>
    typeof block === "string" && /^0x[0-9a-fA-F]+$/.test(block) && BigInt(block) > furthest ? `0x${furthest.toString(16)}` : block;
  const bounded = Object.fromEntries(
    Object.entries(filter).map(([key, value]) => [key, key === "fromBlock" || key === "toBlock" ? bound(value) : value]),
  );
  return params.map((param, index) => (index === place ? bounded : param));
}

function refuse(code: number, message: string): Admission {
  return { refused: { code, message } };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
