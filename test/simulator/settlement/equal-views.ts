import { expect } from "vitest";
import type { Hex } from "#core/units.js";
import { isSafe } from "#perpetual/margin.js";
import type { ExchangeAccount } from "#simulator/account.js";
import { computeLiquidationPrice, computeMargin } from "#simulator/margin.js";
import type { Market } from "#simulator/market.js";
import { type ChainWorld, DEALER, PERPETUAL } from "./chain-world.js";
import { fundingOnChain, markOnChain, primaryOnChain } from "./wallet.js";

/** All figures that the contracts have of an account; zeros for a market without a position. */
async function viewOfChain(world: ChainWorld, address: Hex) {
  const { chain, addresses } = world.chain;
  const ask = async (name: string, ...args: readonly unknown[]) =>
    DEALER.decodeFunctionResult(
      name,
      await chain.call(addresses.dealer, DEALER.encodeFunctionData(name, args)),
    );
  const { primaryCredit, secondaryCredit, pendingPrimaryWithdraw } = await ask(
    "getCreditOf",
    address,
  );
  const { netValue, exposure, maintenanceMargin } = await ask("getTraderRisk", address);
  const positions: Record<string, unknown> = {};
  for (const [marketId, { perp }] of addresses.markets) {
    const balance = await chain.call(perp, PERPETUAL.encodeFunctionData("balanceOf", [address]));
    const [paper, credit] = PERPETUAL.decodeFunctionResult("balanceOf", balance);
    const [liquidationPrice] = await ask("getLiquidationPrice", address, perp);
    positions[marketId] = { paper, credit, liquidationPrice };
  }
  const [isSafe] = await ask("isSafe", address);
  return {
    primaryCredit,
    secondaryCredit,
    pendingPrimaryWithdraw,
    netValue,
    exposure,
    maintenanceMargin,
    isSafe,
    positions,
  };
}

/** The same by the exchange, once nothing is pending on the chain: then matched equals settled. */
function viewOfExchange(world: ChainWorld, account: ExchangeAccount) {
  const markets = new Map<string, Market>();
  for (const marketId of world.chain.addresses.markets.keys())
    markets.set(marketId, world.exchange.market(marketId));
  const margin = computeMargin(account, markets);
  const positions: Record<string, unknown> = {};
  for (const [marketId, market] of markets) {
    const { paper, credit } = account.inMarket(marketId).position.matched;
    positions[marketId] = {
      paper,
      credit,
      liquidationPrice: computeLiquidationPrice(market, account, markets),
    };
    expect(account.inMarket(marketId).position.settled).toEqual(
      account.inMarket(marketId).position.matched,
    );
  }
  return {
    primaryCredit: account.primaryCredit,
    secondaryCredit: account.secondaryCredit,
    pendingPrimaryWithdraw: account.lockedPrimaryWithdrawal,
    netValue: margin.netValueCredit,
    exposure: margin.exposureCredit,
    maintenanceMargin: margin.maintenanceMarginCredit,
    isSafe: isSafe(margin),
    positions,
  };
}

/**
 * Requires that exchange and chain have equal figures of every account, to the unit, and that no
 * credit is missing.
 */
export async function expectEqualViews(
  world: ChainWorld,
  addresses: readonly Hex[],
): Promise<void> {
  const { exchange, chain } = world;
  for (const address of addresses) {
    const account = exchange.account(address);
    if (account === undefined) throw new Error(`${address} is not registered`);
    expect({ address, ...viewOfExchange(world, account) }).toEqual({
      address,
      ...(await viewOfChain(world, address)),
    });
  }
  for (const marketId of chain.addresses.markets.keys()) {
    const house = exchange.house(marketId);
    const { prices, cumulativeFunding } = exchange.market(marketId);
    expect({ house: marketId, ...viewOfExchange(world, house) }).toEqual({
      house: marketId,
      ...(await viewOfChain(world, house.address)),
    });
    if (prices.mark > 0n) expect(prices.mark).toBe(await markOnChain(world, marketId));
    expect(cumulativeFunding).toBe(await fundingOnChain(world, marketId));
  }
  const { insuranceCredit, isConserved } = exchange.audit();
  expect(insuranceCredit).toBe(await primaryOnChain(world, chain.addresses.insurance));
  expect(isConserved).toBe(true);
}
