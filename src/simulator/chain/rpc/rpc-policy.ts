import { Transaction } from "ethers";
import type { Hex } from "../../../core/units.js";
import type { RpcError } from "../rpc-outcome.js";
import { isRecord } from "./is-record.js";
import { RPC_METHODS, SUBSCRIPTIONS } from "./rpc-methods.js";
import { readParams } from "./rpc-params.js";
import { InvalidArgument, text } from "./rpc-shapes.js";

/** The limits of the port. */
export interface RpcPolicy {
  /** The methods of development nodes: time, mining and manual state. */
  readonly devMethods: boolean;
  /** Allows deployment of code by clients. */
  readonly deployments: boolean;
  /** The gas limit of one call. */
  readonly callGasLimit: number;
  /** The gas limit of a call or transaction to code other than {@link RpcPolicy.ownContracts}. */
  readonly foreignGas: number;
  /** The exchange's own contracts, in lower case. They call only each other's code. */
  readonly ownContracts: ReadonlySet<Hex>;
}

/** A request that is admitted, perhaps with limits; or the reason for its refusal. */
export type Admission =
  | { readonly method: string; readonly params: readonly unknown[] }
  | { readonly refused: RpcError };

const CALLS = new Set(["debug_traceCall", "eth_call", "eth_createAccessList", "eth_estimateGas"]);
/** The fields of a call that decide whether it is admitted. */
interface CallTerms {
  readonly to?: Hex;
  readonly gas?: Hex;
}

/** The EVM iterates over every number of a range, even those without a block. */
const FURTHEST_BLOCK_AHEAD = 1_000_000;

const QUANTITY = /^0x[0-9a-fA-F]{1,64}$/;
/**
 * Blocks in one response: as large providers limit logs, and as EIP-1559 clients limit fee history.
 */
const MOST_BLOCKS_OF_LOGS = 10_000;
const MOST_BLOCKS_OF_FEES = 1024;
/** Entries of any list in a request: percentiles, storage keys, topics, addresses. */
const MOST_ENTRIES = 1000;

/**
 * Admits or refuses an external request, and reads its parameters. anvil's names of methods are
 * aliases.
 * @param given the unvalidated parameters
 */
export function admit(
  name: string,
  given: readonly unknown[],
  policy: RpcPolicy,
  headNumber: number,
): Admission {
  const method = ownName(name);
  const known = RPC_METHODS.get(method);
  if (known === undefined) return refuse(-32601, `the method ${name.slice(0, 100)} does not exist`);
  if (known.isDev === true && !policy.devMethods)
    return refuse(-32601, `the method ${name} is disabled (devMethods)`);
  const long = given.findIndex((param) => hasLongList(param));
  if (long >= 0)
    return refuse(-32602, `invalid argument ${long}: a list of more than ${MOST_ENTRIES} entries`);
  if (method === "eth_subscribe" && typeof given[0] === "string" && !SUBSCRIPTIONS.has(given[0])) {
    return refuse(
      -32601,
      `no ${JSON.stringify(given[0].slice(0, 100))} subscription in eth namespace`,
    );
  }
  let params: readonly unknown[];
  try {
    params = readParams(
      given,
      method === "eth_subscribe" ? [text, ...(SUBSCRIPTIONS.get(given[0]) ?? [])] : known.params,
    );
  } catch (error) {
    if (error instanceof InvalidArgument) return refuse(-32602, error.message);
    throw error;
  }
  if (CALLS.has(method)) return admitCall(method, params, policy);
  if (method === "eth_sendTransaction") return admitSending(params, policy);
  if (method === "eth_sendRawTransaction") return admitRaw(params, policy);
  if (method === "eth_feeHistory") return admitFees(params);
  if (method === "eth_getLogs" || method === "eth_newFilter")
    return admitLogs(method, params, headNumber);
  if (method === "eth_subscribe") return { method, params: boundRange(params, 1, headNumber) };
  return { method, params };
}

function ownName(method: string): string {
  if (!method.startsWith("anvil_")) return method;
  const rest = method.slice("anvil_".length);
  return RPC_METHODS.has(`evm_${rest}`) && rest !== "mine" ? `evm_${rest}` : `hardhat_${rest}`;
}

function admitCall(method: string, params: readonly unknown[], policy: RpcPolicy): Admission {
  const { deployments, devMethods } = policy;
  const [call, ...rest] = params as [CallTerms, ...unknown[]];
  const to = recipientOf(call);
  // Code in a call runs without ever being deployed.
  if (!deployments && to === null)
    return refuse(-32000, "code from clients is disabled (deployments)");
  if (!devMethods && rest.length > 1)
    return refuse(-32602, "invalid argument 2: overrides are disabled (devMethods)");
  return withGas(method, call, rest, mostGas(to, policy));
}

/** A call without gas, or with too much, gets the limit. */
function withGas(
  method: string,
  call: CallTerms,
  rest: readonly unknown[],
  most: number,
): Admission {
  const isBounded = call.gas !== undefined && BigInt(call.gas) <= BigInt(most);
  return {
    method,
    params: [isBounded ? call : { ...call, gas: `0x${most.toString(16)}` }, ...rest],
  };
}

