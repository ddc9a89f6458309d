import { secondsOf } from "./rpc-numbers.js";
import {
  call,
  logFilter,
  overrides,
  percentiles,
  traceOptions,
  transaction,
  typedData,
} from "./rpc-object-shapes.js";
import { optional, type Param } from "./rpc-params.js";
import {
  address,
  block,
  blockNumber,
  boolean,
  data,
  hash,
  InvalidArgument,
  listOf,
  quantity,
  type Shape,
  storageKey,
  storageSlot,
  text,
} from "./rpc-shapes.js";

/** A method of the port. */
export interface RpcMethod {
  readonly params: readonly Param[];
  /** True if it executes code, or its time grows with the number of blocks. */
  readonly isCostly?: boolean;
  /** True if only development nodes have it: time, mining, traces, and manual state. */
  readonly isDev?: boolean;
}

const BLOCK = optional(block, "latest");

/** A parameter that other nodes read and this one ignores. */
const unused =
  (shape: Shape): Shape =>
  (value) => {
    shape(value);
    return undefined;
  };

const isFalse: Shape = (value) => {
  if (value !== false) throw new InvalidArgument("only eth_subscribe sends whole transactions");
  return undefined;
};

const seconds: Shape = (value) => {
  if (secondsOf(value) === null) throw new InvalidArgument("expected a whole number from 0");
  return value;
};

const blockCount: Shape = (value) =>
  quantity(64)(typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value);

const open = (...params: readonly Param[]): RpcMethod => ({ params });
const costly = (...params: readonly Param[]): RpcMethod => ({ params, isCostly: true });
const dev = (...params: readonly Param[]): RpcMethod => ({ params, isDev: true });

/**
 * Every method of the port with its parameters, as in go-ethereum, or in Hardhat for development
 * methods. A request is validated against them before it is used. The parameters of `eth_subscribe`
 * depend on the first: {@link SUBSCRIPTIONS}.
 */
export const RPC_METHODS: ReadonlyMap<string, RpcMethod> = new Map<string, RpcMethod>([
  [
    "debug_traceCall",
    { params: [call, BLOCK, optional(traceOptions)], isCostly: true, isDev: true },
  ],
  [
    "debug_traceTransaction",
    { params: [hash, optional(traceOptions)], isCostly: true, isDev: true },
  ],
  ["eth_accounts", open()],
  ["eth_blobBaseFee", open()],
  ["eth_blockNumber", open()],
  ["eth_call", costly(call, BLOCK, optional(overrides))],
  ["eth_chainId", open()],
  ["eth_coinbase", open()],
  ["eth_createAccessList", costly(call, BLOCK)],
  ["eth_estimateGas", costly(call, optional(block, "pending"))],
  ["eth_feeHistory", costly(blockCount, blockNumber, optional(percentiles, []))],
  ["eth_gasPrice", open()],
  ["eth_getBalance", open(address, BLOCK)],
  ["eth_getBlockByHash", open(hash, boolean)],
  ["eth_getBlockByNumber", open(blockNumber, boolean)],
  ["eth_getBlockReceipts", costly(block)],
  ["eth_getBlockTransactionCountByHash", open(hash)],
  ["eth_getBlockTransactionCountByNumber", open(blockNumber)],
  ["eth_getCode", open(address, BLOCK)],
  ["eth_getFilterChanges", open(text)],
  ["eth_getFilterLogs", costly(text)],
  ["eth_getLogs", costly(logFilter)],
  ["eth_getProof", costly(address, listOf(storageKey), BLOCK)],
  ["eth_getStorageAt", open(address, storageSlot, BLOCK)],
  ["eth_getTransactionByBlockHashAndIndex", open(hash, quantity(64))],
  ["eth_getTransactionByBlockNumberAndIndex", open(blockNumber, quantity(64))],
  ["eth_getTransactionByHash", open(hash)],
  ["eth_getTransactionCount", open(address, BLOCK)],
  ["eth_getTransactionReceipt", open(hash)],
  ["eth_maxPriorityFeePerGas", open()],
  ["eth_newBlockFilter", open()],
  ["eth_newFilter", open(logFilter)],
  ["eth_newPendingTransactionFilter", open(optional(isFalse))],
  ["eth_pendingTransactions", costly()],
  ["eth_sendRawTransaction", costly(data)],
  ["eth_sendTransaction", costly(transaction)],
  ["eth_sign", open(address, data)],
  ["eth_signTypedData_v4", open(address, typedData)],
  ["eth_subscribe", open()],
  ["eth_syncing", open()],
  ["eth_uninstallFilter", open(text)],
  ["eth_unsubscribe", open(text)],
  ["evm_increaseTime", dev(seconds)],
  ["evm_mine", dev(optional(seconds))],
  ["evm_revert", dev(quantity(64))],
  ["evm_setNextBlockTimestamp", dev(seconds)],
  ["evm_snapshot", dev()],
  ["hardhat_dropTransaction", dev(hash)],
  ["hardhat_impersonateAccount", dev(address)],
  ["hardhat_mine", dev(optional(seconds), optional(unused(seconds)))],
  ["hardhat_setBalance", dev(address, quantity(256))],
  ["hardhat_setCode", dev(address, data)],
  ["hardhat_setCoinbase", dev(address)],
  ["hardhat_setNextBlockBaseFeePerGas", dev(quantity(128))],
  ["hardhat_setNonce", dev(address, quantity(64))],
  ["hardhat_setPrevRandao", dev(hash)],
  ["hardhat_setStorageAt", dev(address, storageSlot, hash)],
  ["hardhat_stopImpersonatingAccount", dev(address)],
  ["net_listening", open()],
  ["net_peerCount", open()],
  ["net_version", open()],
  ["personal_sign", open(data, address, optional(unused(text)))],
  ["web3_clientVersion", open()],
  ["web3_sha3", open(data)],
]);

/** The subscriptions of `eth_subscribe`, with the parameters after the name. */
export const SUBSCRIPTIONS: ReadonlyMap<unknown, readonly Param[]> = new Map<
  unknown,
  readonly Param[]
>([
  ["logs", [logFilter]],
  ["newHeads", []],
  ["newPendingTransactions", [optional(boolean)]],
]);
