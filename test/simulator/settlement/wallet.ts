import { Interface } from "ethers";
import { settablePriceSourceAbi } from "#chain/settable-price-source.generated.js";
import { testTokenAbi } from "#chain/test-token.generated.js";
import { ecdsaScheme, type Signer } from "#core/signing.js";
import type { Hex } from "#core/units.js";
import { type ChainWorld, DEALER, PERPETUAL } from "./chain-world.js";

export const SOURCE = new Interface(settablePriceSourceAbi);
export const TOKEN = new Interface(testTokenAbi);

/** A user's own wallet, which uses only the chain. */
export function walletOf(privateKey: string): Signer {
  return ecdsaScheme.signer(privateKey as Hex);
}

/**
 * Calls a contract from a wallet.
 * @returns true if it was mined and not reverted; with a block interval the outcome comes later.
 */
export async function send(
  world: ChainWorld,
  from: Signer,
  to: Hex,
  abi: Interface,
  name: string,
  ...args: readonly unknown[]
) {
  const { chain } = world.chain;
  return chain.send({ from, to, data: abi.encodeFunctionData(name, args) as Hex, gas: 3_000_000 });
}

/**
 * The same with a block at once, whatever the interval, and applied.
 * @returns true if it succeeded.
 */
export async function carriedOut(
  world: ChainWorld,
  from: Signer,
  to: Hex,
  abi: Interface,
  name: string,
  ...args: readonly unknown[]
) {
  const { chain } = world.chain;
  const hash = await send(world, from, to, abi, name, ...args);
  await chain.minePending();
  await world.open.waitUntilSettled();
  return (await chain.receipt(hash))?.isReverted === false;
}

/** Sets a market's price by the key of its source. */
export function setMark(world: ChainWorld, quote: number, marketId = "btcusdc"): Promise<boolean> {
  const source = world.chain.addresses.markets.get(marketId)?.priceSource as Hex;
  return carriedOut(
    world,
    world.chain.keys.market(marketId).signer,
    source,
    SOURCE,
    "setMarkPrice",
    BigInt(Math.round(quote * 1e6)),
  );
}

/** Liquidates a position, with a price bound that always holds. */
export function liquidate(
  world: ChainWorld,
  by: Signer,
  victim: string,
  paper: bigint,
  marketId = "btcusdc",
): Promise<boolean> {
  const worst = paper > 0n ? -(10n ** 30n) : 0n;
  return carriedOut(
    world,
    by,
    world.perp(marketId),
    PERPETUAL,
    "liquidate",
    by.address,
    victim,
    paper,
    worst,
  );
}

/** A market's price as its source has it. */
export async function markOnChain(world: ChainWorld, marketId: string): Promise<bigint> {
  const data = DEALER.encodeFunctionData("getMarkPrice", [world.perp(marketId)]) as Hex;
  return BigInt(await world.chain.chain.call(world.chain.addresses.dealer, data));
}

/** A market's cumulative funding as its contract has it. */
export async function fundingOnChain(world: ChainWorld, marketId: string): Promise<bigint> {
  const data = PERPETUAL.encodeFunctionData("getFundingRate") as Hex;
  return BigInt.asIntN(256, BigInt(await world.chain.chain.call(world.perp(marketId), data)));
}

/** Tokens of an address. */
export async function tokensOf(world: ChainWorld, address: string): Promise<bigint> {
  const data = TOKEN.encodeFunctionData("balanceOf", [address]) as Hex;
  return BigInt(await world.chain.chain.call(world.chain.addresses.token, data));
}

/** Primary credit of an address as the dealer has it. */
export async function primaryOnChain(world: ChainWorld, address: string): Promise<bigint> {
  const data = DEALER.encodeFunctionData("getCreditOf", [address]) as Hex;
  const answer = await world.chain.chain.call(world.chain.addresses.dealer, data);
  return DEALER.decodeFunctionResult("getCreditOf", answer).primaryCredit as bigint;
}
