import { AbiCoder, dataSlice } from "ethers";
import type { RpcError } from "../rpc-outcome.js";

const TRIAL = "VM Exception while processing transaction: ";
/** Selectors of `Error(string)` and `Panic(uint256)`. */
const REASON_SELECTOR = "0x08c379a0";
const PANIC_SELECTOR = "0x4e487b71";

/** The panic codes of Solidity with go-ethereum's texts. */
const PANICS: ReadonlyMap<bigint, string> = new Map([
  [0x00n, "generic panic"],
  [0x01n, "assert(false)"],
  [0x11n, "arithmetic underflow or overflow"],
  [0x12n, "division or modulo by zero"],
  [0x21n, "enum overflow"],
  [0x22n, "invalid encoded storage byte array accessed"],
  [0x31n, "out-of-bounds array access; popping on an empty array"],
  [0x32n, "out-of-bounds access of an array or bytesN"],
  [0x41n, "out of memory"],
  [0x51n, "uninitialized function"],
]);

/**
 * Refusals of transactions and of requests for missing data. ethers, viem and web3.py recognise a
 * public node's refusals by their first words, so each text begins as in go-ethereum
 * (`core/error.go`, `core/txpool/errors.go`).
 */
const REFUSALS: readonly (readonly [RegExp, (parts: readonly string[]) => string])[] = [
  [
    /^Sender doesn't have enough funds to send tx\. The max upfront cost is: (\d+) and the sender's balance is: (\d+)\.$/,
    ([cost = "", balance = ""]) =>
      `${INSUFFICIENT_FUNDS}: balance ${balance}, tx cost ${cost}, overshot ${BigInt(cost) - BigInt(balance)}`,
  ],
  [
    /^Transaction nonce too low\. Expected nonce to be at least (\d+) but got (\d+)\.$/,
    ([next, nonce]) => `nonce too low: next nonce ${next}, tx nonce ${nonce}`,
  ],
  [/^Known transaction: (0x[0-9a-f]+)$/, () => ALREADY_KNOWN],
  [/^Replacement transaction underpriced\. (.+)$/, ([why]) => `${REPLACEMENT_UNDERPRICED}: ${why}`],
  [
    /^Transaction requires at least (\d+) gas but got (\d+)$/,
    ([least, gas]) => `intrinsic gas too low: gas ${gas}, minimum needed ${least}`,
  ],
  [
    /^Transaction requires gas floor of (\d+) but got limit of (\d+)$/,
    ([floor, gas]) =>
      `insufficient gas for floor data gas cost: gas ${gas}, minimum needed ${floor}`,
  ],
  [
    /^Transaction gas limit is (\d+) and exceeds block gas limit of (\d+)$/,
    ([gas, most]) => `exceeds block gas limit: gas ${gas}, block gas limit ${most}`,
  ],
  [
    /^maxPriorityFeePerGas \((\d+)\) is bigger than maxFeePerGas \((\d+)\)$/,
    ([tip, cap]) =>
      `max priority fee per gas higher than max fee per gas: maxPriorityFeePerGas: ${tip}, maxFeePerGas: ${cap}`,
  ],
  [
    /^Cannot send both gasPrice and /,
    () => "both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified",
  ],
  [
    /^Contract creation without any data provided$/,
    () => "contract creation without any data provided",
  ],
  [
    /^Invalid chainId (\d+) provided, expected (\d+) instead\.$/,
    ([have, want]) => `chainId does not match node's (have=${have}, want=${want})`,
  ],
  [
    /^Invalid EIP-7702 transaction: authorization list is empty\.$/,
    () => "EIP-7702 transaction with empty auth list",
  ],
  [
    /^An EIP-4844 \(shard blob\) transaction was received/,
    () => "blobs are accepted only in signed transactions (eth_sendRawTransaction)",
  ],
  [/^Received invalid block tag /, () => "header not found"],
  [/^blockHash cannot be found$/, () => "unknown block"],
  [/^Unable to find a block containing transaction /, () => "transaction not found"],
  [/^Unknown account /, () => "unknown account"],
  [/^Subscription \d+ is not a Logs subscription/, () => "filter not found"],
  [
    /^(?:type mismatch|missing type in type resolution|circular dependency)/,
    () => "the data does not match its types",
  ],
];

