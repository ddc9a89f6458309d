import { bytesToHex } from "../../core/crypto/hex.js";
import { keccak256 } from "../../core/crypto/keccak.js";
import { ConfigError } from "../../core/errors.js";
import type { Hex } from "../../core/units.js";
import { AbiReader, encodeWord } from "../abi/abi-reader.js";
import type { ChainRpc } from "../rpc/chain-rpc.js";

const W = 32;
const GAS = 500_000;

/**
 * Reads the dealer's settings (docs/reference/protocol.md#contract-interface) at the newest trusted
 * block. Every method throws as {@link ChainRpc.read} does, and ConfigError if no contract is
 * there.
 */
export class DealerReader {
  readonly #rpc: ChainRpc;
  readonly #dealer: Hex;

  constructor(rpc: ChainRpc, dealer: Hex) {
    this.#rpc = rpc;
    this.#dealer = dealer;
  }

  /** The EIP-712 domain under which it checks orders. */
  domainSeparator(): Promise<Hex> {
    return this.#ask("domainSeparator()", "", (words): Hex => `0x${encodeWord(words.uint(0))}`);
  }

  /** Returns true if an operator may act for an account. */
  isOperatorValid(account: Hex, operator: Hex): Promise<boolean> {
    return this.#ask(
      "isOperatorValid(address,address)",
      encodeWord(account) + encodeWord(operator),
      (words) => words.bool(0),
    );
  }

  /** The largest number of markets in which an account may hold positions. */
  maxPositionAmount(): Promise<number> {
    return this.#ask("state()", "", (words) => words.index(6 * W));
  }

  async #ask<Value>(
    signature: string,
    args: string,
    decode: (words: AbiReader) => Value,
  ): Promise<Value> {
    const selector = bytesToHex(keccak256(Buffer.from(signature, "ascii"))).slice(0, 10);
    const head = await this.#rpc.head();
    const call = { to: this.#dealer, data: `${selector}${args}`, gas: GAS };
    const answer = await this.#rpc.read(call, head.number, (data) =>
      data === "0x" ? undefined : { value: decode(new AbiReader(data)) },
    );
    if (answer !== undefined) return answer.value;
    throw new ConfigError(
      "is a chain without the exchange's dealer: another one, though with the same id",
      {
        field: "chain.rpc",
        value: this.#dealer,
        expected: "the chain that the exchange settles on, with a contract at that address",
      },
    );
  }
}
