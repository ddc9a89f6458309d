import { bytesToHex, hexToBytes } from "../../core/crypto/hex.js";
import { keccak256 } from "../../core/crypto/keccak.js";
import { FormatError } from "../../core/errors.js";
import type { Hex } from "../../core/units.js";
import type { OrderStruct, VenueRules } from "../records.js";

/** EIP-712 type string of the domain (docs/reference/exchange-interface.md#order-construction). */
export const DOMAIN_TYPE =
  "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)";
/** EIP-712 type string of an order (docs/reference/exchange-interface.md#order-construction). */
export const ORDER_TYPE =
  "Order(address perp,address signer,int128 paperAmount,int128 creditAmount,bytes32 info)";
/** Keccak-256 of {@link DOMAIN_TYPE}. */
export const DOMAIN_TYPE_HASH: Hex = bytesToHex(keccak256(Buffer.from(DOMAIN_TYPE)));
/** Keccak-256 of {@link ORDER_TYPE}. */
export const ORDER_TYPE_HASH: Hex = bytesToHex(keccak256(Buffer.from(ORDER_TYPE)));

/** Inputs of a domain separator: the `eip712` object of exchangeInfo. */
export type DomainInputs = Pick<
  VenueRules["eip712"],
  "domainName" | "domainVersion" | "chainId" | "verifyingContract"
>;

/**
 * The EIP-712 domain separator (docs/reference/exchange-interface.md#order-construction).
 * @throws FormatError
 * @example
 * ```ts
 * import { domainSeparator } from "marketwright/exchange";
 *
 * const separator = domainSeparator({
 *   domainName: "Example",
 *   domainVersion: "1",
 *   chainId: 42_161,
 *   verifyingContract: `0x${"22".repeat(20)}`,
 * });
 * separator.slice(0, 10); // => "0x0a43eddc"
 * ```
 */
export function domainSeparator(inputs: DomainInputs): Hex {
  if (!Number.isSafeInteger(inputs.chainId) || inputs.chainId < 0) {
    throw new FormatError("not a chain id", {
      field: "chainId",
      value: inputs.chainId,
      expected: "an unsigned integer",
    });
  }
  const words = new Uint8Array(160);
  words.set(hexToBytes(DOMAIN_TYPE_HASH), 0);
  words.set(keccak256(Buffer.from(inputs.domainName)), 32);
  words.set(keccak256(Buffer.from(inputs.domainVersion)), 64);
  new DataView(words.buffer).setBigUint64(120, BigInt(inputs.chainId));
  words.set(addressBytes(inputs.verifyingContract, "verifyingContract"), 140);
  return bytesToHex(keccak256(words));
}

/** Prefix of a hash of structured data (EIP-191, version 1). */
const ENVELOPE_HEAD: readonly number[] = [0x19, 0x01];
const INT128_MIN = -(2n ** 127n);
const INT128_MAX = 2n ** 127n - 1n;

/**
 * Hashes orders under one domain, packing the words by hand into buffers that are used again: some
 * hundred times the rate of a general typed-data encoder, with the same bytes.
 * @example
 * ```ts
 * import { OrderHasher } from "marketwright/exchange";
 *
 * const hasher = new OrderHasher(`0x${"44".repeat(32)}`);
 * const order = {
 *   perp: `0x${"22".repeat(20)}`,
 *   signer: `0x${"33".repeat(20)}`,
 *   paperAmount: 20_000_000_000_000_000n,
 *   creditAmount: -600_000_000n,
 *   info: `0x${"00".repeat(32)}`,
 * };
 * hasher.digest(order).length; // => 32
 * hasher.hash(order).slice(0, 10); // => "0xe8b69fa2"
 * ```
 */
export class OrderHasher {
  readonly separator: Hex;
  readonly #struct = new Uint8Array(192);
  readonly #words = new DataView(this.#struct.buffer);
  readonly #outer = new Uint8Array(66);
  #perp: Hex = "";
  #signer: Hex = "";

  /**
   * @param separator 32 bytes: of {@link domainSeparator}, or the exchange's own after a domain
   * check. @throws FormatError
   */
  constructor(separator: Hex) {
    this.separator = separator;
    this.#struct.set(hexToBytes(ORDER_TYPE_HASH), 0);
    this.#outer.set(ENVELOPE_HEAD, 0);
    this.#outer.set(bytesOf(separator, 32, "domainSeparator"), 2);
  }

  /** The EIP-712 struct hash: 32 bytes. @throws FormatError when a field does not fit its type. */
  structHash(order: OrderStruct): Uint8Array {
    // A bot has one signer and few markets, so the last order's addresses usually apply.
    if (order.perp !== this.#perp) {
      this.#struct.set(addressBytes(order.perp, "perp"), 44);
      this.#perp = order.perp;
    }
    if (order.signer !== this.#signer) {
      this.#struct.set(addressBytes(order.signer, "signer"), 76);
      this.#signer = order.signer;
    }
    this.#setInt128(96, order.paperAmount, "paperAmount");
    this.#setInt128(128, order.creditAmount, "creditAmount");
    this.#struct.set(bytesOf(order.info, 32, "info"), 160);
    return keccak256(this.#struct);
  }

  /**
   * The order hash, which is signed as it is: 32 bytes. @throws FormatError when a field does not
   * fit its type.
   */
  digest(order: OrderStruct): Uint8Array {
    this.#outer.set(this.structHash(order), 34);
    return keccak256(this.#outer);
  }

  /** {@link digest} in hex, which identifies an order. */
  hash(order: OrderStruct): Hex {
    return bytesToHex(this.digest(order));
  }

  #setInt128(offset: number, value: bigint, field: string): void {
    if (value < INT128_MIN || value > INT128_MAX) {
      throw new FormatError("out of range", { field, value, expected: "a signed 128-bit integer" });
    }
    const low = BigInt.asIntN(64, value);
    this.#struct.fill(value < 0n ? 0xff : 0, offset, offset + 24);
    this.#words.setBigInt64(offset + 24, low);
    // Orders are rarely this large.
    if (low !== value) this.#words.setBigInt64(offset + 16, BigInt.asIntN(64, value >> 64n));
  }
}

function addressBytes(address: Hex, field: string): Uint8Array {
  return bytesOf(address, 20, field);
}

function bytesOf(hex: Hex, length: number, field: string): Uint8Array {
  const bytes = hexToBytes(hex, field);
  if (bytes.length !== length)
    throw new FormatError("wrong length", {
      field,
      value: hex,
      expected: `${length} bytes of hex`,
    });
  return bytes;
}
