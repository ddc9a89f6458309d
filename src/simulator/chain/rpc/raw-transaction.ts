import { Transaction } from "ethers";

/** The fields of a signed transaction that decide whether it is admitted. */
export interface RawTransaction {
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
export function readRawTransaction(raw: unknown): RawTransaction | undefined {
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
