import type { Hex } from "../../core/units.js";
import type { LoggedEvm } from "./logged-evm.js";

/**
 * The nonces of accounts that are rarely used by other senders. The EVM counts pending transactions
 * by trial-mining the next block, which sees at most one block and becomes slower. So the last
 * accepted nonce is remembered and counted on from while the chain has its transaction.
 */
export class SenderNonces {
  readonly #last = new Map<Hex, { readonly nonce: number; readonly hash: Hex }>();

  /** The nonce of an account's next transaction; in a turn of the chain. */
  async next(evm: LoggedEvm, account: Hex): Promise<number> {
    const last = this.#last.get(account);
    if (
      last !== undefined &&
      (await evm.requestOrThrow("eth_getTransactionByHash", last.hash)) !== null
    ) {
      return Math.max(
        last.nonce + 1,
        Number(await evm.requestOrThrow("eth_getTransactionCount", account, "latest")),
      );
    }
    return Number(await evm.requestOrThrow("eth_getTransactionCount", account, "pending"));
  }

  /**
   * Forgets an account's nonce because another sender used it, so that the EVM counts.
   * @returns true if there was one to forget.
   */
  forget(account: Hex): boolean {
    return this.#last.delete(account);
  }

  /** Remembers a transaction that the chain has accepted. */
  taken(account: Hex, nonce: number, hash: Hex): void {
    this.#last.set(account, { nonce, hash });
  }
}
