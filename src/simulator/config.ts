import { z } from "zod";
import { checkShape, type ShapeContext } from "../core/config-shape.js";
import { choicesShape } from "./choices.js";
import { flowConfigShape } from "./flow/flow-config.js";

const decimal = z.string().regex(/^\d+(\.\d+)?$/, 'a plain decimal string such as "0.1"');
const signedDecimal = z.string().regex(/^-?\d+(\.\d+)?$/, 'a plain decimal string such as "-0.0001"');
const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/, "0x and 40 hex digits");
const marketId = z.string().regex(/^[a-z0-9]{3,32}$/, "lower-case letters and digits, as in btcusdc");
const port = z.int().min(0).max(65535);
const durationMs = z.int().min(0).max(1_000_000_000_000);

/** The states that a market can be in; only TRADING takes orders (2013, 2014 and 2015 answer for the others). */
export const MARKET_STATES = ["PENDING", "TRADING", "SUSPENDED", "DELISTED"] as const;

const bounds = (min: string, max: string) => z.strictObject({ min: decimal.default(min), max: decimal.default(max) }).prefault({});

const marketShape = z.strictObject({
  baseAsset: z.string().min(1).default("BTC"),
  quoteAsset: z.string().min(1).default("USDC"),
  /** The market's contract, the `perp` of its orders. Derived from the market's id when absent. */
  perp: address.optional(),
  tickSize: decimal.default("0.1"),
  stepSize: decimal.default("0.001"),
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
  funding: z.strictObject({ intervalMs: durationMs.min(1000).default(28_800_000), rate: signedDecimal.default("0.0001") }).prefault({}),
  status: z.enum(MARKET_STATES).default("TRADING"),
  /** Who else trades here. */
  flow: flowConfigShape.default({ kind: "none" }),
});

const shape = z.strictObject({
  host: z.string().min(1).default("127.0.0.1"),
  /** 0 takes any free port. */
  port: port.default(8620),
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
  firstId: z
    .string()
    .regex(/^\d{1,18}$/, "a whole number below 10^18, in quotes")
    .default("275287091667264"),
  markets: z.record(marketId, marketShape).refine((markets) => Object.keys(markets).length > 0, "at least one market"),
  /** Quote credit that a new account is given, counted as its deposit. */
  creditOnRegistration: decimal.default("100000"),
  faucet: z.strictObject({ enabled: z.boolean().default(true), maxQuote: decimal.default("1000000000") }).prefault({}),
  settlement: z
    .strictObject({
      /** From match to settlement. */
      delayMs: durationMs.default(2000),
      /** The share of trades whose settlement fails. */
      failureRate: z.number().min(0).max(1).default(0),
    })
    .prefault({}),
  timestampWindowMs: durationMs.default(5000),
  rateLimits: z
    .strictObject({
      /** 0 switches the limit off. */
      common: z.int().min(0).default(2400),
      order: z.int().min(0).default(1200),
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
      pingIntervalMs: durationMs.min(1).default(5000),
      pongTimeoutMs: durationMs.min(1).default(15_000),
      pings: z.enum(["protocol", "text", "both"]).default("both"),
      maxAgeMs: durationMs.min(1).default(43_200_000),
      maxStreams: z.int().min(1).default(50),
      messagesPerSecond: z.int().min(1).default(10),
      /** A reader whose unsent data passes this is disconnected. */
      maxBufferedBytes: z.int().min(1).default(16_777_216),
    })
    .prefault({}),
  retention: z
    .strictObject({
      publicTrades: z.int().min(500).default(20_000),
      historyOrders: z.int().min(500).default(50_000),
      userTrades: z.int().min(500).default(50_000),
      incomes: z.int().min(500).default(50_000),
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

/**
 * Checks an exchange's configuration and fills in its defaults.
 * @param context names the place in the file for messages.
 * @throws ConfigError naming the path, the value and what would be right.
 */
export function parseExchangeConfig(input: unknown, context: ShapeContext = {}): ExchangeConfig {
  return checkShape(shape, input, context);
}
