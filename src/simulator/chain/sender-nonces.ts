import type { Hex } from "../../core/units.js";
import type { LoggedEvm } from "./logged-evm.js";

/**
 * The nonces of accounts that nobody else sends for. The EVM counts what waits by making the next block of it in trial: it knows no more
 * than one block holds, and takes ever longer. So the last one that was taken is remembered, and counted on from while the chain has it.
 */
export class SenderNonces {
  readonly #last = new Map<Hex, { readonly nonce: number; readonly hash: Hex }>();

  /** The nonce of an account's next transaction; in a turn of the chain. */
  async next(evm: LoggedEvm, account: Hex): Promise<number> {
    const last = this.#last.get(account);
    if (last !== undefined && (await evm.ask("eth_getTransactionByHash", last.hash)) !== null) return last.nonce + 1;
    return Number(await evm.ask("eth_getTransactionCount", account, "pending"));
  }

  /** The chain has taken a transaction. */
  taken(account: Hex, nonce: number, hash: Hex): void {
    this.#last.set(account, { nonce, hash });
  }
}
