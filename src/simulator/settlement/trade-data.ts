import type { CreditUnits, Hex, PaperUnits } from "../../core/units.js";

/** An order as the contracts accept it: the signed terms, and the signer. */
export interface SignedOrder {
  readonly perp: Hex;
  readonly signer: Hex;
  /** Signed, of the whole order: a buyer receives paper and gives credit. */
  readonly paper: PaperUnits;
  readonly credit: CreditUnits;
  /** 32 bytes. */
  readonly info: Hex;
  /** 65 bytes. */
  readonly signature: Hex;
}

/** An order with the amount that it trades in a transaction. */
export interface MatchedOrder {
  readonly order: SignedOrder;
  /** Unsigned. */
  readonly paper: PaperUnits;
}

/** `trade(bytes)` (docs/reference/protocol.md#contract-interface). */
const TRADE_SELECTOR = "1037ea51";
const WORD = 64;

/**
 * The call data of a trade: the taker first, then its makers by ascending signer
 * (docs/reference/protocol.md#trades). Encoded directly instead of by a library, since every trade
 * of a market passes through here.
 */
export function tradeCall(taker: MatchedOrder, makers: readonly MatchedOrder[]): Hex {
  const matched = [taker, ...[...makers].sort((a, b) => compare(signerWord(a), signerWord(b)))];
  const orders = word(matched.length) + matched.map(({ order }) => orderWords(order)).join("");
  const signatures = bytesList(matched.map(({ order }) => order.signature.slice(2)));
  const amounts = word(matched.length) + matched.map(({ paper }) => word(paper)).join("");
  const head = 3 * 32;
  const data =
    word(head) +
    word(head + bytesOf(orders)) +
    word(head + bytesOf(orders) + bytesOf(signatures)) +
    orders +
    signatures +
    amounts;
  return `0x${TRADE_SELECTOR}${word(32)}${word(bytesOf(data))}${data}`;
}

function orderWords({ perp, signer, paper, credit, info }: SignedOrder): string {
  return (
    addressWord(perp) +
    addressWord(signer) +
    word(paper) +
    word(credit) +
    info.slice(2).toLowerCase()
  );
}

/**
 * `bytes[]`: the offset of each item, counted from the first of these words, then each with its
 * length.
 */
function bytesList(items: readonly string[]): string {
  let offset = items.length * 32;
  let offsets = "";
  let bodies = "";
  for (const item of items) {
    const body = word(bytesOf(item)) + item.padEnd(Math.ceil(item.length / WORD) * WORD, "0");
    offsets += word(offset);
    offset += bytesOf(body);
    bodies += body;
  }
  return word(items.length) + offsets + bodies.toLowerCase();
}

/** An integer in two's complement. */
function word(value: bigint | number): string {
  return BigInt.asUintN(256, BigInt(value)).toString(16).padStart(WORD, "0");
}

function addressWord(address: Hex): string {
  return address.slice(2).toLowerCase().padStart(WORD, "0");
}

function signerWord({ order }: MatchedOrder): string {
  return addressWord(order.signer);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function bytesOf(hex: string): number {
  return hex.length / 2;
}
