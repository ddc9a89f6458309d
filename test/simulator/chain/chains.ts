import { Interface } from "ethers";
import { dealerAbi } from "#chain/dealer.generated.js";
import { perpetualAbi } from "#chain/perpetual.generated.js";
import { settablePriceSourceAbi } from "#chain/settable-price-source.generated.js";
import { testTokenAbi } from "#chain/test-token.generated.js";
import { checkShape } from "#core/config-shape.js";
import type { Clock } from "#core/runtime.js";
import type { Signer } from "#core/signing.js";
import type { Hex } from "#core/units.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { chainConfigShape } from "#simulator/chain-config.js";
import type { DeployedMarket } from "#simulator/deployment.js";
import type { EmbeddedChain } from "#simulator/embedded-chain.js";
import { type OpenChain, openChain } from "#simulator/open-chain.js";
import type { TransactionLog } from "#simulator/transaction-log.js";

export const START_MS = 1_800_000_000_000;
export const DEALER = new Interface(dealerAbi);
export const PERPETUAL = new Interface(perpetualAbi);
export const SOURCE = new Interface(settablePriceSourceAbi);
export const TOKEN = new Interface(testTokenAbi);

const PERCENT = 10n ** 16n;

export const BTC: DeployedMarket = {
  marketId: "btcusdc",
  initialMarginRatio: 5n * PERCENT,
  liquidationThreshold: 3n * PERCENT,
  liquidationPriceOff: PERCENT,
  insuranceFeeRate: PERCENT,
  markPrice: 30_000n * 10n ** 6n,
  isRegistered: true,
};
export const ETH: DeployedMarket = {
  ...BTC,
  marketId: "ethusdc",
  liquidationThreshold: 5n * PERCENT,
  markPrice: 2_000n * 10n ** 6n,
};

export interface ChainCase {
  readonly config?: object;
  readonly markets?: readonly DeployedMarket[];
  readonly log?: TransactionLog;
  readonly clock?: Clock;
  readonly allowedHosts?: readonly string[];
  readonly onFault?: (error: unknown) => void;
}

/** A chain of a configuration, without a port unless that names one, on its own clock. */
export function chainOf({
  config = {},
  markets = [BTC],
  clock = new VirtualClock(START_MS),
  ...rest
}: ChainCase = {}): Promise<OpenChain> {
  const written = { rpc: null, accounts: { count: 3, tokenQuote: "1000000" }, ...config };
  return openChain(checkShape(chainConfigShape, written), {
    chainId: 31337,
    markets,
    clock,
    ...rest,
  });
}

/** Reads a view that returns one value. */
export async function read(
  chain: EmbeddedChain,
  to: Hex,
  abi: Interface,
  name: string,
  ...args: readonly unknown[]
): Promise<unknown> {
  return abi.decodeFunctionResult(
    name,
    await chain.call(to, abi.encodeFunctionData(name, args)),
  )[0];
}

/** Sends a call of a contract. */
export function sendTo(
  chain: EmbeddedChain,
  from: Signer,
  to: Hex,
  abi: Interface,
  name: string,
  ...args: readonly unknown[]
): Promise<Hex> {
  return chain.send({ from, to, data: abi.encodeFunctionData(name, args) });
}
