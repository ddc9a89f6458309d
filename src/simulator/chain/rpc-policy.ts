import type { Hex } from "../../core/units.js";
import type { RpcError } from "./edr-evm.js";
import { readRawTransaction } from "./raw-transaction.js";
import { STATE_BY_HAND } from "./state-by-hand.js";

/** What the port lets in. */
export interface RpcPolicy {
  /** The methods of development nodes: time, mining and state by hand. */
  readonly devMethods: boolean;
  /** Code from outside. */
  readonly deployments: boolean;
  /** The most gas of one call. */
  readonly callGasLimit: number;
  /** The most gas of a call or transaction to any other code than {@link RpcPolicy.ownContracts}. */
  readonly foreignGas: number;
  /** The exchange's own contracts, in lower case: they call nobody else's code. */
  readonly ownContracts: ReadonlySet<Hex>;
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
  "eth_createAccessList",
  "eth_estimateGas",
  "eth_feeHistory",
  "eth_gasPrice",
  "eth_getBalance",
  "eth_getBlockByHash",
  "eth_getBlockByNumber",
  "eth_getBlockReceipts",
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
  "net_listening",
  "net_peerCount",
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
const CALLS = new Set(["debug_traceCall", "eth_call", "eth_createAccessList", "eth_estimateGas"]);
/** The EVM looks at every number of a range, also at those that no block has. */
const FURTHEST_BLOCK_AHEAD = 1_000_000;

/** Requests that execute code, or whose answer takes more time the more there are blocks. */
export const COSTLY: ReadonlySet<string> = new Set([
  "debug_traceCall",
  "debug_traceTransaction",
  "eth_call",
  "eth_createAccessList",
  "eth_estimateGas",
  "eth_feeHistory",
  "eth_getBlockReceipts",
  "eth_getFilterLogs",
  "eth_getLogs",
  "eth_getProof",
  "eth_pendingTransactions",
  "eth_sendRawTransaction",
  "eth_sendTransaction",
]);
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const QUANTITY = /^0x[0-9a-fA-F]{1,64}$/;
/** Blocks of one answer: as the large providers have it for logs, and as EIP-1559's clients have it for fees. */
const MOST_BLOCKS_OF_LOGS = 10_000;
const MOST_BLOCKS_OF_FEES = 1024;
/** Entries of any list in a request: percentiles, storage keys, topics, addresses. */
const MOST_ENTRIES = 1000;

/** Decides on a request from outside. The names of anvil count as those that they are other names for. */
export function admit(method: string, params: readonly unknown[], policy: RpcPolicy, headNumber: number): Admission {
  const name = ownName(method);
  if (!OPEN.has(name) && !DEV.has(name)) return refuse(-32601, `the method ${method.slice(0, 100)} does not exist`);
  if (DEV.has(name) && !policy.devMethods) return refuse(-32601, `the method ${method} is off (devMethods)`);
  if (params.some((param) => hasLongList(param))) return refuse(-32602, `a list of more than ${MOST_ENTRIES} entries`);
  if (CALLS.has(name)) return admitCall(name, params, policy);
  if (name === "eth_sendTransaction") return admitSending(params, policy);
  if (name === "eth_sendRawTransaction") return admitRaw(params, policy);
  if (name === "eth_feeHistory") return admitFees(params);
  if (name === "eth_getLogs" || name === "eth_newFilter") return admitLogs(name, params, headNumber);
  if (name === "eth_subscribe") return { method: name, params: boundRange(params, 1, headNumber) };
  return { method: name, params };
}

function ownName(method: string): string {
  if (!method.startsWith("anvil_")) return method;
  const rest = method.slice("anvil_".length);
  return DEV.has(`evm_${rest}`) && rest !== "mine" ? `evm_${rest}` : `hardhat_${rest}`;
}

function admitCall(method: string, params: readonly unknown[], policy: RpcPolicy): Admission {
  const { deployments, devMethods } = policy;
  const [call, ...rest] = params;
  // The EVM would read a list as well, entry by entry: what is not an object is not looked into here.
  if (!isRecord(call)) return refuse(-32602, "invalid argument 0: expected an object");
  const to = recipientOf(call);
  if (to === undefined) return refuse(-32602, "invalid argument 0: to: expected an address");
  // Code given with the request runs without ever being deployed.
  if (!deployments && to === null) return refuse(-32000, "code from outside is off (deployments)");
  if (!devMethods && rest.length > 1) return refuse(-32602, "overrides are off (devMethods)");
  return withGas(method, call, rest, mostGas(to, policy));
}

/** One that names no gas, or more than there may be, gets the most. */
function withGas(method: string, call: Record<string, unknown>, rest: readonly unknown[], most: number): Admission {
  const { gas } = call;
  if (gas !== undefined && gas !== null && !isQuantity(gas)) return refuse(-32602, "invalid argument 0: gas: expected a quantity");
  const isBounded = isQuantity(gas) && BigInt(gas) <= BigInt(most);
  return { method, params: [isBounded ? call : { ...call, gas: `0x${most.toString(16)}` }, ...rest] };
}

function admitSending(params: readonly unknown[], policy: RpcPolicy): Admission {
  const [sending, ...rest] = params;
  if (!isRecord(sending)) return refuse(-32602, "invalid argument 0: expected an object");
  const to = recipientOf(sending);
  if (to === undefined) return refuse(-32602, "invalid argument 0: to: expected an address");
  if (to === null && !policy.deployments) return refuse(-32000, DEPLOYMENTS_OFF);
  const { gas } = sending;
  if (gas === undefined || gas === null) return withGas("eth_sendTransaction", sending, rest, mostGas(to, policy));
  if (!isQuantity(gas)) return refuse(-32602, "invalid argument 0: gas: expected a quantity");
  return tooMuchGas(to, BigInt(gas), policy) ?? { method: "eth_sendTransaction", params };
}

function admitRaw(params: readonly unknown[], policy: RpcPolicy): Admission {
  const transaction = readRawTransaction(params[0]);
  if (transaction === undefined)
    return refuse(-32602, "invalid argument 0: expected one signed transaction, in its shortest form and without anything behind it");
  const { to, gas } = transaction;
  if (to === null && !policy.deployments) return refuse(-32000, DEPLOYMENTS_OFF);
  return tooMuchGas(to, gas, policy) ?? { method: "eth_sendRawTransaction", params };
}

const DEPLOYMENTS_OFF = "contracts from outside are off (deployments)";

/** What a transaction burns is the sender's to choose; one to the exchange's own contracts is bounded by its block. */
function tooMuchGas(to: Hex | null, gas: bigint, policy: RpcPolicy): Admission | undefined {
  if (to !== null && policy.ownContracts.has(to)) return undefined;
  const most = mostGas(to, policy);
  return gas > BigInt(most) ? refuse(-32000, `gas: at most ${most} here (chain.rpc.foreignGas, chain.callGasLimit)`) : undefined;
}

/** The EVM notes every step, so that gas of code that anybody wrote is memory. */
function mostGas(to: Hex | null, { callGasLimit, foreignGas, ownContracts }: RpcPolicy): number {
  return to === null || ownContracts.has(to) ? callGasLimit : Math.min(callGasLimit, foreignGas);
}

/** In lower case; null where there is none; undefined where it is something else. */
function recipientOf({ to }: Record<string, unknown>): Hex | null | undefined {
  if (to === undefined || to === null) return null;
  return typeof to === "string" && ADDRESS.test(to) ? (to.toLowerCase() as Hex) : undefined;
}

function admitFees(params: readonly unknown[]): Admission {
  const [count, ...rest] = params;
  const isNumber = isQuantity(count) || (typeof count === "number" && Number.isSafeInteger(count) && count >= 0);
  if (!isNumber) return refuse(-32602, "invalid argument 0: expected a number of blocks");
  const blocks = BigInt(count as string | number) > BigInt(MOST_BLOCKS_OF_FEES) ? MOST_BLOCKS_OF_FEES : Number(count);
  return { method: "eth_feeHistory", params: [`0x${blocks.toString(16)}`, ...rest] };
}

/** One answer has the logs of so many blocks; whoever wants more asks for the next ones. */
function admitLogs(method: string, params: readonly unknown[], headNumber: number): Admission {
  const bounded = boundRange(params, 0, headNumber);
  const [filter] = bounded;
  if (!isRecord(filter)) return refuse(-32602, "invalid argument 0: expected an object");
  const numberOf = (block: unknown): number => (block === "earliest" ? 0 : isQuantity(block) ? Number(block) : headNumber);
  const [from, to] = [numberOf(filter.fromBlock), Math.min(headNumber, numberOf(filter.toBlock))];
  if (to - from >= MOST_BLOCKS_OF_LOGS) return refuse(-32005, `limit exceeded: the logs of at most ${MOST_BLOCKS_OF_LOGS} blocks at once`);
  return { method, params: bounded };
}

function hasLongList(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null || depth > 8) return false;
  if (Array.isArray(value) && value.length > MOST_ENTRIES) return true;
  return Object.values(value).some((entry) => hasLongList(entry, depth + 1));
}

function boundRange(params: readonly unknown[], place: number, headNumber: number): readonly unknown[] {
  const filter = params[place];
  if (!isRecord(filter)) return params;
  const furthest = BigInt(headNumber + FURTHEST_BLOCK_AHEAD);
  const bound = (block: unknown): unknown => (isQuantity(block) && BigInt(block) > furthest ? `0x${furthest.toString(16)}` : block);
  const bounded = Object.fromEntries(
    Object.entries(filter).map(([key, value]) => [key, key === "fromBlock" || key === "toBlock" ? bound(value) : value]),
  );
  return params.map((param, index) => (index === place ? bounded : param));
}

function isQuantity(value: unknown): value is string {
  return typeof value === "string" && QUANTITY.test(value);
}

function refuse(code: number, message: string): Admission {
  return { refused: { code, message } };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
