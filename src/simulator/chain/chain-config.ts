import { z } from "zod";
import { decimalToScaled } from "../../core/instrument.js";
import { text } from "../config/config-text.js";
import type { ChainKeys } from "./chain-keys.js";
import type { BlockProduction } from "./embedded-chain.js";
import type { ChainGenesis } from "./genesis.js";

/** The mnemonic of every development chain; its keys are public. */
const KNOWN_PHRASE = "test test test test test test test test test test test junk";

/** More wei than the transactions of the exchange's own accounts can ever use. */
const ROLE_BALANCE_WEI = 10n ** 27n;

const rpcShape = z.strictObject({
  host: z.string().min(1).default("127.0.0.1"),
  /** 0 uses any free port. */
  port: z.int().min(0).max(65535).default(8545),
  maxBodyBytes: z.int().min(1024).max(16_777_216).default(1_048_576),
  /** HTTP and websocket connections together. */
  maxConnections: z.int().min(1).max(10_000).default(200),
  /**
   * The methods of development nodes (`evm_`, `hardhat_`, `anvil_`), which set time, blocks and
   * state manually.
   */
  devMethods: z.boolean().default(false),
  /**
   * Allows clients to deploy contracts. Those can exhaust the process's memory, since every
   * executed step takes some.
   */
  deployments: z.boolean().default(false),
  /**
   * The gas limit of a call or transaction to code that is not the exchange's. At 650 bytes a step,
   * 2 million gas may take 1.3 GB.
   */
  foreignGas: z.int().min(21_000).max(1_000_000_000).default(2_000_000),
});

/** The chain section of the embedded exchange's configuration. */
export const chainConfigShape = z.strictObject({
  /**
   * The mnemonic that every account of the chain is derived from. The default is public, and so are
   * its keys.
   */
  mnemonic: text(
    /^[a-z]+( [a-z]+){11,23}$/,
    "12 to 24 English words with one space between them (BIP-39)",
  ).default(KNOWN_PHRASE),
  accounts: z
    .strictObject({
      /** Ordinary accounts, for traders, wallets and tools. */
      count: z.int().min(0).max(100).default(10),
      balanceEth: text(
        /^\d{1,9}(\.\d{1,18})?$/,
        'an amount in ETH below 10^9, such as "10000", with at most 18 decimals',
      ).default("10000"),
      /** Test dollars of each account, in addition to what the exchange deposits. */
      tokenQuote: text(
        /^\d{1,12}(\.\d{1,6})?$/,
        'an amount below 10^12, such as "50000", with at most 6 decimals',
      ).default("0"),
      /** ETH that an account gets at registration, for the gas of its own transactions. */
      gasEth: text(
        /^\d{1,6}(\.\d{1,18})?$/,
        'an amount in ETH below 10^6, such as "1", with at most 18 decimals',
      ).default("1"),
      /** True if the RPC port signs for these accounts. */
      unlocked: z.boolean().default(true),
    })
    .prefault({}),
  blocks: z
    .strictObject({
      /** The block interval; 0 mines one block for each transaction at once. */
      intervalMs: z.int().min(0).max(3_600_000).default(0),
      /** With an interval: true if blocks without transactions are mined too. */
      empty: z.boolean().default(true),
      gasLimit: z.int().min(10_000_000).max(1_000_000_000).default(30_000_000),
      order: z.enum(["tip", "arrival"]).default("tip"),
      baseFeeWei: text(/^\d{1,20}$/, "a whole number of wei").default("1000000000"),
    })
    .prefault({}),
  /** The gas limit of one call, and the default of a call that names none. */
  callGasLimit: z.int().min(1_000_000).max(1_000_000_000).default(16_000_000),
  contracts: z
    .strictObject({
      maxPositions: z.int().min(1).max(100).default(10),
      /** The time for which a mark price is valid. */
      priceHeartbeatMs: z.int().min(1000).max(1_000_000_000).multipleOf(1000).default(86_400_000),
      /** The time from a withdrawal's request to its execution. */
      withdrawTimeLockMs: z.int().min(0).max(1_000_000_000_000).multipleOf(1000).default(0),
      fundingLimiter: z.boolean().default(true),
      /** In maintenance margins a day. The limiter contract is deployed with it and keeps it. */
      fundingSpeedMultiplier: z.int().min(1).max(1_000_000).default(3),
    })
    .prefault({}),
  /** The schedule by which the exchange sends its marks to the price sources. */
  oracle: z
    .strictObject({
      /**
       * A mark is sent when it differs by this much from the last one on chain, in hundredths of a
       * percent; 0 for any change.
       */
      minChangeBps: z.number().min(0).max(10_000).default(0),
      /** The minimum time between two marks of a market. */
      minIntervalMs: z.int().min(0).max(3_600_000).default(1000),
    })
    .prefault({}),
  /** The port for wallets and tools; null opens none. */
  rpc: rpcShape.nullable().prefault({}),
});

/** The chain section of the configuration with all defaults filled in. */
export type ChainConfig = z.output<typeof chainConfigShape>;

/** The RPC port's section of {@link ChainConfig}. */
export type ChainRpcConfig = z.output<typeof rpcShape>;

/** The block production of a configuration. */
export function toBlockProduction({ blocks: { intervalMs, empty } }: ChainConfig): BlockProduction {
  return intervalMs === 0 ? { kind: "each" } : { kind: "interval", intervalMs, emptyBlocks: empty };
}

/** The genesis of a chain of this configuration. */
export function toGenesis(
  config: ChainConfig,
  chainId: number,
  keys: ChainKeys,
): Omit<ChainGenesis, "timestampSeconds"> {
  const { blocks, callGasLimit, accounts } = config;
  const roles = [keys.owner, keys.orderSender, keys.insurance, keys.fundingKeeper];
  const balance = decimalToScaled(accounts.balanceEth, 18);
  return {
    chainId,
    blockGasLimit: blocks.gasLimit,
    callGasLimit,
    baseFeeWei: blocks.baseFeeWei,
    order: blocks.order,
    balancesWei: Object.fromEntries([
      ...keys.accounts.map(({ signer }) => [signer.address, String(balance)]),
      ...roles.map(({ signer }) => [signer.address, String(ROLE_BALANCE_WEI)]),
    ]),
  };
}
