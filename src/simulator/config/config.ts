import { z } from "zod";
import { checkShape, type ShapeContext } from "../../core/config/config-shape.js";
import { DEFAULT_TOKEN_LIMITS } from "../../core/token-limits.js";
import { chainConfigShape } from "../chain/chain-config.js";
import { usdmConfigShape } from "../dialects/binance-usdm/usdm-config.js";
import { faultsShape } from "../faults/fault-shape.js";
import { flowConfigShape } from "../flow/flow-config.js";
import { choicesShape } from "./choices.js";
import { address, decimal, marketId, positiveDecimal, signedDecimal, text } from "./config-text.js";

const port = z.int().min(0).max(65535);
const wei = text(/^\d{1,30}$/, "a whole number of wei");
/** The maximum number of operators of one account. */
export const MOST_OPERATORS = 100;
const durationMs = z.int().min(0).max(1_000_000_000_000);

/**
 * The states of a market. Only TRADING accepts orders; the others refuse them with 2013, 2014 and
 * 2015.
 */
export const MARKET_STATES = ["PENDING", "TRADING", "SUSPENDED", "DELISTED"] as const;

const bounds = (min: string, max: string) =>
  z
    .strictObject({ min: positiveDecimal.default(min), max: positiveDecimal.default(max) })
    .prefault({});

const fundingShape = z
  .strictObject({
    /** Takes the rate from the book's premium over the index, or always uses `rate`. */
    mode: z.enum(["premium", "fixed"]).default("premium"),
    intervalMs: durationMs.min(1000).default(28_800_000),
    /** The rate of mode `fixed`; 0.0001 when absent. */
    rate: signedDecimal.optional(),
    /**
     * The premium by impact prices, where later samples weigh more, or by the mid, as a third of
     * its mean.
     */
    premium: z.enum(["impact", "mid"]).default("impact"),
    sampleIntervalMs: durationMs.min(1).default(5000),
    /**
     * The notional of the impact prices; when absent, 4000 where `maxLeverage` is 20 or more, else
     * 2000.
     */
    impactNotionalQuote: decimal.optional(),
    /** The minimum share of an interval's samples; with fewer nothing is paid. */
    minSampleShare: z.number().min(0).max(1).default(0.5),
    /**
     * Limits the rate to this multiple of the elapsed days times `liquidationThreshold`; 0 for no
     * limit.
     */
    speedMultiplier: z.int().min(0).max(1_000_000).default(3),
  })
  .refine(({ mode, rate }) => mode === "fixed" || rate === undefined, {
    path: ["rate"],
    message: "is incompatible with mode: premium",
    params: { expected: "mode: fixed, or no rate" },
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
  /** Negative: makers receive a rebate. */
  makerFeeRate: signedDecimal.default("-0.0001"),
  takerFeeRate: signedDecimal.default("0.0003"),
  maxLeverage: z.int().min(1).max(1000).default(20),
  /**
   * The maximum notional of one account in this market, positions and open orders at their worst
   * (4013).
   */
  maxExposureQuote: decimal.default("5000000"),
  /** Maintenance margin as a fraction of notional (`mmr` of the contracts). */
  liquidationThreshold: decimal.default("0.03"),
  liquidationPriceOff: decimal.default("0.01"),
  /**
   * The fraction of a liquidation's credit that the liquidated account pays to the insurance
   * account.
   */
  insuranceFeeRate: decimal.default("0.01"),
  funding: fundingShape.prefault({}),
  status: z.enum(MARKET_STATES).default("TRADING"),
  /** The order flow: the other participants of the market. */
  flow: flowConfigShape.default({ kind: "none" }),
});

