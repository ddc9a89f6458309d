import { FormatError } from "../../core/errors.js";
import type { Hex } from "../../core/units.js";
import type { ChainRpc } from "../rpc/chain-rpc.js";
import { parseNumber, parseQuantity } from "../rpc/rpc-values.js";

const COUNT = "eth_getTransactionCount";
/** A count that is further than this from the last one is asked for twice: an account has fewer transactions that wait. */
const LONGEST_LEAP = 32;

/** What the chain says of one account. Each method throws a ChainError when it cannot be asked. */
export class AccountReader {
  readonly #rpc: ChainRpc;
  readonly #address: Hex;
  /** The highest count that is believed. */
  #seen = 0;

  constructor(rpc: ChainRpc, address: Hex) {
    this.#rpc = rpc;
    this.#address = address;
  }

  /**
   * Transactions so far: the next nonce.
   * @param block a number's tag, `latest`, or `pending` with those that wait.
   * @throws FormatError for a count that is far from the one that the newest block has: signed for, its nonce would never come.
   */
  async count(block: string, atBlock?: number): Promise<number> {
    const count = await this.#ask(block, atBlock);
    if (count - this.#seen > LONGEST_LEAP) {
      const mined = await this.#ask("latest", atBlock);
      if (count - mined > LONGEST_LEAP)
        throw new FormatError("is far from the transactions in blocks", {
          field: COUNT,
          value: count,
          expected: `about ${mined}`,
        });
    }
    this.#seen = Math.max(this.#seen, count);
    return count;
  }

  balanceWei(block: string): Promise<bigint> {
    return this.#rpc.request("eth_getBalance", [this.#address, block], (wei) =>
      parseQuantity(wei, "eth_getBalance"),
    );
  }

  #ask(block: string, atBlock: number | undefined): Promise<number> {
    return this.#rpc.request(COUNT, [this.#address, block], (count) => parseNumber(count, COUNT), {
      atBlock,
    });
  }
}
