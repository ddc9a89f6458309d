import type { Signer } from "#core/signing.js";
import type { Hex } from "#core/units.js";
import { type MatchedOrder, tradeCall } from "#simulator/trade-data.js";
import type { ReferenceClient } from "../reference-client.js";
import { type ChainWorld, DEALER } from "./chain-world.js";
import { carriedOut } from "./wallet.js";

/** One order of a trade that bypasses the exchange. Rates 1e18. */
export interface OutsideOrder {
  readonly client: ReferenceClient;
  readonly side: "BUY" | "SELL";
  readonly price: string;
  readonly amount: string;
  readonly rate: bigint;
}

/** Allows a wallet or contract to send trades, as the owner of the dealer. */
export async function allowToTrade(world: ChainWorld, sender: Hex): Promise<void> {
  const { keys, addresses } = world.chain;
  if (
    !(await carriedOut(
      world,
      keys.owner.signer,
      addresses.dealer,
      DEALER,
      "setOrderSender",
      sender,
      true,
    ))
  ) {
    throw new Error("setOrderSender was reverted");
  }
}

/** The data of a market's `trade`. */
export function outsideTrade(taker: OutsideOrder, ...makers: readonly OutsideOrder[]): Hex {
  return tradeCall(
    signed(taker),
    makers.map((maker) => signed(maker)),
  );
}

/**
 * Sends a trade by a wallet instead of the exchange.
 * @returns the transaction's hash; its block may come later.
 */
export function tradeOutside(
  world: ChainWorld,
  sender: Signer,
  taker: OutsideOrder,
  ...makers: readonly OutsideOrder[]
): Promise<Hex> {
  const data = outsideTrade(taker, ...makers);
  return world.chain.chain.send({ from: sender, to: world.perp(), data, gas: 3_000_000 });
}

function signed({ client, side, price, amount, rate }: OutsideOrder): MatchedOrder {
  const { info, orderSignature } = client.order(side, price, amount, {
    makerRate: rate,
    takerRate: rate,
  });
  const { perp } = client.exchange.market("btcusdc").rules;
  const paper = scaled(amount, 18);
  const product = scaled(price, 6) * paper;
  const unit = 10n ** 18n;
  const credit = side === "BUY" ? -((product + unit - 1n) / unit) : product / unit;
  const order = {
    perp,
    signer: client.account as Hex,
    paper: side === "BUY" ? paper : -paper,
    credit,
  };
  return { order: { ...order, info: info as Hex, signature: orderSignature as Hex }, paper };
}

function scaled(text: string, decimals: number): bigint {
  const [whole, fraction = ""] = text.split(".");
  return BigInt(whole + fraction.padEnd(decimals, "0"));
}
