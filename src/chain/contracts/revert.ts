import { hexToBytes } from "../../core/crypto/hex.js";
import type { Hex } from "../../core/units.js";

/**
 * The meaning of a contract's revert for the caller (texts: docs/reference/contracts.md,
 * "Refusals").
 */
export type RevertKind =
  /**
   * Another account was faster, or the account was topped up: it is safe, or holds nothing there
   * any more. Not an error of ours.
   */
  | "lost-race"
  /** The liquidator would end with too little margin. */
  | "unsafe-liquidator"
  /** A price that the result depends on is too old, missing or off. */
  | "stale-price"
  /** The price moved past the bound of the request. */
  | "price-protection"
  /** The liquidator would open one market too many. */
  | "too-many-positions"
  /** The sender is neither the liquidator nor its operator. */
  | "not-operator"
  | "self-liquidation"
  /** The market is not listed at the dealer. */
  | "unlisted-market"
  /** A request of zero, or with the other sign than the position. */
  | "wrong-amount"
  /** A trader, or an account that withdraws, would end with too little margin. */
  | "unsafe-account"
  /** The contract rejects an order or its match. */
  | "order-refused"
  /** Too little gas; in a batched read, the batch was too large. */
  | "out-of-gas";

/** The reason why a call or transaction reverted. */
export type Revert =
  | { readonly kind: RevertKind; readonly text: string }
  /** Solidity's own check; 0x11 is an overflow. */
  | { readonly kind: "panic"; readonly code: bigint; readonly text: string }
  /** An error with an unknown selector. */
  | { readonly kind: "custom-error"; readonly selector: Hex; readonly text: string }
  | { readonly kind: "unknown"; readonly text: string };

const REFUSALS: ReadonlyMap<string, RevertKind> = new Map<string, RevertKind>([
  ["JOJO_ACCOUNT_IS_SAFE", "lost-race"],
  ["JOJO_TRADER_HAS_NO_POSITION", "lost-race"],
  ["LIQUIDATOR_NOT_SAFE", "unsafe-liquidator"],
  ["ORACLE_HEARTBEAT_FAILED", "stale-price"],
  ["USDC_ORACLE_HEARTBEAT_FAILED", "stale-price"],
  ["NO_VALID_DATA", "stale-price"],
  ["deviation is too big", "stale-price"],
  ["LIQUIDATION_PRICE_PROTECTION", "price-protection"],
  ["JOJO_POSITION_AMOUNT_REACH_UPPER_LIMIT", "too-many-positions"],
  ["JOJO_INVALID_LIQUIDATION_EXECUTOR", "not-operator"],
  ["JOJO_SELF_LIQUIDATION_NOT_ALLOWED", "self-liquidation"],
  ["JOJO_PERP_NOT_REGISTERED", "unlisted-market"],
  ["JOJO_LIQUIDATION_REQUEST_AMOUNT_WRONG", "wrong-amount"],
  ["TRADER_NOT_SAFE", "unsafe-account"],
  ["JOJO_ORDER_SENDER_NOT_SAFE", "unsafe-account"],
  ["JOJO_ACCOUNT_NOT_SAFE", "unsafe-account"],
  ["JOJO_INVALID_ORDER_SENDER", "order-refused"],
  ["JOJO_INVALID_ORDER_SIGNATURE", "order-refused"],
  ["JOJO_ORDER_EXPIRED", "order-refused"],
  ["JOJO_ORDER_PRICE_NEGATIVE", "order-refused"],
  ["JOJO_PERP_MISMATCH", "order-refused"],
  ["JOJO_ORDER_SELF_MATCH", "order-refused"],
  ["JOJO_ORDER_MATCH_AMOUNT_ZERO", "order-refused"],
  ["JOJO_ORDER_FILLED_OVERFLOW", "order-refused"],
  ["JOJO_AT_LEAST_TWO_TRADERS", "order-refused"],
  ["JOJO_ORDER_WRONG_SORTING", "order-refused"],
  ["JOJO_TAKER_TRADE_AMOUNT_WRONG", "order-refused"],
  ["JOJO_ORDER_PRICE_NOT_MATCH", "order-refused"],
  ["LENS_OUT_OF_GAS", "out-of-gas"],
]);

/** Selectors of Solidity's Error(string) and Panic(uint256). */
const ERROR_STRING = "0x08c379a0";
const PANIC = "0x4e487b71";
const WORD_BYTES = 32;

/** Classifies the text of a revert. */
export function classifyRevertText(text: string): Revert {
  return { kind: REFUSALS.get(text) ?? "unknown", text };
}

/**
 * Classifies a revert's data. Data that cannot be decoded is `unknown`, with the data as its text.
 */
export function classifyRevertData(data: Hex): Revert {
  const selector = data.slice(0, ERROR_STRING.length).toLowerCase();
  if (!/^0x([0-9a-fA-F]{2})*$/.test(data)) return { kind: "unknown", text: data };
  const bytes = Buffer.from(hexToBytes(data)).subarray(4);
  if (selector === ERROR_STRING) {
    const text = errorString(bytes);
    return text === undefined ? { kind: "unknown", text: data } : classifyRevertText(text);
  }
  if (selector === PANIC && bytes.length === WORD_BYTES) {
    const code = BigInt(`0x${bytes.toString("hex")}`);
    return { kind: "panic", code, text: `panic 0x${code.toString(16)}` };
  }
  if (selector.length === ERROR_STRING.length)
    return { kind: "custom-error", selector, text: `custom error ${selector}` };
  return { kind: "unknown", text: data === "0x" ? "no reason" : data };
}

function errorString(bytes: Buffer): string | undefined {
  if (bytes.length < 2 * WORD_BYTES) return undefined;
  const length = Number(BigInt(`0x${bytes.subarray(WORD_BYTES, 2 * WORD_BYTES).toString("hex")}`));
  return bytes.length < 2 * WORD_BYTES + length
    ? undefined
    : bytes.toString("utf8", 2 * WORD_BYTES, 2 * WORD_BYTES + length);
}
