import { bytesToHex, hexToBytes } from "../../core/crypto/hex.js";
import { keccak256 } from "../../core/crypto/keccak.js";
import type { CreditUnits, Hex } from "../../core/units.js";

const ascii = (text: string): Uint8Array => Buffer.from(text, "utf8");

/** Hash of the domain's type string (docs/reference/exchange-interface.md#order-construction). */
export const DOMAIN_TYPE_HASH = keccak256(
  ascii("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
);

/** Hash of the order's type string (docs/reference/exchange-interface.md#order-construction). */
export const ORDER_TYPE_HASH = keccak256(
  ascii("Order(address perp,address signer,int128 paperAmount,int128 creditAmount,bytes32 info)"),
);

/** The fields of a domain separator. */
export interface OrderDomain {
  readonly name: string;
  readonly version: string;
  readonly chainId: number;
  readonly verifyingContract: Hex;
}

/** The EIP-712 separator of the exchange's domain. */
export function venueDomainSeparator({
  name,
  version,
  chainId,
  verifyingContract,
}: OrderDomain): Uint8Array {
  const words = new Uint8Array(160);
  words.set(DOMAIN_TYPE_HASH, 0);
  words.set(keccak256(ascii(name)), 32);
  words.set(keccak256(ascii(version)), 64);
  putInteger(words, 96, BigInt(chainId));
  words.set(hexToBytes(verifyingContract, "verifyingContract"), 140);
  return keccak256(words);
}

/** The first bytes of a hash of structured data (EIP-191, version 1). */
const ENVELOPE_HEAD: readonly number[] = [0x19, 0x01];

/**
 * Hashes orders as the contracts do (docs/reference/protocol.md#order-hash). Independent of the
 * client's implementation, so that tests compare the two.
 */
export class VenueOrderHasher {
  readonly #struct = new Uint8Array(192);
  readonly #envelope = new Uint8Array(66);

  constructor(separator: Uint8Array) {
    this.#struct.set(ORDER_TYPE_HASH, 0);
    this.#envelope.set(ENVELOPE_HEAD, 0);
    this.#envelope.set(separator, 2);
  }

  /**
   * The 32 bytes that an order's signer signs.
   * @param perp 20 bytes. @param signer 20 bytes. @param info 32 bytes.
   * @param paper signed, smallest units. @param credit signed, smallest units.
   */
  hash(
    perp: Uint8Array,
    signer: Uint8Array,
    paper: bigint,
    credit: CreditUnits,
    info: Uint8Array,
  ): Uint8Array {
    this.#struct.set(perp, 44);
    this.#struct.set(signer, 76);
    putInteger(this.#struct, 96, paper);
    putInteger(this.#struct, 128, credit);
    this.#struct.set(info, 160);
    this.#envelope.set(keccak256(this.#struct), 34);
    return keccak256(this.#envelope);
  }

  /** Encodes the order tuple as abi.encode does: the `packedOrder` of a build's response. */
  static pack(
    perp: Uint8Array,
    signer: Uint8Array,
    paper: bigint,
    credit: CreditUnits,
    info: Uint8Array,
  ): Hex {
    const words = new Uint8Array(160);
    words.set(perp, 12);
    words.set(signer, 44);
    putInteger(words, 64, paper);
    putInteger(words, 96, credit);
    words.set(info, 128);
    return bytesToHex(words);
  }
}

const WORD_MASK = (1n << 64n) - 1n;

/**
 * Writes an integer as a 32-byte big-endian word, negative ones in two's complement. Magnitudes
 * stay below 2^127.
 */
function putInteger(bytes: Uint8Array, offset: number, value: bigint): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, 32);
  const sign = value < 0n ? WORD_MASK : 0n;
  view.setBigUint64(0, sign);
  view.setBigUint64(8, sign);
  view.setBigUint64(16, BigInt.asUintN(64, value >> 64n));
  view.setBigUint64(24, BigInt.asUintN(64, value));
}
