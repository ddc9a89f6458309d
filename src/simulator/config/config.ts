import { z } from "zod";
import { checkShape, type ShapeContext } from "../../core/config/config-shape.js";
import { DEFAULT_TOKEN_LIMITS } from "../../core/token-limits.js";
import { chainConfigShape } from "../chain/chain-config.js";
import { flowConfigShape } from "../flow/flow-config.js";
import { choicesShape } from "./choices.js";
import { address, decimal, marketId, positiveDecimal, signedDecimal, text } from "./config-text.js";

const port = z.int().min(0).max(65535);
const wei = text(/^\d{1,30}$/, "a whole number of wei");
/** The most operators that one account may have. */
export const MOST_OPERATORS = 100;
const durationMs = z.int().min(0).max(1_000_000_000_000);

/** The states that a market can be in; only TRADING takes orders (2013, 2014 and 2015 answer for the others). */
export const MARKET_STATES = ["PENDING", "TRADING", "SUSPENDED", "DELISTED"] as const;

const bounds = (min: string, max: string) =>
  z
    .strictObject({ min: positiveDecimal.default(min), max: positiveDecimal.default(max) })
    .prefault({});

const fundingShape = z
  .strictObject({
    /** Whether the rate comes from the book's premium over the index, or is always `rate`. */
    mode: z.enum(["premium", "fixed"]).default("premium"),
    intervalMs: durationMs.min(1000).default(28_800_000),
    /** Of mode `fixed`; 0.0001 when absent. */
    rate: signedDecimal.optional(),
    /** The premium by impact prices, later samples weighing more, or by the mid, a third of its mean. */
    premium: z.enum(["impact", "mid"]).default("impact"),
    sampleIntervalMs: durationMs.min(1).default(5000),
    /** What the impact prices are of; 4000 where `maxLeverage` is 20 or more, else 2000, when absent. */
    impactNotionalQuote: decimal.optional(),
    /** The share of an interval's samples without which nothing is paid. */
    minSampleShare: z.number().min(0).max(1).default(0.5),
    /** Limits the rate to so many times the elapsed days times `liquidationThreshold`; 0 for no limit. */
    speedMultiplier: z.int().min(0).max(1_000_000).default(3),
  })
  .refine(({ mode, rate }) => mode === "fixed" || rate === undefined, {
    path: ["rate"],
    message: "does not go with mode: premium",
    params: { expected: "mode: fixed beside it, or no rate" },
  });

const marketShape = z.strictObject({
  baseAsset: z.string().min(1).default("BTC"),
  quoteAsset: z.string().min(1).default("USDC"),
  /** The market's contract, the `perp` of its orders. Derived from the market's id when absent. */
  perp: address.optional(),
  tickSize: positiveDecimal.default("0.1"),
  stepSize: positiveDecimal.default("0.001"),
  priceQuote: bounds("0.1", "10000000"),
  amountBase: bounds("0.001", "1000"),
  marketAmountBase: bounds("0.001", "100"),
  maxOpenOrders: z.int().min(1).default(200),
  /** Negative: makers are paid. */
  makerFeeRate: signedDecimal.default("-0.0001"),
  takerFeeRate: signedDecimal.default("0.0003"),
  maxLeverage: z.int().min(1).max(1000).default(20),
  /** The largest notional of one account in this market, positions and open orders at their worst (4013). */
  maxExposureQuote: decimal.default("5000000"),
  /** Maintenance margin as a fraction of notional (`mmr` of the contracts). */
  liquidationThreshold: decimal.default("0.03"),
  liquidationPriceOff: decimal.default("0.01"),
  /** Part of a liquidation's credit that its victim pays to the insurance account. */
  insuranceFeeRate: decimal.default("0.01"),
  funding: fundingShape.prefault({}),
  status: z.enum(MARKET_STATES).default("TRADING"),
  /** Who else trades here. */
  flow: flowConfigShape.default({ kind: "none" }),
});

