import { decimalToScaled } from "../../core/instrument.js";
import { type OpenChain, type OpenChainOptions, openChain } from "../chain/open-chain.js";
import type { ExchangeConfig } from "../config/config.js";
import { ChainConnector, type ChainConnectorDeps } from "./chain-connector.js";
import { fundRoles } from "./fund-roles.js";
import { toDeployedMarkets } from "./on-chain-config.js";

/** The chain on which an exchange settles, and the connection that the exchange makes to it. */
export interface SettlementChain {
  readonly open: OpenChain;
  /** Connects the exchange; called once. */
  connect(deps: ChainConnectorDeps): ChainConnector;
}

/**
 * Opens the chain of an exchange with its markets' contracts and the credit of its own accounts.
 * Loads the contracts' encoders, which take longer than the rest of the exchange: import it where
 * there is a chain.
 * @throws as {@link openChain} and {@link fundRoles} do
 */
export async function openSettlementChain(
  config: ExchangeConfig & Required<Pick<ExchangeConfig, "chain">>,
  options: Pick<OpenChainOptions, "clock" | "log" | "onFault">,
): Promise<SettlementChain> {
  const open = await openChain(config.chain, {
    chainId: config.domain.chainId,
    markets: toDeployedMarkets(config),
    allowedHosts: config.allowedHosts,
    ...options,
  });
  try {
    const insuranceCredit = decimalToScaled(config.insurance.initialQuote, config.creditDecimals);
    await fundRoles(open, Object.keys(config.markets), insuranceCredit);
  } catch (error) {
    await open.close();
    throw error;
  }
  return { open, connect: (deps) => new ChainConnector(deps) };
}
