import { FormatError } from "../../core/errors.js";
import type { Hex, Ms } from "../../core/units.js";
import { parseBytes, parseNumber, parseObject, parseQuantity } from "../rpc/rpc-values.js";

/** A block without its transactions. */
export interface BlockHeader {
  readonly number: number;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly timestampMs: Ms;
  /** Wei per unit of gas; 0 on a chain from before EIP-1559. */
  readonly baseFeeWei: bigint;
  readonly gasUsed: bigint;
  readonly gasLimit: bigint;
}

/**
 * Parses the response of `eth_getBlockByNumber` or `eth_getBlockByHash`.
 * @throws FormatError when it is not a block, null included.
 */
export function parseBlockHeader(value: unknown): BlockHeader {
  const fields = parseObject(value, "block");
  return {
    number: parseNumber(fields.number, "block.number"),
    hash: parseBytes(fields.hash, "block.hash", 32),
    parentHash: parseBytes(fields.parentHash, "block.parentHash", 32),
    timestampMs: parseNumber(fields.timestamp, "block.timestamp") * 1000,
    baseFeeWei:
      fields.baseFeePerGas === undefined
        ? 0n
        : parseQuantity(fields.baseFeePerGas, "block.baseFeePerGas"),
    gasUsed: parseQuantity(fields.gasUsed, "block.gasUsed"),
    gasLimit: parseQuantity(fields.gasLimit, "block.gasLimit"),
  };
}

/**
 * Parses the block that was requested by number, hash or both. @throws FormatError when the
 * response is another block, or none.
 */
export function parseRequestedBlock(
  value: unknown,
  wanted: { readonly number?: number; readonly hash?: Hex },
): BlockHeader {
  const block = parseBlockHeader(value);
  const hash = wanted.hash?.toLowerCase() ?? block.hash;
  if (block.hash !== hash)
    throw new FormatError("is of another block", {
      field: "block.hash",
      value: block.hash,
      expected: hash,
    });
  const { number = block.number } = wanted;
  if (block.number !== number)
    throw new FormatError("is of another block", {
      field: "block.number",
      value: block.number,
      expected: String(number),
    });
  return block;
}

/** EIP-1559: a block aims at half its limit, and the fee moves by at most an eighth. */
const ELASTICITY = 2n;
const CHANGE_DENOMINATOR = 8n;

/**
 * Returns the base fee of the next block, wei per unit of gas, by EIP-1559 with Ethereum's
 * constants. On chains with other constants the error is less than the fee may move in a block, and
 * a fee needs headroom beyond that anyway.
 */
export function nextBaseFeeWei({ baseFeeWei, gasUsed, gasLimit }: BlockHeader): bigint {
  const target = gasLimit / ELASTICITY;
  if (target === 0n || gasUsed === target) return baseFeeWei;
  const distance = gasUsed > target ? gasUsed - target : target - gasUsed;
  const change = (baseFeeWei * distance) / target / CHANGE_DENOMINATOR;
  if (gasUsed < target) return baseFeeWei - change;
  return baseFeeWei + (change > 0n ? change : 1n);
}