const shape = z.strictObject({
  host: z.string().min(1).default("127.0.0.1"),
  /** 0 uses any free port. */
  port: port.default(8620),
  /**
   * Host names, besides localhost and every IP address, under which the exchange and its chain
   * accept requests.
   */
  allowedHosts: z.array(z.string().min(1)).default([]),
  /**
   * Origins whose web pages may read public data, such as `https://app.example`; `*` for all of
   * them.
   */
  corsOrigins: z
    .array(
      text(/^(\*|https?:\/\/[a-z0-9.[\]:-]+)$/, "an origin, such as https://app.example, or *"),
    )
    .default([]),
  /**
   * The maximum number of open connections, requests and streams together; any further one is
   * closed.
   */
  maxConnections: z.int().min(1).max(100_000).default(1024),
  /**
   * A folder, relative to the file, in which the exchange keeps its state across restarts. No other
   * program may use it. Without it everything is in memory only.
   */
  dataDir: z.string().min(1).optional(),
  /** The seed of settlement failures and order flows. */
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
  /** The first identifier; a value beyond 2^53 tests how clients handle int64. */
  firstId: text(/^\d{1,18}$/, "a whole number below 10^18").default("275287091667264"),
  markets: z.record(marketId, marketShape).refine((markets) => Object.keys(markets).length > 0, {
    message: "names no market",
    params: { expected: "at least one market, such as btcusdc: {}" },
  }),
  /** Settings of single accounts, by address. */
  accounts: z
    .record(
      address,
      z.strictObject({
        /** Addresses that may sign for the account from its registration on. */
        operators: z.array(address).max(MOST_OPERATORS).default([]),
        /** Its fee agreement: the rates of its orders in a market, in place of the market's. */
        feeRates: z
          .record(
            marketId,
            z.strictObject({ makerFeeRate: signedDecimal, takerFeeRate: signedDecimal }),
          )
          .default({}),
      }),
    )
    .default({}),
  /** The maximum number of accounts; further registrations are refused. */
  maxAccounts: z.int().min(1).default(100_000),
  /** Quote credit of a new account, counted as its deposit. */
  creditOnRegistration: decimal.default("100000"),
  /**
   * The maximum time that the response to a registration or a deposit waits for the block that
   * credits it; 0 responds at once.
   */
  creditWaitMs: z.int().min(0).max(60_000).default(1500),
  faucet: z
    .strictObject({ enabled: z.boolean().default(true), maxQuote: decimal.default("1000000000") })
    .prefault({}),
  /**
   * The initial credit of the insurance account, which covers the debt of accounts that have only
   * debt left.
   */
  insurance: z.strictObject({ initialQuote: decimal.default("100000") }).prefault({}),
  withdrawals: z
    .strictObject({
      enabled: z.boolean().default(true),
      /** The time from a withdrawal's request to its execution; 0 executes it at once. */
      delayMs: durationMs.default(0),
    })
    .prefault({}),
  /** The gas cost of settlement, of which orders below the waiver pay their part. */
  gasFee: z
    .strictObject({
      /** Gas to settle one order. */
      gasLimit: z.int().min(0).max(30_000_000).default(125_000),
      /** Bounds of the gas price; between them it follows the matches of each block. */
      minGasPriceWei: wei.default("5000000"),
      maxGasPriceWei: wei.default("50000000"),
      blockMs: durationMs.min(1).default(2000),
      /** The gas per block above which the price rises and below which it falls. */
      blockGasTarget: z.int().min(1).default(5_000_000),
      /**
       * The market whose index is the price of ETH; when left out, the first whose base asset is
       * ETH.
       */
      ethMarketId: marketId.optional(),
      /** The price of ETH until a market has one. */
      ethPriceQuote: decimal.default("3000"),
      /** The multiple of an order's gas at which a dynamic waiver is. */
      waiverMultiple: z.int().min(0).max(1_000_000).default(1000),
    })
    .prefault({}),
  settlement: z
    .strictObject({
      /** The time from match to settlement. */
      delayMs: durationMs.default(2000),
      /** The fraction of trades whose settlement fails. */
      failureRate: z.number().min(0).max(1).default(0),
    })
    .prefault({}),
  /**
   * The chain that settles the trades; without it they settle in memory, after
   * `settlement.delayMs`.
   */
  chain: chainConfigShape.optional(),
  timestampWindowMs: durationMs.default(5000),
  rateLimits: z
    .strictObject({
      /** 0 disables the limit. */
      common: z.int().min(0).default(DEFAULT_TOKEN_LIMITS.COMMON.limit),
      order: z.int().min(0).default(DEFAULT_TOKEN_LIMITS.ORDER.limit),
      intervalMs: durationMs.min(1000).default(60_000),
      /** The key by which requests are counted. */
      key: z.enum(["ip", "account", "both"]).default("ip"),
      /** Requests after a 429 within one interval that turn it into a 418. 0 never bans. */
      requestsBeforeBan: z.int().min(0).default(120),
      banMs: durationMs.default(120_000),
    })
    .prefault({}),
  streams: z
    .strictObject({
      /**
       * The interval over which book changes are gathered into one update; 0 publishes at the end
       * of every event.
       */
      bookIntervalMs: durationMs.default(25),
      marketIntervalMs: durationMs.min(1).default(1000),
      /**
       * The interval over which changes of a bar are gathered; 0 publishes at the end of every
       * event.
       */
      klineIntervalMs: durationMs.default(250),
      pingIntervalMs: durationMs.min(1).default(5000),
      pongTimeoutMs: durationMs.min(1).default(15_000),
      pings: z.enum(["protocol", "text", "both"]).default("both"),
      maxAgeMs: durationMs.min(1).default(43_200_000),
      maxStreams: z.int().min(1).default(50),
      messagesPerSecond: z.int().min(1).default(10),
      /** A reader with more unsent data than this is disconnected. */
      maxBufferedBytes: z.int().min(1).default(8_388_608),
      /** The maximum number of open connections from one address. */
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
      /**
       * Hashes of accepted orders that are remembered; a second order with the same hash is
       * refused.
       */
      orderHashes: z.int().min(500).default(1_000_000),
    })
    .prefault({}),
  choices: choicesShape.prefault({}),
  /** Faults of the network and the exchange, struck on purpose; none when absent. */
  faults: faultsShape.optional(),
  /** Other wire languages that the exchange speaks, each on a port of its own. */
  dialects: z.strictObject({ "binance-usdm": usdmConfigShape.optional() }).prefault({}),
});

/** The embedded exchange's configuration, checked and with all defaults filled in. */
export type ExchangeConfig = z.output<typeof shape>;

/** The input of a user: every key but `markets` is optional. */
export type ExchangeConfigInput = z.input<typeof shape>;

/** One market of {@link ExchangeConfig}. */
export type MarketConfig = z.output<typeof marketShape>;

/** The validator, for the JSON Schema. */
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
