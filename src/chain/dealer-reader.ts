import { ConfigError } from "../core/errors.js";
import { bytesToHex } from "../core/hex.js";
import { keccak256 } from "../core/keccak.js";
import type { Hex } from "../core/units.js";
import { AbiWords, wordOf } from "./abi-words.js";
import type { ChainRpc } from "./chain-rpc.js";

const W = 32;
const GAS = 500_000;

/** Reads what the dealer says of itself (protocol 7.2), at the newest believed block. Every method throws as {@link ChainRpc.read} does, and ConfigError where no contract is there. */
export class DealerReader {
  readonly #rpc: ChainRpc;
  readonly #dealer: Hex;

  constructor(rpc: ChainRpc, dealer: Hex) {
    this.#rpc = rpc;
    this.#dealer = dealer;
  }

  /** The EIP-712 domain that it checks orders under. */
  async domainSeparator(): Promise<Hex> {
    return `0x${wordOf((await this.#words("domainSeparator()")).uint(0))}`;
  }

  /** Whether an operator may act for an account. */
  async isOperatorValid(account: Hex, operator: Hex): Promise<boolean> {
    return (await this.#words("isOperatorValid(address,address)", wordOf(account) + wordOf(operator))).bool(0);
  }

  /** In how many markets an account may hold positions. */
  async maxPositionAmount(): Promise<number> {
    return (await this.#words("state()")).index(6 * W);
  }

  async #words(signature: string, args = ""): Promise<AbiWords> {
    const selector = bytesToHex(keccak256(Buffer.from(signature, "ascii"))).slice(0, 10);
    const head = await this.#rpc.head();
    const answer = await this.#rpc.read({ to: this.#dealer, data: `${selector}${args}`, gas: GAS }, head.number);
    if (answer === "0x")
      throw new ConfigError("is a chain without the exchange's dealer: another one, though with the same id", {
        field: "chain.rpc",
        value: this.#dealer,
        expected: "the chain that the exchange settles on, with a contract at that address",
      });
    return new AbiWords(answer);
  }
}
