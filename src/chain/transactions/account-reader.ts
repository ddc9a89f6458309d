import { FormatError } from "../../core/errors.js";
import type { Hex } from "../../core/units.js";
import type { ChainRpc } from "../rpc/chain-rpc.js";
import { parseNumber, parseQuantity } from "../rpc/rpc-values.js";

const COUNT = "eth_getTransactionCount";
/**
 * A count further than this from the last one is checked a second time: an account has fewer
 * pending transactions.
 */
const LONGEST_LEAP = 32;

/**
 * Reads the state of one account. Each method throws a ChainError when the chain cannot be read.
 */
export class AccountReader {
  readonly #rpc: ChainRpc;
  readonly #address: Hex;
  /** The highest trusted count. */
  #seen = 0;

  constructor(rpc: ChainRpc, address: Hex) {
    this.#rpc = rpc;
    this.#address = address;
  }

  /**
   * Returns the number of transactions so far, which is the next nonce.
   * @param block a number's tag, `latest`, or `pending` to include pending ones.
   * @throws FormatError for a count that is far from the newest block's: a transaction signed for
   * it would never be mined.
   */
  async count(block: string, atBlock?: number): Promise<number> {
    const count = await this.#ask(block, atBlock);
    if (count - this.#seen > LONGEST_LEAP) {
      const mined = await this.#ask("latest", atBlock);
      if (count - mined > LONGEST_LEAP)
        throw new FormatError("is far from the number of mined transactions", {
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