const shape = z.strictObject({
  host: z.string().min(1).default("127.0.0.1"),
  /** 0 takes any free port. */
  port: port.default(8620),
  /** Host names, beside localhost and every IP address, by which the exchange and its chain may be asked. */
  allowedHosts: z.array(z.string().min(1)).default([]),
  /** Origins whose web pages may read what is public, such as `https://app.example`; `*` for all of them. */
  corsOrigins: z
    .array(
      text(/^(\*|https?:\/\/[a-z0-9.[\]:-]+)$/, "an origin, such as https://app.example, or *"),
    )
    .default([]),
  /** Connections open at once, of requests and streams together; one more is closed. */
  maxConnections: z.int().min(1).max(100_000).default(1024),
  /**
   * A folder of the exchange's own, relative to the file, in which its state outlives the process. Without it everything is in
   * memory only.
   */
  dataDir: z.string().min(1).optional(),
  /** What settlement failures and order flows are drawn from. */
  seed: z.union([z.int(), z.string().min(1)]).default(1),
  domain: z
    .strictObject({
      name: z.string().min(1).default("JOJO"),
      version: z.string().min(1).default("1"),
      chainId: z.int().min(1).default(31337),
      verifyingContract: address.default("0x5FbDB2315678afecb367f032d93F642f64180aa3"),
    })
    .prefault({}),
  creditDecimals: z.int().min(0).max(18).default(6),
  paperDecimals: z.int().min(0).max(18).default(18),
  /** The first identifier given out; a value beyond 2^53 tries what clients do with int64. */
  firstId: text(/^\d{1,18}$/, "a whole number below 10^18").default("275287091667264"),
  markets: z.record(marketId, marketShape).refine((markets) => Object.keys(markets).length > 0, {
    message: "names no market",
    params: { expected: "at least one market, such as btcusdc: {}" },
  }),
  /** What single accounts have of their own, by address. */
  accounts: z
    .record(
      address,
      z.strictObject({
        /** Who may sign for the account from its registration on. */
        operators: z.array(address).max(MOST_OPERATORS).default([]),
        /** Its fee agreement: the rates that its orders carry in a market in place of the market's. */
        feeRates: z
          .record(
            marketId,
            z.strictObject({ makerFeeRate: signedDecimal, takerFeeRate: signedDecimal }),
          )
          .default({}),
      }),
    )
    .default({}),
  /** The most accounts; registration of one more is refused. */
  maxAccounts: z.int().min(1).default(100_000),
  /** Quote credit that a new account is given, counted as its deposit. */
  creditOnRegistration: decimal.default("100000"),
  /** How long the answer to a registration or a deposit may wait for a block to credit it; 0 answers at once, as a later block does. */
  creditWaitMs: z.int().min(0).max(60_000).default(1500),
  faucet: z
    .strictObject({ enabled: z.boolean().default(true), maxQuote: decimal.default("1000000000") })
    .prefault({}),
  /** What the insurance account begins with; it takes over the debt of accounts that have nothing left but debt. */
  insurance: z.strictObject({ initialQuote: decimal.default("100000") }).prefault({}),
  withdrawals: z
    .strictObject({
      enabled: z.boolean().default(true),
      /** From a withdrawal's request to its execution; 0 executes it at once. */
      delayMs: durationMs.default(0),
    })
    .prefault({}),
  /** What the gas of settlement costs, of which orders below the waiver pay their part. */
  gasFee: z
    .strictObject({
      /** Gas of settling one order. */
      gasLimit: z.int().min(0).max(30_000_000).default(125_000),
      /** Bounds of the gas price, between which it follows the matches of each block. */
      minGasPriceWei: wei.default("5000000"),
      maxGasPriceWei: wei.default("50000000"),
      blockMs: durationMs.min(1).default(2000),
      /** Gas in a block above which the price rises and below which it falls. */
      blockGasTarget: z.int().min(1).default(5_000_000),
      /** The market whose index is the price of ETH; the first whose base asset is ETH when left out. */
      ethMarketId: marketId.optional(),
      /** The price of ETH as long as no market says it. */
      ethPriceQuote: decimal.default("3000"),
      /** A dynamic waiver is this many times the gas of an order. */
      waiverMultiple: z.int().min(0).max(1_000_000).default(1000),
    })
    .prefault({}),
  settlement: z
    .strictObject({
      /** From match to settlement. */
      delayMs: durationMs.default(2000),
      /** The share of trades whose settlement fails. */
      failureRate: z.number().min(0).max(1).default(0),
    })
    .prefault({}),
  /** The chain that trades are settled on; without it they are settled in memory, after `settlement.delayMs`. */
  chain: chainConfigShape.optional(),
  timestampWindowMs: durationMs.default(5000),
  rateLimits: z
    .strictObject({
      /** 0 switches the limit off. */
      common: z.int().min(0).default(DEFAULT_TOKEN_LIMITS.COMMON.limit),
      order: z.int().min(0).default(DEFAULT_TOKEN_LIMITS.ORDER.limit),
      intervalMs: durationMs.min(1000).default(60_000),
      /** Whose requests are counted together. */
      key: z.enum(["ip", "account", "both"]).default("ip"),
      /** Requests sent on after a 429, within one interval, that turn it into a 418. 0 never bans. */
      requestsBeforeBan: z.int().min(0).default(120),
      banMs: durationMs.default(120_000),
    })
    .prefault({}),
  streams: z
    .strictObject({
      /** Book changes are gathered for so long into one update; 0 publishes at the end of every event. */
      bookIntervalMs: durationMs.default(25),
      marketIntervalMs: durationMs.min(1).default(1000),
      /** Changes of a bar are gathered for so long; 0 publishes at the end of every event. */
      klineIntervalMs: durationMs.default(250),
      pingIntervalMs: durationMs.min(1).default(5000),
      pongTimeoutMs: durationMs.min(1).default(15_000),
      pings: z.enum(["protocol", "text", "both"]).default("both"),
      maxAgeMs: durationMs.min(1).default(43_200_000),
      maxStreams: z.int().min(1).default(50),
      messagesPerSecond: z.int().min(1).default(10),
      /** A reader whose unsent data passes this is disconnected. */
      maxBufferedBytes: z.int().min(1).default(8_388_608),
      /** Connections open at once from one address. */
      maxConnectionsPerIp: z.int().min(1).default(256),
    })
    .prefault({}),
  retention: z
    .strictObject({
      publicTrades: z.int().min(500).default(20_000),
      historyOrders: z.int().min(500).default(50_000),
      userTrades: z.int().min(500).default(50_000),
      incomes: z.int().min(500).default(50_000),
      /** Bars of each interval, of trades and of marks. */
      candles: z.int().min(500).default(3000),
      /** Hashes of orders that were taken, which no second order may have. */
      orderHashes: z.int().min(500).default(1_000_000),
    })
    .prefault({}),
  choices: choicesShape.prefault({}),
});

/** The embedded exchange's configuration, checked and with every default filled in. */
export type ExchangeConfig = z.output<typeof shape>;

/** What a user may write: every key but `markets` may be left out. */
export type ExchangeConfigInput = z.input<typeof shape>;

/** One market of {@link ExchangeConfig}. */
export type MarketConfig = z.output<typeof marketShape>;

/** The validator itself, for the JSON Schema. */
export const exchangeConfigShape = shape;

/** The validator of one market. */
export const marketConfigShape = marketShape;

/**
 * Checks an exchange's configuration and fills in its defaults.
 * @param context names the place in the file for messages.
 * @throws ConfigError naming the path, the value and what would be right.
 */
export function parseExchangeConfig(input: unknown, context: ShapeContext = {}): ExchangeConfig {
  return checkShape(shape, input, context);
}
