import type { Signer } from "#core/signing.js";
import type { ModelOrder } from "./model.js";
import { COIN, signer } from "./world.js";

/** The traders in random histories. */
export const TRADERS = [1, 2, 3, 4].map(signer);

/** One of them, whatever the number. */
export function trader(i: number): Signer {
  return TRADERS[i % TRADERS.length] as Signer;
}

/** A signed size at so many basis points from the mark, and so much better for the other side. */
export function order(
  side: { readonly trader: number; readonly priceBps: number; readonly rate: bigint },
  paper: bigint,
  markPrice: bigint,
  extraBps: number,
  amount: bigint,
): ModelOrder & { readonly signer: Signer } {
  const signed = trader(side.trader);
  const towardOthers = paper > 0n ? 1 : -1;
  const price = (markPrice * BigInt(10_000 + towardOthers * side.priceBps + extraBps)) / 10_000n;
  const exact = -paper * price;
  // A buy pays rounded up, a sell receives rounded down, as the exchange has them signed; never
  // nothing.
  const cut = exact < 0n && exact % COIN !== 0n ? exact / COIN - 1n : exact / COIN;
  const credit = cut === 0n ? (paper > 0n ? -1n : 1n) : cut;
  return {
    signer: signed,
    trader: signed.address,
    paper,
    credit,
    makerFeeRate: side.rate,
    takerFeeRate: side.rate,
    amount,
  };
}