function admitSending(params: readonly unknown[], policy: RpcPolicy): Admission {
  const [sending, ...rest] = params as [CallTerms, ...unknown[]];
  const to = recipientOf(sending);
  if (to === null && !policy.deployments) return refuse(-32000, DEPLOYMENTS_OFF);
  if (sending.gas === undefined)
    return withGas("eth_sendTransaction", sending, rest, mostGas(to, policy));
  return tooMuchGas(to, BigInt(sending.gas), policy) ?? { method: "eth_sendTransaction", params };
}

function admitRaw(params: readonly unknown[], policy: RpcPolicy): Admission {
  const transaction = readRawTransaction(params[0]);
  if (transaction === undefined)
    return refuse(
      -32602,
      "invalid argument 0: expected one signed transaction, in its shortest encoding and without further bytes",
    );
  const { to, gas } = transaction;
  if (to === null && !policy.deployments) return refuse(-32000, DEPLOYMENTS_OFF);
  return tooMuchGas(to, gas, policy) ?? { method: "eth_sendRawTransaction", params };
}

/** The fields of a signed transaction that decide whether it is admitted. */
interface RawTransaction {
  /** In lower case; null for a deployment. */
  readonly to: string | null;
  readonly gas: bigint;
}

/**
 * Reads a signed transaction: legacy, EIP-2930, EIP-1559, EIP-4844 or EIP-7702. The encoding must
 * be canonical: with trailing bytes, or a length or number that is longer than needed, another
 * reader might read it differently.
 * @returns undefined for any other input.
 */
function readRawTransaction(raw: unknown): RawTransaction | undefined {
  if (typeof raw !== "string" || !/^0x(?:[0-9a-fA-F]{2})+$/.test(raw)) return undefined;
  try {
    const transaction = Transaction.from(raw);
    if (!transaction.isSigned() || transaction.serialized !== raw.toLowerCase()) return undefined;
    return { to: transaction.to?.toLowerCase() ?? null, gas: transaction.gasLimit };
  } catch {
    // Any failure of the reader means that it is not a transaction.
    return undefined;
  }
}

const DEPLOYMENTS_OFF = "contracts from clients are disabled (deployments)";

/**
 * The sender chooses how much gas a transaction may burn. One to the exchange's own contracts is
 * limited by its block.
 */
function tooMuchGas(to: Hex | null, gas: bigint, policy: RpcPolicy): Admission | undefined {
  if (to !== null && policy.ownContracts.has(to)) return undefined;
  const most = mostGas(to, policy);
  return gas > BigInt(most)
    ? refuse(-32000, `gas: at most ${most} here (chain.rpc.foreignGas, chain.callGasLimit)`)
    : undefined;
}

/** The EVM records every step, so gas of foreign code uses memory. */
function mostGas(to: Hex | null, { callGasLimit, foreignGas, ownContracts }: RpcPolicy): number {
  return to === null || ownContracts.has(to) ? callGasLimit : Math.min(callGasLimit, foreignGas);
}

/** In lower case; null if there is none. */
function recipientOf({ to }: CallTerms): Hex | null {
  return to === undefined ? null : (to.toLowerCase() as Hex);
}

function admitFees([count, ...rest]: readonly unknown[]): Admission {
  const blocks =
    BigInt(count as Hex) > BigInt(MOST_BLOCKS_OF_FEES) ? MOST_BLOCKS_OF_FEES : Number(count);
  return { method: "eth_feeHistory", params: [`0x${blocks.toString(16)}`, ...rest] };
}

/** Limits the blocks of one response; a client requests the next range separately. */
function admitLogs(method: string, params: readonly unknown[], headNumber: number): Admission {
  const bounded = boundRange(params, 0, headNumber);
  const [filter] = bounded as [Readonly<Record<string, unknown>>];
  const numberOf = (block: unknown): number =>
    block === "earliest" ? 0 : isQuantity(block) ? Number(block) : headNumber;
  const [from, to] = [numberOf(filter.fromBlock), Math.min(headNumber, numberOf(filter.toBlock))];
  if (to - from >= MOST_BLOCKS_OF_LOGS)
    return refuse(
      -32005,
      `limit exceeded: the logs of at most ${MOST_BLOCKS_OF_LOGS} blocks at once`,
    );
  return { method, params: bounded };
}

function hasLongList(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null || depth > 8) return false;
  if (Array.isArray(value) && value.length > MOST_ENTRIES) return true;
  return Object.values(value).some((entry) => hasLongList(entry, depth + 1));
}

function boundRange(
  params: readonly unknown[],
  place: number,
  headNumber: number,
): readonly unknown[] {
  const filter = params[place];
  if (!isRecord(filter)) return params;
  const furthest = BigInt(headNumber + FURTHEST_BLOCK_AHEAD);
  const bound = (block: unknown): unknown =>
    isQuantity(block) && BigInt(block) > furthest ? `0x${furthest.toString(16)}` : block;
  const bounded = Object.fromEntries(
    Object.entries(filter).map(([key, value]) => [
      key,
      key === "fromBlock" || key === "toBlock" ? bound(value) : value,
    ]),
  );
  return params.map((param, index) => (index === place ? bounded : param));
}

function isQuantity(value: unknown): value is string {
  return typeof value === "string" && QUANTITY.test(value);
}

function refuse(code: number, message: string): Admission {
  return { refused: { code, message } };
}
