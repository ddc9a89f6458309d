import { parseUnits } from "ethers";
import type { Clock } from "../../core/runtime/runtime.js";
import type { Hex } from "../../core/units.js";
import { type ChainConfig, toBlockProduction, toGenesis } from "./chain-config.js";
import { type ChainKeys, chainKeys } from "./chain-keys.js";
import { type DealerEventFormat, detectDealerEventFormat } from "./dealer-event-format.js";
import { type ChainAddresses, type DeployedMarket, deploy } from "./deployment.js";
import { EmbeddedChain } from "./embedded-chain.js";
import { type ChainServer, serveChain } from "./rpc/rpc-server.js";
import { MemoryTransactionLog, type TransactionLog } from "./transaction-log.js";

/** Options of {@link openChain} besides the configuration. */
export interface OpenChainOptions {
  readonly chainId: number;
  readonly markets: readonly DeployedMarket[];
  readonly clock: Clock;
  /**
   * Names of this host, besides addresses and loopback names, under which its port accepts
   * requests.
   */
  readonly allowedHosts?: readonly string[];
  /** The log that the chain is rebuilt from; in memory when left out. */
  readonly log?: TransactionLog;
  /** Called once on a failure after which the chain refuses all requests. */
  readonly onFault?: (error: unknown) => void;
}

/** A chain with its contracts set up. */
export interface OpenChain {
  readonly chain: EmbeddedChain;
  readonly keys: ChainKeys;
  readonly addresses: ChainAddresses;
  readonly dealerEventFormat: DealerEventFormat;
  /** Null where the configuration has no port. */
  readonly server: ChainServer | null;
  /** Closes the port and stops block production. */
  close(): Promise<void>;
}

/**
 * Opens the chain of a configuration: new, or rebuilt from its log. Deploys and configures its
 * contracts, then opens its port.
 * @throws ConfigError, FormatError and RunError, as {@link EmbeddedChain.open}, {@link chainKeys},
 * {@link deploy} and {@link serveChain} do
 */
export async function openChain(
  config: ChainConfig,
  options: OpenChainOptions,
): Promise<OpenChain> {
  const {
    chainId,
    markets,
    clock,
    allowedHosts = [],
    log = new MemoryTransactionLog(),
    onFault,
  } = options;
  const { accounts, contracts } = config;
  const keys = chainKeys(config.mnemonic, accounts.count);
  const chain = await EmbeddedChain.open({
    genesis: toGenesis(config, chainId, keys),
    blockProduction: toBlockProduction(config),
    log,
    clock,
    unlocked: accounts.unlocked ? keys.accounts.map(({ privateKey }) => privateKey) : [],
    onFault,
  });
  try {
    const addresses = await deploy(chain, keys, {
      markets,
      priceHeartbeatSeconds: contracts.priceHeartbeatMs / 1000,
      maxPositions: contracts.maxPositions,
      withdrawTimeLockSeconds: contracts.withdrawTimeLockMs / 1000,
      isFundingLimited: contracts.fundingLimiter,
      fundingSpeedMultiplier: contracts.fundingSpeedMultiplier,
      tokenUnitsEach: parseUnits(accounts.tokenQuote, 6),
    });
    const dealerForm = await detectDealerEventFormat(chain, addresses.dealer);
    const server =
      config.rpc === null
        ? null
        : await serveChain(chain, config.rpc, {
            clock,
            allowedHosts,
            ownContracts: contractsOf(addresses),
          });
    const close = async () => {
      await server?.close();
      await chain.close();
    };
    return { chain, keys, addresses, dealerEventFormat: dealerForm, server, close };
  } catch (error) {
    await chain.close();
    throw error;
  }
}

function contractsOf({
  token,
  dealer,
  lens,
  fundingRateLimiter,
  markets,
}: ChainAddresses): ReadonlySet<Hex> {
  const all = [
    token,
    dealer,
    lens,
    fundingRateLimiter,
    ...[...markets.values()].flatMap(({ perp, priceSource }) => [perp, priceSource]),
  ];
  return new Set(all.map((address) => address.toLowerCase() as Hex));
}
