import { hexToBytes } from "../../core/crypto/hex.js";
import type { Hex } from "../../core/units.js";

/**
 * A decoded `info` of an order (docs/reference/protocol.md#order-hash). The fee rates are signed
 * and scaled by 10^18.
 */
export interface SignedOrderInfo {
  readonly bytes: Uint8Array;
  readonly makerRate: bigint;
  readonly takerRate: bigint;
  readonly expirationSeconds: bigint;
  readonly nonce: bigint;
}

/** Reads an `info`. @param info 32 bytes */
export function readOrderInfo(info: Hex): SignedOrderInfo {
  const bytes = hexToBytes(info, "info");
  const view = new DataView(bytes.buffer, bytes.byteOffset, 32);
  return {
    bytes,
    makerRate: view.getBigInt64(0),
    takerRate: view.getBigInt64(8),
    expirationSeconds: view.getBigUint64(16),
    nonce: view.getBigUint64(24),
  };
}

/** Writes an `info`. */
export function writeOrderInfo(
  makerRate: bigint,
  takerRate: bigint,
  expirationSeconds: bigint,
  nonce: bigint,
): Uint8Array {
  const bytes = new Uint8Array(32);
  const view = new DataView(bytes.buffer);
  view.setBigInt64(0, makerRate);
  view.setBigInt64(8, takerRate);
  view.setBigUint64(16, expirationSeconds);
  view.setBigUint64(24, nonce);
  return bytes;
}
