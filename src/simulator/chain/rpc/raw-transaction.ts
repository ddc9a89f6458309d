import { Transaction } from "ethers";

/** What of a signed transaction decides whether it is let in. */
export interface RawTransaction {
  /** In lower case; null for one that deploys. */
  readonly to: string | null;
  readonly gas: bigint;
}

/**
 * Reads a signed transaction: legacy, EIP-2930, EIP-1559, EIP-4844 or EIP-7702. Every byte counts: with bytes behind it, or a length or number
 * that is written longer than it need be, another reader may take it for something else than this one does.
 * @returns undefined for what is not exactly one.
 */
export function readRawTransaction(raw: unknown): RawTransaction | undefined {
  if (typeof raw !== "string" || !/^0x(?:[0-9a-fA-F]{2})+$/.test(raw)) return undefined;
  try {
    const transaction = Transaction.from(raw);
    if (!transaction.isSigned() || transaction.serialized !== raw.toLowerCase()) return undefined;
    return { to: transaction.to?.toLowerCase() ?? null, gas: transaction.gasLimit };
  } catch {
    // Whatever the reader stumbled over: it is not a transaction.
    return undefined;
  }
}
