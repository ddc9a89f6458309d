import type { Hex } from "../../core/units.js";
import type { ChainRpc } from "../chain-rpc.js";

/** What the chain says of one account. Each method throws ChainUnavailable or RpcFailure when it cannot be asked. */
export class AccountReader {
  readonly #rpc: ChainRpc;
  readonly #address: Hex;

  constructor(rpc: ChainRpc, address: Hex) {
    this.#rpc = rpc;
    this.#address = address;
  }

  /** Transactions so far: the next nonce. @param block a number's tag, `latest`, or `pending` with those that wait. */
  async count(block: string, atBlock?: number): Promise<number> {
    return Number(await this.#quantity("eth_getTransactionCount", block, atBlock));
  }

  balanceWei(block: string): Promise<bigint> {
    return this.#quantity("eth_getBalance", block);
  }

  async #quantity(method: string, block: string, atBlock?: number): Promise<bigint> {
    const refuse = (value: unknown) =>
      typeof value === "string" && /^0x[0-9a-fA-F]{1,64}$/.test(value) ? undefined : `its answer to ${method} is no quantity`;
    return BigInt((await this.#rpc.request(method, [this.#address, block], { atBlock, refuse })) as Hex);
  }
}
