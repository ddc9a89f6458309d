import type { Hex } from "../../core/units.js";
import type { LoggedEvm } from "./logged-evm.js";

/**
 * The nonces of accounts for which hardly anybody else sends. The EVM counts what waits by making the next block of it in trial: it knows no more
 * than one block holds, and takes ever longer. So the last one that was taken is remembered, and counted on from while the chain has it.
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

  /** Somebody else has sent for the account: the EVM is to count. @returns whether it had not been asked. */
  forget(account: Hex): boolean {
    return this.#last.delete(account);
  }

  /** The chain has taken a transaction. */
  taken(account: Hex, nonce: number, hash: Hex): void {
    this.#last.set(account, { nonce, hash });
  }
}