/** The EVM's names for the causes of a halt, with go-ethereum's texts (`core/vm/errors.go`). */
const HALTS: ReadonlyMap<string, string> = new Map([
  ["CallTooDeep", "max call depth exceeded"],
  ["CallNotAllowedInsideStatic", "write protection"],
  ["CreateCollision", "contract address collision"],
  ["CreateContractSizeLimit", "max code size exceeded"],
  ["CreateContractStartingWithEF", "invalid code: must not begin with 0xef"],
  ["CreateInitCodeSizeLimit", "max initcode size exceeded"],
  ["InvalidJump", "invalid jump destination"],
  ["NonceOverflow", "nonce uint64 overflow"],
  ["NotActivated", "invalid opcode"],
  ["OpcodeNotFound", "invalid opcode"],
  ["OutOfFunds", "insufficient balance for transfer"],
  ["OutOfOffset", "return data out of bounds"],
  ["StackOverflow", "stack limit reached"],
  ["StackUnderflow", "stack underflow"],
  ["StateChangeDuringStaticCall", "write protection"],
]);

/** Errors of the EVM's JSON reader, for a request that passed or bypassed the port's own reader. */
const UNREAD = / at line \d+ column \d+$/;

/** The first words of the error for a sender who cannot pay. */
export const INSUFFICIENT_FUNDS = "insufficient funds for gas * price + value";

/** The first words of the error for a replacement that raises the price too little. */
export const REPLACEMENT_UNDERPRICED = "replacement transaction underpriced";

/** The error for a transaction that is already pending. */
export const ALREADY_KNOWN = "already known";

/**
 * Converts the EVM's error to a public node's: its text, and for a revert code 3 with the revert
 * data.
 */
export function toNodeError(method: string, { code, message, data }: RpcError): RpcError {
  if (code === -32004)
    return {
      code: -32601,
      message: `the method ${message.replace(/^Method (\S+) .*$/s, "$1")} does not exist`,
    };
  if (
    typeof data === "object" &&
    data !== null &&
    "data" in data &&
    typeof data.data === "string"
  ) {
    return toExecutionError(method, message, data.data);
  }
  for (const [pattern, words] of REFUSALS) {
    const found = pattern.exec(message);
    if (found !== null) return { code: -32000, message: words(found.slice(1)) };
  }
  return UNREAD.test(message) ? { code: -32602, message: "invalid argument" } : { code, message };
}

/**
 * Returns the error of an execution that reverted or that the EVM halted: out of gas, or at an
 * invalid instruction.
 */
function toExecutionError(method: string, message: string, data: string): RpcError {
  if (data === "0x" && /ran out of gas/.test(message)) {
    return {
      code: -32000,
      message: method === "eth_estimateGas" ? "gas required exceeds allowance" : "out of gas",
    };
  }
  if (data === "0x" && !/revert/i.test(message)) {
    const reason = message.replace(TRIAL, "");
    return { code: -32000, message: HALTS.get(reason) ?? reason };
  }
  const reason = reasonOf(data);
  return {
    code: 3,
    message: reason === null ? "execution reverted" : `execution reverted: ${reason}`,
    data,
  };
}

/** The text of `Error(string)`, the meaning of `Panic(uint256)`, and null for other data. */
function reasonOf(data: string): string | null {
  try {
    if (data.startsWith(REASON_SELECTOR))
      return AbiCoder.defaultAbiCoder().decode(["string"], dataSlice(data, 4))[0] as string;
    if (!data.startsWith(PANIC_SELECTOR)) return null;
    const [code] = AbiCoder.defaultAbiCoder().decode(
      ["uint256"],
      dataSlice(data, 4),
    ) as unknown as [bigint];
    return PANICS.get(code) ?? `unknown panic code: 0x${code.toString(16)}`;
  } catch {
    // A contract may put any bytes behind a selector. The data is passed on without a reason.
    return null;
  }
}
