import { AbiCoder, concat, keccak256, toBeHex, toUtf8Bytes } from "ethers";
import { hexToBytes } from "#core/hex.js";
import type { Signer } from "#core/signing.js";
import type { Hex } from "#core/units.js";

/** An order as the contracts take it, and who signs it. */
export interface Order {
  readonly signer: Signer;
  readonly perp: string;
  readonly paper: bigint;
  readonly credit: bigint;
  readonly info: string;
}

/** An order, its signature, and the paper that it trades now. */
export interface MatchedOrder {
  /** Taker and makers as they stand in the contract's struct: perp, signer, paper, credit, info. */
  readonly fields: readonly [string, string, bigint, bigint, string];
  readonly hash: string;
  readonly signature: string;
  readonly amount: bigint;
}

const TYPEHASH = keccak256(
  toUtf8Bytes(
    "Order(address perp,address signer,int128 paperAmount,int128 creditAmount,bytes32 info)",
  ),
);

/** Fee rates are 1e18, signed. */
export function orderInfo(
  makerFeeRate: bigint,
  takerFeeRate: bigint,
  expirationSeconds: number | bigint,
  nonce: bigint,
): string {
  const words = [
    BigInt.asUintN(64, makerFeeRate),
    BigInt.asUintN(64, takerFeeRate),
    BigInt(expirationSeconds),
    nonce,
  ];
  return concat(words.map((word) => toBeHex(word, 8)));
}

export function orderHash(
  domainSeparator: string,
  [perp, signer, paper, credit, info]: MatchedOrder["fields"],
): string {
  const struct = AbiCoder.defaultAbiCoder().encode(
    ["bytes32", "address", "address", "int128", "int128", "bytes32"],
    [TYPEHASH, perp, signer, paper, credit, info],
  );
  return keccak256(concat(["0x1901", domainSeparator, keccak256(struct)]));
}

/** @param by Who signs, if it is not the order's own signer. */
export function match(
  domainSeparator: string,
  order: Order,
  amount: bigint,
  by: Signer = order.signer,
): MatchedOrder {
  const fields = [order.perp, order.signer.address, order.paper, order.credit, order.info] as const;
  const hash = orderHash(domainSeparator, fields);
  return { fields, hash, signature: by.sign(hexToBytes(hash as Hex)), amount };
}

/** The arguments of `Perpetual.trade`, with the orders in the given sequence. */
export function tradeData(matched: readonly MatchedOrder[]): string {
  return AbiCoder.defaultAbiCoder().encode(
    ["tuple(address,address,int128,int128,bytes32)[]", "bytes[]", "uint256[]"],
    [
      matched.map(({ fields }) => fields),
      matched.map(({ signature }) => signature),
      matched.map(({ amount }) => amount),
    ],
  );
}

/** A taker and its makers in the sequence that the contract wants: by ascending signer. */
export function sorted(taker: MatchedOrder, makers: readonly MatchedOrder[]): MatchedOrder[] {
  const key = ({ fields }: MatchedOrder) => BigInt(fields[1]);
  return [taker, ...[...makers].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0))];
}
