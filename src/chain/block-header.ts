import type { Hex, Ms } from "../core/units.js";
import { bytesField, fieldsOf, numberField, quantityField } from "./chain-log.js";

/** A block without its transactions. */
export interface BlockHeader {
  readonly number: number;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly timestampMs: Ms;
  /** Wei a unit of gas; 0 on a chain from before EIP-1559. */
  readonly baseFeeWei: bigint;
  readonly gasUsed: bigint;
  readonly gasLimit: bigint;
}

/**
 * Reads the answer of `eth_getBlockByNumber` or `eth_getBlockByHash`.
 * @throws FormatError when it is no block, null included.
 */
export function blockHeaderOf(value: unknown): BlockHeader {
  const fields = fieldsOf(value, "block");
  return {
    number: numberField(fields, "number"),
    hash: bytesField(fields, "hash", 32),
    parentHash: bytesField(fields, "parentHash", 32),
    timestampMs: numberField(fields, "timestamp") * 1000,
    baseFeeWei: fields.baseFeePerGas === undefined ? 0n : quantityField(fields, "baseFeePerGas"),
    gasUsed: quantityField(fields, "gasUsed"),
    gasLimit: quantityField(fields, "gasLimit"),
  };
}

/** EIP-1559: a block aims at half its limit, and the fee moves by at most an eighth. */
const ELASTICITY = 2n;
const CHANGE_DENOMINATOR = 8n;

/**
 * The base fee of the block after this one, wei a unit of gas, by the rule of EIP-1559 with Ethereum's own constants. Chains that
 * changed those differ by less than a block may move: a fee needs headroom beyond it anyway.
 */
export function nextBaseFeeWei({ baseFeeWei, gasUsed, gasLimit }: BlockHeader): bigint {
  const target = gasLimit / ELASTICITY;
  if (target === 0n || gasUsed === target) return baseFeeWei;
  const distance = gasUsed > target ? gasUsed - target : target - gasUsed;
  const change = (baseFeeWei * distance) / target / CHANGE_DENOMINATOR;
  if (gasUsed < target) return baseFeeWei - change;
  return baseFeeWei + (change > 0n ? change : 1n);
}
